// What the owner of a file that is paid whole or not at all is told while nothing of it may be confirmed. That nothing was is true only until it is
// decided, and another process may decide at any moment.
import type { BatchRecord } from '../../../ledger/records.ts';
import { waitAfter, type Wait } from '../../../ledger/wait.ts';
import type { Paydrop } from '../../parts.ts';
import { batchOf } from '../close/finish-batch.ts';
import { CUT_SHORT, waitAfterRun } from '../send/pay-batch.ts';
import { notifyWaiting } from '../../notify/notify-waiting.ts';
import type { WholeEnd } from './reserve-whole.ts';
import { confirmedSoFar, surveyWhole } from './survey-whole.ts';

/** False when it is decided by now, and nothing is told: the rows go on. */
export async function tellReserving(
  paydrop: Paydrop,
  batch: BatchRecord,
  reserved: WholeEnd,
): Promise<boolean> {
  const { ledger } = paydrop;
  if (isDecided(await batchOf(paydrop, batch.id))) return false;
  if (reserved.kind === 'decided') throw new Error(`The decision on batch ${batch.id} is not on record.`);
  const wait = await waitIn(paydrop, batch, reserved);
  // The service was asked about it meanwhile.
  if (isDecided(await batchOf(paydrop, batch.id))) return false;
  await notifyWaiting(paydrop, batch, wait);
  const isAsked = reserved.kind !== 'ended' || !CUT_SHORT.has(reserved.end.kind);
  const seen = await ledger.revise(batch.id, (now) =>
    isDecided(now) ? null : { change: { wait: waitAfter(now.wait, wait, isAsked) }, event: 'batch changed' },
  );
  return seen !== null && !isDecided(seen);
}

function isDecided({ whole }: BatchRecord): boolean {
  return whole !== 'reserving';
}

async function waitIn(
  paydrop: Paydrop,
  batch: BatchRecord,
  reserved: Exclude<WholeEnd, { kind: 'decided' }>,
): Promise<Wait | null> {
  const lead = confirmedSoFar(await surveyWhole(paydrop, batch));
  const wait = reserved.kind === 'waits' ? reserved.wait : await waitAfterRun(paydrop, batch, reserved.end);
  return wait === null ? null : { ...wait, words: lead(wait.words) };
}
