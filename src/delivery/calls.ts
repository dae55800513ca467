// The two calls before a payment: a quotation, and the transfer that it prices. Neither pays anything; a quotation moves no money, so a new one is always harmless.
import pLimit from 'p-limit';

import { backoffMs, parseIsoTime } from '../base/clock.ts';
import { moneyWords } from '../base/currency.ts';
import { compareDecimals } from '../base/decimal.ts';
import { joinWords, type Words } from '../base/language.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import { keptComparison, movedWords } from '../payouts/moved-price.ts';
import type { Payout } from '../payouts/payout.ts';
import { type Progress, type QuotedPrice, type Tenure } from '../payouts/progress.ts';
import { applyVerdict, type Learned, type Verdict } from '../payouts/verdict.ts';
import { Refused, isFault, type Fault } from '../service/errors.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Quotation, Transfer } from '../service/wire.ts';
import { lifeMsOf, mayConfirm, mayCreate, type Lifetime } from './time-left.ts';
import {
  QUOTATIONS_MOST,
  quotationDifferences,
  quotationExternalId,
  quotationRequest,
  transferDifferences,
  transferRequest,
} from './requests.ts';
import { heldAsPaidOtherWay } from './paid-other-way.ts';
import { lookOf, type DeliveryTools, type DueRow } from './tools.ts';
import { toKnownTransfer, judgeTransfer } from './judge-transfer.ts';

export async function quote(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { progress } = due.row;
  if (progress.quotationAttempt > QUOTATIONS_MOST)
    return { kind: 'held', code: 'too_many_attempts', learned: {} };
  const { quotation, isAdopted } = await askForQuotation(due, tools);
  const price = toPrice(quotation);
  if (quotationDifferences(due, quotation).length > 0) return otherThanAsked(progress, isAdopted);
  const outside = outsideBounds(due.row.payout, quotation);
  if (outside !== null) {
    return {
      kind: 'refused',
      stage: 'rejected',
      learned: { why: { errorCode: 'amount_outside_bounds', reason: outside } },
    };
  }
  // A quotation of an earlier run may be about to expire; a fresh one is used, however short its life. It was shown by a preview, or quoted first, all the same.
  if (isAdopted && !isInTime(due, quotation, tools)) return requote({ ...progress, price });
  tools.rates.add(due.row.position, price, due.row.payout);
  return { kind: 'advanced', stage: 'quoted', learned: { price } };
}

/** Quotations in a row that may be other than was asked before a person looks. */
const MISMATCHES_MOST = 3;

/** One that was found may have been asked for under another config. One that was just made must be what was asked, and a new one costs nothing. */
function otherThanAsked(progress: Progress, isAdopted: boolean): Verdict {
  if (isAdopted) return requote(progress);
  const doubts = progress.doubts + 1;
  if (doubts >= MISMATCHES_MOST) return { kind: 'held', code: 'quotation_mismatch', learned: {} };
  const again = requote(progress);
  return { ...again, learned: { ...again.learned, doubts } };
}

async function askForQuotation(
  due: DueRow,
  { service, serviceClock }: DeliveryTools,
): Promise<{ readonly quotation: Quotation; readonly isAdopted: boolean }> {
  const ask = (call: () => Promise<Answer<Quotation>>) => serviceClock.ask(call);
  try {
    const { value } = await ask(() => service.createQuotation(quotationRequest(due)));
    return { quotation: value, isAdopted: false };
  } catch (error) {
    // 10002: an earlier try of this very id had arrived.
    if (!(error instanceof Refused && error.errorCode === 10002)) throw error;
    const { value } = await ask(() => service.quotationByExternalId(quotationExternalId(due)));
    return { quotation: value, isAdopted: true };
  }
}

function toPrice(quotation: Quotation): QuotedPrice {
  return {
    quotationId: quotation.id,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
    createdAt: quotation.createdAt,
    expiredAt: quotation.expiredAt,
  };
}

