// Orders about the rows of a batch (mailbox): only its owner writes them. Where nobody has the batch, whoever gives the order takes it over and carries the order out;
// otherwise the order is put on record, is in force from then on, and the owner carries it out between two steps.
import { isoTime } from '../../../base/clock.ts';
import { EXIT } from '../../../base/exit-codes.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isHad } from '../../../ledger/batch-rules.ts';
import { LeaseLost } from '../../../ledger/ledger-unusable.ts';
import type { Order } from '../../../ledger/orders.ts';
import type { BatchRecord, LeasedBatch } from '../../../ledger/records.ts';
import { describeError } from '../../parts/describe-error.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { batchOf } from '../batch/work.ts';
import type { DeciderFault } from '../batch/may-decide.ts';
import {
  heldAs,
  lists,
  mayReleaseBy,
  type ReleaseEnd,
  releaseByOrder,
  type ReleaseOrder,
} from './release-rows.ts';

type End = ReleaseEnd | DeciderFault;

/** All of paydrop where the service is to be asked: rows are cancelled by nobody else. */
type Desk = Records | Paydrop;

/** How often whoever has given an order looks whether it is carried out, and how many times: two seconds. */
const LOOK_EVERY_MS = 50;
const LOOKS_MOST = 40;

/** Carries an order out, or gives it to the batch's owner and waits a moment for the outcome. */
export async function orderRelease(records: Desk, seen: BatchRecord, order: ReleaseOrder): Promise<End> {
  const may = await mayReleaseBy(records, seen, order);
  if ('code' in may) return may;
  // An earlier order comes first. A go of this process that takes the batch meanwhile carries the rest out.
  const work = async (batch: BatchRecord) =>
    (await carryOutOrders(records, batch)) === 'waits' ? null : releaseByOrder(records, batch, order);
  return (await ifFree(records, seen, work)) ?? outcomeInTime(records, await giveOrder(records, seen, order));
}

/** Puts it on record, with what it is about: from then on it is in force. */
export async function giveOrder(
  { ledger, clock }: Pick<Records, 'ledger' | 'clock'>,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<Order> {
  const held: string[] = [];
  for await (const row of batchRows(ledger, batch.id)) if (row.progress.hold !== null) held.push(heldAs(row));
  const rows = order.rows === null ? null : [...order.rows];
  const body = JSON.stringify({ ...order, rows, seen: { wait: batch.wait?.for ?? null, held } });
  const given = { batch: batch.id, givenAt: isoTime(clock.now()), body };
  return { ...given, id: await ledger.orders.give(given) };
}

async function outcomeInTime(records: Desk, { id, batch }: Order): Promise<End> {
  const { ledger, clock } = records;
  for (let looks = 0; looks < LOOKS_MOST; looks += 1) {
    const outcome = await ledger.orders.outcome(id);
    if (outcome !== null) return readOutcome(outcome);
    // Its owner may just have given it back. What fails here is met again by whoever comes next.
    const carryOut = (leased: BatchRecord) => carryOutOrders(records, leased);
    await ifFree(records, await batchOf(records, batch), carryOut).catch(() => null);
    await clock.sleep(LOOK_EVERY_MS);
  }
  return { ...lists(), file: null, stillHeld: 0, unasked: null, isRecorded: true };
}

/** Null where somebody has the batch, be it another go of this process, or has taken it meanwhile. */
async function ifFree<T>(
  records: Desk,
  seen: BatchRecord,
  work: (batch: BatchRecord) => Promise<T>,
): Promise<T | null> {
  const { ledger } = records;
  const isOurs = seen.owner === ledger.run && seen.isFree !== true;
  const batch = isOurs || isHad(ledger, seen) ? null : await ledger.takeOver(seen);
  if (batch === null) return null;
  try {
    return await work(batch);
  } catch (error) {
    if (error instanceof LeaseLost) return null;
    throw error;
  } finally {
    await endGo(records, batch);
  }
}

type Outcome = End | { readonly failed: string };

function readOutcome(text: string): End {
  const outcome = JSON.parse(text) as Outcome;
  if ('failed' in outcome) throw new Error(`The order failed where the batch is carried: ${outcome.failed}`);
  return outcome;
}

/** Carries out what waits in the mailbox of a batch of this run, one order after the other. `waits`: one that has to be carried out where the service is asked. */
export async function carryOutOrders(records: Desk, leased: LeasedBatch): Promise<'none' | 'done' | 'waits'> {
  const { ledger, log } = records;
  const open = await ledger.orders.open(leased.id);
  for (const { id, body } of open) {
    const order = orderIn(body);
    if (order.skip && !('service' in records)) return 'waits';
    const work = batchOf(records, leased.id).then((batch) => releaseByOrder(records, batch, order));
    const outcome = await work.catch((error: unknown): Outcome => {
      // What concerns the whole batch or the ledger is not the order's fault: it waits.
      if (error instanceof LeaseLost || describeError(error).code !== EXIT.bug) throw error;
      return { failed: error instanceof Error ? error.name : 'unknown' };
    });
    await ledger.orders.answer(leased, id, JSON.stringify(outcome));
    const rows = 'released' in outcome ? outcome.released.length : 0;
    log[rows > 0 ? 'info' : 'warn']('order carried out', { batch: leased.id, by: order.by, rows });
  }
  return open.length > 0 ? 'done' : 'none';
}

function orderIn(body: string): ReleaseOrder {
  const order = JSON.parse(body) as Record<'rows', readonly string[] | null> & {
    readonly seen: { readonly wait: string | null; readonly held: readonly string[] };
  } & Omit<ReleaseOrder, 'rows' | 'seen'>;
  const { rows, seen } = order;
  return { ...order, rows: rows && new Set(rows), seen: { ...seen, held: new Set(seen.held) } };
}

/** At the end of a go: carries out what came last, and lets whoever comes next have the batch. What cannot be carried out now waits for that one. */
export async function endGo(records: Desk, leased: LeasedBatch, signal?: AbortSignal): Promise<void> {
  try {
    while (!(await records.ledger.giveBack(leased)))
      if (signal?.aborted === true || (await carryOutOrders(records, leased)) === 'waits') break;
  } catch (error) {
    if (!(error instanceof LeaseLost || error instanceof BatchFolderFault)) throw error;
  }
  await records.ledger.giveBack(leased, true);
}

/** Of a paused batch nothing is sent, and yet its held rows are decided about. */
export async function carryOutWhilePaused(records: Records, seen: BatchRecord): Promise<void> {
  if ((await records.ledger.orders.open(seen.id)).length > 0)
    await ifFree(records, seen, (batch) => carryOutOrders(records, batch));
}
