// The few changes that events share: a hold, a pause, an end. Each gives a new record and forgets nothing that a later proof needs.
import { backoffMs } from '../../base/clock.ts';
import { joinWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { type HoldCode, newHold } from '../hold.ts';
import type { DeadAttempt, KnownTransfer, Why } from '../progress.ts';
import { keptComparison } from '../moved-price.ts';
import { refusalWords, statusWords } from '../service-words.ts';
import type { ErrorCode } from '../../service/wire.ts';
import { isCertainlyUnpaid, type ServiceTime, untilReadMs } from '../proof.ts';
import { attemptOf, type Lease, type Now, type RowEnd, type RowState, type UnpaidEnd } from './row-state.ts';

/** Waits between two tries: soon at first, for a file must not wait for one lost answer; ever more rarely later. */
const SOON = { firstMs: 500, mostMs: 2_000 } as const;
const SOON_TRIES = 8;
const LATE = { firstMs: 4_000, mostMs: 30_000 } as const;

/** The first look at a confirmed transfer; wallets pay within seconds. */
const POLL_FIRST_MS = 300;

export function held(
  row: RowState,
  code: HoldCode,
  now: Now,
  more: { reason?: Words | null; errorCode?: string; foreign?: KnownTransfer } = {},
): RowState {
  const plain = newHold(code, now.local, more.reason ?? undefined);
  const hold = {
    ...plain,
    since: row.hold?.code === code ? row.hold.since : plain.since,
    errorCode: more.errorCode ?? null,
    ...(more.foreign === undefined ? {} : { foreign: more.foreign }),
  };
  return { ...row, hold, due: 0, tries: 0, mustLook: false };
}

/** A refusal that nobody foresaw on this call. */
export function unexpected(row: RowState, errorCode: ErrorCode, said: string, now: Now): RowState {
  const reason = joinWords([refusalWords(errorCode, said), LOOK_IT_UP]);
  return held(row, 'unexpected_refusal', now, { reason, errorCode: String(errorCode) });
}

const LOOK_IT_UP: Words = sentence('judge.lookItUp');

/** Tried again after a pause that grows; counted. */
export function again(row: RowState, now: Now, leastMs = 0): RowState {
  const tries = row.tries + 1;
  return { ...row, tries, due: now.local + Math.max(leastMs, pauseMs(row.tries, now.random)) };
}

/** The same, of an answer that contradicts another one or that a moment may cure: too many of them are for a person. */
export function doubted(row: RowState, now: Now): RowState {
  return { ...again(row, now), doubts: row.doubts + 1 };
}

function pauseMs(tries: number, random: number): number {
  return tries < SOON_TRIES ? backoffMs(SOON, tries, random) : backoffMs(LATE, tries - SOON_TRIES, random);
}

/** Looks again once a read can tell. @param from the service's time from which it can; @param at its time of the last read. */
export function lookFrom(row: RowState, from: ServiceTime, at: ServiceTime | null, now: Now): RowState {
  return { ...row, mustLook: true, due: now.local + untilReadMs(from, at) };
}

/** Each look waits half as long again as the payment has been on its way. A clock that was set since tells nothing: nothing about it is urgent. */
export function polled(row: RowState, now: Now): RowState {
  const since = row.confirmedAt === null ? Infinity : Math.abs(now.local - row.confirmedAt);
  const waitMs = Math.min(now.terms.pollEveryMs, Math.max(POLL_FIRST_MS, since / 2));
  return { ...row, mustLook: false, due: now.local + waitMs };
}

/** On its way, as far as anybody knows: by an answer to our confirm, or by what the service shows. */
export function onItsWay(row: RowState, now: Now): RowState {
  const after = {
    ...row,
    isIntended: true,
    isRefusedLate: false,
    isDead: false,
    mustLook: false,
    // That an earlier attempt pays too is for a person, whatever this one does.
    hold: row.hold?.code === 'transfer_reinstated' ? row.hold : null,
    closing: null,
    confirmedAt: row.confirmedAt ?? now.local,
    tries: row.confirmedAt === null ? 0 : row.tries,
  };
  return polled(after, now);
}

/** A final no, of the service or of a person: told at once where nothing of the row can pay; else looks come first. */
export function closing(row: RowState, as: UnpaidEnd, why: Why, now: Now, isAskedFor = false): RowState {
  if (isCertainlyUnpaid(row, now)) return ended(row, as, why, now);
  const begun = closingAfterLooks(row, as, why);
  return isAskedFor && begun.closing !== null
    ? { ...begun, closing: { ...begun.closing, isAskedFor } }
    : begun;
}

export function closingAfterLooks(row: RowState, as: UnpaidEnd, why: Why): RowState {
  const begun = { as, why, isOwnOver: false, mayHaveNext: false };
  return { ...row, closing: begun, deadLooked: 0, due: 0, tries: 0, isDead: false };
}

/** The network's refusal of the confirm keeps its code. */
export function failureOf(
  { networkRefusal }: Pick<RowState, 'networkRefusal'>,
  { statusCode }: KnownTransfer,
): Why {
  const reason = sentence('judgeTransfer.failure', { meaning: statusWords(statusCode) });
  return { errorCode: networkRefusal?.errorCode ?? statusCode, reason };
}

export function ended(row: RowState, end: RowEnd, why: Why | null, now: Now): RowState {
  return {
    ...row,
    end,
    why,
    hold: null,
    closing: null,
    isDead: false,
    mustLook: false,
    finalAt: now.local,
    due: 0,
    tries: 0,
  };
}

/** So many quotations may run out by accident before there is a pause; one that always runs out is asked for ever more rarely. */
const REQUOTES_AT_ONCE = 3;
const REQUOTE = { firstMs: 1_000, mostMs: 60_000 } as const;

/** The transfer keeps its id, a quotation costs nothing. */
export function requoted(row: RowState, now: Now): RowState {
  if (row.quotation >= now.terms.patience.quotations) return held(row, 'too_many_attempts', now);
  const paused = row.quotation - REQUOTES_AT_ONCE;
  const due = paused < 0 ? 0 : now.local + backoffMs(REQUOTE, paused, 1);
  return { ...withoutPrice(row), due };
}

/** Its price is given up for a new one, which costs nothing. */
export function withoutPrice(row: RowState): RowState {
  const comparison = keptComparison(row);
  return {
    ...row,
    quotation: row.quotation + 1,
    isQuotationThere: false,
    price: null,
    comparison,
    tries: 0,
    due: 0,
  };
}

/** The row at its next attempt. Called where this one is proved dead, and where the next one was shown, which exists only because it was. */
export function nextAttempt(
  row: RowState,
  transfer: KnownTransfer,
  proof: DeadAttempt['proof'],
  vouchedBy: Lease | null,
): RowState {
  return {
    ...withoutPrice(row),
    deadAttempts: [...row.deadAttempts, { attempt: attemptOf(row), transfer, proof }],
    deadLooked: 0,
    vouchedBy,
    transfer: null,
    silentAt: null,
    mayLandUntil: null,
    mayBeAnothers: proof === 'later-attempt-exists',
    isIntended: false,
    isRefusedLate: false,
    isDead: false,
    mustLook: false,
    document: 'none',
    confirmedAt: null,
    networkRefusal: null,
  };
}

/** Our confirm was taken. The interface defines a confirmed transfer so; the next read replaces it. */
export function confirmTaken(row: RowState, now: Now): RowState {
  const { transfer } = row;
  if (transfer?.status !== 'created') return onItsWay(row, now);
  return onItsWay({ ...row, transfer: { ...transfer, status: 'submitted', statusCode: '10001' } }, now);
}
