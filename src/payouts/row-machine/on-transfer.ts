// What it means that the service shows a transfer, or none: under the row's present attempt, under one that was given up, or under the next.
import { mayConfirm } from '../lifetime.ts';
import { sentence } from '../../messages/messages.ts';
import type { KnownTransfer } from '../progress.ts';
import { contradicts, shownStatus } from '../service-words.ts';
import {
  doubted,
  ended,
  failureOf,
  held,
  lookFrom,
  nextAttempt,
  onItsWay,
  polled,
  unexpected,
} from './changes.ts';
import {
  deadFrom,
  expiryOf,
  isCertainlyUnpaid,
  isProvedDead,
  isVouched,
  mayHaveNext,
  nextHiddenUntil,
  type ServiceTime,
  unseenUntil,
  withLaterExpiry,
} from '../proof.ts';
import type { RowEvent } from './row-event.ts';
import { attemptOf, nextAttemptOf, type Now, type RowState } from './row-state.ts';

type Shown = RowEvent & { on: 'transfer' };
type Nothing = RowEvent & { on: 'nothing' };

/** How far each status is on its way: a read that shows less than was seen is older. */
const RANK: Readonly<Record<string, number>> = { created: 0, submitted: 1, paid: 2, failed: 3 };

export function onTransfer(row: RowState, shown: Shown, now: Now): RowState {
  if (isDeadNumber(row, shown.attempt)) return onDead(row, shown, now);
  if (shown.attempt !== attemptOf(row)) return onNext(row, shown, now);
  // Only a look at the transfer itself may prove anything, or bring a person.
  if (shown.by === 'list' && !isPlainOnItsWay(row, shown)) return { ...row, mustLook: true, due: 0 };
  if (row.end !== null) return onEnded(row, shown, now);
  if (shown.differs) return onDiffering(row, shown, now);
  const known = vouching(row, shown, now);
  const { transfer } = shown;
  if (contradicts(transfer) || !(transfer.status in RANK)) return onUnknownStatus(known, shown, now);
  if (isOlder(known, transfer)) return onOlder(seenSilent(known, shown, now), shown, now);
  // There is one under an id at most: nothing of this attempt can land any more.
  const silent = seenSilent(known, shown, now);
  const seen = { ...silent, transfer: withLaterExpiry(known, transfer), mayLandUntil: null, mustLook: false };
  switch (transfer.status) {
    case 'created':
      return onCreated({ ...seen, tries: 0 }, shown.at, now);
    case 'submitted':
      return onItsWay(seen, now);
    case 'paid':
      return ended({ ...seen, confirmedAt: seen.confirmedAt ?? now.local }, 'paid', null, now);
    default:
      return onFailed(seen, shown.at, now);
  }
}

/** Only the 2xx of a create says who made a transfer: if somebody had made it before, it would have been refused. Nobody vouches for one that is found. */
function vouching(row: RowState, { by }: Shown, { lease }: Now): RowState {
  if (by === 'create') return { ...row, vouchedBy: lease, mayBeAnothers: false, deadLooked: 0 };
  return row.transfer === null ? { ...row, vouchedBy: null, mayBeAnothers: true, deadLooked: 0 } : row;
}

/** Beyond every fence no read can hide a confirm: from then on a person may cancel a held row as unpaid. */
function seenSilent(row: RowState, { transfer, at }: Shown, { fence }: Now): RowState {
  const from = expiryOf(withLaterExpiry(row, transfer)) + fence.other;
  const isNews = row.silentAt === null || row.silentAt <= from;
  return isNews && transfer.status === 'created' && at !== null && at > from ? { ...row, silentAt: at } : row;
}

function isPlainOnItsWay(row: RowState, { transfer, differs }: Shown): boolean {
  return row.transfer !== null && !differs && transfer.status !== 'created' && !contradicts(transfer);
}

function isOlder({ transfer, confirmedAt }: RowState, shown: KnownTransfer): boolean {
  if (transfer === null) return false;
  const [before, now] = [RANK[transfer.status] ?? 0, RANK[shown.status] ?? 0];
  return now < before || (confirmedAt !== null && shown.status === 'created');
}

// The present attempt, not confirmed by anybody as far as this read shows.

