// Prices some rows of a batch ahead of the others, to learn the pace of the service at this hour and how long its quotations live. Nothing is
// reserved by it, and the prices are kept for the run that follows.
import pLimit from 'p-limit';

import { parseIsoTime } from '../base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import type { Progress, QuotedPrice } from '../payouts/progress.ts';
import { isFault, Refused, type Fault } from '../service/errors.ts';
import { quote } from './quote.ts';
import { requote } from './requote.ts';
import type { DeliveryTools } from './tools.ts';

/** How fast the service answers us while so many calls are under way, and how long the shortest of its quotations lives; null when none was got. */
export type Pace = { readonly msPerCall: number; readonly lifeMs: number | null };

export type Sampling = {
  readonly ledger: Ledger;
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
  const { ledger, tools, fileId } = sampling;
  const progress = unpriced(row.progress);
  try {
    const due = { fileId, row: { ...row, payout, progress }, run: ledger.run };
    const verdict = await quote(due, tools);
    // What speaks against the row is met again by the run, which knows what to do about it.
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
