// The meaning of a look for a row that is held or is to be closed: a person decides by it, and a ledger without a payment may be an older copy that
// was put back. Nothing is sent; a transfer that has gone further than `created` is followed, and not closed. Pure.
import type { RowChange } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { applyVerdict, type Verdict } from '../payouts/verdict.ts';
import { unvouched } from '../payouts/attempt.ts';
import { isForeign, newHold } from '../payouts/hold.ts';
import {
  furthest,
  type KnownTransfer,
  type Progress,
  type Tenure,
  withForeign,
  withoutForeign,
} from '../payouts/progress.ts';
import { deadFrom, evidenceOf, proving } from '../payouts/proof.ts';
import { adoptRevived, liveAttempt, mayAdopt, nextAttempt } from './next-attempt.ts';
import { judgeTransfer, toKnownTransfer, toTransferOfUnread, type Look } from './judge-transfer.ts';
import { isUnchanged, keyOf, type Observed, type ShownTransfer, type Sight } from './observe.ts';
import { transferExternalId } from './requests.ts';
import { asHeld, isLastFailure, revivedAmong, settleEnd, settleFound } from './settle.ts';
import type { Asker, DueRow } from './tools.ts';

export type Seen = Pick<RowChange, 'progress' | 'dueAt' | 'event'>;

/** `quiet`: the service shows nothing beyond `created`; `followed`: the row is, or will be, at the end that the service reports; `unclear`: neither is certain yet. */
export type Settled = {
  readonly is: 'quiet' | 'followed' | 'unclear';
  readonly seen: Seen | null;
  /** The transfer on record, which is the row's last, was shown as `created`. */
  readonly isStillCreated?: true;
};

/** A row, and the run that asks about it. */
export type AskedRow = Asker & { readonly fileId: string; readonly row: RowRecord };

/** Until a person accepts the service's word, nobody vouches for the row. */
export function askedRow(fileId: string, row: RowRecord, run: Tenure, doubtSince: number | null): AskedRow {
  return { fileId, row: { ...row, progress: unvouched(row.progress) }, run, doubtSince };
}

/** A look whose answers each have a time of their own. */
export type Asking = Omit<Look, 'serverTime'>;

const QUIET = { is: 'quiet', seen: null } as const;
export const UNCLEAR: Settled = { is: 'unclear', seen: null };

/** @param observed with every later attempt. */
export function settle(asked: AskedRow, observed: Observed, asking: Asking): Settled {
  let at = asked;
  let last: Sight = observed.present;
  for (const later of observed.later) {
    if (!isOwn(at, last)) return UNCLEAR;
    at = { ...at, row: { ...at.row, progress: behind(at, last) } };
    last = later;
  }
  if (!isOwn(at, last)) return UNCLEAR;
  const settled =
    last.value === null ? ofNothing(at.row) : judged(at, { ...last, value: last.value }, observed, asking);
  return settled.is === 'quiet' ? unlessRevived(at.row, settled, observed, asking) : settled;
}

/** A known transfer is the one on record, even if the service has written another id into it; a found one has to bear the row's id. */
function isOwn({ fileId, row }: AskedRow, { value }: Sight): boolean {
  const { transfer } = withForeign(row.progress);
  if (value === null) return true;
  if (transfer !== null) return value.id === transfer.transferId && keyOf(value) === keyOf(transfer);
  return keyOf(value) === transferExternalId({ fileId, row });
}

/** The row as it stands at its next attempt: a later one exists only because each before it was proved dead. */
function behind(asked: AskedRow, last: Sight): Progress {
  // A transfer under an earlier id says nothing about the next.
  const progress = withoutForeign(asked.row.progress);
  const transfer = last.value === null ? progress.transfer : toKnownTransfer(last.value);
  if (transfer === null) return progress;
  const given = nextAttempt(progress, { transfer, proof: 'later-attempt-exists' }, asked);
  return given.kind === 'advanced' ? { ...progress, ...given.learned, stage: given.stage } : progress;
}

/** It may have been seen on its way or paid before, although the service does not show it now. */
function ofNothing({ progress }: RowRecord): Settled {
  const { transfer } = withForeign(progress);
  return transfer?.status === 'submitted' || transfer?.status === 'paid' ? UNCLEAR : QUIET;
}

