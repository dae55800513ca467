// Debited and reserved money by file, by ledger and by service, and the sum of the differences, in each source currency. File plus differences
// must equal service to the minor unit, or a difference was overlooked.
import { formatAmount } from '../base/currency.ts';
import { type DecimalText, addDecimals, subtractDecimals } from '../base/decimal.ts';
import type { RowRecord } from '../ledger/records.ts';
import { debitOf } from '../service/wire.ts';

export const MONEY_SIDES = ['file', 'ledger', 'service', 'differences'] as const;
export type MoneySide = (typeof MONEY_SIDES)[number];

/** Amounts with the currency's decimals. */
export type MoneyLine = { readonly sourceCurrency: string } & Readonly<Record<MoneySide, BalanceEffect>>;

export class MoneyTally {
  readonly #sums = new Map<string, Record<MoneySide, BalanceEffect>>();

  add(sourceCurrency: string, side: MoneySide, effect: BalanceEffect): void {
    const sums = this.#sums.get(sourceCurrency) ?? {
      file: NO_EFFECT,
      ledger: NO_EFFECT,
      service: NO_EFFECT,
      differences: NO_EFFECT,
    };
    this.#sums.set(sourceCurrency, { ...sums, [side]: addEffects(sums[side], effect) });
  }

  addAll(other: MoneyTally): void {
    for (const [currency, sums] of other.#sums)
      for (const side of MONEY_SIDES) this.add(currency, side, sums[side]);
  }

  lines(): readonly MoneyLine[] {
    return [...this.#sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([sourceCurrency, { file, ledger, service, differences }]) => ({
        sourceCurrency,
        file: formatted(file, sourceCurrency),
        ledger: formatted(ledger, sourceCurrency),
        service: formatted(service, sourceCurrency),
        differences: formatted(differences, sourceCurrency),
      }));
  }
}

function formatted({ debited, reserved }: BalanceEffect, currency: string): BalanceEffect {
  return { debited: formatAmount(debited, currency), reserved: formatAmount(reserved, currency) };
}

// The effect of a transfer on a balance: debited once it is paid, reserved while it may still be. Differences are explained in these two sums.

/** In one source currency; for a difference, both may be below zero. */
export type BalanceEffect = { readonly debited: DecimalText; readonly reserved: DecimalText };

export type Amounts = { readonly sendAmount: DecimalText; readonly feeAmount: DecimalText };

export const NO_EFFECT: BalanceEffect = { debited: '0', reserved: '0' };

/** The effect of a transfer of these amounts in this status; a status that the interface does not have has no effect. */
export function effectOf(status: string, amounts: Amounts): BalanceEffect {
  const isReserved = status === 'created' || status === 'submitted';
  return {
    debited: status === 'paid' ? debitOf(amounts) : '0',
    reserved: isReserved ? debitOf(amounts) : '0',
  };
}

function addEffects(a: BalanceEffect, b: BalanceEffect): BalanceEffect {
  return { debited: addDecimals(a.debited, b.debited), reserved: addDecimals(a.reserved, b.reserved) };
}

/** `a - b`. */
export function subtractEffects(a: BalanceEffect, b: BalanceEffect): BalanceEffect {
  return {
    debited: subtractDecimals(a.debited, b.debited),
    reserved: subtractDecimals(a.reserved, b.reserved),
  };
}

export function isNoEffect({ debited, reserved }: BalanceEffect): boolean {
  return debited === '0' && reserved === '0';
}

// The currencies in which a row is paid. A row that can no longer be read as a payment may have been paid all the same. Then only its transfer
// tells the currencies, and its money must not be missing in any sum.

export type RowCurrencies = { readonly sourceCurrency: string; readonly targetCurrency: string };

/** @param seen the transfer as the service shows it now. Null where nothing was sent. */
export function rowCurrencies(
  { payout, progress: { transfer } }: Pick<RowRecord, 'payout' | 'progress'>,
  seen: { readonly sourceCurrency: string; readonly destinationCurrency: string } | null = null,
): RowCurrencies | null {
  if (payout !== null) return payout;
  const sourceCurrency = transfer?.sourceCurrency ?? seen?.sourceCurrency;
  const targetCurrency = transfer?.destinationCurrency ?? seen?.destinationCurrency;
  return sourceCurrency === undefined || targetCurrency === undefined
    ? null
    : { sourceCurrency, targetCurrency };
}
