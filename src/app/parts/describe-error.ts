// Turns any error that ends a command into a sentence and an exit code. An unexpected error is a bug, and says so without a stack trace.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

import { EXIT, type ExitCode } from '../../base/exit-codes.ts';
import { ToldError, type Words } from '../../base/language.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import type { AccountFault } from '../../ledger/exchange.ts';
import { LeaseLost, LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { isFault } from '../../service/errors.ts';
import { SftpFault } from '../../sftp/account.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { ServiceChanged } from './bound-account.ts';
import { describeFault } from './wait-for-service.ts';

/** Faults of the disk and the file system that a person can repair. */
const FILE_WORDS: Readonly<Record<string, Words>> = {
  ENOSPC: sentence('error.ENOSPC'),
  EDQUOT: sentence('error.EDQUOT'),
  EFBIG: sentence('error.EFBIG'),
  EROFS: sentence('error.EROFS'),
  EMFILE: sentence('error.EMFILE'),
  ENOTDIR: sentence('error.ENOTDIR'),
  EEXIST: sentence('error.EEXIST'),
  ENOENT: sentence('error.ENOENT'),
  EADDRINUSE: sentence('error.EADDRINUSE'),
};

/** `errorCode`: for programs; absent where the exit code says enough. */
export type ErrorEnd = {
  readonly code: ExitCode;
  readonly words: Words;
  readonly errorCode?: 'service_changed';
};

export function describeError(error: unknown): ErrorEnd {
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
  if (error instanceof ServiceChanged)
    return { code: EXIT.unfinished, words: error.words, errorCode: 'service_changed' };
  if (isFault(error)) return { code: EXIT.unfinished, words: describeFault(error).words };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = code === 'EACCES' || code === 'EPERM' ? rightsWords(error) : FILE_WORDS[code];
  if (words !== undefined)
    return {
      code: code === 'EADDRINUSE' ? EXIT.usage : EXIT.unfinished,
      words: sentence('annotated', { words, note: code }),
    };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: EXIT.bug,
    words: sentence('error.unexpected', { message }),
  };
}

/** Which file, whose it is and as whom paydrop runs: who gives the rights has to know all three. */
function rightsWords(error: unknown): Words {
  const path = placeOf(error);
  return sentence('error.rights', {
    path,
    owner: path === null ? null : ownerOf(path),
    own: process.getuid?.() ?? null,
  });
}

/** Who may move or remove a file is said by its folder. */
function placeOf(error: unknown): string | null {
  if (!(error instanceof Error && 'path' in error)) return null;
  const path = String(error.path);
  const isOfFolder = 'syscall' in error && /^(?:rename|unlink)$/.test(String(error.syscall));
  return isOfFolder ? dirname(path) : path;
}

/** Of the file, or of the first folder above it that can be seen. */
function ownerOf(path: string): { readonly path: string; readonly uid: number } | null {
  for (let at = path; ; at = dirname(at)) {
    try {
      return { path: at, uid: statSync(at).uid };
    } catch {
      if (at === dirname(at)) return null;
    }
  }
}

/** An error that nobody expected is the fault of the file that is being read, and of no other; null for faults that concern all files. */
export function asRefusal(error: unknown): FileRefused | null {
  const isAborted = error instanceof Error && error.name === 'AbortError';
  if (isAborted || describeError(error).code !== EXIT.bug) return null;
  const message = error instanceof Error ? error.message : String(error);
  return new FileRefused('unexpected_error', sentence('processBatch.unexpected', { message }), {
    cause: error,
  });
}

// Reasons that end a command although paydrop itself works: each class has its own words and its own exit code.

/** The copy of a file that is being paid is gone, or was changed. */
export function fileGone(batch: string, fileName: string): BatchFolderFault {
  return new BatchFolderFault(sentence('commandErrors.fileGone', { fileName, batch }));
}

/** The facts recorded when the file was taken decide, and no file that came into its folder since. */
export function saysOtherwise(batch: string): BatchFolderFault {
  return new BatchFolderFault(sentence('commandErrors.saysOtherwise', { batch }));
}

/** The list of documents is written before anything else is done with a file, so it cannot be missing. */
export function listGone(batch: string): BatchFolderFault {
  return new BatchFolderFault(sentence('commandErrors.listGone', { batch }));
}

/** The ledger has forgotten batches; nothing may be sent until it is rebuilt. */
export class LedgerForgetful extends ToldError {
  override readonly name = 'LedgerForgetful';
}

/** The ledger does not know some batches. @param files paths to type, of the batches that are named; `count` of all. */
export function lostLedger(files: readonly string[], count: number): LedgerForgetful {
  return forgetful('knownBatches.forgotten', files, count);
}

/** The ledger knows less about some batches than their folders. */
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

/** The service did not show every row; the rebuild has to be repeated. */
export class RebuildUnfinished extends ToldError {
  override readonly name = 'RebuildUnfinished';
}

/** A reconciliation that was asked to stop: half of one would suggest that the other half agrees. */
export class ReconciliationStopped extends ToldError {
  override readonly name = 'ReconciliationStopped';
}

/** Throws when the process has been asked to stop. */
export function assertGoesOn(signal: AbortSignal): void {
  if (signal.aborted) throw new ReconciliationStopped(sentence('commandErrors.reconciliationStopped'));
}

// The reason why an account cannot be used, whichever side is at fault, as the ledger keeps it and people read it.

export function describeAccountFault(error: unknown): Pick<AccountFault, 'code' | 'words'> {
  if (error instanceof SftpFault) return { code: error.code, words: error.words };
  // A fault of this machine's disk or ledger, in the words of every other command.
  return { code: 'here', words: describeError(error).words };
}
