// What a refusal means, call by call. A code that stands nowhere on its call is for a person; none of them is ever a proof that a transfer can pay no more.
import { sentence } from '../../../src/messages/messages.ts';
import type { Why } from '../../../src/payouts/progress.ts';
import { refusalWords } from '../../../src/payouts/verdict.ts';
import { again, closing, confirmTaken, held, onItsWay, requoted, unexpected } from './changes.ts';
import { landsUntil } from '../../../src/payouts/proof.ts';
import type { CallName, RowEvent } from './row-event.ts';
import type { Now, RowState } from './row-state.ts';

type Refusal = RowEvent & { on: 'refused' };

/** Null for a code that is not foreseen. */
type Rule = (row: RowState, refusal: Refusal, now: Now) => RowState | null;

const RULES: Readonly<Record<CallName, Rule>> = {
  quote: onQuoteRefused,
  'read-quotation': onQuoteRefused,
  create: onCreateRefused,
  attach: onAttachRefused,
  confirm: onConfirmRefused,
  find: onLookRefused,
  look: onLookRefused,
};

/** Calls that are made only before there is a transfer, and only after it. */
const BEFORE_TRANSFER: readonly CallName[] = ['quote', 'read-quotation', 'create'];
const AFTER_TRANSFER: readonly CallName[] = ['attach', 'confirm'];

export function onRefused(row: RowState, refusal: Refusal, now: Now): RowState {
  // The answer comes too late to mean anything.
  const isStray = row.transfer === null ? AFTER_TRANSFER : BEFORE_TRANSFER;
  if (isStray.includes(refusal.call)) return row;
  return RULES[refusal.call](row, refusal, now) ?? unexpected(row, refusal.errorCode, refusal.words, now);
}

function onQuoteRefused(row: RowState, refusal: Refusal, now: Now): RowState | null {
  const isPatient = row.tries < now.terms.patience.moments;
  switch (refusal.errorCode) {
    case 10001:
      return closing(row, 'rejected', noOf(refusal), now);
    case 10002:
      return { ...row, isQuotationThere: true, tries: row.tries + 1, due: 0 };
    case 10003:
      return isPatient ? again(row, now) : closing(row, 'rejected', noOf(refusal), now);
    // The read lags behind the write that it was refused for; after that a new quotation is harmless.
    case 10007:
    case 10008:
      return isPatient ? again(row, now) : requoted(row, now);
    default:
      return null;
  }
}

function onCreateRefused(row: RowState, refusal: Refusal, now: Now): RowState | null {
  switch (refusal.errorCode) {
    case 10001:
    case 10018:
    case 10019:
      return closing(row, 'rejected', noOf(refusal), now);
    case 10003:
      return row.tries < now.terms.patience.moments
        ? again(row, now)
        : closing(row, 'rejected', noOf(refusal), now);
    case 10007:
    case 10009:
      return requoted(row, now, row.mayLandUntil === null ? 0 : row.tries);
    // It exists: who made it may have confirmed it, so nobody vouches for it any more.
    case 10011:
      return { ...again(row, now), vouchedBy: null, mustLook: true, mayLandUntil: landsUntil(row) };
    default:
      return null;
  }
}

function onAttachRefused(row: RowState, { errorCode }: Refusal, now: Now): RowState | null {
  switch (errorCode) {
    case 10001:
      return held(row, 'document_refused', now);
    // No longer `created`, over, or not visible: the transfer itself tells.
    case 10014:
    case 10015:
    case 10016:
      return row.tries < now.terms.patience.looks ? { ...again(row, now), mustLook: true } : null;
    default:
      return null;
  }
}

function onConfirmRefused(row: RowState, refusal: Refusal, now: Now): RowState | null {
  switch (refusal.errorCode) {
    case 10014:
      return row.tries < now.terms.patience.looks ? { ...again(row, now), mustLook: true } : null;
    // Confirmed already, by a confirm of ours whose answer was lost; or ended, as the next look shows.
    case 10015:
      return { ...confirmTaken(row, now), mustLook: true };
    // No proof: another copy of the confirm may have been taken before.
    case 10016:
      return { ...row, isRefusedLate: true, mustLook: true, tries: 0, due: 0 };
    case 10022:
      return row.document === 'demanded' || row.document === 'attached-again'
        ? held(row, 'document_demanded', now)
        : { ...row, document: 'demanded', due: 0 };
    // Never confirmed again: the network may have half accepted it. No notification will come.
    case 10027:
      return { ...onItsWay({ ...row, tries: 0 }, now), networkRefusal: NETWORK_REFUSED };
    default:
      return null;
  }
}

/** A read that is refused says nothing of the row. A transfer that was found and whose quotation is not there is not ours. */
function onLookRefused(row: RowState, { errorCode }: Refusal, now: Now): RowState | null {
  if (errorCode === 10007 && row.tries >= now.terms.patience.moments) return held(row, 'id_collision', now);
  return row.tries < now.terms.patience.looks ? again(row, now) : null;
}

function noOf({ errorCode, words }: Refusal): Why {
  return { errorCode: String(errorCode), reason: refusalWords(errorCode, words) };
}

const NETWORK_REFUSED: Why = { errorCode: '10027', reason: sentence('judge.networkRefused') };
