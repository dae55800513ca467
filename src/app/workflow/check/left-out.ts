// A corrected file that leaves out a row of its predecessor does not stop that row, and its owner may think that it does.
import type { Words } from '../../../base/language.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { STAGES_BEFORE_CONFIRM, type StageOrHeld } from '../../../payouts/lifecycle.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Paydrop } from '../../parts.ts';
import { PAYING } from '../../../ledger/batch-states.ts';
import { sentence } from '../../../messages/messages.ts';

/** Stages in which a row will be paid unless somebody does something. */
const ON_ITS_WAY: readonly StageOrHeld[] = [...STAGES_BEFORE_CONFIRM, 'confirmed'];

/** Rows named one by one; the others are counted. */
const NAMED_MOST = 5;

/** A sentence for each earlier batch of a file of the same name that is still paying rows which this one leaves out. */
export async function leftOutWords(
  { ledger, clock }: Paydrop,
  batch: BatchRecord,
): Promise<readonly Words[]> {
  const earlier = (await ledger.batchesToLookAt(clock.now())).filter(
    ({ id, fileName, sha256, state }) =>
      id !== batch.id && fileName === batch.fileName && sha256 !== batch.sha256 && PAYING.has(state),
  );
  if (earlier.length === 0) return [];
  const kept = new Set<string>();
  for await (const { reference } of batchRows(ledger, batch.id)) if (reference !== null) kept.add(reference);
  const words: Words[] = [];
  for (const { id } of earlier) {
    const rows: string[] = [];
    for await (const row of batchRows(ledger, id)) if (isLeftOut(row, kept)) rows.push(row.row);
    if (rows.length > 0) words.push(wordsFor(id, rows));
  }
  return words;
}

function isLeftOut({ reference, progress }: RowRecord, kept: ReadonlySet<string>): boolean {
  return reference !== null && !kept.has(reference) && ON_ITS_WAY.includes(stageOrHeld(progress));
}

function wordsFor(batch: string, rows: readonly string[]): Words {
  const named = rows.slice(0, NAMED_MOST).join(', ');
  const more = rows.length - NAMED_MOST;
  return sentence('leftOut.wordsFor', { batch, named, more });
}
