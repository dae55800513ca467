// The money of the organization as a double-entry book: for each source currency, what was deposited always equals what is available,
// pending and debited together. Every movement takes from one part exactly what it gives to another.
import { addDecimals, compareDecimals, subtractDecimals, type DecimalText } from '../base/decimal.ts';
import { exactNumber } from '../base/exact-json.ts';
import { success, type SandboxReply } from './answers.ts';
import type { Book, Sandbox, State } from './state.ts';

export const OPENING_BALANCES = { XAF: '500000000', EUR: '1000000', USD: '1000000' } as const;

/** The movements of the interface's balance effects: the part that each takes from, and the part that it gives to. */
const MOVEMENTS = {
  /** `POST /transfers` reserves. */
  reserve: { from: 'availableAmount', to: 'pendingAmount' },
  /** `paid` debits. */
  debit: { from: 'pendingAmount', to: 'debitedAmount' },
  /** `failed` releases. */
  release: { from: 'pendingAmount', to: 'availableAmount' },
  /** A reversal after payout brings the funds back. */
  giveBack: { from: 'debitedAmount', to: 'availableAmount' },
} as const satisfies Readonly<Record<string, { from: keyof Book; to: keyof Book }>>;
export type Movement = keyof typeof MOVEMENTS;

/** The book after `amount` was moved. A part that would go below zero is a bug of the caller. */
export function move(book: Book, movement: Movement, amount: DecimalText): Book {
  const { from, to } = MOVEMENTS[movement];
  const left = subtractDecimals(book[from], amount);
  if (compareDecimals(left, '0') < 0) throw new Error(`${movement} takes more than there is`);
  return { ...book, [from]: left, [to]: addDecimals(book[to], amount) };
}

/** True when the available part covers `amount`. */
export function covers(book: Book, amount: DecimalText): boolean {
  return compareDecimals(book.availableAmount, amount) >= 0;
}

/** The book with another available part; the difference counts as deposited, or as withdrawn when it is negative. */
export function withAvailable(book: Book, availableAmount: DecimalText): Book {
  const difference = subtractDecimals(availableAmount, book.availableAmount);
  return { ...book, availableAmount, depositedAmount: addDecimals(book.depositedAmount, difference) };
}

/** The book of a source currency; there is one for each from the start. */
export function bookOf(state: State, currency: string): Book {
  const book = state.books.get(currency);
  if (book === undefined) throw new Error(`no book in ${currency}`);
  return book;
}

/** A book that was opened with one deposit. */
export function openBook(currency: string, deposit: DecimalText): Book {
  return {
    currency,
    availableAmount: deposit,
    pendingAmount: '0',
    debitedAmount: '0',
    depositedAmount: deposit,
  };
}

/** `GET /public/balances`. The record is not shown: here it is an array with, for each source currency, the two parts of its balance. */
export function readBalances({ state }: Sandbox): SandboxReply {
  return success(
    [...state.books.values()].map(({ currency, availableAmount, pendingAmount }) => ({
      currency,
      availableAmount: exactNumber(availableAmount),
      pendingAmount: exactNumber(pendingAmount),
    })),
  );
}
