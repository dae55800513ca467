// Carries an accepted batch to the confirm of every row, by its strategy: row by row, or all of them once all of them stand.
import { STAGES_OF } from '../delivery/goal.ts';
import type { RunEnd } from '../delivery/runner.ts';
import type { Pace } from '../delivery/sample-prices.ts';
import type { BatchRecord } from '../ledger/records.ts';
import type { Paydrop } from './compose.ts';
import { batchOf } from './finish-batch.ts';
import { carryRows, tellWaiting } from './pay-batch.ts';
import { keepStop } from './whole/kept-stop.ts';
import { reserveWhole, type WholeEnd } from './whole/reserve-whole.ts';
import type { RunControl } from './run-options.ts';
import { surveyWhole } from './whole/survey-whole.ts';
import { confirmedSoFar } from './whole/whole-words.ts';

/** Says how the sending ended, and has told the batch's owner. Null when this run confirmed nothing, because it is all or nothing. */
export async function sendBatch(
  paydrop: Paydrop,
  batch: BatchRecord,
  control: RunControl,
  pace: Pace | null,
): Promise<RunEnd | null> {
  if ((await batchOf(paydrop, batch.id)).whole === 'reserving') {
    const reserved = await reserveWhole(paydrop, batch, control, pace);
    // Another process may have decided meanwhile: then it is no longer true that nothing is confirmed.
    const isDecided = (await batchOf(paydrop, batch.id)).whole !== 'reserving';
    if (!isDecided) return tellReserving(paydrop, batch, reserved);
  }
  // Beside the file before anything of it is sent: should the ledger be lost, what nobody has released must not be paid.
  if ((await batchOf(paydrop, batch.id)).whole === 'stopped') await keepStop(paydrop, batch);
  const sent = await submitAll(paydrop, batch, control);
  await tellWaiting(paydrop, batch, sent);
  return sent;
}

async function tellReserving(paydrop: Paydrop, batch: BatchRecord, reserved: WholeEnd): Promise<null> {
  const lead = confirmedSoFar(await surveyWhole(paydrop, batch));
  switch (reserved.kind) {
    case 'ended':
      await tellWaiting(paydrop, batch, reserved.end, lead);
      return null;
    case 'waits':
      await paydrop.ledger.changeBatch(batch.id, {
        waitingFor: reserved.waitingFor,
        waitingWords: lead(reserved.words),
      });
      return null;
    case 'decided':
      throw new Error(`The decision on batch ${batch.id} is not on record.`);
  }
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
