// Asks for the price of every row of a file, several at a time and in the file's order. The first fault ends it: a preview of some rows would
// look like one of the whole file.
import pLimit, { type LimitFunction } from 'p-limit';

import type { DecimalText } from '../../base/decimal.ts';
import type { Words } from '../../base/language.ts';
import { priceDifferences, quotationRequestOf } from '../../delivery/requests.ts';
import { outsideBounds } from '../../delivery/make-call.ts';
import { mayCreate } from '../../payouts/lifetime.ts';
import { sentence } from '../../messages/messages.ts';
import { HOLDS } from '../../payouts/hold.ts';
import { type Payout, externalId } from '../../payouts/payout.ts';
import type { PreviewRow } from '../../results/preview.ts';
import { type Fault, Refused } from '../../service/errors.ts';
import type { Quotation } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import { waitForService } from '../parts/wait-for-service.ts';
import { Unusual, warningsOf } from '../workflow/check/unusual.ts';
import { verifiedFor } from '../people/verified-accounts.ts';
import type { CheckedRow } from '../workflow/validate/validate-file.ts';
import type { FileExamined } from './check-file.ts';
import { whatItMeets } from './meets-ledger.ts';

/** Rows that are priced together before the next are read. */
const CHUNK_ROWS = 200;

/** Prices are unknown: the service could not be asked, or the caller has gone. */
export class PricingStopped extends Error {
  override readonly name = 'PricingStopped';
  /** Null when we were asked to stop. */
  readonly fault: Fault | null;

  constructor(fault: Fault | null) {
    super('The prices of the rows could not all be asked for.', { cause: fault });
    this.fault = fault;
  }
}

/** Throws `PricingStopped` after all running calls have ended. */
export async function* priceRows(
  paydrop: Paydrop,
  { fileId, since, wouldHold }: Pick<Pricing, 'fileId' | 'since' | 'wouldHold'>,
  rows: AsyncIterable<CheckedRow>,
  control: RunControl,
): AsyncGenerator<PreviewRow> {
  const stop = new AbortController();
  const signal = AbortSignal.any([control.signal, stop.signal]);
  const pricing: Pricing = {
    paydrop,
    fileId,
    wouldHold,
    since,
    unusual: new Unusual(paydrop.ledger, verifiedFor(paydrop, {})),
    limit: pLimit(paydrop.rateControl.lanes('mutation')),
    control: { waitMs: control.waitMs, signal },
  };
  for await (const chunk of inChunks(rows)) {
    const asked = chunk.map((row) => priceRow(pricing, row));
    for (const row of asked)
      row.then(
        () => control.view.settled(),
        () => stop.abort(),
      );
    yield* pricesOf(await Promise.allSettled(asked));
  }
}

function pricesOf(ends: readonly PromiseSettledResult<PreviewRow>[]): readonly PreviewRow[] {
  const faults = ends.flatMap((end): readonly unknown[] => (end.status === 'rejected' ? [end.reason] : []));
  if (faults.length === 0) return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  // Rows that were not asked any more have no fault to report.
  throw faults.find((fault) => !(fault instanceof PricingStopped && fault.fault === null)) ?? faults[0];
}

type Pricing = {
  readonly paydrop: Paydrop;
  readonly fileId: string;
  readonly wouldHold: FileExamined['wouldHold'];
  /** Payments since this time count as recent; see `CrossCheck`. */
  readonly since: string;
  readonly unusual: Unusual;
  readonly limit: LimitFunction;
  readonly control: Pick<RunControl, 'waitMs' | 'signal'>;
};

async function priceRow(pricing: Pricing, { row, payout, rejections }: CheckedRow): Promise<PreviewRow> {
  const unpriced = { row, payout, rejections, price: null, wrong: null, warnings: [], met: null };
  if (payout === null) return unpriced;
  const { paydrop, unusual, control } = pricing;
  const look = await unusual.look(row.place, payout);
  const met = await whatItMeets(pricing, row.place, payout);
  if (met !== null) return { ...unpriced, met };
  // The service may have asked for a slower pace since the last row.
  pricing.limit.concurrency = paydrop.rateControl.lanes('mutation');
  const priced = await pricing.limit(() =>
    ask(paydrop, { fileId: pricing.fileId, row: row.place, payout }, control),
  );
  if ('wrong' in priced)
    return { ...unpriced, wrong: priced.wrong, warnings: look.warnings.map(({ words }) => words) };
  return {
    ...unpriced,
    price: priced,
    warnings: warningsOf(look, payout, priced.receiveAmount).map(({ words }) => words),
  };
}

async function ask(
  paydrop: Paydrop,
  row: PreviewedRow,
  control: Pricing['control'],
): ReturnType<typeof quoteForPreview> {
  if (control.signal.aborted) throw new PricingStopped(null);
  const quoted = await waitForService(paydrop, control, () => quoteForPreview(paydrop, row));
  if ('value' in quoted) return quoted.value;
  throw new PricingStopped(quoted.fault);
}

async function* inChunks(rows: AsyncIterable<CheckedRow>): AsyncGenerator<readonly CheckedRow[]> {
  let chunk: CheckedRow[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < CHUNK_ROWS) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}

// The price of a row before anybody decides to pay it. A quotation moves no money, so it is requested under the row's own ids: a run that
// follows uses quotations that are still valid, and requests new ones for the others.

type PreviewPrice = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

type PreviewedRow = { readonly fileId: string; readonly row: string; readonly payout: Payout };

/** A file with so many previews and no run has another problem. */
const ATTEMPTS_MOST = 50;

/** The price, or the row's fault, in words. Throws a `Fault` when the service gives no answer. */
async function quoteForPreview(
  paydrop: Paydrop,
  row: PreviewedRow,
): Promise<PreviewPrice | { readonly wrong: Words }> {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS_MOST; attempt++) {
      const quotation = await quoteOrAdopt(paydrop, row, attempt);
      if (quotation !== null) return priceOf(row.payout, quotation);
    }
    return { wrong: NO_VALID_PRICE };
  } catch (error) {
    if (error instanceof Refused) return { wrong: noPrice(error.words || String(error.errorCode)) };
    throw error;
  }
}

const NO_VALID_PRICE: Words = sentence('quoteForPreview.noValidPrice');

function noPrice(said: string): Words {
  return sentence('quoteForPreview.noPrice', { said });
}

/** Null when the quotation under this id has expired, or was for another request. */
async function quoteOrAdopt(
  { service, serviceClock }: Paydrop,
  { fileId, row, payout }: PreviewedRow,
  attempt: number,
): Promise<Quotation | null> {
  const id = externalId(fileId, row, 'quotation', attempt);
  try {
    return (await serviceClock.ask(() => service.createQuotation(quotationRequestOf(payout, id)))).value;
  } catch (error) {
    if (!(error instanceof Refused && error.errorCode === 10002)) throw error;
    const { value } = await serviceClock.ask(() => service.quotationByExternalId(id));
    const isUsable =
      mayCreate(value, serviceClock.latestNow()) && priceDifferences(payout, value).length === 0;
    return isUsable ? value : null;
  }
}

function priceOf(payout: Payout, quotation: Quotation): PreviewPrice | { readonly wrong: Words } {
  if (priceDifferences(payout, quotation).length > 0) return { wrong: HOLDS.quotation_mismatch.words };
  const wrong = outsideBounds(payout, quotation);
  if (wrong !== null) return { wrong };
  const { sourceAmount: sendAmount, feeAmount, destinationAmount: receiveAmount } = quotation;
  return { sendAmount, feeAmount, receiveAmount };
}
