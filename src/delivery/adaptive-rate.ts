// How much may be asked of the service at once and in a second (adaptive rate limiting, with a circuit breaker). One spoilt call delays its own row; the process slows down in proportion to their
// share, returns within seconds to what worked before, and stops only when nearly nothing gets through. Pure: a small state, and what was heard.
import { backoffMs } from '../base/clock.ts';
import { type Reach, startReach } from './adaptive-lanes.ts';

/**
 * The most that the config allows; `perSecond` is Infinity where it says nothing. `firstLanes`: calls at once to begin with, where there may be more as far as
 * the service gains by it.
 */
export type RateLimits = {
  readonly lanes: number;
  readonly firstLanes?: number;
  readonly perSecond: number;
};

/** Reads and mutations are judged apart: a list that is throttled says nothing of payments. */
export type CallKind = 'read' | 'mutation';

/**
 * `well`: a usable answer, a refusal included; `slow`: one that took much longer than its like; `throttled`: 429; `overloaded`: 503;
 * `unanswered`: any other that was none.
 */
export type Heard = 'well' | 'slow' | 'throttled' | 'overloaded' | 'unanswered';

export type HeardCall = {
  readonly kind: CallKind;
  readonly heard: Heard;
  /** When the call was sent, and now (monotonic ms). */
  readonly sentAt: number;
  readonly now: number;
  /** The pause that the service asked for; null when it asked for none. */
  readonly retryAfterMs: number | null;
  /** From 0 to 1. */
  readonly random: number;
};

type Flow = {
  /** Calls of the moving window, those of them that were spoilt, and calls of the last second that no limit refused; all up to `at`. */
  readonly calls: number;
  readonly spoilt: number;
  readonly passed: number;
  readonly at: number;
  /** Calls that were throttled beyond the share that is borne. */
  readonly surplus: number;
  /** Calls a second that passed when the limit was last met, and when that was; -Infinity when it never was. */
  readonly ceiling: number;
  readonly metAt: number;
  /** The same moment, moved back by each call that speaks against the limit, and how long the limit is held. */
  readonly heldFrom: number;
  readonly holdMs: number;
  /** The share of calls that are throttled although the limit is not reached. */
  readonly base: number;
  /** When the last call had its turn; ahead of now where nothing is to leave for a while. */
  readonly leftAt: number;
  /** How many calls in a row went unanswered, where an answer takes away several, and when the last one was answered. */
  readonly silent: number;
  readonly answeredAt: number;
  /** Nothing is asked before this; `stops` is how often it was put off since the last answer. */
  readonly stoppedUntil: number;
  readonly stops: number;
};

export type RateState = {
  readonly read: Flow;
  readonly mutation: Flow;
  /** When the last call of any kind had its turn. */
  readonly leftAt: number;
  readonly reach: Reach;
  /** The share of the lanes that quotations which ran out have left, and since when. */
  readonly lateShare: number;
  readonly lateAt: number;
};

type Weight = { readonly spoilt: number; readonly throttled: number; readonly isSilent: boolean };

/** The weight of each kind of answer. A gateway says 503 for many reasons; if all answers are slow, a quarter of the lanes is left. */
const WEIGHTS: Readonly<Record<Heard, Weight>> = {
  well: { spoilt: 0, throttled: 0, isSilent: false },
  slow: { spoilt: 0.85, throttled: 0, isSilent: false },
  throttled: { spoilt: 1, throttled: 1, isSilent: true },
  overloaded: { spoilt: 1, throttled: 0.25, isSilent: true },
  unanswered: { spoilt: 1, throttled: 0, isSilent: true },
};

/** The moving window: so many calls, and none that is much older than this. */
const WINDOW_CALLS = 64;
const WINDOW_MS = 5_000;

/** Fewer calls than these say nothing of a share. */
const WINDOW_LEAST = 8;

/** A third of all calls may be spoilt without anybody else being slowed down: each of them delays its own row already. */
const SPOILT_BORNE = 0.35;

const SECOND_MS = 1_000;

/** A busy machine stalls for tens of milliseconds: turns that are late by no more are made up for. More of them at once would meet the limit. */
const TIMER_LATE_MS = 100;

