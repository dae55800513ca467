// How a row that is held, or is to be cancelled, stands at the service: a person decides by it, and a ledger without a payment may be an older copy that was put
// back. Nothing is sent; a transfer that has gone further than `created` is followed, and not cancelled.
import { isDeepStrictEqual } from 'node:util';

import type { RowChange } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { hasGoneOn, type Progress, type Tenure } from '../payouts/progress.ts';
import { adoptRevived, liveAttempt, mayAdopt } from '../payouts/reinstated.ts';
import { apply } from '../payouts/row-machine/apply.ts';
import { next } from '../payouts/row-machine/next.ts';
import { progressOf, stateOf } from '../payouts/row-machine/record.ts';
import type { RowEvent } from '../payouts/row-machine/row-event.ts';
import {
  attemptOf,
  nextAttemptOf,
  type Now,
  type RowState,
  type RowStep,
} from '../payouts/row-machine/row-state.ts';
import { toTransferOfUnread } from './known-transfer.ts';
import { makeCall } from './make-call.ts';
import { nowOf } from './now.ts';
import { byExternalId, byId, keyOf } from './observe.ts';
import { transferExternalId } from './requests.ts';
import type { DeliveryTools } from './tools.ts';

/** What is recorded of it. */
export type Seen = Pick<RowChange, 'progress' | 'dueAt' | 'event'>;

/** `quiet`: the service shows nothing beyond `created`; `followed`: the row is, or will be, at the end that the service reports; `unclear`: neither is certain yet. */
export type Settled = {
  readonly is: 'quiet' | 'followed' | 'unclear';
  readonly seen: Seen | null;
  /** The transfer on record, which is the row's last, was shown as `created`. */
  readonly isStillCreated?: true;
};

export const UNCLEAR: Settled = { is: 'unclear', seen: null };

/** A row, and the tenure that asks about it. */
export type AskedRow = { readonly fileId: string; readonly row: RowRecord; readonly tenure: Tenure };

type Look = RowStep & { readonly do: 'find' | 'look' };

/** Where the row stands by the looks so far, the last transfer that was shown of its present attempt, and the attempt after it that was looked for in vain. */
type Looked = {
  readonly state: RowState;
  readonly shown: (RowEvent & { on: 'transfer' }) | null;
  readonly unseen: number | null;
};

/** Throws a `Fault` where the service does not tell. */
export async function lookAtHeld(asked: AskedRow, tools: DeliveryTools): Promise<Settled> {
  const { row, tenure } = asked;
  const now = (): Now => nowOf({ tenure, goal: 'known', tools, payout: row.payout });
  // Until a person accepts the service's word, nobody vouches for the row.
  const before = { ...stateOf(row.progress, tenure), vouchedBy: null };
  let at: Looked = { state: apply(before, { on: 'ask' }, now()), shown: null, unseen: null };
  for (let step = lookIn(at, now()); step !== null; step = lookIn(at, now()))
    at = heard(at, await eventOf(step, at.state, asked, tools), now());
  return settled(asked, before, at, now());
}

/** Null where no look is left. The attempt after the present one is looked for, too: an older ledger would not know of it. */
function lookIn({ state, unseen }: Looked, now: Now): Look | null {
  const step = next(state, now);
  if (step.do === 'find' || step.do === 'look') return step;
  const attempt = nextAttemptOf(state);
  const isOpen = state.end === null && state.transfer !== null && step.do !== 'wait';
  return isOpen && unseen !== attempt ? { do: 'find', attempt } : null;
}

function heard({ state, shown, unseen }: Looked, event: RowEvent, now: Now): Looked {
  const after = apply(state, event, now);
  if (event.on === 'nothing') return { state: after, shown, unseen: event.attempt };
  const isPresent = event.on === 'transfer' && event.attempt === attemptOf(after);
  return { state: after, shown: isPresent ? event : shown, unseen };
}

async function eventOf(
  step: Look,
  state: RowState,
  asked: AskedRow,
  tools: DeliveryTools,
): Promise<RowEvent> {
  const { fileId, row } = asked;
  const { payout } = row;
  if (payout === null) return eventOfUnread(step, asked, tools);
  const { event, fault } = await makeCall(step, { fileId, row: { ...row, payout }, state }, tools);
  if (fault !== null && event.on !== 'nothing') throw fault;
  return event;
}

