// What ends a command although nothing is wrong with paydrop itself: each class is told in its own words, with an exit code of its own.
import { join } from 'node:path';

import { ToldError } from '../../base/language.ts';
import { BatchFolderFault } from '../../inbox/batch-note.ts';
import { folderNow } from '../../inbox/manifest.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';

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

/** @param files paths to type, those that are named; `count` of all. */
export function forgetful(files: readonly string[], count: number): LedgerForgetful {
  return new LedgerForgetful(
    sentence('knownBatches.forgotten', {
      unknown: count,
      files: files.map((path) => JSON.stringify(path)).join(' '),
    }),
  );
}

/** The manifest beside the file of a batch knows more than the ledger. */
export function olderLedger(
  workspace: Workspace,
  { id, fileName }: Pick<BatchRecord, 'id' | 'fileName'>,
): LedgerForgetful {
  return forgetful([join(folderNow(workspace, id) ?? '', fileName)], 1);
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
