// Debited and reserved money by file, by ledger and by service, and the sum of the differences, in each source currency. The first and the
// last make the third to the minor unit, or a difference was overlooked.
import { formatAmount } from '../base/currency.ts';
import { addEffects, NO_EFFECT, type BalanceEffect } from './balance-effect.ts';

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