function onCreated(seen: RowState & { transfer: KnownTransfer }, at: ServiceTime | null, now: Now): RowState {
  // A refusal was no end: an earlier try had landed.
  const row = seen.closing?.as === 'rejected' ? { ...seen, closing: null } : seen;
  const { transfer, closing } = row;
  if (closing?.as === 'cancelled' && isCertainlyUnpaid(row, now))
    return ended(row, 'cancelled', closing.why, now);
  const isAlive = !row.isRefusedLate && mayConfirm(transfer, now.service);
  if (isAlive && closing?.as !== 'cancelled') return { ...row, closing: null, due: 0 };
  const from = deadFrom(row, transfer, now);
  if (from === Infinity) return held(row, 'confirm_uncertain', now);
  if (!isProvedDead(row, transfer, at, now)) return lookFrom(row, from, at, now);
  return closing === null ? { ...row, isDead: true, due: 0 } : ownIsOver(row, at, now);
}

/** The present attempt can pay no more. What else could is looked at before the end is told. */
function ownIsOver(row: RowState, at: ServiceTime | null, now: Now): RowState {
  const { closing } = row;
  if (closing === null) return row;
  const known = { ...closing, isOwnOver: true, mayHaveNext: mayHaveNext(row, at, now) };
  return toldWhenLooked({ ...row, closing: known, mustLook: false, due: 0, tries: 0 }, now);
}

function toldWhenLooked(row: RowState, now: Now): RowState {
  const { closing, deadLooked, deadAttempts } = row;
  if (closing === null || !closing.isOwnOver) return row;
  const isLooked = deadAttempts.slice(deadLooked).every(({ revived }) => revived === 'decided');
  if (closing.mayHaveNext || !isLooked) return row;
  return ended(row, closing.as, closing.why, now);
}

function onFailed(row: RowState & { transfer: KnownTransfer }, at: ServiceTime | null, now: Now): RowState {
  const why = failureOf(row, row.transfer);
  const closing = { as: 'failed', why, isOwnOver: true, mayHaveNext: false } as const;
  return ownIsOver({ ...row, closing, deadLooked: 0 }, at, now);
}

/** A status that nobody described is for a person, one that contradicts its code after some more reads. */
function onUnknownStatus(row: RowState, { transfer, at }: Shown, now: Now): RowState {
  const isSure = at !== null && at > deadFrom(row, transfer, now);
  if (row.closing?.isAskedFor === true && isSure) return ownIsOver({ ...row, transfer }, at, now);
  // A person was told of it.
  const isTold = row.hold?.code === 'unknown_status' && row.closing === null;
  if (isTold && isAsKnown(row, transfer)) return { ...row, mustLook: false };
  const isEnough = !contradicts(transfer) || row.doubts >= now.terms.patience.moments;
  if (!isEnough) return { ...doubted(row, now), mustLook: true };
  return held({ ...row, transfer, closing: null }, 'unknown_status', now);
}

function isAsKnown({ transfer: known }: RowState, { status, statusCode }: KnownTransfer): boolean {
  return known?.status === status && known.statusCode === statusCode;
}

// A read that shows less than was seen before: it lags, or somebody in between has answered our confirm.

/** Long enough that nearly every read has caught up with the confirm. */
const UNHEARD_MS = 60_000;
/** Looks for the end that a refusal of the network leads to, over some seconds. */
const LOOKS_AFTER_REFUSAL = 6;
/** Where the service tells no time: longer than any quotation is known to live, and the fence behind it. */
const UNTOLD_MS = 60 * 60_000;

function onOlder(row: RowState, { transfer, at }: Shown, now: Now): RowState {
  if (row.confirmedAt === null) return onTakenBack(row, now);
  if (transfer.status !== 'created') return polled(row, now);
  const counted = { ...row, doubts: row.doubts + 1 };
  const sinceMs = Math.abs(now.local - row.confirmedAt);
  const isLongOver = at === null ? sinceMs > UNTOLD_MS : at > expiryOf(transfer) + now.fence.other;
  if (isLongOver && row.closing !== null) return ownIsOver({ ...row, transfer }, at, now);
  if (row.networkRefusal !== null)
    return row.doubts >= LOOKS_AFTER_REFUSAL
      ? held({ ...row, transfer }, 'network_undecided', now)
      : polled(counted, now);
  if (isLongOver) return held({ ...row, transfer }, 'status_went_back', now);
  const isSettled = row.hold === null && now.doubtSince === null;
  const isUnheard = sinceMs > UNHEARD_MS && mayConfirm(transfer, now.service) && isSettled;
  if (!isUnheard || row.doubts >= now.terms.patience.confirmsAgain || row.closing !== null)
    return polled(row, now);
  return { ...counted, transfer, mustLook: false, due: 0 };
}

