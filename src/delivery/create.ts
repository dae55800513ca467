// quoted → created (or confirming): reserves the funds under an id that never changes for this attempt. Nothing is paid by it.
import type { Payout } from '../payouts/payout.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import type { Transfer } from '../service/wire.ts';
import { transferDifferences, transferRequest } from './requests.ts';
import { isInTime } from './in-time.ts';
import { judgeTransfer, toKnownTransfer } from './judge-transfer.ts';
import { requote } from './quote.ts';
import { mayConfirm } from './time-left.ts';
import { lookOf, type DeliveryTools, type DueRow } from './tools.ts';

export async function create(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { price } = due.row.progress;
  // No row is created with too little time left to confirm it: ask for a new price first.
  if (price === null || !isInTime(due, price, tools)) return requote(due.row.progress);
  const request = transferRequest(due, price.quotationId, tools.callbackUrl);
  const { value: transfer, serverTime } = await tools.serviceClock.ask(() =>
    tools.service.createTransfer(request),
  );
  if (transferDifferences(due, transfer, price).length > 0) {
    return { kind: 'held', code: 'echo_mismatch', learned: {}, foreign: toKnownTransfer(transfer) };
  }
  if (transfer.status !== 'created') {
    const verdict = judgeTransfer(
      { ...due.row.progress, stage: 'created' },
      transfer,
      lookOf(due.run, tools, serverTime),
    );
    return verdict.kind === 'held' ? { ...verdict, stage: 'created' } : verdict;
  }
  // Whoever had made it before, we would have been told that it exists: what is known of this attempt from here on is known by us.
  const learned = { lookedBy: due.run, begunBy: due.run, why: null };
  return created(due.row.payout, transfer, tools.serviceClock.latestNow(), learned);
}

/** The verdict on a transfer that stands as `created` and is ours: on to the document, or, where none is needed, to the confirm. */
export function created(
  payout: Payout,
  transfer: Transfer,
  latestNow: number | null,
  learned: Learned,
): Verdict {
  const known = { ...learned, transfer: toKnownTransfer(transfer) };
  const isNext = payout.document === null && mayConfirm(transfer, latestNow);
  return isNext ? intendToConfirm(known) : { kind: 'advanced', stage: 'created', learned: known };
}

/** `confirming` is the intent to confirm: it is durable before the confirm is sent, and while it stands one may have arrived. */
export function intendToConfirm(learned: Learned): Verdict {
  return { kind: 'advanced', stage: 'confirming', learned };
}
