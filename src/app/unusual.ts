// What looks unusual about a payment before it is sent: advice for the person who looks at a preview, nothing is decided by it.
import { compareDecimals, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { accountKey, payeeKey } from '../payouts/payee.ts';
import { requestedCurrency, type Payout } from '../payouts/payout.ts';

/** Payments to a payee that are looked back on. */
const LOOK_BACK_ROWS = 20;

export class Unusual {
  readonly #ledger: Ledger;
  /** The first payee of each account in the file, with its row. */
  readonly #accounts = new Map<string, { readonly payee: string; readonly row: string }>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A sentence each. To be asked for every row of one file, in its order. */
  async warningsOf(row: string, payout: Payout): Promise<readonly string[]> {
    const payee = payeeKey(payout);
    const account = accountKey(payout);
    const before = await this.#ledger.paidTo(payee, LOOK_BACK_ROWS);
    const warnings = [this.#sharedAccount(row, payee, account)];
    if (before.length > 0 && before.every((paid) => paid.account !== account))
      warnings.push('This receiver was paid before, but never to this account.');
    const last = before.find((paid) => requestedCurrency(paid.payout) === requestedCurrency(payout));
    if (last !== undefined) warnings.push(muchMore(payout, last.payout, last.acceptedAt));
    return warnings.filter((warning) => warning !== null);
  }

  #sharedAccount(row: string, payee: string, account: string): string | null {
    const first = this.#accounts.get(account);
    if (first === undefined) this.#accounts.set(account, { payee, row });
    return first === undefined || first.payee === payee
      ? null
      : `Row ${first.row} pays another receiver on the same account.`;
  }
}

function muchMore(payout: Payout, last: Payout, acceptedAt: string): string | null {
  const currency = requestedCurrency(payout);
  if (compareDecimals(payout.requested.amount, tenfold(last.requested.amount)) < 0) return null;
  return `At least ten times the last payment to this receiver (${formatAmount(last.requested.amount, currency)} ${currency} on ${acceptedAt.slice(0, 10)}).`;
}

function tenfold(amount: DecimalText): DecimalText {
  const [whole = '0', decimals = ''] = amount.split('.');
  const text = `${whole}${decimals.slice(0, 1) || '0'}${decimals.length > 1 ? `.${decimals.slice(1)}` : ''}`;
  return text.replace(/^0+(?=\d)/, '');
}
