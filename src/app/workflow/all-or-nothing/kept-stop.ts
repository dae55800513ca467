// That a file which is paid whole or not at all was stopped, kept beside it: the service does not tell it, and a ledger that is made anew, or an older
// copy that is put back, would pay the rows of which a person has still to decide.
import { standingOf } from '../../../delivery/reserved.ts';
import { folderNow, standingManifest, type KeptStop, type RefusedRow } from '../../../inbox/manifest.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Learned } from '../../../payouts/verdict.ts';
import type { Paydrop } from '../../parts.ts';
import { keepManifest } from '../epoch.ts';
import { refusedWords, surveyWhole } from './survey-whole.ts';

/** Null for a file that was not stopped. */
export async function keptStop(
  workspace: Workspace,
  { id }: Pick<BatchRecord, 'id'>,
): Promise<KeptStop | null> {
  return (await standingManifest(workspace, id))?.stop ?? null;
}

/** To be awaited before anything of a stopped file is sent; durable when it resolves. What was kept before stays as it is. */
export async function keepStop(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const { workspace } = paydrop;
  if ((await keptStop(workspace, batch)) !== null) return;
  const refused = refusedWords(await surveyWhole(paydrop, batch));
  if (folderNow(workspace, batch.id) === null)
    throw new Error(`The folder of batch ${batch.id} is in neither processing/ nor archive/.`);
  await keepManifest(paydrop, batch, { stop: { refused, rows: await neverSent(paydrop, batch) } });
}

async function neverSent(
  { ledger }: Paydrop,
  { id, onInvalidRows }: BatchRecord,
): Promise<readonly RefusedRow[]> {
  const rows: RefusedRow[] = [];
  for await (const found of batchRows(ledger, id)) {
    const { why, stage } = found.progress;
    if (stage === 'rejected' && standingOf(found, onInvalidRows) === 'refused')
      rows.push({ row: found.row, why });
  }
  return rows;
}

/** What the row was told when the file was stopped; null for any other, and for one of which something may stand at the service. */
export function refusedBefore(kept: KeptStop | null, { row, progress }: RowRecord): Learned | null {
  const { transfer, lookedBy } = progress;
  if (transfer !== null || lookedBy === null) return null;
  const told = kept?.rows.find((refused) => refused.row === row);
  return told === undefined ? null : { why: told.why };
}
