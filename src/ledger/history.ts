// What the history says: for one event, what it changed, as codes for programs; for a look through all of it, nothing, or the first places where
// somebody else than the ledger wrote.
import type { StageOrHeld } from '../payouts/lifecycle.ts';
import type { BatchState } from './batch-states.ts';
import type { BatchChange, Decision } from './records.ts';
import { toldOutside, type WaitingFor } from './wait.ts';

/** Where a reader of the history continues: events committed after it are given next, some of them perhaps twice. Only the ledger that gave it can interpret it. */
export type EventCursor = string;

/** One event, as it was written. */
export type EventRecord = {
  readonly cursor: EventCursor;
  /** ISO time. */
  readonly at: string;
  readonly batch: string;
  /** Null for an event of the batch itself. */
  readonly position: number | null;
  /** The row's own name; null for an event of the batch itself, or of a row that is there no more. */
  readonly row: string | null;
  readonly event: string;
  readonly stage: StageOrHeld | null;
  readonly detail: string | null;
};

/** Before the first event, and behind the last: from there no event is given, only where to go on. */
export const FROM_START: EventCursor = 'start';
export const FROM_END: EventCursor = 'end';

export type EventPage = { readonly events: readonly EventRecord[]; readonly next: EventCursor };

/** Of the last group that tells of a batch: the last of its rows, null where it tells of the batch itself, and its hash. */
export type Seal = { readonly to: number | null; readonly hash: string };

export interface LedgerHistory {
  /** Up to `limit` events behind a place in the history, in the order of their commits: of one row, of a batch itself (`position: null`), or of everything. A place that is not of this ledger counts as `FROM_START`. */
  readonly events: (
    of: { readonly batch: string; readonly position: number | null } | null,
    after: EventCursor,
    limit: number,
  ) => Promise<EventPage>;
  /** Reads the whole history and says where it, or a record that it vouches for, was changed by anybody but the ledger. Others may write meanwhile. */
  readonly verify: () => Promise<HistoryReport>;
  /** False where a group that has reached the disk is in it no more: an older copy was put in the place of the ledger. */
  readonly holds: (batch: string, seal: Seal) => Promise<boolean>;
  /** From now on tells of each batch where its last commit stands, once that has reached the disk and before anybody hears of it. What is told must not throw. */
  readonly tellOf: (sealed: (batch: string, seal: Seal) => void) => void;
}

/** What an event changed, for programs. */
type EventCode =
  | 'batch_announced'
  | 'batch_state'
  | 'batch_waits'
  | 'batch_paused'
  | 'batch_resumed'
  | 'batch_taken_over'
  | 'batch_changed'
  | 'batch_forgotten'
  | 'rows_removed'
  | 'approval_asked'
  | 'approval_first_given'
  | 'approval_given'
  | 'approval_declined'
  | 'approval_outdated'
  | 'approval_settled'
  | 'decided'
  | 'row_registered'
  | 'row_stage'
  | 'row_held'
  | 'row_released'
  | 'row_cancelled'
  | 'row_reserved'
  | 'row_notified';

export type Told = {
  readonly code: EventCode;
  readonly state?: BatchState;
  readonly stage?: StageOrHeld;
  /** Null: it waits no more. */
  readonly waitingFor?: WaitingFor | null;
  /** What a person has decided about. */
  readonly about?: Decision['about'];
  /** The code of a hold. */
  readonly hold?: string;
  readonly by?: string;
  readonly reason?: string;
};

/** Events of a batch that carry no change. */
const PLAIN: ReadonlyMap<string, EventCode> = new Map([
  ['batch announced', 'batch_announced'],
  ['batch replaced', 'batch_forgotten'],
  ['batch dropped', 'batch_forgotten'],
  ['rows removed', 'rows_removed'],
  ['batch taken over', 'batch_taken_over'],
]);

