// What a previewed file would cost in each currency, against what the balance shows.
import { addDecimals, compareDecimals, subtractDecimals, type DecimalText } from '../../../base/decimal.ts';
import { formatAmount } from '../../../base/currency.ts';
import type { PreviewRow } from '../../../results/preview.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { isFault } from '../../../service/errors.ts';
import type { PayoutService } from '../../../service/payout-service.ts';
import type { Balance } from '../../../service/wire.ts';

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
    const balances = await this.#balances();
    return [...this.#costs]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, cost]) => lineOf(currency, cost, balances));
  }

  async #balances(): Promise<readonly Balance[]> {
    try {
      return (await this.#service.balances()).value;
    } catch (error) {
      // The cost is known without them.
      if (isFault(error)) return [];
      throw error;
    }
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
