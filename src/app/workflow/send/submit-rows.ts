// Carries the rows of a batch to their confirm.
import { STAGES_OF } from '../../../delivery/goal.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import type { RunControl } from '../../parts/run-options.ts';
import { keepStop } from '../all-or-nothing/kept-stop.ts';
import { carryRows, tellWaiting } from './pay-batch.ts';

/** Says how the sending ended, and has told the batch's owner. */
export async function submitRows(paydrop: Paydrop, batch: BatchRecord, control: RunControl): Promise<RunEnd> {
  // Beside the file before anything of it is sent: should the ledger be lost, what nobody has released must not be paid.
  if (batch.whole === 'stopped') await keepStop(paydrop, batch);
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