/** A row is never closed while an earlier transfer of it is being paid: it goes back to that transfer, once a person was told and no other one can pay. */
function unlessRevived(row: RowRecord, settled: Settled, observed: Observed, { now }: Asking): Settled {
  const progress = settled.seen?.progress ?? row.progress;
  const revived = revivedAmong(progress.deadAttempts, sightsOf(progress, observed));
  if (revived === null) return settled;
  // Another code would lose the reason for which the present transfer is held.
  if (row.payout === null || isForeign(progress.hold)) return UNCLEAR;
  const told = applyVerdict(progress, asHeld(revived), now);
  const live = liveAttempt(told);
  if (progress.hold?.code !== 'transfer_reinstated' || live === null || !mayAdopt(told))
    return { is: 'unclear', seen: { progress: told, dueAt: null, event: 'found revived while held' } };
  const adopted = adoptRevived(told, live, now);
  return { is: 'followed', seen: { progress: adopted, dueAt: 0, event: 'back to what was revived' } };
}

/** Those that were given up before, and those that the look has found to be. */
function sightsOf(
  { deadAttempts }: Progress,
  { present, later, dead }: Observed,
): ReadonlyMap<number, Sight> {
  const walked = new Map(
    [present, ...later].flatMap((sight) => (sight.value === null ? [] : [[keyOf(sight.value), sight]])),
  );
  return new Map(
    deadAttempts.map(({ attempt, transfer }) => [
      attempt,
      dead.get(attempt) ?? walked.get(keyOf(transfer)) ?? { value: null, serverTime: null },
    ]),
  );
}

function judged(asked: AskedRow, shown: ShownTransfer, observed: Observed, asking: Asking): Settled {
  const { row, fileId, run, doubtSince } = asked;
  const { transfer, hold } = row.progress;
  const foreign = hold?.foreign;
  const known = toKnownTransfer(shown.value);
  if (row.payout === null) return judgedUnread(asked, shown, asking);
  const due = { fileId, row: { ...row, payout: row.payout }, run, doubtSince };
  // Its owner, or its difference, was examined before, and a person was told.
  if (known.status === foreign?.status) return QUIET;
  if (known.status === 'created' && transfer !== null)
    return { is: 'quiet', seen: stillCreated(asked, known, shown.serverTime), isStillCreated: true };
  // A person was told of a status that is unknown or contradicts its code.
  if (hold?.code === 'unknown_status' && transfer !== null && isUnchanged(transfer, shown.value))
    return QUIET;
  const verdict =
    transfer === null
      ? verdictOfFound(due, shown, observed, asking)
      : verdictOfKnown(due, shown, observed, asking);
  // Nothing is raised for a person: one that is dead is told as still created.
  if (known.status !== 'created' && isEnd(verdict))
    return { is: 'followed', seen: moved(row.progress, verdict, asking) };
  if (verdict.kind === 'held' && verdict.code === 'id_collision')
    return collided(row.progress, verdict, asking);
  if (known.status === 'created') return foundCreated(asked, shown, asking);
  // So has one that nobody has seen before.
  if (verdict.kind === 'held' && verdict.code === hold?.code) return QUIET;
  const since = 'learned' in verdict ? (verdict.learned.silentAt ?? null) : null;
  return { is: 'unclear', seen: waitsWhereItIs(row.progress, since) };
}

/** Compared with the row's request before it counts as the row's own. */
function verdictOfFound(
  due: DueRow,
  { value, serverTime }: ShownTransfer,
  { beyond, quotation }: Observed,
  asking: Asking,
): Verdict {
  const progress: Progress = { ...due.row.progress, hold: null, stage: 'ready' };
  const asReady = { ...due, row: { ...due.row, progress } };
  const verdict = settleFound(asReady, value, quotation, { ...asking, serverTime });
  return settleEnd(verdict, asReady, beyond ?? NOTHING, asking) ?? verdict;
}

/** The verdict on a held row's transfer, as if the row were on its way. */
function verdictOfKnown(
  due: DueRow,
  { value, serverTime }: ShownTransfer,
  { beyond }: Observed,
  asking: Asking,
): Verdict {
  const progress = asConfirming(due.row.progress);
  const onItsWay = { ...due, row: { ...due.row, progress } };
  const verdict = judgeTransfer(progress, value, { ...asking, serverTime });
  return settleEnd(verdict, onItsWay, beyond ?? NOTHING, asking) ?? verdict;
}

