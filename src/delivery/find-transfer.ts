// Looks whether a transfer of the current attempt exists already: after a create without an answer, after a restart, and when the ledger was lost.
// What is found is compared with the row before it is adopted as ours.
import { furthest, type ConfirmSent, type Progress } from '../payouts/progress.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import type { Quotation, Transfer } from '../service/wire.ts';
import { quotationDifferences, transferDifferences, type AgreedPrice } from './compare-echo.ts';
import { created } from './create.ts';
import { judgeTransfer, toKnownTransfer } from './judge-transfer.ts';
import { QUOTATIONS_MOST, quotationExternalId, transferExternalId } from './requests.ts';
import { lookOf } from './track.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { sentence } from '../messages/messages.ts';

export async function findTransfer(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { service, serviceClock } = tools;
  // 10013 is thrown and judged: it means "not visible yet", never "not there".
  const { value: transfer, serverTime } = await serviceClock.ask(() =>
    service.transferByExternalId(transferExternalId(due)),
  );
  const price = await priceOf(due, transfer, tools);
  if (price === null || transferDifferences(due, transfer, price).length > 0) {
    return { kind: 'held', code: 'id_collision', learned: collided(transfer) };
  }
  const learned = { lookedBy: due.run, refusal: null, confirm: confirmedBy(due) };
  const progress = { ...due.row.progress, ...learned, stage: 'created' } satisfies Progress;
  const verdict = judgeTransfer(progress, transfer, lookOf(due.run, tools, serverTime));
  if (verdict.kind === 'advanced' && verdict.stage === 'created')
    return created(due.row.payout, transfer, tools, learned);
  if (verdict.kind === 'waiting') {
    return { kind: 'advanced', stage: 'created', learned: { ...learned, ...verdict.learned } };
  }
  if (verdict.kind === 'interrupted') return verdict;
  const found = { ...verdict, learned: { ...learned, ...verdict.learned } };
  // Compared with the row, it is the row's own, whatever the service says of it.
  return found.kind === 'held' ? { ...found, stage: 'created' } : found;
}

/** Somebody else's transfer may have been paid: what we say of it must be true of it. */
function collided(transfer: Transfer): Learned {
  const known = { transfer: toKnownTransfer(transfer) };
  if (transfer.status === 'created') return known;
  const reason = sentence('findTransfer.collided', { status: transfer.status });
  return { ...known, reason };
}

/** A transfer that another run made may have been confirmed by it; one whose create only lost its answer in this run cannot. At `ready` this run has sent none. */
function confirmedBy(due: DueRow): ConfirmSent {
  const { confirm, begunBy, stage } = due.row.progress;
  const mayBe = begunBy !== due.run || stage === 'ready';
  return mayBe ? furthest(confirm, 'sent') : confirm;
}

/** The amounts that the transfer must have: those of its quotation, which must be one of this row's. Null when it is somebody else's. */
async function priceOf(due: DueRow, transfer: Transfer, tools: DeliveryTools): Promise<AgreedPrice | null> {
  const { price } = due.row.progress;
  if (price?.quotationId === transfer.quotationId) return price;
  const { value: quotation } = await tools.serviceClock.ask(() =>
    tools.service.quotation(transfer.quotationId),
  );
  if (!isOurs(due, quotation) || quotationDifferences(due, quotation).length > 0) return null;
  return {
    quotationId: quotation.id,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
  };
}

function isOurs(due: DueRow, quotation: Quotation): boolean {
  const externalId = quotation.externalId.toLowerCase();
  // Nearly always one of the first; one more than the most is asked for before a row is held.
  for (let attempt = 1; attempt <= QUOTATIONS_MOST + 1; attempt++)
    if (quotationExternalId(due, attempt) === externalId) return true;
  return false;
}
