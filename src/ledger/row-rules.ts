// What the ledger decides about rows, as functions of their records: every ledger calls these, whatever language it searches its rows in.
import { type DecimalText, addDecimals, subtractDecimals } from '../base/decimal.ts';
import { hitOf, type LimitHit, type LimitName, type Limits } from '../payouts/limits.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import { isShownIn } from '../payouts/moved-price.ts';
import type { Progress } from '../payouts/progress.ts';
import { isAllowed } from './approval.ts';
import type { LeftToSend, Reservation } from './ledger.ts';
import { areLimitsLifted } from './days.ts';
import type { BatchRecord, Counted, RowRecord } from './records.ts';

// Turns.

/** Stages in which funds are still to be reserved: the ones that a lack of funds stops. */
export const BEFORE_CREATION: readonly Stage[] = ['ready', 'quoted'];

const FOLLOWED: readonly Stage[] = ['confirmed', 'paid'];

/** The row closest to its confirm comes first, so that no quotation ages while new ones are requested; rows that are only followed, last. */
export function inOrderOfTurns(stages: readonly Stage[]): readonly Stage[] {
  return [
    ...stages.filter((stage) => !FOLLOWED.includes(stage)).reverse(),
    ...stages.filter((stage) => FOLLOWED.includes(stage)),
  ];
}

/** Rows that are never looked at by themselves. */
export function isWithoutCall({ stage, hold }: Pick<Progress, 'stage' | 'hold'>): boolean {
  return hold !== null || stage === 'failed' || stage === 'rejected' || stage === 'duplicate';
}

// Limits.

/** Sums of what counts already, the row's own among them. */
export type SumsAsked = {
  readonly ofFile: () => DecimalText;
  readonly ofDay: () => DecimalText;
  /** Null where nothing tells whom the row pays. */
  readonly ofPayee: (by: 'payee' | 'account') => DecimalText | null;
};

type Wish = {
  readonly row: RowRecord;
  readonly currency: string;
  /** The amount that it counts for so far, and the amount that it is to count for. */
  readonly before: Counted | null;
  readonly after: Counted;
  readonly batch: BatchRecord | null;
  readonly limits: Limits;
  /** Whether the last question was about the row. */
  readonly isCovered: () => boolean;
};

/** `counts`: it counts so already, or need not count; `count`: it is to be counted now. */
export function reservationOf(
  wish: Wish,
  sums: SumsAsked,
): Exclude<Reservation, 'gone' | null> | 'counts' | 'count' {
  const { row, currency, before, after, batch } = wish;
  const total = addDecimals(subtractDecimals(sums.ofFile(), before?.amount ?? '0'), after.amount);
  const round = batch?.approval?.kind === 'asked' ? batch.approval.round : 0;
  const isCovered = (): boolean => isShownIn(row.progress, round) && wish.isCovered();
  if (!isAllowed(batch?.approval, currency, total, isCovered)) return 'unapproved';
  const isCounted = before?.day === after.day && before.amount === after.amount;
  // Once it is decided that a file is paid whole, what counts for it since then stays: no midnight divides it.
  const stays = batch?.whole === 'confirming' || (isCounted && wasAsked(row));
  if (before?.amount === after.amount && stays) return 'counts';
  return limitHit(wish, sums) ?? (isCounted ? 'counts' : 'count');
}

/** The first limit that the row would exceed. */
function limitHit({ currency, before, after, batch, limits }: Wish, sums: SumsAsked): LimitHit | null {
  const isLifted = batch !== null && areLimitsLifted(batch);
  const isOfDay = before?.day === after.day;
  const check = (name: LimitName, others: DecimalText, isIn: boolean): LimitHit | null => {
    const sum = subtractDecimals(others, isIn && before !== null ? before.amount : '0');
    return hitOf(name, limits, currency, addDecimals(sum, after.amount));
  };
  const ofPayee = (by: 'payee' | 'account'): LimitHit | null => {
    const sum = limits.perPayeePerDay === null ? null : sums.ofPayee(by);
    return sum === null ? null : check('perPayeePerDay', sum, isOfDay);
  };
  return (
    check('perRow', '0', false) ??
    ofPayee('payee') ??
    ofPayee('account') ??
    (isLifted ? null : (check('perFile', sums.ofFile(), true) ?? check('perDay', sums.ofDay(), isOfDay)))
  );
}

/**
 * A row that another ledger, or a lost one, let through counts as soon as it is found here: whether it may go on is asked all the same. A row
 * that this ledger let through has the price at which its transfer was created; one that was merely found has none.
 */
function wasAsked({ progress: { begunBy, price, transfer } }: RowRecord): boolean {
  return begunBy !== null || (price !== null && price.quotationId === transfer?.quotationId);
}

// What is left to send.

const NOTHING_LEFT: LeftToSend = { rows: 0, unpriced: 0, amount: '0' };

/** Adds a row that is still to be sent to the sums by currency. */
export function addLeft(
  left: Map<string, LeftToSend>,
  { payout, progress: { price } }: Pick<RowRecord, 'payout' | 'progress'>,
): void {
  if (payout === null) return;
  const asked = payout.requested.side === 'source' ? payout.requested.amount : '0';
  const amount = price === null ? asked : addDecimals(price.sendAmount, price.feeAmount);
  addSums(left, payout.sourceCurrency, { rows: 1, unpriced: price === null ? 1 : 0, amount });
}

export function addSums(left: Map<string, LeftToSend>, currency: string, more: LeftToSend): void {
  const { rows, unpriced, amount } = left.get(currency) ?? NOTHING_LEFT;
  left.set(currency, {
    rows: rows + more.rows,
    unpriced: unpriced + more.unpriced,
    amount: addDecimals(amount, more.amount),
  });
}