/** One 429 in twelve is an accident of somebody's; more is a limit. */
const THROTTLED_BORNE = 0.08;

/** So many calls beyond that share are no accident: so many milliseconds' worth of calls, and four at least; two where a limit is known already. */
const SURPLUS_FIRST = 4;
const SURPLUS_LEAST = 2;
const SURPLUS_MS = 40;

/** A limit that was met: a tenth below it, back within a second, held for a while, and then beyond it, doubled after two seconds. */
const LEFT_AFTER = 0.9;
const HELD_AT = 0.98;
const RETURN_MS = 1_000;
const DOUBLE_MS = 2_000;

/** A limit that was met twice at about the same rate is held. One that was met once may have been another client's burst, and is tried again soon. */
const HOLD_MS = 6_500;
const HOLD_FIRST_MS = 1_000;
const SAME_LEAST = 0.8;

/** Limits count by the second: further refusals in the same second say nothing new. */
const GRACE_MS = 1_000;

/** Calls that are throttled below the limit do not belong to it. Their share is tolerated up to a bound, and each one shortens the time for which the limit is held. */
const BASE_CALLS = 64;
const BASE_MOST = 0.12;
const DOUBTED_MS = 500;

/** The least share of a limit that reads keep next to mutations, and the other way round. */
const KIND_SHARE_LEAST = 0.25;

/** Nobody limits a business to less than one call a second. */
const PER_SECOND_LEAST = 1;

/** So many calls in a row without an answer are an outage; an answer makes up for as many as this, so that one in thirteen keeps it from being one. */
const SILENT_MOST = 16;
/** A busy process makes as many in no time. */
const SILENT_LEAST_MS = 100;
const ANSWER_MAKES_UP = 12;

/** An outage is asked about after half a second at most at first, and every half minute in the end. */
const STOP_BACKOFF = { firstMs: 500, mostMs: 30_000 } as const;

/** From one lane back to all of them, after quotations ran out. */
const LATE_GROWS_MS = 30_000;

export function startRate(now: number): RateState {
  const flow: Flow = {
    calls: 0,
    spoilt: 0,
    passed: 0,
    at: now,
    surplus: 0,
    ceiling: Infinity,
    metAt: -Infinity,
    heldFrom: -Infinity,
    holdMs: 0,
    base: 0,
    leftAt: -Infinity,
    silent: 0,
    answeredAt: now,
    stoppedUntil: -Infinity,
    stops: 0,
  };
  return {
    read: flow,
    mutation: flow,
    leftAt: -Infinity,
    reach: startReach(now),
    lateShare: 1,
    lateAt: -Infinity,
  };
}

export function afterCall(state: RateState, call: HeardCall): RateState {
  const flow: NextFlow = { ...state[call.kind] };
  count(flow, call);
  meetLimit(flow, call, passedOf(state, call.now));
  const { isSilent } = WEIGHTS[call.heard];
  if (isSilent) goUnanswered(flow, call);
  else hearAgain(flow, call.now);
  if (call.kind === 'read') return { ...state, read: flow };
  // That the service can still be read says nothing of mutations that go unanswered; one of those that is answered ends both outages.
  return { ...state, read: isSilent ? state.read : hearAgain({ ...state.read }, call.now), mutation: flow };
}

/** Another process met a limit of the account, and the calls of this process count towards it. A process that hardly calls finds the limit by itself. */
export function afterMetElsewhere(state: RateState, kind: CallKind, now: number): RateState {
  const flow = counted(state[kind], now);
  if (now <= flow.metAt + GRACE_MS || flow.passed < 1) return state;
  holdBelow(flow, now, passedOf(state, now));
  return { ...state, [kind]: flow };
}

/** Rows take so long that their quotations run out; `since` is when the row was taken up. Rows that began before the last fall say nothing new. */
export function afterLate(state: RateState, since: number, now: number): RateState {
  return since <= state.lateAt ? state : { ...state, lateShare: lateShareAt(state, now) / 2, lateAt: now };
}

/** Calls of a kind that may leave in a second. */
export function perSecondOf(state: RateState, kind: CallKind, now: number, limits: RateLimits): number {
  const { ceiling, metAt, heldFrom, holdMs } = state[kind];
  if (metAt === -Infinity) return limits.perSecond;
  return Math.min(
    limits.perSecond,
    Math.max(PER_SECOND_LEAST, ceiling * shareOfCeiling(now - heldFrom, holdMs)),
  );
}