/** It was seen to have failed, and is shown as open again: a read that lags, or the service has taken the end back. */
function onTakenBack(row: RowState, now: Now): RowState {
  const { closing } = row;
  if (row.doubts >= now.terms.patience.moments)
    return held({ ...row, closing: null }, 'status_went_back', now);
  if (closing === null) return { ...lookFrom(row, Infinity, null, now), doubts: row.doubts + 1 };
  // Whatever becomes of this one, the next may be hidden, and is looked for meanwhile.
  return { ...row, mustLook: false, due: 0, closing: { ...closing, mayHaveNext: true, isTakenBack: true } };
}

// A transfer under the row's id that is not what the row asks for: never confirmed, never taken for the row's own.

function onDiffering(row: RowState, { by, transfer, at }: Shown, now: Now): RowState {
  const known = row.transfer;
  // The one that is known is shown otherwise, or another in its place: read again a few times.
  if (known !== null && row.doubts < now.terms.patience.moments)
    return { ...doubted(row, now), mustLook: true };
  if (row.closing?.as === 'cancelled') {
    const isOver = at !== null && at > expiryOf(transfer) + now.fence.other;
    if (transfer.status === 'failed' || (transfer.status === 'created' && isOver))
      return ownIsOver(row, at, now);
    if (transfer.status === 'created') return lookFrom(row, expiryOf(transfer) + now.fence.other, at, now);
  }
  // A person was told of that very one.
  if (row.hold?.foreign?.transferId === transfer.transferId && row.hold.foreign.status === transfer.status)
    return { ...row, mustLook: false };
  const code = by === 'create' ? 'echo_mismatch' : 'id_collision';
  const { status } = transfer;
  const reason =
    code === 'id_collision' && status !== 'created' ? sentence('findTransfer.collided', { status }) : null;
  const foreign = known === null ? { foreign: transfer } : {};
  return held({ ...row, closing: null, vouchedBy: null }, code, now, { reason, ...foreign });
}

// Attempts before and after the present one.

/** One that was given up, and is shown on its way or paid, was reinstated by the service's staff: nothing more is sent, and a person ends the row. */
function onDead(before: RowState, shown: Shown, now: Now): RowState {
  const { attempt, transfer } = shown;
  const row = { ...before, deadAttempts: asShown(before.deadAttempts, shown) };
  if (!isLive(transfer)) return deadLooked(row, attempt, now);
  const reason = sentence('revived.text', {
    transferId: transfer.transferId,
    attempt,
    now: shownStatus(transfer),
  });
  const told = { ...reopened(row, now), deadLooked: lookedUpTo(row, attempt), closing: null };
  return held(told, 'transfer_reinstated', now, { reason });
}

function isLive({ status }: KnownTransfer): boolean {
  return status !== 'created' && status !== 'failed';
}

function asShown(
  deadAttempts: RowState['deadAttempts'],
  { attempt, transfer, differs }: Shown,
): RowState['deadAttempts'] {
  return deadAttempts.map((dead) => {
    if (dead.attempt !== attempt) return dead;
    const known = { ...dead, transfer: differs ? dead.transfer : transfer };
    return isLive(transfer) ? { ...known, revived: dead.revived ?? 'seen' } : known;
  });
}

function deadLooked(row: RowState, attempt: number, now: Now): RowState {
  return toldWhenLooked({ ...row, deadLooked: lookedUpTo(row, attempt), due: 0 }, now);
}

function lookedUpTo({ deadAttempts, deadLooked: before }: RowState, attempt: number): number {
  return Math.max(before, deadAttempts.findIndex((dead) => dead.attempt === attempt) + 1);
}

function isDeadNumber({ deadAttempts }: RowState, attempt: number): boolean {
  return deadAttempts.some((dead) => dead.attempt === attempt);
}

/** The next id exists: this attempt was given up under a lease that the ledger does not know. Whoever made the next one may have confirmed it. */
function onNext(row: RowState, shown: Shown, now: Now): RowState {
  const { transfer } = row;
  if (shown.differs && row.end === null) return onDifferingNext(row, now);
  if (transfer === null || row.end !== null || shown.attempt !== nextAttemptOf(row)) return row;
  const wish =
    row.closing?.as === 'cancelled' ? { ...row.closing, isOwnOver: false, mayHaveNext: false } : null;
  const moved = nextAttempt({ ...row, closing: wish }, transfer, 'later-attempt-exists', null);
  return onTransfer({ ...moved, mustLook: true }, shown, now);
}

/** An answer about something else proves no attempt dead, and leads to none. */
function onDifferingNext(row: RowState, now: Now): RowState {
  if (row.doubts < now.terms.patience.moments) return doubted(row, now);
  return held({ ...row, closing: null }, 'id_collision', now);
}

