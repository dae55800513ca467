// Asks for the price of every row of a file, so many at a time and in the file's order. The first fault ends all of it: a preview of some
// rows would look like one of the file.
import pLimit, { type LimitFunction } from 'p-limit';

import { paymentFingerprint } from '../../payouts/duplicates.ts';
import type { Payout } from '../../payouts/payout.ts';
import type { PreviewRow } from '../../results/preview.ts';
import type { Fault } from '../../service/errors.ts';
import type { FileExamined } from './check-file.ts';
import type { Paydrop } from '../parts.ts';
import { judgeEncounters } from '../workflow/check/cross-check.ts';
import { quoteForPreview, type PreviewedRow } from './quote-for-preview.ts';
import type { RunControl } from '../parts/run-options.ts';
import { Unusual, warningsOf } from '../workflow/check/unusual.ts';
import type { CheckedRow } from '../workflow/check/validate-file.ts';
import { waitForService } from '../parts/wait-for-service.ts';

/** Rows that are priced together before the next are read. */
const CHUNK_ROWS = 200;

/** Prices are not known: the service could not be asked, or whoever waits for them has gone. */
export class PricingStopped extends Error {
  override readonly name = 'PricingStopped';
  /** Null when we were asked to stop. */
  readonly fault: Fault | null;

  constructor(fault: Fault | null) {
    super('The prices of the rows could not all be asked for.', { cause: fault });
    this.fault = fault;
  }
}

/** Throws `PricingStopped` when no call is under way any more. */
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
    unusual: new Unusual(paydrop.ledger),
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
  // Rows that were not asked any more have nothing to tell.
  throw faults.find((fault) => !(fault instanceof PricingStopped && fault.fault === null)) ?? faults[0];
}

type Pricing = {
  readonly paydrop: Paydrop;
  readonly fileId: string;
  readonly wouldHold: FileExamined['wouldHold'];
  /** Since when what was paid is recent; see `CrossCheck`. */
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
  const met = await metBefore(pricing, payout);
  if (met !== null) return { ...unpriced, met };
  const words = pricing.wouldHold(row.place);
  if (words !== null) return { ...unpriced, met: { outcome: 'held', words, isWithin: true } };
  // The service may have asked for a slower pace since the last row.
  pricing.limit.concurrency = paydrop.rateControl.lanes('mutation');
  const priced = await pricing.limit(() =>
    ask(paydrop, { fileId: pricing.fileId, row: row.place, payout }, control),
  );
  if ('wrong' in priced) return { ...unpriced, wrong: priced.wrong, warnings: look.warnings };
  return { ...unpriced, price: priced, warnings: warningsOf(look, payout, priced.receiveAmount) };
}

/** What the row would meet once it is registered, in another file. */
async function metBefore({ paydrop, since }: Pricing, payout: Payout): Promise<PreviewRow['met']> {
  const met = await paydrop.ledger.standing(payout, since);
  if (met === null) return null;
  const row = { reference: payout.reference, fingerprint: paymentFingerprint(payout), batch: '' };
  const finding = judgeEncounters(row, [met]);
  return finding === null ? null : { outcome: finding.kind, words: finding.words };
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
