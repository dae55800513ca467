// `release`: a named person decides what no machine may: held rows go on, or are cancelled. Name and reason stay in the ledger.
import { isoTime } from '../../../base/clock.ts';
import type { BatchRecord, Decision, RowRecord } from '../../../ledger/records.ts';
import { addClosed, folderNow, standingManifest, type ClosedUnpaid } from '../../../inbox/manifest.ts';
import { outdateApproval } from '../approval/approval-gate.ts';
import { liftsItself } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM, isAnyUnsent } from '../../../payouts/lifecycle.ts';
import { hasGoneOn, isServicesWord, stageOrHeld, type Progress } from '../../../payouts/progress.ts';
import type { StoppedBy } from '../../../payouts/stop.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isStopped } from '../../../ledger/batch-rules.ts';
import { dayOfDecision } from '../../../ledger/days.ts';
import { LeaseLost } from '../../../ledger/ledger-unusable.ts';
import type { Paydrop, Records } from '../../parts.ts';
import {
  cancelledWords,
  decide,
  isUnseen,
  lookBeforeClosing,
  type Looked,
  mayCancel,
  tryAgainAt,
} from '../carry/look-before-closing.ts';
import { keepManifest, raiseEpoch } from '../batch/epoch.ts';
import { decided, waitsForTime, waiveTime } from '../batch/await-time.ts';
import { policyOf } from '../../config/policy.ts';
import { takenProfile } from '../batch/profile-for.ts';
import { batchOf } from '../batch/work.ts';
import { type Decider, type DeciderFault, mayRelease } from '../batch/may-decide.ts';

export type ReleaseOrder = Decider & {
  readonly reason: string;
  /** Row identities; null for every held row. */
  readonly rows: ReadonlySet<string> | null;
  /** Cancel them instead. */
  readonly skip: boolean;
  /** The way of the order, for the history: a typed name need not be believed. */
  readonly via?: string;
  /** What it was given about, where it is carried out later: what the file waited for, and its held rows. Nothing that came since is decided with it. */
  readonly seen?: { readonly wait: string | null; readonly held: ReadonlySet<string> };
};

export type ReleaseEnd = {
  readonly released: readonly string[];
  /** Rows that can only be cancelled, because a transfer of theirs may still pay. */
  readonly onlySkip: readonly string[];
  /** Rows that were to be cancelled, but are followed: they were confirmed, or had ended, and only the service says how. */
  readonly followed: readonly string[];
  /** Rows that are not cancelled, because they may have been paid or may still be; and when to try again, null where they have to be released first. */
  readonly left: readonly { readonly row: string; readonly tryAgainAt: string | null }[];
  /** What had stopped the file as a whole, and no longer does. */
  readonly file: StoppedBy | null;
  /** Named rows that are not held. */
  readonly notHeld: readonly string[];
  /** Rows that a person cancelled before the ledger was lost or replaced by an older copy: they stay cancelled. */
  readonly closedBefore: readonly string[];
  /** How many rows stay held, because the order was about the file alone. */
  readonly stillHeld: number;
  /** Why nothing could be cancelled: the service did not say what has become of the rows. */
  readonly unasked: 'service' | 'credentials' | null;
  /** The process that has the batch has not carried the order out yet: it is on record, and in force. */
  readonly isRecorded?: true;
};

type ReleaseRecords = Pick<Records, 'ledger' | 'workspace' | 'clock'>;