// Nothing is shown: never a proof that nothing is there.

export function onNothing(row: RowState, { attempt, at }: Nothing, now: Now): RowState {
  if (isDeadNumber(row, attempt)) return deadLooked(row, attempt, now);
  if (attempt !== attemptOf(row)) return noNext(row, at, now);
  if (row.end !== null) return row;
  if (row.transfer !== null) {
    // One that we know is gone: another key, or a restore at the provider. Nothing is concluded from it.
    if (row.doubts >= now.terms.patience.looks) return unexpected({ ...row, closing: null }, 10014, '', now);
    return { ...doubted(row, now), mustLook: true };
  }
  if (row.closing !== null) {
    const asked = sinceFirstLook(row, at, now);
    if (asked === null) return lookFrom(row, Infinity, null, now);
    const until = unseenUntil(asked, at, now);
    // Its time cannot be read, and never passes.
    if (until === Infinity)
      return held({ ...asked, closing: null }, 'unexpected_refusal', now, row.closing.why);
    return until === null ? ownIsOver(asked, at, now) : lookFrom(asked, until, at, now);
  }
  if (row.mayLandUntil !== null && row.doubts >= now.terms.patience.looks)
    return held(row, 'id_collision', now);
  // Never seen, never given up: created again under the same id.
  return { ...row, mustLook: false, due: 0 };
}

/** Where nobody vouches for a row that the service refused, somebody may have sent something until the first look: the owner before may have died over its create. Null for a look without a time, which is none. */
function sinceFirstLook(row: RowState, at: ServiceTime | null, now: Now): RowState | null {
  if (row.closing?.as !== 'rejected' || isVouched(row, now) || row.mayLandUntil !== null) return row;
  return at === null ? null : { ...row, mayLandUntil: at };
}

function noNext(row: RowState, at: ServiceTime | null, now: Now): RowState {
  const { closing } = row;
  if (closing === null || row.end !== null) return row;
  // An older ledger may have been put back without anybody's notice: where nobody says since when it is in doubt, it is since the first such look.
  const since = now.doubtSince ?? row.silentAt ?? at;
  const until = since === null ? Infinity : nextHiddenUntil(row, at, { ...now, doubtSince: since });
  if (until !== null)
    return {
      ...lookFrom(row, until, at, now),
      mustLook: closing.isTakenBack === true,
      silentAt: row.silentAt ?? at,
    };
  if (closing.isTakenBack === true) return { ...lookFrom(row, Infinity, null, now), doubts: row.doubts + 1 };
  return toldWhenLooked({ ...row, closing: { ...closing, mayHaveNext: false } }, now);
}

// A row that had ended: the one way out of `paid` is a reversal; any other change is for a person, who may have paid again.

function onEnded(row: RowState, { transfer, differs, at }: Shown, now: Now): RowState {
  const looked = { ...row, mustLook: false };
  const { end, finalAt } = row;
  if (differs || contradicts(transfer)) return looked;
  const told = end === 'paid' || end === 'failed' ? end : row.transfer?.status;
  if (transfer.status === told) return sameEnd({ ...looked, transfer }, row.transfer);
  if (end === 'paid' && transfer.status === 'failed' && transfer.statusCode === '100001')
    return ended({ ...looked, transfer }, 'failed', failureOf(row, transfer), now);
  const isEarlier = transfer.status === 'created' || transfer.status === 'submitted';
  const sinceMs = finalAt === null ? Infinity : Math.abs(now.local - finalAt);
  if (isEarlier && end !== 'cancelled' && sinceMs <= now.fence.other) return looked;
  if (transfer.status === 'created' || at === null) return looked;
  const reason = sentence('judgeTransfer.endChanged', {
    before: sentence(end === 'paid' ? 'standing.paid' : 'standing.failed'),
    now: shownStatus(transfer),
  });
  return held({ ...reopened(looked, now), transfer }, 'status_went_back', now, { reason });
}

/** A failure may be explained otherwise later. */
function sameEnd(row: RowState & { transfer: KnownTransfer }, before: KnownTransfer | null): RowState {
  const isExplained = row.end === 'failed' && row.transfer.statusCode !== before?.statusCode;
  return isExplained ? { ...row, why: failureOf({ networkRefusal: null }, row.transfer) } : row;
}

/** An end that was taken back was no end: as far as anybody knows the payment is on its way again, and nobody may take it for unpaid. */
function reopened(row: RowState, now: Now): RowState {
  if (row.end === null) return row;
  return { ...row, end: null, why: null, finalAt: row.finalAt, confirmedAt: row.confirmedAt ?? now.local };
}
