// Real prices for every row of a batch that would be sent: a sum of expired prices cannot be approved.
import type { Paydrop } from '../../parts.ts';
import { describeFault, waitForService } from '../../parts/wait-for-service.ts';
import { carryRows, maxDriftOf, rowAt } from '../carry/pay-batch.ts';
import { batchOf, type Work } from '../batch/work.ts';
import { movedStopOf } from '../../../delivery/before-money.ts';
import { stopAsPaidOtherWay } from '../../../delivery/paid-other-way.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { isToCome } from '../../../ledger/days.ts';
import { type BatchRecord, type RowRecord, tenureOf } from '../../../ledger/records.ts';
import { newHold } from '../../../payouts/hold.ts';
import { isAged, mayCreate } from '../../../payouts/lifetime.ts';
import { withShownPrice } from '../../../payouts/moved-price.ts';
import { type Progress, type RowPlace, stageOrHeld } from '../../../payouts/progress.ts';
import { expiryOf } from '../../../payouts/proof.ts';
import { withoutPrice } from '../../../payouts/row-machine/changes.ts';
import { progressOf, stateOf } from '../../../payouts/row-machine/record.ts';

type KnownPrice = NonNullable<Progress['price']>;

/** Asks for missing and expired prices, and keeps the others. `done` once every row has one; rows whose price has moved are held then. */
export async function freshPrices(work: Work): Promise<RunEnd> {
  const { paydrop, batch, control } = work;
  const now = await serviceNow(work);
  if (typeof now !== 'number') return now;
  await giveUp(paydrop.ledger, batch, (price) => !mayCreate(price, now));
  await paydrop.ledger.makeDue(batch.id, 'all');
  const end = await carryRows(paydrop, batch, 'priced', control, { early: true });
  if (end.kind === 'done') await holdMoved(work);
  return end;
}

/** With all rates of the file at hand, and before anybody is asked: a question is about rows at prices that may be paid. */
async function holdMoved({ paydrop, batch }: Work): Promise<void> {
  const { id } = batch;
  const { ledger, clock, rates } = paydrop;
  const by = {
    maxDrift: await maxDriftOf(paydrop, await batchOf(paydrop, id)),
    rates: rates.of(id),
    rowAt: (place: RowPlace) => rowAt(ledger, place),
  };
  for await (const row of batchRows(ledger, id)) {
    const { payout, progress } = row;
    const { price, comparison } = progress;
    if (payout === null || price === null || stageOrHeld(progress) !== 'quoted') continue;
    const stop =
      movedStopOf({ price, comparison, payout }, by) ??
      (await stopAsPaidOtherWay({ row: { ...row, payout }, price, comparison }, by));
    if (stop === null) continue;
    const hold = newHold(stop.code, clock.now(), stop.reason);
    const held = { ...progress, hold, comparison: stop.comparison ?? comparison };
    await ledger.record(batch, row, { progress: held, dueAt: null, event: `held: ${stop.code}` });
  }
}

/** Before a question is asked: from then on each row's price is compared with the one that the question shows. */
export async function showPrices({ paydrop: { ledger }, batch }: Work): Promise<void> {
  for await (const row of batchRows(ledger, batch.id)) {
    const progress = stageOrHeld(row.progress) === 'quoted' ? withShownPrice(row.progress) : row.progress;
    if (progress === row.progress) continue;
    await ledger.record(batch, row, { progress, dueAt: 0, event: 'price shown in a question' });
  }
}

/** The service's own time, which decides what has expired; or the end of the run, if there is no such time. */
async function serviceNow({ paydrop, control }: Work): Promise<number | RunEnd> {
  const { service, serviceClock, clock } = paydrop;
  const known = serviceClock.latestNow();
  if (known !== null) return known;
  const asked = await waitForService(paydrop, control, () => serviceClock.ask(() => service.balances()));
  if ('fault' in asked) return { kind: describeFault(asked.fault).for };
  // For a service that shows no time, ours is used.
  return serviceClock.latestNow() ?? clock.now();
}

// Gives up prices that would expire before the whole file is confirmed: a transfer expires together with its quotation.

/** Call it before the first transfer is created, with the time that the file needs from then on. */
export async function renewPrices(
  { ledger, serviceClock }: Pick<Paydrop, 'ledger' | 'serviceClock'>,
  batch: BatchRecord,
  neededMs: number,
): Promise<void> {
  const now = serviceClock.latestNow();
  if (now === null) return;
  await giveUp(ledger, batch, (price, row) => {
    return !isToCome(batch, row) && (isAged(price, now) || expiryOf(price) < now + neededMs);
  });
}

/** A create without a response may have used the price, so that row is looked up before it is sent. */
async function giveUp(
  ledger: Ledger,
  batch: BatchRecord,
  isOver: (price: KnownPrice, row: RowRecord) => boolean,
): Promise<void> {
  // Before the first price there is none to be given up.
  const counts = await ledger.stageCounts(batch.id);
  if (!counts.has('quoted') && !counts.has('scheduled')) return;
  const tenure = tenureOf(batch, ledger.run);
  for await (const row of batchRows(ledger, batch.id)) {
    const { lookedBy, price } = row.progress;
    if (stageOrHeld(row.progress) !== 'quoted' || lookedBy === null || price === null || !isOver(price, row))
      continue;
    const progress = progressOf(withoutPrice(stateOf(row.progress, tenure)), tenure);
    await ledger.record(batch, row, { progress, dueAt: 0, event: 'price given up: too old' });
  }
}
