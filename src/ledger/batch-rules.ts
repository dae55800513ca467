// The ledger's decisions about whole batches, as functions of their records: every ledger calls these, in whichever query language it searches its rows.
import { mayGoOn } from './approval.ts';
import { type BatchState, CHECKED, ENDED_BATCH, mayBecome, PAYING } from './batch-states.ts';
import { dayToCome, isOnDays } from './days.ts';
import type { BatchRecord, Pause, PayAt } from './records.ts';
import type { Runs } from './runs.ts';
import { toldOutside, type Wait, waitFor, type WaitingFor } from './wait.ts';

/**
 * How the rows of a batch count against equal rows of other files. `tentative`: it may still be refused, declined or withdrawn, or paid whole or not
 * at all, so its unconfirmed rows are undecided; `firm`: its rows without a hold are certain to be tried; `unseen`: the ledger was lost, and reads
 * may still hide what was sent of it; `none`: none of its rows counts.
 */
export const COMMITMENTS = ['tentative', 'firm', 'unseen', 'none'] as const;
type Commitment = (typeof COMMITMENTS)[number];

export function commitmentOf(batch: BatchRecord): Commitment {
  const { state, doubt } = batch;
  if (state === 'taking' || state === 'refused') return 'none';
  if (state === 'resolving') return doubt === undefined ? 'firm' : 'unseen';
  const isTentative =
    mayBeRefused(batch) || mayBeCancelled(batch) || mayBeDeclined(batch) || mayBeLetGo(batch);
  return isTentative ? 'tentative' : 'firm';
}

/** Because of a price that is unknown or out of bounds, or because it does not fit into the life of its prices. */
function mayBeRefused({ state, whole, onInvalidRows, checked }: BatchRecord): boolean {
  if (state !== 'checking' && state !== 'pricing') return false;
  return whole !== null || (onInvalidRows === 'refuse-file' && checked?.pricesDecide !== false);
}

/**
 * A file that waits for its time, a message that waits for its next day, or a file that a limit or too many refusals have stopped, is cancelled as a whole by one command; one that stands in its folder,
 * by taking it away.
 */
function mayBeCancelled({ state, payAt, wait, decisions }: BatchRecord): boolean {
  const waitsForTime = payAt !== undefined && !decisions.some(({ about }) => about === 'time');
  if (BEFORE_SENDING.has(state) && waitsForTime) return true;
  if (PAYING.has(state) && isOnDays(payAt) && dayToCome(payAt) !== null) return true;
  return isStopped({ wait }) && (BEFORE_SENDING.has(state) || state === 'reserving' || state === 'sending');
}

/** By a limit or by too many refusals: a person lets the whole file go on, or cancels it. */
export function isStopped({ wait }: Pick<BatchRecord, 'wait'>): boolean {
  return wait?.for === 'limits' || wait?.for === 'refusals';
}

const BEFORE_SENDING: ReadonlySet<BatchState> = new Set<BatchState>(['checking', 'pricing', 'accepted']);

function mayBeDeclined({ approval }: BatchRecord): boolean {
  return approval?.kind === 'open' || (approval?.kind === 'asked' && approval.given === null);
}

/** The reservations of an all-or-nothing file may be given up until it is decided that all of it is paid. */
function mayBeLetGo({ state, whole }: BatchRecord): boolean {
  return whole === 'reserving' && (state === 'accepted' || state === 'reserving');
}

/** All rows before this position have been compared with those of other files, so that later ones are compared with them. */
export function checkedTo({ state, checked }: Pick<BatchRecord, 'state' | 'checked'>): number {
  return CHECKED.includes(state) ? Number.MAX_SAFE_INTEGER : (checked?.to ?? 0);
}

/** When it was accepted, by the service's time where it told one (ISO). */
export function acceptedAtOf({ checked, acceptedAt }: Pick<BatchRecord, 'checked' | 'acceptedAt'>): string {
  return checked?.at ?? acceptedAt;
}

/** The same bytes, or the same standing file on another day: they are paid again on purpose, or not at all. */
export function isSameBytes(own: BatchRecord, other: BatchRecord): boolean {
  const series = own.payAt?.standing?.series;
  const isOtherDay =
    series !== undefined && other.payAt?.standing?.series === series && dayOf(other) !== dayOf(own);
  return other.sha256 === own.sha256 || isOtherDay;
}

