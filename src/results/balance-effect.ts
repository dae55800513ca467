// What a transfer does to a balance: debited once it is paid, reserved while it may still be. Differences are explained in these two sums.
import { addDecimals, subtractDecimals, type DecimalText } from '../base/decimal.ts';
import { debitOf } from '../service/wire.ts';

/** In one source currency; of a difference both may be below zero. */
export type BalanceEffect = { readonly debited: DecimalText; readonly reserved: DecimalText };

export type Amounts = { readonly sendAmount: DecimalText; readonly feeAmount: DecimalText };

export const NO_EFFECT: BalanceEffect = { debited: '0', reserved: '0' };

/** The effect of a transfer of these amounts in this status; a status that the interface does not have counts for nothing. */
export function effectOf(status: string, amounts: Amounts): BalanceEffect {
  const isReserved = status === 'created' || status === 'submitted';
  return {
    debited: status === 'paid' ? debitOf(amounts) : '0',
    reserved: isReserved ? debitOf(amounts) : '0',
  };
}

export function addEffects(a: BalanceEffect, b: BalanceEffect): BalanceEffect {
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
