// What a batch waits for while reads may hide what was sent before its ledger was lost, in plain words; and which batches wait as a whole.
import { isoTime } from '../../../base/clock.ts';
import type { Words } from '../../../base/language.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { isUnseenRow } from './held-unseen.ts';
import { sentence } from '../../../messages/messages.ts';

type Known = Pick<Paydrop, 'ledger' | 'workspace'>;

/** Null for a batch that goes on. One that was answered already is not answered worse than before, and one that is paid whole is not begun in part. */
export async function waitsForReads(known: Known, batch: BatchRecord): Promise<Words | null> {
  const { workspace } = known;
  if (batch.unseenUntil === undefined) return null;
  const wasClosed = (await standingFolder(workspace, batch.id)) === archiveFolder(workspace, batch.id);
  if (!wasClosed && batch.whole !== 'reserving') return null;
  const rows = await unseenRows(known, batch);
  return rows === 0 ? null : unseenWords(batch, rows);
}

/** How many of its rows are held until they can be looked for again. */
export async function unseenRows({ ledger }: Pick<Known, 'ledger'>, batch: BatchRecord): Promise<number> {
  if (batch.unseenUntil === undefined) return 0;
  let rows = 0;
  for await (const row of batchRows(ledger, batch.id)) if (isUnseenRow(row)) rows += 1;
  return rows;
}

export function unseenWords({ unseenUntil = isoTime(0) }: BatchRecord, rows: number): Words {
  const [en, fr] =
    rows === 1
      ? ['1 row waits', '1 ligne attend']
      : [`${String(rows)} rows wait`, `${String(rows)} lignes attendent`];
  return sentence('waitForReads.unseen', { unseenUntil, counted: { en, fr } });
}
