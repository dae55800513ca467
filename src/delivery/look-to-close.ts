// Before a row is cancelled the service is asked, whatever the ledger knows: it may be an older copy that was put back, and the row have been
// paid since by this transfer or by a later one. Nothing is sent; what has gone further than `created` is followed, and not closed.
import type { RowChange } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import { attemptOf, isLast, silentAfter, unvouched } from '../payouts/attempt.ts';
import { externalId } from '../payouts/external-id.ts';
import { isForeign, newHold } from '../payouts/hold.ts';
import { furthest, type KnownTransfer, type Progress, type RunId } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { adoptRevived, liveAttempt, mayAdopt } from './adopt-revived.ts';
import { findTransfer } from './find-transfer.ts';
import { nextAttempt } from './judge-expiry.ts';
import { judgeTransfer, toKnownTransfer, toTransferOfUnread } from './judge-transfer.ts';
import { unlessLaterAttempt } from './later-attempt.ts';
import { isUnchanged, keyOf, readByExternalIds, type ShownTransfer } from './read-transfers.ts';
import { asHeld, findRevived } from './revived.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { lookOf } from './track.ts';

export type Seen = Pick<RowChange, 'progress' | 'dueAt' | 'event'>;

/** `quiet`: the service shows nothing that has gone further than `created`; `followed`: it is, or will be, at the end that the service says; `unclear`: neither can be said yet. */
export type LookedAt = {
  readonly is: 'quiet' | 'followed' | 'unclear';
  readonly seen: Seen | null;
  /** The transfer on record, which is the row's last, was shown as `created`. */
  readonly isStillCreated?: true;
};

/** A row, and the run that asks about it. */
export type AskedRow = { readonly fileId: string; readonly row: RowRecord; readonly run: RunId };

const QUIET = { is: 'quiet', seen: null } as const;
export const UNCLEAR: LookedAt = { is: 'unclear', seen: null };

/** @param shown the transfer of the present attempt, as the service has just shown it; null where it shows none. Throws a `Fault`. */
export async function lookToClose(
  { fileId, row, run }: AskedRow,
  shown: ShownTransfer | null,
  tools: DeliveryTools,
): Promise<LookedAt> {
  // Before a person takes the word of the service for it, nobody vouches for it.
  let progress = unvouched(row.progress);
  let last = shown;
  while (last !== null || progress.transfer !== null) {
    if (last !== null && !isOwn({ fileId, row: { ...row, progress }, run }, last)) return UNCLEAR;
    const laterId = externalId(fileId, row.row, 'transfer', progress.transferAttempt + 1);
    const [later = null] = await readByExternalIds(tools, [laterId], 1);
    if (later === null) break;
    progress = behind(progress, last, later, run);
    last = later;
  }
  const looked =
    last === null
      ? mayBeUnderWay(progress)
        ? UNCLEAR
        : QUIET
      : await judged({ fileId, row: { ...row, progress }, run }, last, tools);
  return looked.is === 'quiet' ? unlessRevived({ ...row, progress }, looked, tools) : looked;
}

/** Nothing is closed over an earlier transfer that is being paid: the row goes back to it, once a person has been told and nothing else of it can pay. */
async function unlessRevived(row: RowRecord, looked: LookedAt, tools: DeliveryTools): Promise<LookedAt> {
  const progress = looked.seen?.progress ?? row.progress;
  const revived = await findRevived(progress, tools, () => true);
  if (revived === null) return looked;
  // What the present transfer is held for would be lost with another code.
  if (row.payout === null || isForeign(progress.hold)) return UNCLEAR;
  const told = applyVerdict(progress, asHeld(revived), tools.clock.now());
  const live = liveAttempt(told);
  if (progress.hold?.code !== 'transfer_reinstated' || live === null || !mayAdopt(told))
    return { is: 'unclear', seen: { progress: told, dueAt: null, event: 'found revived while held' } };
  const adopted = adoptRevived(told, live, tools.clock.now());
  return { is: 'followed', seen: { progress: adopted, dueAt: 0, event: 'back to what was revived' } };
}

