// What a refusal means, call by call. A code that stands nowhere on its call is for a person; none of them is ever a proof that a transfer can pay no more.
import { sentence } from '../../messages/messages.ts';
import type { Why } from '../progress.ts';
import { refusalWords } from '../service-words.ts';
import {
  closing,
  closingAfterLooks,
  confirmTaken,
  doubted,
  held,
  onItsWay,
  requoted,
  unexpected,
} from './changes.ts';
import { landsUntil } from '../proof.ts';
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
  const isPatient = row.doubts < now.terms.patience.moments;
  switch (refusal.errorCode) {
    case 10001:
      return closing(row, 'rejected', noOf(refusal), now);
    case 10002:
      return { ...row, isQuotationThere: true, due: 0 };
    case 10003:
      return isPatient ? doubted(row, now) : closing(row, 'rejected', noOf(refusal), now);
    // The read lags behind the write that it was refused for; after that a new quotation is harmless.
    case 10007:
    case 10008:
      return isPatient ? doubted(row, now) : requoted(row, now);
    default:
      return null;
  }
}

function onCreateRefused(row: RowState, refusal: Refusal, now: Now): RowState | null {
  switch (refusal.errorCode) {
    // An earlier try of this very id may have landed all the same.
    case 10001:
    case 10018:
    case 10019:
      return closingAfterLooks(row, 'rejected', noOf(refusal));
    case 10003:
      return row.doubts < now.terms.patience.moments
        ? doubted(row, now)
        : closingAfterLooks(row, 'rejected', noOf(refusal));
    case 10007:
    case 10009:
      return requoted(row, now);
    // It exists: who made it may have confirmed it, so nobody vouches for it any more.
    case 10011:
      return {
        ...lookedForLater(row, now),
        vouchedBy: null,
        mustLook: true,
        mayBeAnothers: true,
        mayLandUntil: landsUntil(row),
      };
    default:
      return null;
  }
}

function onAttachRefused(row: RowState, { errorCode }: Refusal, now: Now): RowState | null {
  switch (errorCode) {
    case 10001:
      return held(row, 'document_refused', now);
    // Over, or not visible: the transfer itself tells.
    case 10014:
    case 10016:
      return lookedAgain(row, now);
    // No longer `created`, most likely by a confirm of which nothing is known here.
    case 10015:
      return lookedAgain({ ...row, vouchedBy: null }, now);
    default:
      return null;
  }
}

function onConfirmRefused(row: RowState, refusal: Refusal, now: Now): RowState | null {
  switch (refusal.errorCode) {
    case 10014:
      return lookedAgain(row, now);
    // Confirmed already, by a confirm of ours whose answer was lost; or ended, as the next look shows.
    case 10015:
      return { ...confirmTaken(row, now), mustLook: true };
    // No proof: another copy of the confirm may have been taken before.
    case 10016:
      return { ...row, isRefusedLate: true, mustLook: true, tries: 0, due: 0 };
    case 10022:
      return row.confirmedAt === null && (row.document === 'none' || row.document === 'attached')
        ? { ...row, document: 'demanded', due: 0 }
        : held(row, 'document_demanded', now);
    // Never confirmed again: the network may have half accepted it. No notification will come.
    case 10027:
      return { ...onItsWay({ ...row, tries: 0 }, now), networkRefusal: NETWORK_REFUSED };
    default:
      return null;
  }
}

/** A read that is refused says nothing of the row. A transfer that was found and whose quotation is not there is not ours. */
function onLookRefused(row: RowState, { errorCode }: Refusal, now: Now): RowState | null {
  if (errorCode !== 10007) return null;
  return row.doubts < now.terms.patience.moments ? doubted(row, now) : held(row, 'id_collision', now);
}

/** A doubt that a look at the transfer should end; where it does not, however often, a person has to decide. */
function lookedAgain(row: RowState, now: Now): RowState | null {
  return row.doubts < now.terms.patience.looks ? { ...doubted(row, now), mustLook: true } : null;
}

/** At once, then after 3, 6, 12 s and so on: together longer than the quarter of an hour for which a read may lag, so that what it hides is no contradiction. */
function lookedForLater(row: RowState, now: Now): RowState {
  const { doubts } = row;
  const waitMs = doubts === 0 ? 0 : Math.min(3_000 * 2 ** (doubts - 1), 300_000);
  return { ...row, doubts: doubts + 1, due: now.local + waitMs };
}

function noOf({ errorCode, words }: Refusal): Why {
  return { errorCode: String(errorCode), reason: refusalWords(errorCode, words) };
}

const NETWORK_REFUSED: Why = { errorCode: '10027', reason: sentence('judge.networkRefused') };