/** A row that is no longer a payment has no request to compare with. */
async function eventOfUnread(step: Look, asked: AskedRow, tools: DeliveryTools): Promise<RowEvent> {
  const { attempt } = step;
  const id = transferExternalId(asked, attempt);
  const { value, serverTime: at } = await (step.do === 'look'
    ? byId(tools, step.transferId)
    : byExternalId(tools, id));
  if (value === null) return { on: 'nothing', attempt, at };
  const differs = step.do === 'look' ? value.id !== step.transferId : keyOf(value) !== id;
  return { on: 'transfer', by: 'look', attempt, transfer: toTransferOfUnread(value), differs, at };
}

function settled(asked: AskedRow, before: RowState, { state, shown }: Looked, now: Now): Settled {
  const { row, tenure } = asked;
  const progress = { ...progressOf(inDoubt(before, state, now), tenure), lookedBy: null };
  const adopted = row.payout === null ? null : adoptedFrom(row.progress, progress, now.local);
  if (adopted !== null)
    return { is: 'followed', seen: { progress: adopted, dueAt: 0, event: 'back to what was revived' } };
  if (row.payout === null && state.end === null && state.confirmedAt !== null) return UNCLEAR;
  if (isFollowed(state)) {
    // One that can no longer be read as a payment is only told its end: no run can carry it.
    const dueAt = row.payout === null ? null : 0;
    return { is: 'followed', seen: { progress, dueAt, event: 'found ended while held' } };
  }
  const isQuiet = isQuietAbout(before, state, shown);
  const seen = isSame(progress, row.progress)
    ? null
    : { progress, dueAt: null, event: eventOfRecord(state, isQuiet) };
  const isStillCreated = isQuiet && before.transfer !== null && shown?.transfer.status === 'created';
  return { is: isQuiet ? 'quiet' : 'unclear', seen, ...(isStillCreated ? { isStillCreated } : {}) };
}

/** A transfer that was not known before: nobody here knows who made it, or whether its confirm is under way. */
function inDoubt(before: RowState, state: RowState, now: Now): RowState {
  const isNew = before.transfer === null && state.transfer?.status === 'created';
  if (!isNew || state.hold !== null || state.end !== null) return state;
  return apply(state, { on: 'hold', code: 'confirm_uncertain', reason: null }, now);
}

/** It goes back to a transfer that was given up and is being paid, once a person was told and no other one can pay. */
function adoptedFrom(before: Progress, after: Progress, now: number): Progress | null {
  const live = liveAttempt(after);
  const isTold = before.hold?.code === 'transfer_reinstated' && after.hold?.code === 'transfer_reinstated';
  return live !== null && isTold && mayAdopt(after) ? adoptRevived(after, live, now) : null;
}

function isFollowed({ end, hold, confirmedAt }: RowState): boolean {
  return end !== null || (hold === null && confirmedAt !== null);
}

function isQuietAbout(before: RowState, state: RowState, shown: Looked['shown']): boolean {
  if (state.closing !== null || liveAttempt(state) !== null) return false;
  // It may have been seen on its way or paid before, although the service does not show it now.
  const known = before.hold?.foreign ?? before.transfer;
  if (shown === null) return known === null || !hasGoneOn(known);
  if (state.mustLook) return false;
  if (shown.differs) return before.hold?.foreign?.status === shown.transfer.status;
  const isAsBefore =
    before.transfer?.status === shown.transfer.status &&
    before.transfer.statusCode === shown.transfer.statusCode;
  return shown.transfer.status === 'created' || (isAsBefore && before.hold?.code === state.hold?.code);
}

/** Nothing is to be recorded. */
function isSame(after: Progress, before: Progress): boolean {
  const known = (of: Progress) => [of.stage, of.transfer, of.hold, of.silentAt, of.deadAttempts];
  return isDeepStrictEqual(known(after), known(before));
}

function eventOfRecord({ hold }: RowState, isQuiet: boolean): string {
  if (hold?.code === 'transfer_reinstated') return 'found revived while held';
  if (hold?.code === 'id_collision') return 'found another while held';
  return isQuiet ? 'seen unconfirmed while held' : 'a later transfer may be hidden';
}
