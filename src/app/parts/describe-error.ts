// Any error that ends a command, as a sentence and an exit code. What is not expected is a bug, and says so without a stack trace.
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import { LedgerUnusable } from '../../ledger/ledger-unusable.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { isFault } from '../../service/errors.ts';
import { LedgerForgetful, ReconciliationStopped, RebuildUnfinished } from './command-errors.ts';
import { EXIT, type ExitCode } from '../../base/exit-codes.ts';
import { ConfigUnusable } from '../config/config-unusable.ts';
import { describeFault } from './wait-for-service.ts';

/** Faults of the disk and the file system that a person can mend. */
const FILE_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Make room, then run the same command again. Nothing is lost.',
  EDQUOT: 'The disk quota is used up. Make room, then run the same command again. Nothing is lost.',
  EFBIG:
    'A file would be larger than this system allows. Make room, then run the same command again. Nothing is lost.',
  EACCES:
    'A folder or file of the workspace may not be written. Mend its permissions, then run the same command again. Nothing is lost.',
  EPERM:
    'A folder or file of the workspace may not be changed. Mend its permissions, then run the same command again. Nothing is lost.',
  EROFS: 'The disk is read-only. Make it writable, then run the same command again. Nothing is lost.',
  EMFILE:
    'This system allows too few open files. Raise the limit, then run the same command again. Nothing is lost.',
  ENOTDIR: 'A path of the workspace is a file where a folder should be. Choose another folder.',
  EEXIST:
    'A path of the workspace is a file where a folder should be. Move it away, then run the same command again. Nothing is lost.',
  ENOENT:
    'A folder or file of the workspace has gone. Put it back if it is not only an empty folder, then run the same command again.',
  EADDRINUSE: 'The port is taken by another program. Choose another one.',
};

export function describeError(error: unknown): { readonly code: ExitCode; readonly words: string } {
  if (error instanceof ConfigUnusable) return { code: EXIT.usage, words: error.message };
  if (error instanceof FileRefused || error instanceof LedgerForgetful)
    return { code: EXIT.refused, words: error.message };
  if (
    error instanceof LedgerUnusable ||
    error instanceof RebuildUnfinished ||
    error instanceof BatchFolderFault ||
    error instanceof ReconciliationStopped
  )
    return { code: EXIT.unfinished, words: error.message };
  if (isFault(error)) return { code: EXIT.unfinished, words: describeFault(error).words.en };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words = FILE_WORDS[code];
  if (words !== undefined)
    return { code: code === 'EADDRINUSE' ? EXIT.usage : EXIT.unfinished, words: `${words} (${code})` };
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: EXIT.bug,
    words: `Something unexpected happened: ${message}. What was sent is on record; "paydrop resume" goes on.`,
  };
}
