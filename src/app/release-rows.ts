// `release`: a named person decides what no machine may: held rows go on, or are closed unpaid. Name and reason stay in the ledger.
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { addClosedUnpaid, type ClosedUnpaid } from '../inbox/closed-unpaid.ts';
import { standingFolder } from '../inbox/workspace.ts';
import { outdateApproval } from './approval/outdate-approval.ts';
import type { Progress } from '../payouts/progress.ts';
import type { StoppedBy } from '../payouts/verdict.ts';
import { batchRows } from '../ledger/batch-rows.ts';
import type { Records } from './compose-records.ts';
import { mayClose, tryAgainAt } from './close-in-time.ts';
import { closedWords, decide, isServicesWord } from './decide-held.ts';
import { waitsForTime, waiveTime } from './schedule/waive-time.ts';

export type ReleaseOrder = {
  readonly by: string;
  readonly reason: string;
  /** Row identities; null for every held row. */
  readonly rows: ReadonlySet<string> | null;
  /** Close them unpaid instead. */
  readonly skip: boolean;
};

export type ReleaseEnd = {
  readonly released: readonly string[];
  /** Rows that can only be closed unpaid, because a transfer of theirs may still pay. */
  readonly onlySkip: readonly string[];
  /** Rows that were to be closed, and are followed instead: they were confirmed, or had ended, and the service alone says how. */
  readonly followed: readonly string[];
  /** Rows that are not closed, because they may have been paid or may still be; and when to try again, null where they have to be released first. */
  readonly left: readonly { readonly row: string; readonly tryAgainAt: string | null }[];
  /** What had stopped the file as a whole, and does no more. */
  readonly file: StoppedBy | null;
  /** Named rows that are not held. */
  readonly notHeld: readonly string[];
};

type ReleaseRecords = Pick<Records, 'ledger' | 'workspace' | 'clock'>;

/** Nothing is sent by it; `resume` goes on with what was released. */
export async function releaseRows(
  records: ReleaseRecords,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<ReleaseEnd> {
  const { ledger, clock } = records;
  // One moment for both: what is closed in the ledger has to be closed beside the file.
  const now = clock.now();
  // Beside the file first: should the ledger be lost, a row that was closed must stay closed.
  if (order.skip) await keepClosed(records, batch, order, now);
  // Before any row goes on: no approval of what was asked may pass for one of more.
  else await outdateApproval(records, batch.id);
  const end: Lists = { released: [], onlySkip: [], followed: [], left: [], notHeld: [] };
  for await (const row of batchRows(ledger, batch.id)) {
    if (order.rows !== null && !order.rows.has(row.row)) continue;
    if (isToDecide(row, batch, order)) await decideRow(ledger, row, order, { now, end });
    else if (order.rows !== null) end.notHeld.push(row.row);
  }
  return { ...end, file: await releaseFile(records, batch, order) };
}

type Lists = {
  readonly [List in Exclude<keyof ReleaseEnd, 'file'>]: ReleaseEnd[List][number][];
};

async function decideRow(
  ledger: Records['ledger'],
  row: RowRecord,
  order: ReleaseOrder,
  { now, end }: { readonly now: number; readonly end: Lists },
): Promise<void> {
  if (order.skip && !isServicesWord(row.progress, true) && !mayClose(row.progress, now)) {
    end.left.push({ row: row.row, tryAgainAt: tryAgainAt(row.progress) });
    return;
  }
  // Of a row that can no longer be read as a payment nothing can be sent, nor followed.
  const progress = row.payout === null && !order.skip ? null : decide(row.progress, order);
  if (progress === null) end.onlySkip.push(row.row);
  else if (await write(ledger, row, progress, order))
    (order.skip && progress.stage !== 'rejected' ? end.followed : end.released).push(row.row);
}

/** Only an order for the whole batch decides about the whole file. The file in the inbox is no decision of paydrop's. */
async function releaseFile(
  { ledger }: ReleaseRecords,
  batch: BatchRecord,
  { rows, skip, by, reason }: ReleaseOrder,
): Promise<StoppedBy | null> {
  const { id, stoppedBy = null } = batch;
  if (rows === null && waitsForTime(batch)) return waiveTime({ ledger }, batch, { skip, by, reason });
  if (rows !== null || skip || !isReleasable(stoppedBy)) return null;
  const decision = { by, reason };
  await ledger.changeBatch(id, {
    ...(stoppedBy === 'limits'
      ? { limitsLifted: decision }
      : { refusalsSeen: { ...decision, ...(await ledger.decisions(id)) } }),
    stoppedBy: null,
    waitingFor: null,
    waitingWords: null,
  });
  return stoppedBy;
}

/** The file in the inbox is removed, and an approval is given by somebody else: neither is for `release` to lift. */
function isReleasable(by: StoppedBy | null): by is 'limits' | 'refusals' {
  return by === 'limits' || by === 'refusals';
}

async function keepClosed(
  { ledger, workspace }: ReleaseRecords,
  batch: BatchRecord,
  order: ReleaseOrder,
  now: number,
): Promise<void> {
  const folder = await standingFolder(workspace, batch.id);
  if (folder === null)
    throw new Error(`The folder of batch ${batch.id} is in neither processing/ nor archive/.`);
  const reason = closedWords(order);
  const closed: ClosedUnpaid[] = [];
  for await (const { row, progress } of batchRows(ledger, batch.id)) {
    const isClosed =
      isToDecide({ progress }, batch, order) && !isServicesWord(progress, true) && mayClose(progress, now);
    if (isClosed && (order.rows?.has(row) ?? true)) closed.push({ row, reason });
  }
  await addClosedUnpaid(folder, closed);
}

/** A held row; or, of a file that waits for its time and is closed unpaid as a whole, any that nothing was sent of. */
function isToDecide(
  { progress: { stage } }: Pick<RowRecord, 'progress'>,
  batch: BatchRecord,
  { skip, rows }: ReleaseOrder,
): boolean {
  const isUnsent = stage === 'ready' || stage === 'quoted';
  return stage === 'held' || (isUnsent && skip && rows === null && waitsForTime(batch));
}

async function write(
  ledger: Records['ledger'],
  row: RowRecord,
  progress: Progress,
  { by, reason }: ReleaseOrder,
): Promise<boolean> {
  const isClosed = progress.stage === 'rejected';
  const { written } = await ledger.record(row, {
    progress,
    dueAt: isClosed ? null : 0,
    keepClaim: false,
    event: `${isClosed ? 'closed unpaid' : 'released'} by ${by}: ${reason}`,
  });
  return written;
}