/** As many calls at once as the service was seen to gain by, while nothing speaks against it. */
export function reachedLanes({ reach }: RateState, { lanes, firstLanes = lanes }: RateLimits): number {
  return Math.min(lanes, Math.floor(firstLanes * reach.times));
}

/** Whether more would be under way if the service were known to gain by it. */
export function mayReachFurther(state: RateState, now: number, limits: RateLimits): boolean {
  const reached = reachedLanes(state, limits);
  return reached < limits.lanes && lanesOf(state, 'mutation', now, limits) === reached;
}

/** A limit, or quotations that run out, keeps fewer calls under way than were reached. */
export function isHeldDown(state: RateState, now: number, limits: RateLimits): boolean {
  return (
    lateShareAt(state, now) < 1 || perSecondOf(state, 'mutation', now, limits) < reachedLanes(state, limits)
  );
}

/** Rows that may be under way. No more than a second's calls, so that none ages while it waits for its turn. */
export function lanesOf(state: RateState, kind: CallKind, now: number, limits: RateLimits): number {
  const lanes = reachedLanes(state, limits) * unspoiltShare(state[kind]) * lateShareAt(state, now);
  return Math.max(1, Math.min(Math.floor(lanes), Math.ceil(perSecondOf(state, kind, now, limits))));
}

/** How long until a call of a kind may leave, if nothing more is heard. */
export function turnInMs(state: RateState, kind: CallKind, now: number, limits: RateLimits): number {
  const { ofKind, ofAll } = pauses(state, kind, now, limits);
  return Math.max(0, state[kind].leftAt + ofKind - now, state.leftAt + ofAll - now);
}

/** A call of a kind leaves. */
export function afterTurn(state: RateState, kind: CallKind, now: number, limits: RateLimits): RateState {
  const { ofKind, ofAll } = pauses(state, kind, now, limits);
  const left = (before: number, pauseMs: number): number =>
    before + pauseMs < now - TIMER_LATE_MS ? now : before + pauseMs;
  const flow = { ...state[kind], leftAt: left(state[kind].leftAt, ofKind) };
  return { ...state, [kind]: flow, leftAt: left(state.leftAt, ofAll) };
}

/** Turns come evenly over the second: a burst would meet a limit long before its average does. */
function pauses(state: RateState, kind: CallKind, now: number, limits: RateLimits) {
  return {
    ofKind: SECOND_MS / perSecondOf(state, kind, now, limits),
    ofAll: SECOND_MS / limits.perSecond,
  };
}

/** True while nothing has been answered since calls of a kind were stopped. Who mutates has to read too, where an answer got lost. */
export function isOut({ read, mutation }: RateState, kind: CallKind): boolean {
  return read.stops > 0 || (kind === 'mutation' && mutation.stops > 0);
}

/** Before this nothing of a kind is asked (monotonic ms). */
export function stoppedUntilOf({ read, mutation }: RateState, kind: CallKind): number {
  return kind === 'read' ? read.stoppedUntil : Math.max(read.stoppedUntil, mutation.stoppedUntil);
}

// A call makes one new flow of the last, and each of these changes it in place: every call passes here.

type NextFlow = { -readonly [Field in keyof Flow]: Flow[Field] };

function count(flow: NextFlow, { heard, now }: HeardCall): void {
  const { spoilt, throttled } = WEIGHTS[heard];
  const ms = Math.max(0, now - flow.at);
  const kept = Math.exp(-ms / WINDOW_MS) * (1 - 1 / WINDOW_CALLS);
  flow.calls = flow.calls * kept + 1;
  flow.spoilt = flow.spoilt * kept + spoilt;
  flow.passed = flow.passed * Math.exp(-ms / SECOND_MS) + (throttled === 0 ? 1 : 0);
  flow.at = now;
}

