// `release`: a named person decides what no machine may: held rows go on, or are closed unpaid. Name and reason stay in the ledger.
import type { Words } from '../base/language.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { addClosedUnpaid, type ClosedUnpaid } from '../inbox/closed-unpaid.ts';
import { standingFolder } from '../inbox/workspace.ts';
import { outdateApproval } from './approval/outdate-approval.ts';
import { closedUnpaid } from '../payouts/closed-unpaid.ts';
import type { HeldCode } from '../payouts/held.ts';
import type { Progress } from '../payouts/progress.ts';
import type { StoppedBy } from '../payouts/verdict.ts';
import { batchRows } from '../ledger/batch-rows.ts';
import type { Records } from './compose-records.ts';
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
  /** What had stopped the file as a whole, and does no more. */
  readonly file: StoppedBy | null;
  /** Named rows that are not held. */
  readonly notHeld: readonly string[];
};

/** Where a row goes on, by what held it; null where going on could pay twice. */
const GOES_ON: Readonly<Record<HeldCode, 'ready' | 'created' | null>> = {
  reference_paid_differently: 'ready',
  reference_undecided: 'ready',
  similar_reference: 'ready',
  earlier_row_paid: 'ready',
  reversed_before: 'ready',
  same_payment_recently: 'ready',
  equal_rows: 'ready',
  same_content: 'ready',
  new_account: 'ready',
  rebuilt_unsent: 'ready',
  rebuilt_unreadable: null,
  over_row_limit: 'created',
  over_payee_limit: 'created',
  over_fee_limit: 'ready',
  under_rate_limit: 'ready',
  quotation_mismatch: 'ready',
  document_refused: 'created',
  document_changed: 'created',
  document_demanded: 'created',
  echo_mismatch: null,
  id_collision: null,
  unknown_status: null,
  status_went_back: null,
  attempt_revived: null,
  confirm_uncertain: null,
  network_undecided: null,
  too_many_attempts: null,
  unexpected_refusal: 'created',
  file_not_whole: 'created',
};

/** A person who releases such a row lets it go over all of them. */
const OF_LIMITS: ReadonlySet<HeldCode> = new Set<HeldCode>([
  'over_row_limit',
  'over_payee_limit',
  'over_fee_limit',
  'under_rate_limit',
]);

/** Nothing is sent by it; `resume` goes on with what was released. */
export async function releaseRows(
  records: Records,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<ReleaseEnd> {
  const { ledger } = records;
  // Beside the file first: should the ledger be lost, a row that was closed must stay closed.
  if (order.skip) await keepClosed(records, batch, order);
  // Before any row goes on: no approval of what was asked may pass for one of more.
  else await outdateApproval(records, batch.id);
  const released: string[] = [];
  const onlySkip: string[] = [];
  const notHeld: string[] = [];
  for await (const row of batchRows(ledger, batch.id)) {
    if (order.rows !== null && !order.rows.has(row.row)) continue;
    if (!isToDecide(row, batch, order)) {
      if (order.rows !== null) notHeld.push(row.row);
      continue;
    }
    const progress = decided(row, order);
    if (progress === null) onlySkip.push(row.row);
    else if (await write(ledger, row, progress, order)) released.push(row.row);
  }
  return { released, onlySkip, notHeld, file: await releaseFile(records, batch, order) };
}

/** Only an order for the whole batch decides about the whole file. The file in the inbox is no decision of paydrop's. */
async function releaseFile(
  { ledger }: Records,
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
  { ledger, workspace }: Records,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<void> {
  const folder = await standingFolder(workspace, batch.id);
  if (folder === null)
    throw new Error(`The folder of batch ${batch.id} is in neither processing/ nor archive/.`);
  const reason = closedWords(order);
  const closed: ClosedUnpaid[] = [];
  for await (const { row, progress } of batchRows(ledger, batch.id)) {
    const mayClose = isToDecide({ progress }, batch, order) && !isServicesWord(progress);
    if (mayClose && (order.rows?.has(row) ?? true)) closed.push({ row, reason });
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

function decided({ progress }: RowRecord, { skip, by, reason }: ReleaseOrder): Progress | null {
  const freed = {
    ...progress,
    heldCode: null,
    errorCode: null,
    reason: null,
    unsure: true,
    deadAttempts: progress.deadAttempts.map((dead) => ({ ...dead, isDecided: true })),
    uploads: 0,
    isAttached: false,
    tries: 0,
  };
  // What the service had ended and changed, or may have been sent, is what the service says: neither paid again nor closed unpaid by anybody's word.
  if (isServicesWord(progress)) return { ...freed, stage: 'confirmed' };
  if (skip) return { ...freed, ...closedUnpaid(closedWords({ by, reason })) };
  const { heldCode } = progress;
  const stage = heldCode === null ? null : GOES_ON[heldCode];
  if (stage === null) return null;
  const limitsLifted = progress.limitsLifted || (heldCode !== null && OF_LIMITS.has(heldCode));
  // A row that was held before anything was created starts again, whatever it was held for.
  return { ...freed, limitsLifted, stage: progress.transfer === null ? 'ready' : stage };
}

function isServicesWord({ heldCode, finalAt, confirmedAt, mayBeConfirmed }: Progress): boolean {
  if (heldCode === 'attempt_revived') return finalAt !== null || confirmedAt !== null || mayBeConfirmed;
  return heldCode === 'status_went_back' && finalAt !== null;
}

function closedWords({ by, reason }: Pick<ReleaseOrder, 'by' | 'reason'>): Words {
  return { en: `Closed unpaid by ${by}: ${reason}`, fr: `Fermée sans paiement par ${by} : ${reason}` };
}

async function write(
  ledger: Records['ledger'],
  row: RowRecord,
  progress: Progress,
  { by, reason, skip }: ReleaseOrder,
): Promise<boolean> {
  const { written } = await ledger.record(row, {
    progress,
    dueAt: progress.stage === 'rejected' ? null : 0,
    keepClaim: false,
    event: `${skip ? 'closed unpaid' : 'released'} by ${by}: ${reason}`,
  });
  return written;
}