/** Plain words when the recipient would get less or more than the corridor allows; the bounds themselves are allowed. */
export function outsideBounds(
  { bounds, targetCurrency }: Payout,
  { destinationAmount }: Quotation,
): Words | null {
  const isInside =
    compareDecimals(destinationAmount, bounds.least) >= 0 &&
    compareDecimals(destinationAmount, bounds.most) <= 0;
  if (isInside) return null;
  const show = (amount: string) => moneyWords(amount, targetCurrency);
  const [amount, least, most] = [show(destinationAmount), show(bounds.least), show(bounds.most)];
  return sentence('quote.outsideBounds', { amount, least, most });
}

// quoted → ready: the quotation is gone or too old, and another is asked for. The transfer keeps its id; a quotation costs nothing.

/** One that always runs out is asked for ever more rarely. */
const BACKOFF = { firstMs: 1_000, mostMs: 60_000 } as const;

/** So many quotations may run out by accident before there is a pause. */
const AT_ONCE_MOST = 3;

export function requote(progress: Progress): Verdict & { readonly kind: 'advanced' } {
  const { quotationAttempt } = progress;
  const tries = quotationAttempt - AT_ONCE_MOST;
  return {
    kind: 'advanced',
    stage: 'ready',
    ...(tries < 0 ? {} : { afterMs: backoffMs(BACKOFF, tries, 1) }),
    learned: { price: null, comparison: keptComparison(progress), quotationAttempt: quotationAttempt + 1 },
  };
}

// Prices some rows of a batch ahead of the others, to learn the pace of the service at this hour and how long its quotations live. Nothing is
// reserved by it, and the prices are kept for the run that follows.

/** How fast the service answers us while so many calls are under way, and how long the shortest of its quotations lives; null when none was got. */
export type Pace = { readonly msPerCall: number; readonly lifeMs: number | null };

type Sampling = {
  readonly ledger: Ledger;
  readonly run: Tenure;
  readonly tools: DeliveryTools;
  readonly fileId: string;
  readonly concurrency: number;
};

/** So many rounds of calls show the pace; the first of them, which opens the connections, does not count where there is another. */
export const SAMPLE_ROUNDS = 3;

/** Throws a `Fault` when the service gave no price and did not say why. */
export async function samplePrices(rows: readonly RowRecord[], sampling: Sampling): Promise<Pace> {
  const first = await ask(rows.slice(0, sampling.concurrency), sampling);
  const rest = await ask(rows.slice(sampling.concurrency), sampling);
  const fault = [...first.faults, ...rest.faults][0];
  const lives = [...first.lives, ...rest.lives];
  if (lives.length === 0 && fault !== undefined) throw fault;
  const counted = rest.calls > 0 ? rest : first;
  return {
    msPerCall: counted.calls === 0 ? 0 : counted.tookMs / counted.calls,
    lifeMs: lives.length === 0 ? null : Math.min(...lives),
  };
}

async function ask(rows: readonly RowRecord[], sampling: Sampling) {
  const { clock } = sampling.tools;
  const limit = pLimit(sampling.concurrency);
  const startedAt = clock.monotonic();
  const asked = await Promise.all(rows.map((row) => limit(() => priceOne(row, sampling))));
  return {
    calls: rows.length,
    tookMs: clock.monotonic() - startedAt,
    lives: asked.filter((life): life is number => typeof life === 'number'),
    faults: asked.filter((end): end is Fault => isFault(end)),
  };
}

