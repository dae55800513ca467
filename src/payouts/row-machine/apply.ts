// What an event means for a row. Total and pure: every event in every state gives a record, and a late or repeated one changes nothing that it must not.
import { HOLDS } from '../hold.ts';
import { liftedBy } from '../limits.ts';
import { again, closing, confirmTaken, doubted, ended, held, nextAttempt, requoted } from './changes.ts';
import { isVouched, landsUntil } from '../proof.ts';
import { onRefused } from './on-refused.ts';
import { onNothing, onTransfer } from './on-transfer.ts';
import type { RowEvent } from './row-event.ts';
import { attemptOf, type Now, type PriceStop, type RowState, stageOf } from './row-state.ts';

export function apply(row: RowState, event: RowEvent, now: Now): RowState {
  const after = row.end === null ? whileOpen(row, event, now) : atItsEnd(row, event, now);
  const isNews = stageOf(after) !== stageOf(row) || (row.hold === null && after.hold !== null);
  return isNews && after.doubts > 0 && !isContradicted(after) ? { ...after, doubts: 0 } : after;
}

/** The service has said that the transfer exists, and does not show it: a new price does not change that, however often one is asked for. */
function isContradicted({ transfer, mayLandUntil }: RowState): boolean {
  return transfer === null && mayLandUntil !== null;
}

/** A row that has ended only hears how its transfer stands. */
function atItsEnd(row: RowState, event: RowEvent, now: Now): RowState {
  switch (event.on) {
    case 'transfer':
      return onTransfer(row, event, now);
    case 'ask':
      return { ...row, mustLook: row.transfer !== null, deadLooked: 0, due: 0 };
    case 'unanswered':
    case 'unavailable':
      return again(row, now, event.waitMs);
    case 'nothing':
      return onNothing({ ...row, mustLook: false }, event, now);
    case 'refused':
      return { ...row, mustLook: false, deadLooked: row.deadAttempts.length };
    default:
      return row;
  }
}

function whileOpen(row: RowState, event: RowEvent, now: Now): RowState {
  switch (event.on) {
    case 'quoted':
      return onQuoted(row, event, now);
    case 'transfer':
      return onTransfer(row, event, now);
    case 'nothing':
      return onNothing(row, event, now);
    case 'attached':
      return onAttached(row);
    case 'document':
      return held(row, event.fault === 'changed' ? 'document_changed' : 'document_refused', now);
    case 'intend':
      return row.transfer === null ? row : { ...row, isIntended: true, deadLooked: 0, tries: 0, due: 0 };
    case 'raise':
      return onRaise(row, now);
    case 'requote':
      return requoted(row, now);
    case 'count':
      return { ...row, counted: event.debit, due: 0 };
    case 'confirmed':
      return row.transfer === null ? row : confirmTaken(row, now);
    case 'stop-at-price':
      return onStopped(row, event.stop, now);
    case 'hold':
      return row.confirmedAt === null ? held(row, event.code, now, { reason: event.reason }) : row;
    case 'duplicate':
      return isUntouched(row) ? ended(row, 'duplicate', event.why, now) : row;
    case 'refused':
      return onRefused(row, event, now);
    case 'unanswered':
      return onUnanswered(row, event, now);
    case 'unavailable':
      return onUnavailable(row, event, now);
    case 'unsent':
      return row.confirmedAt === null ? { ...row, isIntended: false, due: 0 } : row;
    case 'release':
      return onRelease(row);
    case 'cancel':
      return onCancel(row, event, now);
    case 'ask':
      return { ...row, mustLook: true, deadLooked: 0, due: 0 };
  }
}

/** One that differs costs nothing: another is asked for, a few times. */
function onQuoted(row: RowState, event: RowEvent & { on: 'quoted' }, now: Now): RowState {
  if (row.transfer !== null) return row;
  if (event.differs) {
    if (event.isAdopted) return requoted(row, now);
    const isEnough = row.doubts + 1 >= now.terms.patience.moments;
    return isEnough ? held(row, 'quotation_mismatch', now) : doubted(requoted(row, now), now);
  }
  const asked = { ...row, isQuotationThere: false, tries: 0, due: 0 };
  // A price that the corridor does not take is none.
  if (event.outside === null) return { ...asked, price: event.price };
  const why = { errorCode: 'amount_outside_bounds', reason: event.outside };
  return closing(asked, 'rejected', why, now);
}

