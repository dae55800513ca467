// What looks unusual about a payment before it is sent: advice for the person who looks at a preview, nothing is decided by it.
import { formatAmount, moneyWords } from '../../../base/currency.ts';
import {
  type DecimalText,
  addDecimals,
  compareDecimals,
  subtractDecimals,
  withDecimals,
} from '../../../base/decimal.ts';
import type { Words } from '../../../base/language.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { PaidBefore } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { accountKey, payeeKey } from '../../../payouts/duplicates.ts';
import type { Payout } from '../../../payouts/payout.ts';
import type { PreviewRow } from '../../../results/preview.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { readBalances } from '../send/stops.ts';
import type { PayoutService } from '../../../service/payout-service.ts';
import type { Balance } from '../../../service/wire.ts';

/** Payments to a payee that are looked back on: most of two years of salaries. */
const LOOK_BACK_ROWS = 20;

/** What is known of a row before its price: the last payments to its receiver, and what they and the other rows say. */
type Look = { readonly before: readonly PaidBefore[]; readonly warnings: readonly Words[] };

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
function isNewAccount(account: string | null, before: readonly PaidBefore[]): boolean {
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
  const got = moneyWords(last.receiveAmount, targetCurrency);
  const date = last.acceptedAt.slice(0, 10);
  const tenTimes: Words = sentence('unusual.warningsOf', { got, date });
  return [...warnings, tenTimes];
}

/** The decimal mark moves by one digit. */
function tenfold(amount: DecimalText): DecimalText {
  const [whole = '', decimals = ''] = withDecimals(amount, 1).split('.');
  return `${whole}${decimals.slice(0, 1)}.${decimals.slice(1)}0`;
}

// A known receiver on an unknown account is how invoices are forged; where the policy says so, such a row waits for a person.

/** Positions of the rows of a registered batch whose receiver was never paid on their account, only on others. */
export async function newAccountRows(ledger: Ledger, batch: string): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for await (const { position, payout } of batchRows(ledger, batch)) {
    const payee = payout === null ? null : payeeKey(payout);
    if (payout === null || payee === null) continue;
    if (isNewAccount(accountKey(payout), await ledger.paidTo(payee, LOOK_BACK_ROWS))) found.add(position);
  }
  return found;
}

// What a previewed file would cost in each currency, against what the balance shows.

type Cost = { sendAmount: DecimalText; feeAmount: DecimalText };

export class PreviewTotals {
  readonly #service: PayoutService;
  readonly #costs = new Map<string, Cost>();
  #lines: readonly PreviewLine[] | null = null;
  /** Rows to fix. */
  wrong = 0;
  /** Rows that a run would not pay, because their references are known. */
  readonly met = { duplicate: 0, held: 0 };
  /** Those of them that another row of the same file stands against. */
  within = 0;
  /** Rows that look unusual. */
  warnings = 0;

  constructor(service: PayoutService) {
    this.#service = service;
  }

  add({ payout, price, warnings, met }: PreviewRow): void {
    if (met !== null) {
      this.met[met.outcome] += 1;
      if (met.isWithin === true) this.within += 1;
      return;
    }
    if (warnings.length > 0) this.warnings += 1;
    if (payout === null || price === null) {
      this.wrong += 1;
      return;
    }
    const cost = this.#costs.get(payout.sourceCurrency) ?? { sendAmount: '0', feeAmount: '0' };
    this.#costs.set(payout.sourceCurrency, {
      sendAmount: addDecimals(cost.sendAmount, price.sendAmount),
      feeAmount: addDecimals(cost.feeAmount, price.feeAmount),
    });
  }

  /** One line for each source currency, in order; to be asked for once every row was added. */
  async lines(): Promise<readonly PreviewLine[]> {
    this.#lines ??= await this.#compute();
    return this.#lines;
  }

  async #compute(): Promise<readonly PreviewLine[]> {
    const balances = await readBalances({ service: this.#service });
    return [...this.#costs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, cost]) => lineOf(currency, cost, balances));
  }
}

function lineOf(
  currency: string,
  { sendAmount, feeAmount }: Cost,
  balances: readonly Balance[],
): PreviewLine {
  const show = (amount: DecimalText) => formatAmount(amount, currency);
  const debit = addDecimals(sendAmount, feeAmount);
  const available = balances.find((balance) => balance.currency === currency)?.available ?? null;
  const missing = available === null ? null : subtractDecimals(debit, available);
  return {
    sourceCurrency: currency,
    sendAmount: show(sendAmount),
    feeAmount: show(feeAmount),
    debit: show(debit),
    availableAmount: available === null ? null : show(available),
    shortfall: missing === null ? null : show(compareDecimals(missing, '0') > 0 ? missing : '0'),
  };
}
