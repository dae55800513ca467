// Rows that are held, or are to be cancelled, looked at one beside the other, and what was found put on record. Nothing is sent.
import pLimit from 'p-limit';

import { batchRows } from '../ledger/batch-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, LeasedBatch, RowRecord } from '../ledger/records.ts';
import { mayEnd } from '../payouts/hold.ts';
import { withForeign } from '../payouts/progress.ts';
import { type Fault, isFault, Unavailable } from '../service/errors.ts';
import { lookAtHeld, type Settled, UNCLEAR } from './look-at-held.ts';
import type { DeliveryTools } from './tools.ts';

/** Rows that are in memory at once. */
const PAGE_ROWS = 500;

type Reconciling = {
  readonly ledger: Ledger;
  readonly leased: LeasedBatch;
  readonly tools: DeliveryTools;
  readonly fileId: string;
  /** True for a fault after which no further row is asked for: each has it then. */
  readonly endsAll: (fault: Fault) => boolean;
};

/**
 * Looks at rows that are held or are to be closed, and records what it finds. Of a row that the service does not tell of nothing can be said.
 * @returns the fault after which no further row was asked for; null when all were.
 */
export async function reconcile(
  rows: AsyncIterable<RowRecord>,
  reconciling: Reconciling,
  tell: (row: RowRecord, settled: Settled) => void = () => undefined,
): Promise<Fault | null> {
  for await (const page of pagesOf(rows)) {
    const end = await reconcilePage(page, reconciling, tell);
    if (end !== null) return end;
  }
  return null;
}

async function reconcilePage(
  page: readonly RowRecord[],
  reconciling: Reconciling,
  tell: (row: RowRecord, settled: Settled) => void,
): Promise<Fault | null> {
  const { tools, endsAll } = reconciling;
  const lanes = pLimit(tools.rateControl.lanes('read'));
  const end: { fault: Fault | null } = { fault: null };
  const ask = async (row: RowRecord): Promise<void> => {
    if (end.fault !== null) return;
    const settled = await settledOr(row, reconciling);
    if (isFault(settled) && endsAll(settled)) end.fault ??= settled;
    else tell(row, await written(reconciling, row, isFault(settled) ? UNCLEAR : settled));
  };
  // One finds out whether the service tells anything at all.
  for (const row of page.slice(0, 1)) await ask(row);
  await Promise.all(page.slice(1).map((row) => lanes(() => ask(row))));
  return end.fault;
}

async function settledOr(row: RowRecord, { fileId, ledger, tools }: Reconciling): Promise<Settled | Fault> {
  try {
    return await lookAtHeld({ fileId, row, tenure: ledger.run }, tools);
  } catch (error) {
    if (!isFault(error)) throw error;
    return error;
  }
}

/** Where another process has the batch by now, nothing was found out. */
async function written(
  { ledger, leased }: Pick<Reconciling, 'ledger' | 'leased'>,
  row: RowRecord,
  settled: Settled,
): Promise<Settled> {
  if (settled.seen === null) return settled;
  const { written: isWritten } = await ledger.record(leased, row, settled.seen);
  return isWritten ? settled : UNCLEAR;
}

async function* pagesOf(rows: AsyncIterable<RowRecord>): AsyncGenerator<readonly RowRecord[]> {
  let page: RowRecord[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.

/** Looks once at the held rows of a batch, before it goes on. Nothing is sent; a service that refuses the key is asked nothing more. */
export async function lookAtHeldRows(
  ledger: Ledger,
  leased: LeasedBatch & Pick<BatchRecord, 'fileId'>,
  tools: DeliveryTools,
): Promise<{ readonly kind: 'done' | 'credentials' }> {
  const { id, fileId } = leased;
  if (((await ledger.stageCounts(id)).get('held') ?? 0) === 0) return { kind: 'done' };
  // A row that cannot be looked at now is looked at by the next resume.
  const end = await reconcile(heldRows(ledger, id), { ledger, leased, tools, fileId, endsAll: isKeyRefused });
  return end === null ? { kind: 'done' } : { kind: 'credentials' };
}

function isKeyRefused(fault: Fault): boolean {
  return fault instanceof Unavailable && fault.reason === 'credentials';
}

async function* heldRows(ledger: Ledger, batch: string): AsyncGenerator<RowRecord> {
  for await (const row of batchRows(ledger, batch)) if (mayHaveMoved(row)) yield row;
}

function mayHaveMoved({ payout, progress }: RowRecord): boolean {
  const { hold, transfer, finalAt, begunBy } = withForeign(progress);
  // One that had ended, and was changed by the service, waits for a person who knows why.
  if (hold === null || finalAt !== null) return false;
  if (payout !== null && transfer !== null) return mayEnd(hold);
  // Of a row that nobody vouches for one may have been sent before, though none is on record, or no payment can be read; what has come back to life is for a person first.
  return begunBy === null && hold.code !== 'transfer_reinstated';
}
