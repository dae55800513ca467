// What a row needs next. Read it from top to bottom: the first line that fits is the answer, and whatever it is, it can pay the row once at most.
import type { DecimalText } from '../../base/decimal.ts';
import { compareDecimals } from '../../base/decimal.ts';
import { mayConfirm, mayCreate } from '../lifetime.ts';
import type { KnownTransfer, QuotedPrice } from '../progress.ts';
import { debitOf } from '../../service/wire.ts';
import {
  attemptOf,
  type Closing,
  nextAttemptOf,
  type Now,
  type RowState,
  type RowStep,
} from './row-state.ts';

export function next(row: RowState, now: Now): RowStep {
  if (row.due > now.local && (row.end === null || row.mustLook)) return { do: 'wait', until: row.due };
  if (row.mustLook) return lookAtPresent(row);
  if (row.end !== null) return lookAtDead(row) ?? { do: 'ended' };
  if (row.hold !== null && row.closing === null) return lookAtDead(row) ?? { do: 'held' };
  if (row.closing !== null) return lookToClose(row, row.closing);
  if (row.confirmedAt !== null)
    return isUnheard(row) ? confirm(row) : (lookAtDead(row) ?? lookAtPresent(row));
  if (row.isDead) return { do: 'raise' };
  return lookAtDead(row) ?? towardsPayment(row, now);
}

function towardsPayment(row: RowState, now: Now): RowStep {
  if (row.transfer !== null) return towardsConfirm(row, row.transfer, now);
  if (row.isQuotationThere) return { do: 'read-quotation', number: row.quotation };
  if (row.price === null) return { do: 'quote', number: row.quotation };
  return towardsCreate(row, row.price, now);
}

function lookAtPresent(row: RowState): RowStep {
  const attempt = attemptOf(row);
  const { transfer } = row;
  if (transfer === null) return { do: 'find', attempt };
  return { do: 'look', attempt, transferId: transfer.transferId };
}

/** One rule for every end: the present attempt, the ones that were given up, and the next one are looked at before it is told. */
function lookToClose(row: RowState, { isOwnOver }: Closing): RowStep {
  if (!isOwnOver) return lookAtPresent(row);
  return lookAtDead(row) ?? { do: 'find', attempt: nextAttemptOf(row) };
}

/** Before money moves, and before an end is told: one that staff have brought back to life is seen. */
function lookAtDead({ deadAttempts, deadLooked }: RowState): RowStep | null {
  // Of one that a person has decided about nothing new is to be learned.
  const dead = deadAttempts.slice(deadLooked).find(({ revived }) => revived !== 'decided');
  if (dead === undefined) return null;
  return { do: 'look', attempt: dead.attempt, transferId: dead.transfer.transferId };
}

function towardsCreate(row: RowState, price: QuotedPrice, now: Now): RowStep {
  if (!mayCreate(price, now.service, now.terms.neededMs)) return { do: 'requote' };
  const stop = now.terms.priceStop(row, price);
  if (stop !== null) return { do: 'stop-at-price', stop };
  return countOf(row, debitOf(price), now) ?? { do: 'create', attempt: attemptOf(row) };
}

/** While it may still be taken a confirm is repeated on the same transfer, which it can only ever pay once. */
function towardsConfirm(row: RowState, transfer: KnownTransfer, now: Now): RowStep {
  if (row.isRefusedLate || !mayConfirm(transfer, now.service)) return lookAtPresent(row);
  const isMissing = row.document === 'none' || row.document === 'demanded';
  if (now.terms.needsDocument && isMissing) return { do: 'attach', transferId: transfer.transferId };
  if (!now.terms.mayConfirm) return { do: 'reserved' };
  const counting = countOf(row, debitOf(transfer), now);
  if (counting !== null) return counting;
  return row.isIntended ? confirm(row) : { do: 'intend' };
}

function confirm({ transfer }: RowState): RowStep {
  if (transfer === null) throw new Error('A row that is confirmed has a transfer.');
  return { do: 'confirm', transferId: transfer.transferId };
}

/** The confirm was answered, and may never have happened: long after it the service still shows `created`. */
function isUnheard({ transfer, networkRefusal }: RowState): boolean {
  return transfer?.status === 'created' && networkRefusal === null;
}

/** Null where limits count as much already, or nothing. */
function countOf({ counted }: RowState, debit: DecimalText, { terms }: Now): RowStep | null {
  if (!terms.areLimited || (counted !== null && compareDecimals(debit, counted) <= 0)) return null;
  return { do: 'count', debit };
}
