// Any error that ends a command, as a sentence and an exit code. What is not expected is a bug, and says so without a stack trace.
import type { Words } from '../../base/language.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import { LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { isFault } from '../../service/errors.ts';
import { LedgerForgetful, ReconciliationStopped, RebuildUnfinished } from './command-errors.ts';
import { EXIT, type ExitCode } from '../../base/exit-codes.ts';
import { ConfigUnusable } from '../config/config-unusable.ts';
import { describeFault } from './wait-for-service.ts';
import { sentence } from '../../messages/messages.ts';

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
