// What looks unusual about a payment before it is sent: advice for the person who looks at a preview, nothing is decided by it.
import type { Words } from '../../../base/language.ts';
import { compareDecimals, withDecimals, type DecimalText } from '../../../base/decimal.ts';
import { formatAmount } from '../../../base/currency.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { PaidBefore } from '../../../ledger/records.ts';
import { accountKey, payeeKey } from '../../../payouts/duplicates.ts';
import type { Payout } from '../../../payouts/payout.ts';
import { sentence } from '../../../messages/messages.ts';

/** Payments to a payee that are looked back on: most of two years of salaries. */
export const LOOK_BACK_ROWS = 20;

/** What is known of a row before its price: the last payments to its receiver, and what they and the other rows say. */
export type Look = { readonly before: readonly PaidBefore[]; readonly warnings: readonly Words[] };

export class Unusual {
  readonly #ledger: Ledger;
  /** The first payee of each account in the file, with its row. */
  readonly #accounts = new Map<string, { readonly payee: string | null; readonly row: string }>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** What a row shows before it is priced. To be asked for every row of one file, in its order. */
  async look(row: string, payout: Payout): Promise<Look> {
    const payee = payeeKey(payout);
    const account = accountKey(payout);
    // Before anything is waited for, so that the order of the rows decides which is the first.
    const shared = this.#sharedAccount(row, payee, account);
    const before = payee === null ? [] : await this.#ledger.paidTo(payee, LOOK_BACK_ROWS);
    return { before, warnings: [shared, newAccount(account, before)].filter((warning) => warning !== null) };
  }

  #sharedAccount(row: string, payee: string | null, account: string | null): Words | null {
    if (account === null) return null;
    const first = this.#accounts.get(account);
    if (first === undefined) this.#accounts.set(account, { payee, row });
    return first === undefined || first.payee === payee
      ? null
      : sentence('unusual.sharedAccount', { row: first.row });
  }
}

/** True for a receiver who was paid before, and never on this account. */
export function isNewAccount(account: string | null, before: readonly PaidBefore[]): boolean {
  return account !== null && before.length > 0 && before.every((paid) => paid.account !== account);
}

function newAccount(account: string | null, before: readonly PaidBefore[]): Words | null {
  if (!isNewAccount(account, before)) return null;
  return before.length === 1
    ? sentence('unusual.newAccount.lastPaymentReceiver')
    : sentence('unusual.newAccount.lastPaymentsReceiver', { length: before.length });
}

/** All that looks unusual of a row, a sentence each, once it is known what its receiver would get. */
export function warningsOf(
  { before, warnings }: Look,
  { targetCurrency }: Payout,
  receiveAmount: DecimalText,
): readonly Words[] {
  const last = before.find((paid) => paid.targetCurrency === targetCurrency);
  if (last === undefined || compareDecimals(receiveAmount, tenfold(last.receiveAmount)) < 0) return warnings;
  const got = `${formatAmount(last.receiveAmount, targetCurrency)} ${targetCurrency}`;
  const date = last.acceptedAt.slice(0, 10);
  const tenTimes: Words = sentence('unusual.warningsOf', { got, date });
  return [...warnings, tenTimes];
}

/** The decimal mark moves by one digit. */
function tenfold(amount: DecimalText): DecimalText {
  const [whole = '', decimals = ''] = withDecimals(amount, 1).split('.');
  return `${whole}${decimals.slice(0, 1)}.${decimals.slice(1)}0`;
}
