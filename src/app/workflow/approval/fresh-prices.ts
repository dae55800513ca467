// Real prices for every row of a batch that would be sent: a sum of expired prices cannot be approved.
import type { Paydrop } from '../../parts.ts';
import { describeFault, waitForService } from '../../parts/wait-for-service.ts';
import { carryRows, maxDriftOf, rowAt } from '../send/pay-batch.ts';
import { batchOf, type Work } from '../work.ts';
import { heldForPrice, requote } from '../../../delivery/calls.ts';
import { heldAsPaidOtherWay } from '../../../delivery/paid-other-way.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { expiryOf, isAged, mayCreate } from '../../../delivery/time-left.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { withShownPrice } from '../../../payouts/moved-price.ts';
import { type Progress, type RowPlace, stageOrHeld } from '../../../payouts/progress.ts';
import { applyVerdict } from '../../../payouts/verdict.ts';

type KnownPrice = NonNullable<Progress['price']>;

/** Asks for missing and expired prices, and keeps the others. `done` once every row has one; rows whose price has moved are held then. */
export async function freshPrices(work: Work): Promise<RunEnd> {
  const { paydrop, batch, control } = work;
  const now = await serviceNow(work);
  if (typeof now !== 'number') return now;
  await giveUp(paydrop.ledger, batch, (price) => !mayCreate(price, now));
  await paydrop.ledger.makeDue(batch.id, 'all');
  const end = await carryRows(paydrop, batch, 'priced', control);
  if (end.kind === 'done') await holdMoved(work);
  return end;
}

/** With all rates of the file at hand, and before anybody is asked: a question is about rows at prices that may be paid. */
async function holdMoved({ paydrop, batch: { id } }: Work): Promise<void> {
  const { ledger, clock, rates } = paydrop;
  const by = {
    maxDrift: await maxDriftOf(paydrop, await batchOf(paydrop, id)),
    rates: rates.of(id),
    rowAt: (place: RowPlace) => rowAt(ledger, place),
  };
  for await (const row of batchRows(ledger, id)) {
    const { payout, progress } = row;
    if (payout === null || stageOrHeld(progress) !== 'quoted') continue;
    const priced = { ...row, payout };
    const verdict = heldForPrice(priced, by) ?? (await heldAsPaidOtherWay(priced, by));
    if (verdict === null) continue;
    const held = applyVerdict(progress, verdict, clock.now());
    const event = `held: ${held.hold?.code ?? ''}`;
    await ledger.record(row, { progress: held, dueAt: null, keepClaim: false, event });
  }
}

/** Before a question is asked: from then on each row's price is compared with the one that the question shows. */
export async function showPrices({ paydrop: { ledger }, batch: { id } }: Work): Promise<void> {
  for await (const row of batchRows(ledger, id)) {
    const progress = stageOrHeld(row.progress) === 'quoted' ? withShownPrice(row.progress) : row.progress;
    if (progress === row.progress) continue;
    await ledger.record(row, { progress, dueAt: 0, keepClaim: false, event: 'price shown in a question' });
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
  await giveUp(ledger, batch, (price) => {
    const expiry = expiryOf(price);
    return isAged(price, now) || (expiry !== null && expiry < now + neededMs);
  });
}

/** A create without a response may have used the price, so that row is looked up before it is sent. */
async function giveUp(
  ledger: Ledger,
  { id }: BatchRecord,
  isOver: (price: KnownPrice) => boolean,
): Promise<void> {
  for await (const row of batchRows(ledger, id)) {
    const { lookedBy, price } = row.progress;
    if (stageOrHeld(row.progress) !== 'quoted' || lookedBy === null || price === null || !isOver(price))
      continue;
    const progress = applyVerdict(row.progress, requote(row.progress));
    await ledger.record(row, { progress, dueAt: 0, keepClaim: false, event: 'price given up: too old' });
  }
}