function onAttached(row: RowState): RowState {
  const document = row.document === 'demanded' ? 'attached-again' : 'attached';
  return { ...row, document, tries: 0, due: 0 };
}

/** The one place where a row gets a second transfer. It hands on only what it vouches for. */
function onRaise(row: RowState, now: Now): RowState {
  const { transfer, isRefusedLate } = row;
  if (!row.isDead || transfer === null) return row;
  if (attemptOf(row) >= now.terms.patience.attempts) return held(row, 'too_many_attempts', now);
  const proof = isRefusedLate ? 'expired-confirm-refused' : 'expired-unconfirmed';
  return nextAttempt(row, transfer, proof, isVouched(row, now) ? now.lease : null);
}

function onUnanswered(row: RowState, event: RowEvent & { on: 'unanswered' }, now: Now): RowState {
  const later = again(row, now, event.waitMs);
  const looked = event.call === 'create' || event.call === 'confirm' ? { ...later, mustLook: true } : later;
  const known = event.call === 'create' ? { ...looked, mayLandUntil: landsUntil(row) } : looked;
  return event.oddity === undefined
    ? known
    : held(known, 'unexpected_refusal', now, { reason: event.oddity });
}

/** A confirm that was turned away may have a copy that was taken. */
function onUnavailable(row: RowState, event: RowEvent & { on: 'unavailable' }, now: Now): RowState {
  const looked = event.call === 'confirm' ? { ...row, mustLook: true } : row;
  return event.isForAll === true
    ? { ...looked, due: now.local + event.waitMs }
    : again(looked, now, event.waitMs);
}

/** At a price that a person has to accept. */
function onStopped(
  row: RowState,
  { code, reason, comparison = row.comparison }: PriceStop,
  now: Now,
): RowState {
  return held({ ...row, comparison }, code, now, { reason });
}

/** Nothing was sent of it, as far as anybody knows. */
function isUntouched(row: RowState): boolean {
  return row.transfer === null && row.mayLandUntil === null;
}

/** A person lets it go on, or takes back a wish to close it. It is looked up before anything more is sent. */
function onRelease(row: RowState): RowState {
  const isCancelling = row.closing?.as === 'cancelled';
  const { hold } = row;
  if (hold === null) return isCancelling ? { ...row, closing: null, due: 0, tries: 0 } : row;
  const mayGoOn = HOLDS[hold.code].lifts !== 'never' || isUnseenCollision(row);
  if (!mayGoOn) return isCancelling ? { ...row, closing: null } : row;
  const comparison = { ...row.comparison, lifted: liftedBy(row) };
  const document = row.confirmedAt === null ? 'none' : row.document;
  const mustLook = row.transfer !== null || row.mayLandUntil !== null;
  return {
    ...row,
    hold: null,
    closing: null,
    comparison,
    document,
    mustLook,
    deadLooked: 0,
    due: 0,
    tries: 0,
  };
}

/** The service said that it exists, and never showed it. */
function isUnseenCollision({ hold, transfer }: RowState): boolean {
  return hold?.code === 'id_collision' && hold.foreign === undefined && transfer === null;
}

/** Nobody's word cancels what is on its way. Where the service shows no more than `created`, or what nobody understands, a person may. */
function onCancel(row: RowState, { why }: RowEvent & { on: 'cancel' }, now: Now): RowState {
  const isForPerson =
    row.hold !== null && (row.transfer?.status === 'created' || row.hold.code === 'unknown_status');
  if (row.confirmedAt !== null && !isForPerson) return row;
  // What the hold lies over may be somebody else's: it is looked at first.
  const isForeign = row.hold?.foreign !== undefined;
  const isAskedFor = row.hold !== null && HOLDS[row.hold.code].isBeyondLooking === true;
  return closing(isForeign ? { ...row, vouchedBy: null } : row, 'cancelled', why, now, isAskedFor);
}
