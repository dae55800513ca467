// Any error that ends a command, as a sentence and an exit code. What is not expected is a bug, and says so without a stack trace.
import { EXIT, type ExitCode } from '../../base/exit-codes.ts';
import { ToldError, type Words } from '../../base/language.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import type { AccountFault } from '../../ledger/exchange.ts';
import { LeaseLost, LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { isFault } from '../../service/errors.ts';
import { SftpFault } from '../../sftp/sftp-fault.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { describeFault } from './wait-for-service.ts';

/** Faults of the disk and the file system that a person can mend. */
const FILE_WORDS: Readonly<Record<string, Words>> = {
  ENOSPC: sentence('error.ENOSPC'),
  EDQUOT: sentence('error.EDQUOT'),
  EFBIG: sentence('error.EFBIG'),
  EACCES: sentence('error.EACCES'),
  EPERM: sentence('error.EPERM'),
  EROFS: sentence('error.EROFS'),
  EMFILE: sentence('error.EMFILE'),
  ENOTDIR: sentence('error.ENOTDIR'),
  EEXIST: sentence('error.EEXIST'),
  ENOENT: sentence('error.ENOENT'),
  EADDRINUSE: sentence('error.EADDRINUSE'),
};

export function describeError(error: unknown): { readonly code: ExitCode; readonly words: Words } {
  if (error instanceof ConfigUnusable) return { code: EXIT.usage, words: error.words };
  if (error instanceof FileRefused || error instanceof LedgerForgetful)
    return { code: EXIT.refused, words: error.words };
  if (
    error instanceof LedgerUnusable ||
    error instanceof LeaseLost ||
    error instanceof RebuildUnfinished ||
    error instanceof BatchFolderFault ||
    error instanceof ReconciliationStopped
  )
    return { code: EXIT.unfinished, words: error.words };
  if (isFault(error)) return { code: EXIT.unfinished, words: describeFault(error).words };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = FILE_WORDS[code];
  if (words !== undefined)
    return {
      code: code === 'EADDRINUSE' ? EXIT.usage : EXIT.unfinished,
      words: sentence('error.withCode', { words, code }),
    };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: EXIT.bug,
    words: sentence('error.unexpected', { message }),
  };
}

// What ends a command although nothing is wrong with paydrop itself: each class is told in its own words, with an exit code of its own.

/** The copy of a file that is being paid is gone, or was changed. */
export function fileGone(batch: string, fileName: string): BatchFolderFault {
  const [en, fr] = [JSON.stringify(fileName), `« ${fileName} »`];
  return new BatchFolderFault(sentence('commandErrors.fileGone', { counted: { en, fr }, batch }));
}

/** What was recorded when the file was taken decides, and nothing that came into its folder since. */
export function saysOtherwise(batch: string): BatchFolderFault {
  return new BatchFolderFault(sentence('commandErrors.saysOtherwise', { batch }));
}

/** The list of its documents is written before anything else is done with a file. */
export function listGone(batch: string): BatchFolderFault {
  return new BatchFolderFault(sentence('commandErrors.listGone', { batch }));
}

/** The ledger has forgotten batches; nothing may be sent before it is rebuilt. */
export class LedgerForgetful extends ToldError {
  override readonly name = 'LedgerForgetful';
}

/** The ledger does not know some batches. @param files paths to type, those that are named; `count` of all. */
export function lostLedger(files: readonly string[], count: number): LedgerForgetful {
  return forgetful('knownBatches.forgotten', files, count);
}

/** The ledger knows less of some batches than their folders. */
export function olderLedger(files: readonly string[], count: number): LedgerForgetful {
  return forgetful('knownBatches.older', files, count);
}

/** The manifests of some batches name another ledger. */
export function otherLedger(files: readonly string[], count: number): LedgerForgetful {
  return forgetful('knownBatches.otherLedger', files, count);
}

function forgetful(
  key: 'knownBatches.forgotten' | 'knownBatches.older' | 'knownBatches.otherLedger',
  files: readonly string[],
  count: number,
): LedgerForgetful {
  const typed = files.map((path) => JSON.stringify(path)).join(' ');
  return new LedgerForgetful(sentence(key, { count, files: typed }));
}

/** The service did not tell of every row; the rebuild has to be repeated. */
export class RebuildUnfinished extends ToldError {
  override readonly name = 'RebuildUnfinished';
}

/** A reconciliation that was asked to stop: half of one would look as if the other half agreed. */
export class ReconciliationStopped extends ToldError {
  override readonly name = 'ReconciliationStopped';
}

/** Throws once the process is asked to stop. */
export function assertGoesOn(signal: AbortSignal): void {
  if (signal.aborted) throw new ReconciliationStopped(sentence('commandErrors.reconciliationStopped'));
}

// What keeps an account from being worked with, whichever side it lies on, as the ledger keeps it and people read it.

export function describeAccountFault(error: unknown): Pick<AccountFault, 'code' | 'words'> {
  if (error instanceof SftpFault) return { code: error.code, words: error.words };
  // The disk or the ledger of this machine, in the words of every other command.
  return { code: 'here', words: describeError(error).words };
}
