// How rows stand at the service: observed, settled, and put on record. One row on its way gets its verdict from it; rows that are held, or are to be
// closed, many at once, what a person decides by. Nothing is sent.
import { batchRows } from '../ledger/batch-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { mayEnd } from '../payouts/hold.ts';
import { withForeign } from '../payouts/progress.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import { isFault, Unavailable, type Fault } from '../service/errors.ts';
import { toKnownTransfer } from './judge-transfer.ts';
import { byExternalId, byId, keyOf, observe, quotationOf, type Observing, type Sight } from './observe.ts';
import { transferExternalId } from './requests.ts';
import { asHeld, nextExternalId, revivedAmong, settleEnd, settleFound, settleKnown } from './settle.ts';
import { askedRow, settle, UNCLEAR, type Settled } from './settle-held.ts';
import { askingOf, lookOf, type DeliveryTools, type DueRow } from './tools.ts';

/** Rows that are looked at together: the list shows a hundred of them at a time, and their records fit into memory. */
const PAGE_ROWS = 500;

export type Reconciling = {
  readonly ledger: Ledger;
  readonly tools: DeliveryTools;
  readonly fileId: string;
  readonly endsAll: Observing['endsAll'];
};

/**
 * Looks at rows that are held or are to be closed, and records what it finds. Of a row that the service does not tell of, or that somebody has changed
 * meanwhile, nothing can be said.
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
  { ledger, tools, fileId, endsAll }: Reconciling,
  tell: (row: RowRecord, settled: Settled) => void,
): Promise<Fault | null> {
  const asked = page.map((row) => askedRow(fileId, row, ledger.run, tools.doubtSince));
  const concurrency = tools.rateControl.lanes('read');
  const observed = await observe(tools, asked, { concurrency, isWalking: true, endsAll });
  const recorded = observed.map(async (one, index): Promise<Fault | null> => {
    const row = asked[index];
    if (row === undefined) throw new Error('Every row was asked about.');
    if (isFault(one) && endsAll(one)) return one;
    const settled = isFault(one) ? UNCLEAR : settle(row, one, askingOf(row, tools));
    tell(row.row, await written(ledger, row.row, settled));
    return null;
  });
  return (await Promise.all(recorded)).find((fault) => fault !== null) ?? null;
}

/** A row that somebody has changed meanwhile was not looked at as it is now. */
async function written(ledger: Ledger, row: RowRecord, settled: Settled): Promise<Settled> {
  if (settled.seen === null) return settled;
  const { written: isWritten } = await ledger.record(row, { ...settled.seen, keepClaim: false });
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

/** The verdict on a row by what the service shows of its present attempt. Throws a `Fault`. */
export async function lookAtRow(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { service, serviceClock } = tools;
  const { stage, transfer } = due.row.progress;
  if (stage === 'ready' || stage === 'quoted') {
    // 10013 is thrown and judged: it means "not visible yet", never "not there".
    const id = transferExternalId(due);
    const { value, serverTime } = await serviceClock.ask(() => service.transferByExternalId(id));
    const quotation = await quotationOf(tools, due.row.progress, value);
    return settleFound(due, value, quotation, lookOf(due, tools, serverTime));
  }
  if (transfer === null) throw new Error('A payout that is followed has a transfer.');
  const { value, serverTime } = await serviceClock.ask(() => service.transfer(transfer.transferId));
  return settleKnown(due, value, lookOf(due, tools, serverTime));
}

/** The verdict, unless the row may have a later attempt that this ledger does not know. Throws a `Fault`. */
export function unlessLaterAttempt(
  verdict: Verdict,
  due: DueRow,
  tools: DeliveryTools,
): Verdict | Promise<Verdict> {
  const asking = askingOf(due, tools);
  return settleEnd(verdict, due, null, asking) ?? lookedBeyond(verdict, due, tools, asking);
}

async function lookedBeyond(
  verdict: Verdict,
  due: DueRow,
  tools: DeliveryTools,
  asking: Parameters<typeof settleEnd>[3],
): Promise<Verdict> {
  const beyond = await byExternalId(tools, nextExternalId(due));
  return settleEnd(verdict, due, beyond, asking) ?? verdict;
}

/**
 * Before anything more is done for a row that has given-up attempts they are looked at: what pays twice must be stopped where it can be, and be seen at
 * once where it cannot. Null while all of them are as dead as they were; one that a person has decided about already is not looked at. Throws a `Fault`.
 */
export async function heldForRevived(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
  const { deadAttempts } = due.row.progress;
  const shown = new Map<number, Sight>();
  for (const { attempt, transfer, revived } of deadAttempts)
    if (revived !== 'decided') shown.set(attempt, await byId(tools, transfer.transferId));
  const revived = revivedAmong(deadAttempts, shown);
  return revived === null ? null : asHeld(revived, await laterOne(due, tools));
}

/** The transfer that took the place of the other, where this ledger has not met it: known, it is only followed when a person lets the row go on. */
async function laterOne(due: DueRow, tools: DeliveryTools): Promise<Pick<Learned, 'transfer' | 'confirm'>> {
  if (due.row.progress.transfer !== null) return {};
  const id = transferExternalId(due);
  const { value: found } = await byExternalId(tools, id);
  if (found === null || keyOf(found) !== id) return {};
  // Who made it may have confirmed it: an older ledger does not know.
  return { transfer: toKnownTransfer(found), confirm: 'sent' };
}

// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.

/** Looks once at the held rows of a batch, before it goes on. Nothing is sent; a service that refuses the key is asked nothing more. */
export async function lookAtHeldRows(
  ledger: Ledger,
  { id, fileId }: Pick<BatchRecord, 'id' | 'fileId'>,
  tools: DeliveryTools,
): Promise<{ readonly kind: 'done' | 'credentials' }> {
  if (((await ledger.stageCounts(id)).get('held') ?? 0) === 0) return { kind: 'done' };
  // A row that cannot be looked at now is looked at by the next resume.
  const end = await reconcile(heldRows(ledger, id), { ledger, tools, fileId, endsAll: isKeyRefused });
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