/** To let go what waits is a decision like an approval, and to forbid is everybody's. */
export async function mayReleaseBy(
  { config, workspace }: Records,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<{ readonly by: string } | DeciderFault> {
  if (order.skip) return { by: order.by };
  const policy = policyOf(config.policy, (await takenProfile(workspace, batch))?.policy);
  return mayRelease({ ...config, policy }, order, batch);
}

/** Carries an order out on a batch of this run, for whoever may give it. */
export async function releaseByOrder(
  records: Records | Paydrop,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<ReleaseEnd | DeciderFault> {
  const may = await mayReleaseBy(records, batch, order);
  return 'code' in may ? may : releaseRows(records, batch, { ...order, by: may.by });
}

/** It sends nothing; `resume` goes on with released rows. To cancel rows needs the service, which is asked about them first. */
export async function releaseRows(
  records: ReleaseRecords | Paydrop,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<ReleaseEnd> {
  // Nothing of a refused file is held or sent, and its folder has gone.
  if (batch.state === 'refused')
    return { ...lists(), notHeld: [...(order.rows ?? [])], file: null, stillHeld: 0, unasked: null };
  await raiseEpoch(records, batch.id);
  if (order.skip) return cancelRows(records, batch, order);
  // Before any row goes on: an approval of the earlier question must not pass for one of more rows.
  await outdateApproval(records, batch.id);
  // The stop of the file is one decision, and the hold of a row another: nobody decides about both with one command.
  const file = await releaseFile(records, batch, order);
  if (file !== null) {
    const stillHeld = (await records.ledger.stageCounts(batch.id)).get('held') ?? 0;
    return { ...lists(), file, stillHeld, unasked: null };
  }
  const closed = await closedBefore(records, batch);
  const isToGo = ({ row, progress }: RowRecord, end: Lists): boolean => {
    if (!closed.has(row) || isServicesWord(progress, false)) return true;
    end.closedBefore.push(row);
    return false;
  };
  const freed = await decideRows(records, batch, order, isToGo);
  await rememberDecision(records, batch, order, freed.released);
  return { ...freed, file, stillHeld: 0, unasked: null };
}

/** Rows named in a question; of more, the first stand for all. */
const NAMED_MOST = 50;

/** Whoever approves the file later must see who let its held rows go, and why; an auditor also who cancelled them. */
async function rememberDecision(
  { ledger, clock }: ReleaseRecords,
  { id }: BatchRecord,
  { by, reason, skip }: ReleaseOrder,
  released: readonly string[],
): Promise<void> {
  if (released.length === 0) return;
  const rows = released.slice(0, NAMED_MOST);
  const at = isoTime(clock.now());
  const decision: Decision = { about: skip ? 'cancel' : 'release', by, reason, at, rows };
  const event = `${skip ? 'cancelled' : 'released'} ${String(released.length)} by ${by}: ${reason}`;
  await ledger.revise(id, ({ decisions }) => ({ change: { decisions: [...decisions, decision] }, event }));
}

async function cancelRows(
  records: ReleaseRecords | Paydrop,
  batch: BatchRecord,
  order: ReleaseOrder,
): Promise<ReleaseEnd> {
  if (!('service' in records)) throw new Error('Nothing is closed without a look at the service.');
  const isAsked = (row: RowRecord): boolean =>
    isToDecide(row, batch, order) && !isServicesWord(row.progress, true);
  const looked = await lookBeforeClosing(records, batch, isAsked);
  if ('for' in looked) return { ...lists(), file: null, stillHeld: 0, unasked: looked.for };
  const isToClose = (row: RowRecord): boolean =>
    isServicesWord(row.progress, true) || (looked.quiet.has(row.row) && mayCancel(row, looked));
  const left = await leftOfWhole(records, batch, order, { looked, isToClose });
  if (left.length > 0) return { ...lists(), left, file: null, stillHeld: 0, unasked: null };
  // In the manifest first: if the ledger is lost, a cancelled row must stay cancelled.
  await keepClosed(records, batch, order, isToClose);
  const decided = await decideRows(
    records,
    batch,
    order,
    (row, end) => {
      if (isToClose(row)) return true;
      end.left.push({ row: row.row, tryAgainAt: leftUntil(row, looked) });
      return false;
    },
    new Set(looked.followed),
  );
  await rememberDecision(records, batch, order, decided.released);
  const end = { ...decided, followed: [...looked.followed, ...decided.followed] };
  return { ...end, file: await releaseFile(records, batch, order), stillHeld: 0, unasked: null };
}

/** A file that waits as a whole is cancelled whole or not at all: the rest of it might fit a limit, or be paid at its time. */
async function leftOfWhole(
  { ledger }: ReleaseRecords,
  batch: BatchRecord,
  order: ReleaseOrder,
  { looked, isToClose }: { readonly looked: Looked; readonly isToClose: (row: RowRecord) => boolean },
): Promise<ReleaseEnd['left'][number][]> {
  const left: ReleaseEnd['left'][number][] = [];
  if (order.rows !== null || !waitsAsWhole(batch)) return left;
  for await (const row of batchRows(ledger, batch.id))
    if (BEFORE_CONFIRM.has(stageOrHeld(row.progress)) && !isToClose(row))
      left.push({ row: row.row, tryAgainAt: leftUntil(row, looked) });
  return left;
}

type Lists = {
  readonly [
    List in Exclude<keyof ReleaseEnd, 'file' | 'stillHeld' | 'unasked' | 'isRecorded'>
  ]: ReleaseEnd[List][number][];
};

export function lists(): Lists {
  return { released: [], onlySkip: [], followed: [], left: [], notHeld: [], closedBefore: [] };
}

/** @param mayGo false for a row that stays as it is, and is reported so. */
async function decideRows(
  records: ReleaseRecords,
  batch: BatchRecord,
  order: ReleaseOrder,
  mayGo: (row: RowRecord, end: Lists) => boolean,
  done: ReadonlySet<string> = new Set(),
): Promise<Lists> {
  const end = lists();
  const now = await batchOf(records, batch.id);
  // The number of the question that stands; 0 where none was asked.
  const round = now.approval?.kind === 'asked' ? now.approval.round : 0;
  for await (const row of batchRows(records.ledger, batch.id)) {
    if (done.has(row.row)) continue;
    if (!isToDecide(row, batch, order)) {
      if (order.rows?.has(row.row) === true) end.notHeld.push(row.row);
    } else if (mayGo(row, end)) await decideRow(records, batch, row, { ...order, round }, end);
  }
  return end;
}

async function decideRow(
  { ledger, clock }: ReleaseRecords,
  batch: BatchRecord,
  row: RowRecord,
  order: ReleaseOrder & { readonly round: number },
  end: Lists,
): Promise<void> {
  // A row that can no longer be read as a payment can send nothing; only its end is reported.
  if (row.payout === null && isWithService(row.progress, order)) {
    end.followed.push(row.row);
    return;
  }
  const progress = row.payout === null && !order.skip ? null : decide(row.progress, order, clock.now());
  if (progress === null) {
    if (!liftsItself(row.progress.hold)) end.onlySkip.push(row.row);
    else end.left.push({ row: row.row, tryAgainAt: tryAgainAt(row.progress) });
    return;
  }
  const isClosed = progress.stage === 'rejected';
  const way = order.via === undefined ? '' : ` · via ${order.via}`;
  const event = `${isClosed ? 'cancelled' : 'released'} by ${order.by}: ${order.reason}${way}`;
  const { written } = await ledger.record(batch, row, { progress, dueAt: isClosed ? null : 0, event });
  if (!written) throw new LeaseLost(batch.id);
  (order.skip && !isClosed ? end.followed : end.released).push(row.row);
}

/** It has gone further than `created`: only the service's word ends it. */
function isWithService(progress: Progress, { skip }: ReleaseOrder): boolean {
  const { transfer } = progress;
  return isServicesWord(progress, skip) || (transfer !== null && hasGoneOn(transfer));
}

/** If a look gave no result, another in a minute is worthwhile. */
function leftUntil({ row, progress }: RowRecord, { quiet, at }: Looked): string | null {
  const until = tryAgainAt(progress);
  if (quiet.has(row) || isUnseen(progress)) return until;
  return isoTime(Math.max(until === null ? 0 : Date.parse(until), at + LOOK_AGAIN_MS));
}

const LOOK_AGAIN_MS = 60_000;

/** The cancelled rows in the manifest, which outlives every ledger. */
async function closedBefore(
  { workspace }: ReleaseRecords,
  { id }: BatchRecord,
): Promise<ReadonlySet<string>> {
  return new Set(((await standingManifest(workspace, id))?.closed ?? []).map(({ row }) => row));
}

/** Only an order for the whole batch decides about the whole file. To be called when its rows are decided. */
async function releaseFile(
  { ledger, clock }: ReleaseRecords,
  batch: BatchRecord,
  { rows, skip, by, reason, via = 'an order', seen }: ReleaseOrder,
): Promise<StoppedBy | null> {
  const { id, wait } = batch;
  if (rows !== null || !isAsSeen(batch, seen)) return null;
  // A row that was not cancelled must not be paid just because the others were.
  if (skip && isAnyUnsent(await ledger.stageCounts(id), 'all')) return null;
  if (waitsForTime(batch)) return waiveTime({ ledger, clock }, batch, { skip, by, reason, via });
  const stop = wait?.for;
  // A person removes the file `STOP`, and another person gives an approval: `release` lifts neither.
  if (stop !== 'limits' && stop !== 'refusals') return null;
  const who = { by, reason, at: isoTime(clock.now()), ...dayOfDecision(batch) };
  const decision: Decision =
    stop === 'limits'
      ? { about: stop, ...who }
      : { about: stop, ...who, saw: await ledger.refusalCounts(id) };
  await ledger.revise(id, (now) => decided(now, decision));
  return skip ? null : stop;
}

async function keepClosed(
  records: ReleaseRecords,
  batch: BatchRecord,
  order: ReleaseOrder,
  isToClose: (row: RowRecord) => boolean,
): Promise<void> {
  const reason = cancelledWords(order);
  const closed: ClosedUnpaid[] = [];
  for await (const row of batchRows(records.ledger, batch.id)) {
    const isClosed = isToDecide(row, batch, order) && !isServicesWord(row.progress, true) && isToClose(row);
    if (isClosed) closed.push({ row: row.row, code: 'cancelled', reason });
  }
  if (closed.length === 0) return;
  if (folderNow(records.workspace, batch.id) === null)
    throw new Error(`The folder of batch ${batch.id} is in neither processing/ nor archive/.`);
  await keepManifest(records, batch.id, addClosed(closed));
}

/** A held row that is named, if rows are named; or, where the whole file waits for a person or its time and is cancelled, any row that is not confirmed. */
export function isToDecide(
  row: RowRecord,
  batch: BatchRecord,
  { skip, rows, seen }: Pick<ReleaseOrder, 'skip' | 'rows' | 'seen'>,
): boolean {
  const stage = stageOrHeld(row.progress);
  const isMeant = stage === 'held' && (skip || seen?.held.has(heldAs(row)) !== false);
  if (rows !== null) return isMeant && rows.has(row.row);
  return isMeant || (BEFORE_CONFIRM.has(stage) && skip && waitsAsWhole(batch) && isAsSeen(batch, seen));
}

/** A hold of a row, told from every other one of it. */
export function heldAs({ row, progress: { hold } }: RowRecord): string {
  return `${row} ${hold?.code ?? ''} ${String(hold?.since)}`;
}

function isAsSeen({ wait }: BatchRecord, seen: ReleaseOrder['seen']): boolean {
  return seen === undefined || seen.wait === (wait?.for ?? null);
}

function waitsAsWhole(batch: BatchRecord): boolean {
  return waitsForTime(batch) || isStopped(batch);
}