/** A transfer that is known is the one on record, also where the service has written another id into it; one that is found has to bear the row's. */
function isOwn({ fileId, row }: AskedRow, { value }: ShownTransfer): boolean {
  const { transfer, transferAttempt } = row.progress;
  if (transfer !== null) return value.id === transfer.transferId && keyOf(value) === keyOf(transfer);
  return keyOf(value) === externalId(fileId, row.row, 'transfer', transferAttempt);
}

/** The row as it stands at its next attempt: a later one exists only because each before it was proved dead. */
function behind(progress: Progress, last: ShownTransfer | null, later: ShownTransfer, run: RunId): Progress {
  const transfer = last === null ? progress.transfer : toKnownTransfer(last.value);
  if (transfer === null) return progress;
  const attempt = progress.transferAttempt;
  const proof = 'later-attempt-exists';
  const given = nextAttempt(progress, { attempt, transfer, proof, provedAt: later.value.createdAt }, run);
  return given.kind === 'advanced' ? { ...progress, ...given.learned, stage: given.stage } : progress;
}

/** It was seen on its way or paid before, and is not shown at this moment. */
function mayBeUnderWay({ transfer }: Progress): boolean {
  return transfer !== null && (transfer.status === 'submitted' || transfer.status === 'paid');
}

async function judged(asked: AskedRow, shown: ShownTransfer, tools: DeliveryTools): Promise<LookedAt> {
  const { row, fileId, run } = asked;
  const { transfer, hold } = row.progress;
  const known = toKnownTransfer(shown.value);
  if (row.payout === null) return judgedUnread(asked, shown, tools);
  const due = { fileId, row: { ...row, payout: row.payout }, run };
  // Whose it is, or what it differs in, has been looked at before: a person was told of it as it is.
  const isOthers = transfer !== null && isForeign(hold);
  if (isOthers && known.status === transfer.status) return QUIET;
  if (known.status === 'created' && transfer !== null)
    return { is: 'quiet', seen: stillCreated(asked, known, shown.serverTime), isStillCreated: true };
  // A status that nobody knows, or that contradicts its code, has been told to a person as it is.
  if (hold?.code === 'unknown_status' && transfer !== null && isUnchanged(transfer, shown.value))
    return QUIET;
  const verdict =
    transfer === null || isOthers ? await found(due, tools) : await judgeHeld(due, shown, tools);
  if (isSettled(verdict)) return { is: 'followed', seen: moved(row.progress, verdict, tools) };
  if (verdict.kind === 'held' && verdict.code === 'id_collision')
    return collided(row.progress, verdict, tools);
  if (known.status === 'created') return foundCreated(asked, shown, tools);
  // So has one that nobody has seen before.
  if (verdict.kind === 'held' && verdict.code === hold?.code) return QUIET;
  return { is: 'unclear', seen: waitsWhereItIs(row.progress, verdict) };
}

/** Held against what the row asks for before it counts as its own. */
async function found(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const progress: Progress = { ...due.row.progress, hold: null, stage: 'ready' };
  const asReady = { ...due, row: { ...due.row, progress } };
  return unlessLaterAttempt(await findTransfer(asReady, tools), asReady, tools);
}

/** What the service shows of a held row's transfer, as if the row were on its way. */
export async function judgeHeld(
  due: DueRow,
  { value, serverTime }: ShownTransfer,
  tools: DeliveryTools,
): Promise<Verdict> {
  const progress = asConfirming(due.row.progress);
  const onItsWay = { ...due, row: { ...due.row, progress } };
  const verdict = judgeTransfer(progress, value, lookOf(due.run, tools, serverTime));
  return unlessLaterAttempt(verdict, onItsWay, tools);
}

