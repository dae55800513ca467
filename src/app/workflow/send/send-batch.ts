// Carries an accepted batch to the confirm of every row, by its strategy: row by row, or all of them once all of them stand.
import { STAGES_OF } from '../../../delivery/goal.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import type { Pace } from '../../../delivery/sample-prices.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { batchOf } from '../close/finish-batch.ts';
import { carryRows, tellWaiting } from './pay-batch.ts';
import { keepStop } from '../all-or-nothing/kept-stop.ts';
import { reserveWhole } from '../all-or-nothing/reserve-whole.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { tellReserving } from '../all-or-nothing/tell-reserving.ts';

/** Says how the sending ended, and has told the batch's owner. Null when this run confirmed nothing, because it is all or nothing. */
export async function sendBatch(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
  pace: Pace | null,
): Promise<RunEnd | null> {
  if ((await batchOf(paydrop, batch.id)).whole === 'reserving') {
    const reserved = await reserveWhole(paydrop, batch, control, pace);
    if (await tellReserving(paydrop, batch, reserved)) return null;
  }
  // Beside the file before anything of it is sent: should the ledger be lost, what nobody has released must not be paid.
  if ((await batchOf(paydrop, batch.id)).whole === 'stopped') await keepStop(paydrop, batch);
  const sent = await submitAll(paydrop, batch, control);
  await tellWaiting(paydrop, batch, sent);
  return sent;
}

/** Another process that had not seen the decision yet may have put a row down as reserved: it is taken up again. */
async function submitAll(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<RunEnd> {
  for (;;) {
    const end = await carryRows(paydrop, batch, 'submitted', control);
    if (end.kind !== 'done') return end;
    const counts = await paydrop.ledger.stageCounts(batch.id);
    if (STAGES_OF.submitted.every((stage) => (counts.get(stage) ?? 0) === 0)) return end;
  }
}