/** A look that told no time proves nothing. */
const NOTHING: Sight = { value: null, serverTime: null };

/** A row that is no longer a payment can only be told its end: it has no request to compare with, and nothing of it can be sent. */
function judgedUnread(asked: AskedRow, shown: ShownTransfer, asking: Asking): Settled {
  const { row, run, doubtSince } = asked;
  const { progress } = row;
  const { value, serverTime } = shown;
  const transfer = toTransferOfUnread(value);
  if (value.status === 'created') return foundCreated(asked, shown, asking, transfer);
  const verdict = judgeTransfer(asConfirming(progress), value, { ...asking, serverTime });
  const isPaid = verdict.kind === 'advanced' && verdict.stage === 'paid';
  // A failure may have been followed by another attempt that reads still hide.
  const isFailed =
    verdict.kind === 'refused' && isLastFailure(progress, transfer, serverTime, { run, doubtSince });
  if (!isPaid && !isFailed)
    return { is: 'unclear', seen: verdict.kind === 'refused' ? waitsWhereItIs(progress, serverTime) : null };
  // Never due again: no run can carry it.
  const seen = moved(progress, verdict, asking);
  return { is: 'followed', seen: { ...seen, progress: { ...seen.progress, transfer }, dueAt: null } };
}

/** On its way or at its end, or to be looked for under its next id. */
function isEnd(verdict: Verdict): boolean {
  if (verdict.kind === 'refused') return true;
  if (verdict.kind !== 'advanced' || verdict.afterMs !== undefined) return false;
  return verdict.stage !== 'created' && verdict.stage !== 'confirming';
}

function moved(progress: Progress, verdict: Verdict, { now }: Asking): Seen {
  const after = applyVerdict(asConfirming(progress), verdict, now);
  return { progress: after, dueAt: 0, event: 'found ended while held' };
}

/** A held row with a known transfer counts as one whose confirm may have arrived: the service decides, and no record of ours. */
function asConfirming(progress: Progress): Progress {
  return { ...progress, hold: null, stage: 'confirming' };
}

function foundCreated(
  asked: AskedRow,
  { value, serverTime }: ShownTransfer,
  { now }: Asking,
  transfer: KnownTransfer = toKnownTransfer(value),
): Settled {
  const progress = inDoubt(asked.row.progress, transfer, now);
  const found: Seen = { progress, dueAt: null, event: 'found created while held' };
  return { is: 'quiet', seen: stillCreated({ ...asked, row: { progress } }, transfer, serverTime) ?? found };
}

/** Nobody here knows who made it, or whether its confirm is under way. */
function inDoubt(known: Progress, transfer: KnownTransfer, now: number): Progress {
  const progress = withoutForeign(known);
  const hold = progress.hold ?? newHold('confirm_uncertain', now);
  const stage = progress.stage === 'ready' || progress.stage === 'quoted' ? 'created' : progress.stage;
  return { ...progress, hold, stage, transfer, confirm: furthest(progress.confirm, 'sent'), begunBy: null };
}

/** A person is told whose it may be, and how it stands, before anything of the row is closed. */
function collided(progress: Progress, verdict: Verdict, { now }: Asking): Settled {
  const told = applyVerdict(progress, verdict, now);
  return { is: 'unclear', seen: { progress: told, dueAt: null, event: 'found another while held' } };
}

/** Beyond the fence no read can hide a confirm: from then on a person may close the row as unpaid. */
function stillCreated(
  { row: { progress }, run, doubtSince }: Asker & { readonly row: Pick<RowRecord, 'progress'> },
  transfer: KnownTransfer,
  serverTime: number | null,
): Seen | null {
  const from = deadFrom(evidenceOf(unvouched(progress)), transfer, proving(run, doubtSince));
  const isKnown = progress.silentAt !== null && progress.silentAt > from;
  if (isKnown || serverTime === null || serverTime <= from) return null;
  const silent = { ...progress, silentAt: serverTime };
  return { progress: silent, dueAt: null, event: 'seen unconfirmed while held' };
}

/** A row that only time can settle waits where it is; the next look has to know since when. */
function waitsWhereItIs(progress: Progress, since: number | null): Seen | null {
  if (progress.silentAt !== null || since === null) return null;
  const silent = { ...progress, silentAt: since };
  return { progress: silent, dueAt: null, event: 'a later transfer may be hidden' };
}