/** How long the quotation lives in ms; null when none was given; the fault when there was no answer. */
async function priceOne(row: RowRecord, sampling: Sampling): Promise<number | null | Fault> {
  const { payout } = row;
  if (payout === null) return null;
  const { ledger, run, tools, fileId } = sampling;
  const progress = unpriced(row.progress);
  try {
    const due = { fileId, row: { ...row, payout, progress }, run, doubtSince: tools.doubtSince };
    const verdict = await quote(due, tools);
    // The run meets the same fault again and knows how to handle it.
    if (verdict.kind !== 'advanced' || verdict.stage !== 'quoted') return null;
    const priced = applyVerdict(progress, verdict);
    await ledger.record(row, { progress: priced, dueAt: 0, keepClaim: false, event: 'priced ahead' });
    return priced.price === null ? null : lifeOf(priced.price);
  } catch (error) {
    if (error instanceof Refused) return null;
    if (isFault(error)) return error;
    throw error;
  }
}

/** A price that was got before is given up for a new one; it costs nothing. */
function unpriced(progress: Progress): Progress {
  return progress.stage === 'quoted' ? applyVerdict(progress, requote(progress)) : progress;
}

function lifeOf({ createdAt, expiredAt }: QuotedPrice): number | null {
  const [from, to] = [parseIsoTime(createdAt), parseIsoTime(expiredAt)];
  return from === null || to === null ? null : to - from;
}

// quoted → created (or confirming): reserves the funds under an id that never changes for this attempt. Nothing is paid by it.

export async function create(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { price } = due.row.progress;
  // No row is created with too little time left to confirm it: ask for a new price first.
  if (price === null || !isInTime(due, price, tools)) return requote(due.row.progress);
  const moved = heldForPrice(due.row, tools);
  if (moved !== null) return moved;
  const paid =
    due.row.progress.comparison.otherWays === null ? null : await heldAsPaidOtherWay(due.row, tools);
  if (paid !== null) return paid;
  const request = transferRequest(due, price.quotationId, tools.callbackUrl);
  const { value: transfer, serverTime } = await tools.serviceClock.ask(() =>
    tools.service.createTransfer(request),
  );
  if (transferDifferences(due, transfer, price, request.externalId).length > 0) {
    return { kind: 'held', code: 'echo_mismatch', learned: {}, foreign: toKnownTransfer(transfer) };
  }
  if (transfer.status !== 'created') {
    const verdict = judgeTransfer(
      { ...due.row.progress, stage: 'created' },
      transfer,
      lookOf(due, tools, serverTime),
    );
    return verdict.kind === 'held' ? { ...verdict, stage: 'created' } : verdict;
  }
  // If somebody had made it before, the service would have said that it exists. From here on, this run vouches for the attempt.
  const learned = { lookedBy: due.run, begunBy: due.run, why: null };
  return created(due.row.payout, transfer, tools.serviceClock.latestNow(), learned);
}

/** A price that nobody has seen or agreed to is for a person: null where the price of the row may be paid. */
export function heldForPrice({ progress, payout }: DueRow['row'], tools: MovedBy): Verdict | null {
  const { price } = progress;
  const words = price === null ? null : movedWords(progress.comparison, price, payout, tools);
  if (words === null) return null;
  const reason = joinWords([words, RELEASE_PRICE]);
  return { kind: 'held', code: 'price_moved', reason, learned: {} };
}

type MovedBy = Pick<DeliveryTools, 'maxDrift' | 'rates'>;

const RELEASE_PRICE: Words = sentence('movedPrice.release');

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

/** A row must fit twice into the life of its quotation, or its neighbours are too many. */
const FITS_TIMES = 2;

/** Where quotations live hardly longer than a row takes, fewer rows at a time are the cure, not more quotations. */
function isInTime({ row }: DueRow, price: Lifetime, { rateControl, serviceClock }: DeliveryTools): boolean {
  const hasDocument = row.payout.document !== null;
  const seenMs = rateControl.times.seenMs(hasDocument);
  const lifeMs = lifeMsOf(price);
  if (lifeMs !== null && FITS_TIMES * seenMs > lifeMs) rateControl.late(seenMs);
  return mayCreate(price, serviceClock.latestNow(), rateControl.times.neededMs(hasDocument));
}