/** Several for one event that changed several things; a change that nobody outside asks for, such as an epoch, is `batch_changed`. */
export function toldOf(event: Pick<EventRecord, 'position' | 'event' | 'stage' | 'detail'>): readonly Told[] {
  if (event.position !== null) return [toldOfRow(event)];
  const plain = PLAIN.get(event.event);
  if (plain !== undefined) return [{ code: plain }];
  // The question is kept only in the approval.
  if (event.event === 'approval asked') return [{ code: 'approval_asked' }];
  const told = toldOfChange(JSON.parse(event.detail ?? '{}') as BatchChange);
  return told.length > 0 ? told : [{ code: 'batch_changed' }];
}

function toldOfChange({ state, wait, approval, decisions }: BatchChange): readonly Told[] {
  const told: Told[] = [];
  if (state !== undefined) told.push({ code: 'batch_state', state });
  if (approval !== undefined) told.push(toldOfApproval(approval));
  const last = decisions?.at(-1);
  if (last !== undefined) told.push(toldOfDecision(last));
  if (wait !== undefined)
    told.push({ code: 'batch_waits', waitingFor: wait === null ? null : toldOutside(wait) });
  return told;
}

function toldOfDecision({ about, by, reason }: Decision): Told {
  const who = { by, ...(reason === null ? {} : { reason }) };
  if (about === 'pause') return { code: 'batch_paused', ...who };
  return about === 'resume' ? { code: 'batch_resumed', ...who } : { code: 'decided', about, ...who };
}

function toldOfApproval(approval: NonNullable<BatchChange['approval']>): Told {
  if (approval.kind !== 'asked') return { code: 'approval_settled' };
  const { declined, given, first, isOutdated, isChecked } = approval;
  const answer = given ?? first;
  if (declined !== null) return { code: 'approval_declined', by: declined.by, reason: declined.reason };
  if (isOutdated) return { code: 'approval_outdated' };
  if (answer === undefined || isChecked) return { code: 'approval_settled' };
  const { by, verified } = answer;
  const code = given === null ? 'approval_first_given' : 'approval_given';
  return { code, by, ...(verified === undefined ? {} : { reason: verified }) };
}

const BY_PERSON = /^(released|cancelled) by (.*?): (.*?)(?: · via .*)?$/s;

function toldOfRow({ event, stage }: Pick<EventRecord, 'event' | 'stage'>): Told {
  const at = stage === null ? {} : { stage };
  const [, what, by = '', reason = ''] = BY_PERSON.exec(event) ?? [];
  if (what !== undefined)
    return { code: what === 'released' ? 'row_released' : 'row_cancelled', ...at, by, reason };
  if (event.startsWith('held: ')) return { code: 'row_held', ...at, hold: event.slice('held: '.length) };
  return { code: ROW_EVENTS.get(event) ?? (stage === 'held' ? 'row_held' : 'row_stage'), ...at };
}

const ROW_EVENTS: ReadonlyMap<string, EventCode> = new Map([
  ['registered', 'row_registered'],
  ['within the limits', 'row_reserved'],
  ['notified by the service', 'row_notified'],
]);

// A look through the whole history.

/** An event as a person can look for it. */
type EventPlace = {
  /** Its number in the history, from 1. */
  readonly seq: number;
  /** ISO time. */
  readonly at: string;
  readonly batch: string;
  /** The row's own name; null for an event of the batch itself. */
  readonly row: string | null;
  readonly event: string;
};

export type HistoryFault =
  /** The event is not the one that was written there: edited, or put in. */
  | { readonly kind: 'event-forged'; readonly place: EventPlace }
  | { readonly kind: 'events-missing'; readonly from: number; readonly to: number };

/** A record that is not as the last event of its own left it: `added` without any event, `missing`, or `edited` since. */
export type RecordFault = {
  readonly kind: 'edited' | 'missing' | 'added';
  readonly batch: string;
  /** Null for the batch's own record. */
  readonly row: string | null;
};

/** A running sum that is not the sum of its rows: of a day or a file, with its currency. */
export type SumFault = { readonly of: string };

export type HistoryReport = {
  readonly events: number;
  /** Of the last event, in hex: a person who noted it with its number can see whether the end of the history was removed since. */
  readonly lastHash: string;
  readonly fault: HistoryFault | null;
  readonly batchFault: RecordFault | null;
  readonly rowFault: RecordFault | null;
  readonly sumFault: SumFault | null;
};
