// What looks unusual about a payment before it is sent: advice for the person who reads a preview; it decides nothing.
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
import type { BatchRecord, PaidBefore } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { accountKey, payeeKey } from '../../../payouts/payment-keys.ts';
import type { Payout } from '../../../payouts/payout.ts';
import type { PreviewRow } from '../../../results/preview.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { readBalances } from '../carry/stops.ts';
import type { PayoutService } from '../../../service/payout-service.ts';
import type { Balance } from '../../../service/wire.ts';
import type { Records } from '../../parts.ts';
import {
  type Verified,
  verifiedFor,
  type VerifiedForFile,
  verifiedKey,
} from '../../people/verified-accounts.ts';

/** How many earlier payments to a payee are considered: most of two years of salaries. */
const LOOK_BACK_ROWS = 20;

/** What is known of a row before its price: the last payments to its receiver, and the warnings from them and from the other rows. */
type Look = { readonly before: readonly PaidBefore[]; readonly warnings: readonly Warning[] };

/** A payee who was paid before, never on this account, or on one that somebody has come to doubt; `verified`: null where nobody has asked the payee. */
type AccountChange = {
  readonly before: readonly PaidBefore[];
  readonly verified: Verified | null;
};

/** `changed_account`: see `AccountChange`, `verified_account` where somebody has verified it; `before`: the end of the last one. */
export type Warning = {
  readonly kind: 'changed_account' | 'verified_account' | 'shared_account' | 'ten_times';
  readonly words: Words;
  readonly before?: string | null;
  /** Who has verified the account. */
  readonly by?: string;
};

/** Payees whose last payments are known without asking again. */
const PAYEES_KEPT = 1_000;

/** The last payments to a payee. Where one name fills a file, a search for them passes all its rows: for each of them, that would take hours. */
export class LastPayments {
  readonly #ledger: Pick<Ledger, 'paidTo'>;
  readonly #verified: VerifiedForFile;
  readonly #known = new Map<string, Promise<readonly PaidBefore[]>>();

  constructor(ledger: Pick<Ledger, 'paidTo'>, verified: VerifiedForFile) {
    this.#ledger = ledger;
    this.#verified = verified;
  }

  /** Null where the receiver was never paid, or also on this account and nobody doubts it. */
  async changeOf(payee: string | null, account: string | null): Promise<AccountChange | null> {
    if (payee === null || account === null) return null;
    const before = await this.to(payee);
    const verified = this.#verified.get(verifiedKey(payee, account)) ?? null;
    const isDoubted = verified?.isWithdrawn === true;
    const isKnown = !isDoubted && before.some((paid) => paid.account === account);
    if (before.length === 0 || isKnown) return null;
    return { before, verified };
  }

  to(payee: string): Promise<readonly PaidBefore[]> {
    const found = this.#known.get(payee) ?? this.#ledger.paidTo(payee, LOOK_BACK_ROWS);
    this.#known.set(payee, found);
    for (const oldest of this.#known.keys())
      if (this.#known.size > PAYEES_KEPT) this.#known.delete(oldest);
      else break;
    return found;
  }
}

export class Unusual {
  readonly #paid: LastPayments;
  /** The first payee of each account in the file, with its row. */
  readonly #accounts = new Map<string, { readonly payee: string | null; readonly row: string }>();

  constructor(ledger: Pick<Ledger, 'paidTo'>, verified: VerifiedForFile) {
    this.#paid = new LastPayments(ledger, verified);
  }

  /** The warnings of a row before it is priced. Call it for every row of one file, in order. */
  async look(row: string, payout: Payout): Promise<Look> {
    const payee = payeeKey(payout);
    const account = accountKey(payout);
    // Before any wait, so that the order of the rows decides which is the first.
    const shared = this.#sharedAccount(row, payee, account);
    const before = payee === null ? [] : await this.#paid.to(payee);
    const changed = changedAccount(await this.#paid.changeOf(payee, account));
    return { before, warnings: [shared, changed].filter((warning) => warning !== null) };
  }

  #sharedAccount(row: string, payee: string | null, account: string | null): Warning | null {
    if (account === null) return null;
    const first = this.#accounts.get(account);
    if (first === undefined) this.#accounts.set(account, { payee, row });
    return first === undefined || first.payee === payee
      ? null
      : { kind: 'shared_account', words: sentence('unusual.sharedAccount', { row: first.row }) };
  }
}

/** Whether an account has changed, and nobody's word for it counts. */
export function isUnverified(change: AccountChange | null): boolean {
  return change !== null && change.verified?.isWithdrawn !== false;
}

function changedAccount(change: AccountChange | null): Warning | null {
  if (change === null) return null;
  const { before, verified } = change;
  const shown = before[0]?.shownAccount ?? null;
  if (verified !== null) {
    const { by, at, isWithdrawn } = verified;
    const told = { by, date: at.slice(0, 10) };
    return isWithdrawn
      ? { kind: 'changed_account', words: sentence('unusual.withdrawnAccount', told), before: shown }
      : { kind: 'verified_account', words: sentence('unusual.verifiedAccount', told), before: shown, by };
  }
  const words =
    before.length === 1
      ? sentence('unusual.newAccount.lastPaymentReceiver')
      : sentence('unusual.newAccount.lastPaymentsReceiver', { length: before.length });
  return { kind: 'changed_account', words, before: shown };
}

/** All warnings of a row, a sentence each, once the amount that its receiver would get is known. */
export function warningsOf(
  { before, warnings }: Look,
  { targetCurrency }: Payout,
  receiveAmount: DecimalText,
): readonly Warning[] {
  const last = before.find((paid) => paid.targetCurrency === targetCurrency);
  if (last === undefined || compareDecimals(receiveAmount, tenfold(last.receiveAmount)) < 0) return warnings;
  const got = moneyWords(last.receiveAmount, targetCurrency);
  const date = last.acceptedAt.slice(0, 10);
  const tenTimes: Words = sentence('unusual.warningsOf', { got, date });
  return [...warnings, { kind: 'ten_times', words: tenTimes }];
}

/** A decimal mark in the wrong place multiplies by ten. */
function tenfold(amount: DecimalText): DecimalText {
  const [whole = '', decimals = ''] = withDecimals(amount, 1).split('.');
  return `${whole}${decimals.slice(0, 1)}.${decimals.slice(1)}0`;
}

// A known receiver with an unknown account is the way invoices are forged; if the policy says so, such a row waits for a person.

/** Positions of the rows of a registered batch whose receiver was paid before, but never on this account, and nobody has verified it. */
export async function newAccountRows(
  records: Pick<Records, 'ledger' | 'workspace' | 'clock'>,
  batch: BatchRecord,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const paid = new LastPayments(records.ledger, verifiedFor(records, batch));
  for await (const { position, payout } of batchRows(records.ledger, batch.id)) {
    const change = payout && (await paid.changeOf(payeeKey(payout), accountKey(payout)));
    if (isUnverified(change)) found.add(position);
  }
  return found;
}

// The cost of a previewed file in each currency, compared with the balance.

type Cost = { sendAmount: DecimalText; feeAmount: DecimalText };

export class PreviewTotals {
  readonly #service: PayoutService;
  readonly #costs = new Map<string, Cost>();
  #lines: readonly PreviewLine[] | null = null;
  /** Rows to correct. */
  wrong = 0;
  /** Rows that a run would not pay, because their references are known. */
  readonly met = { duplicate: 0, held: 0 };
  /** How many of them conflict with another row of the same file. */
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

  /** One line for each source currency, in order; call it after every row was added. */
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
