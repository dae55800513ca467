// What an event means for a row. Total and pure: every event in every state gives a record, and a late or repeated one changes nothing that it must not.
import { HOLDS, isLimitCode } from '../../../src/payouts/hold.ts';
import { liftedBy } from '../../../src/payouts/limits.ts';
import { again, closing, confirmTaken, ended, held, nextAttempt, requoted } from './changes.ts';
import { isVouched, landsUntil } from '../../../src/payouts/proof.ts';
import { onRefused } from './on-refused.ts';
import { onNothing, onTransfer } from './on-transfer.ts';
import type { RowEvent } from './row-event.ts';
import { attemptOf, type Now, type RowState } from './row-state.ts';

export function apply(row: RowState, event: RowEvent, now: Now): RowState {
  return row.end === null ? whileOpen(row, event, now) : atItsEnd(row, event, now);
}

/** A row that has ended only hears how its transfer stands. */
function atItsEnd(row: RowState, event: RowEvent, now: Now): RowState {
  switch (event.on) {
    case 'transfer':
      return onTransfer(row, event, now);
    case 'ask':
      return { ...row, mustLook: row.transfer !== null, due: 0 };
    case 'unanswered':
    case 'unavailable':
      return again(row, now, event.waitMs);
    case 'nothing':
    case 'refused':
      return { ...row, mustLook: false };
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
      return held(row, event.stop.code, now, { reason: event.stop.reason });
    case 'hold':
      return row.confirmedAt === null ? held(row, event.code, now, { reason: event.reason }) : row;
    case 'duplicate':
      return isUntouched(row) ? ended(row, 'duplicate', event.why, now) : row;
    case 'refused':
      return onRefused(row, event, now);
    case 'unanswered':
      return onUnanswered(row, event, now);
    case 'unavailable':
      return again(row, now, event.waitMs);
    case 'release':
      return onRelease(row);
    case 'cancel':
      return onCancel(row, event, now);
    case 'ask':
      return { ...row, mustLook: true, due: 0 };
  }
}

/** One that differs costs nothing: another is asked for, a few times. */
function onQuoted(row: RowState, event: RowEvent & { on: 'quoted' }, now: Now): RowState {
  if (row.transfer !== null) return row;
  if (event.differs) {
    if (event.isAdopted) return requoted(row, now);
    const isEnough = row.tries + 1 >= now.terms.patience.moments;
    return isEnough ? held(row, 'quotation_mismatch', now) : again(requoted(row, now, row.tries), now);
  }
  // The service has said that the transfer exists, and does not show it: a new price changes nothing about that.
  const tries = row.mayLandUntil === null ? 0 : row.tries;
  const quoted = { ...row, price: event.price, isQuotationThere: false, tries, due: 0 };
  if (event.outside === null) return quoted;
  const why = { errorCode: 'amount_outside_bounds', reason: event.outside };
  return closing(quoted, 'rejected', why, now);
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
  if (event.call !== 'create') return later;
  return { ...later, mustLook: true, mayLandUntil: landsUntil(row) };
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
  const lifted = isLimitCode(hold.code) ? liftedBy({ ...row, comparison: row }) : row.lifted;
  const document = row.confirmedAt === null ? 'none' : row.document;
  const mustLook = row.transfer !== null || row.mayLandUntil !== null;
  return { ...row, hold: null, closing: null, lifted, document, mustLook, deadLooked: 0, due: 0, tries: 0 };
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
