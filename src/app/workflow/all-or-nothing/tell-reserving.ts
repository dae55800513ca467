// What the owner of a file that is paid whole or not at all is told while nothing of it may be confirmed. That nothing was is true only until it is
// decided, and another process may decide at any moment.
import type { BatchChange, BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { batchOf } from '../close/finish-batch.ts';
import { waitingAfter } from '../send/pay-batch.ts';
import { stopAfter } from '../send/standing-stop.ts';
import { notifyWaiting } from '../../notify/notify-waiting.ts';
import type { WholeEnd } from './reserve-whole.ts';
import { surveyWhole } from './survey-whole.ts';
import { confirmedSoFar } from './whole-words.ts';

/** False when it is decided by now, and nothing is told: the rows go on. */
export async function tellReserving(
  paydrop: Paydrop,
  batch: BatchRecord,
  reserved: WholeEnd,
): Promise<boolean> {
  const { ledger } = paydrop;
  if (isDecided(await batchOf(paydrop, batch.id))) return false;
  if (reserved.kind === 'decided') throw new Error(`The decision on batch ${batch.id} is not on record.`);
  const change = await waitingIn(paydrop, batch, reserved);
  // The service was asked about it meanwhile.
  if (isDecided(await batchOf(paydrop, batch.id))) return false;
  // Of what stops it now: a stop that stood before was told of then.
  const stoppedBy = reserved.kind === 'ended' ? stopAfter(reserved.end) : null;
  await notifyWaiting(paydrop, batch, { ...change, stoppedBy });
  const told = { change, event: 'batch changed' };
  const seen = await ledger.revise(batch.id, (now) => (isDecided(now) ? null : told));
  return seen !== null && !isDecided(seen);
}

function isDecided({ whole }: BatchRecord): boolean {
  return whole !== 'reserving';
}

async function waitingIn(
  paydrop: Paydrop,
  batch: BatchRecord,
  reserved: Exclude<WholeEnd, { kind: 'decided' }>,
): Promise<BatchChange & { readonly waitingWords: BatchRecord['waitingWords'] }> {
  const lead = confirmedSoFar(await surveyWhole(paydrop, batch));
  if (reserved.kind === 'waits') {
    const { waitingFor, words } = reserved;
    const { stoppedBy: before } = await batchOf(paydrop, batch.id);
    // What waits for the service has not been shown to get past what had stopped it.
    const isUnshown = waitingFor === 'credentials' || waitingFor === 'service';
    const stoppedBy = isUnshown ? stopAfter({ kind: waitingFor }, before) : null;
    return { waitingFor, waitingWords: lead(words), stoppedBy };
  }
  const waiting = await waitingAfter(paydrop, batch, reserved.end);
  const { waitingWords } = waiting;
  return { ...waiting, waitingWords: waitingWords === null ? null : lead(waitingWords) };
}
