// The entries that an accountant books for what was paid (double-entry bookkeeping): one for a payment, and one of its own for a reversal. All sums are in minor units
// of one currency, and every entry balances to the unit.
import { currencyDecimals } from '../base/currency.ts';
import {
  addDecimals,
  type DecimalText,
  multiplyDecimals,
  subtractDecimals,
  toUnits,
} from '../base/decimal.ts';
import { ToldError } from '../base/language.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import { outcomeOf } from '../payouts/lifecycle.ts';
import { type KnownTransfer, type Progress, stageOrHeld } from '../payouts/progress.ts';
import { shownPayee } from '../payouts/shown-payee.ts';
import { rowCurrencies } from './money-tally.ts';

/** What the config says of the books. */
export type JournalRules = {
  /** In which they are kept. */
  readonly currency: string;
  readonly code: string;
  readonly accounts: Readonly<
    Record<'suppliers' | 'personnel' | 'bank' | 'fees' | 'exchangeLoss' | 'exchangeGain', string>
  >;
  /** The account of each currency from which it is paid; `accounts.bank` for the others. */
  readonly banks: Readonly<Record<string, string>>;
  /** Payments for these purposes settle what is owed to the personnel, all others what is owed to suppliers. */
  readonly personnel: readonly string[];
  /** What one unit of a currency is in that of the books: `EUR/XAF`. */
  readonly rates: Readonly<Record<string, DecimalText>> | null;
};

/** One of both sums is zero. */
export type JournalLine = {
  readonly account: string;
  readonly debit: bigint;
  readonly credit: bigint;
  /** In minor units of the currency paid from, credits below zero; null where that is the currency of the books. */
  readonly foreign: bigint | null;
};

export type JournalEntry = {
  readonly kind: 'payment' | 'reversal';
  /** Thirteen characters, the same whenever it is written again. */
  readonly piece: string;
  /** `yyyy-mm-dd`, UTC. */
  readonly date: string;
  readonly reference: string;
  readonly payee: string;
  readonly batch: string;
  readonly row: string;
  readonly transferId: string;
  /** Of play money: no books. */
  readonly isSandbox: boolean;
  readonly foreignCurrency: string | null;
  readonly lines: readonly JournalLine[];
};

const REVERSED = '100001';

/** None for a row that is not paid. Throws `ToldError` for a currency without a rate. */
export function entriesOf(row: RowRecord, isSandbox: boolean, rules: JournalRules): readonly JournalEntry[] {
  const { progress } = row;
  const outcome = outcomeOf(stageOrHeld(progress));
  const { transfer } = progress;
  const isReversed = outcome === 'failed' && transfer?.statusCode === REVERSED;
  if (transfer === null || (outcome !== 'paid' && !isReversed)) return [];
  const paid = { ...paymentOf(row, progress, transfer, rules), isSandbox };
  return isReversed ? [paid, reversalOf(paid, progress)] : [paid];
}

function paymentOf(
  row: RowRecord,
  progress: Progress,
  transfer: KnownTransfer,
  rules: JournalRules,
): Omit<JournalEntry, 'isSandbox'> {
  const from = rowCurrencies(row)?.sourceCurrency ?? rules.currency;
  const { transferId, externalId, createdAt } = transfer;
  return {
    kind: 'payment',
    piece: `P${externalId.replaceAll('-', '').slice(0, PIECE_DIGITS)}`,
    // When it left: that day does not change if it comes back.
    date: (progress.confirmedAt ?? createdAt).slice(0, DAY_LENGTH),
    reference: row.reference ?? '',
    payee: shownPayee(row.payout).receiver ?? '',
    batch: row.batch,
    row: row.row,
    transferId,
    foreignCurrency: from === rules.currency ? null : from,
    lines: linesOf({ from, owedTo: creditorOf(row, rules), ...amountsOf(progress, transfer) }, rules),
  };
}

const PIECE_DIGITS = 12;
const DAY_LENGTH = 10;

function creditorOf({ payout }: RowRecord, { accounts, personnel }: JournalRules): string {
  const isPay = payout !== null && personnel.includes(payout.purposeOfRemittance);
  return isPay ? accounts.personnel : accounts.suppliers;
}

type Amounts = Readonly<Record<'debit' | 'fee' | 'owed', DecimalText>>;

/** What is owed is what was shown for it, without the fee: what the price has moved since is a difference of exchange. */
function amountsOf(
  { comparison: { shownPrice } }: Progress,
  { sendAmount, feeAmount }: KnownTransfer,
): Amounts {
  const debit = addDecimals(sendAmount, feeAmount);
  const shown = shownPrice === null ? sendAmount : subtractDecimals(shownPrice.debit, feeAmount);
  return { debit, fee: feeAmount, owed: shown.startsWith('-') ? sendAmount : shown };
}

function linesOf(
  { from, owedTo, debit, fee, owed }: Amounts & { readonly from: string; readonly owedTo: string },
  rules: JournalRules,
): readonly JournalLine[] {
  const { accounts, banks } = rules;
  const inBooks = (amount: DecimalText) => booked(amount, from, rules);
  const difference = inBooks(debit) - inBooks(fee) - inBooks(owed);
  const abroad = (amount: DecimalText): bigint | null =>
    from === rules.currency ? null : toUnits(amount, decimalsIn(from));
  const moved = subtractDecimals(subtractDecimals(debit, fee), owed);
  const bank = abroad(debit);
  return [
    debited(owedTo, inBooks(owed), abroad(owed)),
    debited(accounts.fees, inBooks(fee), abroad(fee)),
    difference < 0n
      ? credited(accounts.exchangeGain, -difference, abroad(moved))
      : debited(accounts.exchangeLoss, difference, abroad(moved)),
    credited(banks[from] ?? accounts.bank, inBooks(debit), bank === null ? null : -bank),
  ].filter((line) => line.debit + line.credit !== 0n);
}

function debited(account: string, debit: bigint, foreign: bigint | null): JournalLine {
  return { account, debit, credit: 0n, foreign };
}

function credited(account: string, credit: bigint, foreign: bigint | null): JournalLine {
  return { account, debit: 0n, credit, foreign };
}

/** In minor units of the books. */
function booked(amount: DecimalText, from: string, { currency, rates }: JournalRules): bigint {
  if (from === currency) return toUnits(amount, decimalsIn(currency));
  const pair = `${from}/${currency}`;
  const rate = rates?.[pair];
  if (rate === undefined) throw new ToldError(sentence('journal.noRate', { pair }));
  return toUnits(multiplyDecimals(amount, rate), decimalsIn(currency));
}

export function decimalsIn(currency: string): number {
  return currencyDecimals(currency) ?? 0;
}

/** The same lines on the other side, on the day on which it was seen to have come back. */
function reversalOf(paid: JournalEntry, { finalAt }: Progress): JournalEntry {
  return {
    ...paid,
    kind: 'reversal',
    piece: paid.piece.replace('P', 'R'),
    date: finalAt?.slice(0, DAY_LENGTH) ?? paid.date,
    lines: paid.lines.map(({ account, debit, credit, foreign }) => ({
      account,
      debit: credit,
      credit: debit,
      foreign: foreign === null ? null : -foreign,
    })),
  };
}
