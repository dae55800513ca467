// Prices some rows of a batch ahead of the others, to learn the pace of the service at this hour and how long its quotations live. Nothing is
// reserved by it, and the prices are kept for the run that follows.
import pLimit from 'p-limit';

import type { Ledger } from '../ledger/ledger.ts';
import type { LeasedBatch, RowRecord } from '../ledger/records.ts';
import { lifeMsOf } from '../payouts/lifetime.ts';
import type { Tenure } from '../payouts/progress.ts';
import { apply } from '../payouts/row-machine/apply.ts';
import { withoutPrice } from '../payouts/row-machine/changes.ts';
import { next } from '../payouts/row-machine/next.ts';
import { progressOf, stateOf } from '../payouts/row-machine/record.ts';
import { stageOf } from '../payouts/row-machine/row-state.ts';
import { type Fault, isFault, Refused } from '../service/errors.ts';
import { makeCall } from './make-call.ts';
import { nowOf } from './now.ts';
import type { DeliveryTools } from './tools.ts';

/** How fast the service answers us while so many calls are under way, and how long the shortest of its quotations lives; null when none was got. */
export type Pace = { readonly msPerCall: number; readonly lifeMs: number | null };

type Sampling = {
  readonly ledger: Ledger;
  readonly leased: LeasedBatch;
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
  const { ledger, leased, run, tools, fileId } = sampling;
  const due = { fileId, row: { ...row, payout } };
  const now = () => nowOf({ tenure: run, goal: 'priced', tools, payout });
  const known = stateOf(row.progress, run);
  // A price that was got before is given up for a new one; it costs nothing.
  let state = known.price === null ? known : withoutPrice(known);
  for (let step = next(state, now()); step.do === 'quote' || step.do === 'read-quotation';) {
    const { event, fault } = await makeCall(step, { ...due, state }, tools);
    // The run meets the same fault again and knows how to handle it.
    if (fault !== null && !(fault instanceof Refused && fault.errorCode === 10002))
      return fault instanceof Refused ? null : fault;
    state = apply(state, event, now());
    if (event.on === 'quoted') break;
    step = next(state, now());
  }
  if (stageOf(state) !== 'quoted' || state.price === null) return null;
  tools.rates.add(row.position, state.price, payout);
  const progress = progressOf(state, run);
  await ledger.record(leased, row, { progress, dueAt: 0, event: 'priced ahead' });
  return lifeMsOf(state.price);
}