/** As it stands by now, when nothing more is heard. */
function counted(flow: Flow, now: number): NextFlow {
  const ms = Math.max(0, now - flow.at);
  const kept = Math.exp(-ms / WINDOW_MS);
  const passed = flow.passed * Math.exp(-ms / SECOND_MS);
  return {
    ...flow,
    calls: flow.calls * kept,
    spoilt: flow.spoilt * kept,
    passed,
    at: Math.max(flow.at, now),
  };
}

/** Calls of both kinds that passed in the last second. */
function passedOf({ read, mutation }: RateState, now: number): number {
  const left = (flow: Flow): number => flow.passed * Math.exp(-Math.max(0, now - flow.at) / SECOND_MS);
  return left(read) + left(mutation);
}

/** A limit is met when more is throttled than an accident explains. `passed`: calls of the last second, of both kinds. */
function meetLimit(flow: NextFlow, { heard, sentAt, now }: HeardCall, passed: number): void {
  if (sentAt <= flow.metAt + GRACE_MS) return;
  const { throttled } = WEIGHTS[heard];
  const isHeld = now - flow.heldFrom < RETURN_MS + flow.holdMs;
  if (isHeld) flow.base += (throttled - flow.base) / BASE_CALLS;
  flow.surplus = Math.max(0, flow.surplus + throttled - THROTTLED_BORNE - Math.min(flow.base, BASE_MOST));
  const least = flow.ceiling === Infinity ? SURPLUS_FIRST : SURPLUS_LEAST;
  if (flow.surplus >= Math.max(least, (flow.passed * SURPLUS_MS) / SECOND_MS)) holdBelow(flow, now, passed);
  else if (isHeld) flow.heldFrom -= throttled * DOUBTED_MS;
}

function holdBelow(flow: NextFlow, now: number, passed: number): void {
  // Most limits count all calls: a kind of which there were few is not judged by those.
  const ceiling = Math.max(PER_SECOND_LEAST, flow.passed, passed * KIND_SHARE_LEAST);
  const isSame = Math.min(ceiling, flow.ceiling) >= SAME_LEAST * Math.max(ceiling, flow.ceiling);
  const holdMs = isSame ? HOLD_MS : HOLD_FIRST_MS;
  // A process that did not know the limit has used up this second's calls.
  if (flow.ceiling === Infinity) flow.leftAt = now + SECOND_MS;
  Object.assign(flow, { surplus: 0, ceiling, holdMs, metAt: now, heldFrom: now });
}

/** Cubic on both sides: quickly back to what worked before, slowly around it, and ever faster where nothing is met. */
function shareOfCeiling(ms: number, holdMs: number): number {
  const toHold = RETURN_MS - ms;
  if (toHold > 0) return HELD_AT - (HELD_AT - LEFT_AFTER) * (toHold / RETURN_MS) ** 3;
  const beyond = Math.max(0, ms - RETURN_MS - holdMs);
  return HELD_AT + (beyond / DOUBLE_MS) ** 3;
}

function unspoiltShare({ calls, spoilt }: Flow): number {
  if (calls < WINDOW_LEAST) return 1;
  return 1 - Math.max(0, spoilt / calls - SPOILT_BORNE) / (1 - SPOILT_BORNE);
}

function lateShareAt({ lateShare, lateAt }: RateState, now: number): number {
  return lateShare === 1 ? 1 : Math.min(1, lateShare + (now - lateAt) / LATE_GROWS_MS);
}

function hearAgain(flow: NextFlow, now: number): Flow {
  flow.silent = flow.stops > 0 ? 0 : Math.max(0, flow.silent - ANSWER_MAKES_UP);
  flow.answeredAt = now;
  flow.stoppedUntil = -Infinity;
  flow.stops = 0;
  return flow;
}

/** The calls under way fail together and count as one; afterwards one that fails puts it off again. */
function goUnanswered(flow: NextFlow, { sentAt, now, retryAfterMs, random }: HeardCall): void {
  flow.silent += 1;
  const isOutage = flow.silent >= SILENT_MOST && now - flow.answeredAt >= SILENT_LEAST_MS;
  if (sentAt < flow.stoppedUntil || (flow.stops === 0 && !isOutage)) return;
  flow.stoppedUntil = now + Math.max(retryAfterMs ?? 0, backoffMs(STOP_BACKOFF, flow.stops, random));
  flow.stops += 1;
}