/** Of a row that is no payment any more only the end can be told: nothing of it can be held against what the row asks for, or sent. */
function judgedUnread(asked: AskedRow, shown: ShownTransfer, tools: DeliveryTools): LookedAt {
  const { row, run } = asked;
  const { progress } = row;
  const { value, serverTime } = shown;
  const transfer = toTransferOfUnread(value);
  if (value.status === 'created') return foundCreated(asked, shown, tools, transfer);
  const verdict = judgeTransfer(asConfirming(progress), value, lookOf(run, tools, serverTime));
  const isPaid = verdict.kind === 'advanced' && verdict.stage === 'paid';
  // A failure may have been followed by another attempt that reads still hide.
  const attempt = unvouched(attemptOf(progress));
  const none = { transfer: null, at: serverTime };
  const last = isLast(attempt, { transfer, at: serverTime }, none, run, progress.rebuiltAt);
  const isFailed = verdict.kind === 'refused' && last === 'yes';
  if (!isPaid && !isFailed) return UNCLEAR;
  // Never due again: no run can carry it.
  const seen = moved(progress, verdict, tools);
  return { is: 'followed', seen: { ...seen, progress: { ...seen.progress, transfer }, dueAt: null } };
}

/** On its way or at its end, or to be looked for under its next id. */
export function isSettled(verdict: Verdict): boolean {
  if (verdict.kind === 'refused') return true;
  if (verdict.kind !== 'advanced' || verdict.afterMs !== undefined) return false;
  return verdict.stage !== 'created' && verdict.stage !== 'confirming';
}

export function moved(progress: Progress, verdict: Verdict, { clock }: DeliveryTools): Seen {
  const after = applyVerdict(asConfirming(progress), verdict, clock.now());
  return { progress: after, dueAt: 0, event: 'found ended while held' };
}

/** A held row whose transfer is known, as one whose confirm may have arrived: what the service shows of it decides, and no record of ours. */
function asConfirming(progress: Progress): Progress {
  return { ...progress, hold: null, stage: 'confirming' };
}

function foundCreated(
  { row, run }: AskedRow,
  { value, serverTime }: ShownTransfer,
  { clock }: DeliveryTools,
  transfer: KnownTransfer = toKnownTransfer(value),
): LookedAt {
  const progress = inDoubt(row.progress, transfer, clock.now());
  const found: Seen = { progress, dueAt: null, event: 'found created while held' };
  return { is: 'quiet', seen: stillCreated({ row: { progress }, run }, transfer, serverTime) ?? found };
}

/** Nobody here knows who made it, or whether its confirm is under way. */
function inDoubt(progress: Progress, transfer: KnownTransfer, now: number): Progress {
  const hold = progress.hold ?? newHold('confirm_uncertain', now);
  const stage = progress.stage === 'ready' || progress.stage === 'quoted' ? 'created' : progress.stage;
  return { ...progress, hold, stage, transfer, confirm: furthest(progress.confirm, 'sent'), begunBy: null };
}

/** A person is told whose it may be, and how it stands, before anything of the row is closed. */
function collided(progress: Progress, verdict: Verdict, { clock }: DeliveryTools): LookedAt {
  const told = applyVerdict(progress, verdict, clock.now());
  return { is: 'unclear', seen: { progress: told, dueAt: null, event: 'found another while held' } };
}

/** Beyond the fence no read is so old that it hides a confirm: from then on a person may say that nothing comes of it. */
export function stillCreated(
  { row: { progress }, run }: Pick<AskedRow, 'run'> & { readonly row: Pick<RowRecord, 'progress'> },
  transfer: KnownTransfer,
  serverTime: number | null,
): Seen | null {
  const attempt = unvouched(attemptOf(progress));
  const silentAt = silentAfter(attempt, { transfer, at: serverTime }, run, progress.rebuiltAt);
  if (silentAt === progress.silentAt) return null;
  return {
    progress: { ...progress, silentAt },
    dueAt: null,
    event: 'seen unconfirmed while held',
  };
}

/** What only time can settle waits where it is; since when, the next look has to know. */
export function waitsWhereItIs(progress: Progress, verdict: Verdict): Seen | null {
  const rebuiltAt = 'learned' in verdict ? (verdict.learned.rebuiltAt ?? null) : null;
  if (rebuiltAt === null || rebuiltAt === progress.rebuiltAt) return null;
  return { progress: { ...progress, rebuiltAt }, dueAt: null, event: 'a later transfer may be hidden' };
}
