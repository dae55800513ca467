// Orders about the rows of a batch (mailbox): only its owner writes them. Where nobody has the batch, whoever gives the order takes it over and carries the order out;
// otherwise the order is put on record, is in force from then on, and the owner carries it out between two steps.
import { isoTime } from '../../../base/clock.ts';
import { EXIT } from '../../../base/exit-codes.ts';
import { type Ledger, underLease } from '../../../ledger/ledger.ts';
import type { BatchRecord, LeasedBatch } from '../../../ledger/records.ts';
import { describeError } from '../../parts/describe-error.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { batchOf } from '../work.ts';
import type { DeciderFault } from './may-decide.ts';
import { lists, mayReleaseBy, type ReleaseEnd, releaseByOrder, type ReleaseOrder } from './release-rows.ts';

/** How often whoever has given an order looks whether it is carried out, and how many times: two seconds. */
const LOOK_EVERY_MS = 50;
const LOOKS_MOST = 40;

/** Carries an order out, or gives it to the batch's owner and waits a moment for the outcome. @param records all of paydrop where rows are to be cancelled. */
export async function orderRelease(
  records: Records | Paydrop,
  seen: BatchRecord,
  order: ReleaseOrder,
): Promise<ReleaseEnd | DeciderFault> {
  const may = await mayReleaseBy(records, seen, order);
  if ('code' in may) return may;
  const done = await ifFree(records.ledger, seen, (batch) => releaseByOrder(records, batch, order));
  if (done !== null) return done;
  const { ledger, clock } = records;
  const body = JSON.stringify({ ...order, rows: order.rows === null ? null : [...order.rows] });
  const id = await ledger.orders.give({ batch: seen.id, givenAt: isoTime(clock.now()), body });
  for (let looks = 0; looks < LOOKS_MOST; looks += 1) {
    const outcome = await ledger.orders.outcome(id);
    if (outcome !== null) return readOutcome(outcome);
    // Its owner may just have given it back.
    const now = await batchOf(records, seen.id);
    await ifFree(ledger, now, (batch) => carryOutOrders(records, batch));
    await clock.sleep(LOOK_EVERY_MS);
  }
  return { ...lists(), file: null, stillHeld: 0, unasked: null, isRecorded: true };
}

/** Null where somebody has the batch, be it another go of this process. */
function ifFree<T>(
  ledger: Ledger,
  seen: BatchRecord,
  work: (batch: BatchRecord) => Promise<T>,
): Promise<T | null> {
  const isOurs = seen.owner === ledger.run && seen.isFree !== true;
  return isOurs ? Promise.resolve(null) : underLease(ledger, seen, work);
}

type Outcome = ReleaseEnd | DeciderFault | { readonly failed: string };

function readOutcome(text: string): ReleaseEnd | DeciderFault {
  const outcome = JSON.parse(text) as Outcome;
  if ('failed' in outcome) throw new Error(`The order failed where the batch is carried: ${outcome.failed}`);
  return outcome;
}

/** Carries out what waits in the mailbox of a batch of this run, one order after the other. False where there is nothing. */
export async function carryOutOrders(records: Records | Paydrop, leased: LeasedBatch): Promise<boolean> {
  const { ledger, log } = records;
  const open = await ledger.orders.open(leased.id);
  for (const { id, body } of open) {
    const outcome = await outcomeOf(records, leased, body).catch((error: unknown): Outcome => {
      // What concerns the whole batch or the ledger is not the order's fault: it waits.
      if (describeError(error).code !== EXIT.bug) throw error;
      const failed = error instanceof Error ? error.name : 'unknown';
      log.error('order failed', { batch: leased.id, reason: failed });
      return { failed };
    });
    await ledger.orders.answer(leased, id, JSON.stringify(outcome));
  }
  return open.length > 0;
}

async function outcomeOf(records: Records | Paydrop, { id }: LeasedBatch, body: string): Promise<Outcome> {
  const given = JSON.parse(body) as Omit<ReleaseOrder, 'rows'> & { readonly rows: readonly string[] | null };
  const order = { ...given, rows: given.rows === null ? null : new Set(given.rows) };
  return releaseByOrder(records, await batchOf(records, id), order);
}

/** At the end of a go: carries out what came last, and lets whoever comes next have the batch. */
export async function endGo(paydrop: Paydrop, leased: LeasedBatch, signal: AbortSignal): Promise<void> {
  while (!(await paydrop.ledger.giveBack(leased))) {
    // A process that ends gives back all that it has.
    if (signal.aborted) return;
    await carryOutOrders(paydrop, leased);
  }
}