/** A day is paid once: at another hour of the day the file, with any additions, is compared with what it paid before. */
function dayOf({ fileId, sha256 }: BatchRecord): string {
  return fileId.slice(sha256.length);
}

/**
 * The first batch with the same content that other files are compared with; null when there is none, or none that has been compared yet:
 * then that one will see ours.
 */
export function sameContentAmong(others: readonly BatchRecord[], own: BatchRecord): BatchRecord | null {
  return others.find((other) => checkedTo(other) > 0 && !isSameBytes(own, other)) ?? null;
}

/** Nothing more is sent of a batch that has ended or was declined: a pause would only keep it from being closed. */
export function mayBePaused({ state, approval }: Pick<BatchRecord, 'state' | 'approval'>): boolean {
  return !ENDED_BATCH.has(state) && !(approval?.kind === 'asked' && approval.declined !== null);
}

/** The person who paused it, and the reason; null where nobody has, or it was resumed since. */
export function pauseOf(batch: Pick<BatchRecord, 'state' | 'approval' | 'decisions'>): Pause | null {
  if (!mayBePaused(batch)) return null;
  const last = batch.decisions.findLast(({ about }) => about === 'pause' || about === 'resume');
  return last?.about === 'pause' ? last : null;
}

type Waiting = Pick<BatchRecord, 'state' | 'approval' | 'wait' | 'decisions'>;

/** The present wait of a batch: while it is paused, for the person who paused it; otherwise for its own reason. */
export function waitOf(batch: Waiting): Wait | null {
  const pause = pauseOf(batch);
  return pause === null ? batch.wait : waitFor('pause', pause.words);
}

/** The same as it is told outside. */
export function waitingForOf(batch: Waiting): WaitingFor | null {
  const wait = waitOf(batch);
  return wait === null ? null : toldOutside(wait);
}

/** Closed, all that has changed since is answered, and it waits for nobody: its last answers say how it stands. */
export function isAtRest({ state, finished, wait }: BatchRecord): boolean {
  return state === 'closed' && (finished?.due ?? null) === null && wait === null;
}

/** True for a batch that nobody has moved on or taken over since it was seen. */
export function standsAs(
  { id, state, token }: BatchRecord,
  seen: Pick<BatchRecord, 'id' | 'state' | 'token'>,
): boolean {
  return seen.id === id && state === seen.state && token === seen.token;
}

/** Nothing of an accepted batch is paid while its approval waits for an answer. */
export function mayMoveOn(batch: BatchRecord, from: BatchState, to: BatchState): boolean {
  return batch.state === from && !(from === 'accepted' && PAYING.has(to) && !mayGoOn(batch));
}

/** Whether another living process has it in a go at this moment: then nobody else writes it. */
export function isHad({ runs }: { readonly runs: Pick<Runs, 'isElsewhere'> }, batch: BatchRecord): boolean {
  return batch.isFree !== true && runs.isElsewhere(batch.owner);
}

export function mayTakeOver(
  batch: BatchRecord,
  seen: Parameters<typeof pauseOf>[0],
  isElsewhere: boolean,
): boolean {
  const isPausedAsSeen = (pauseOf(batch) === null) === (pauseOf(seen) === null);
  // A batch has one owner (lease): who else wants something of it gives an order, or waits until it is given back or its owner is dead.
  return isPausedAsSeen && (batch.isFree === true || !isElsewhere);
}

/** Throws where a batch may not change in this way. */
export function assertMayBecome({ id, state }: BatchRecord, changed: BatchRecord): void {
  if (!mayBecome(state, changed.state))
    throw new Error(`Batch ${id} is ${state} and cannot become ${changed.state}.`);
  if (changed.whole === 'reserving' && ['sending', 'following'].includes(changed.state))
    throw new Error(`Batch ${id} is not decided yet, and nothing of it may be confirmed.`);
}

/** A restart, an outage or a full day's work before it makes nobody's payment late; more than this is a time that was missed. */
const LATE_MOST_MS = 60 * 60_000;

/** Whether the time of a batch has passed without it. */
export function isMissed({ at }: PayAt, now: number): boolean {
  return now - Date.parse(at) > LATE_MOST_MS;
}
