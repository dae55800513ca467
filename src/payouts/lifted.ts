// What a person let a row cost. Who lifts a limit has seen what the row comes to: at a worse price, or for another limit, the question is a new one.
import { addDecimals, compareDecimals, multiplyDecimals, type DecimalText } from '../base/decimal.ts';
import { debitOf } from '../service/wire.ts';
import { isLimitCode, type LimitCode } from './hold.ts';
import type { Limits, Price } from './limits.ts';
import type { Lifted, Progress } from './progress.ts';

/** Those that are lifted once a person has released the row from what holds it. */
export function liftedBy({ hold, transfer, price, lifted }: Progress): readonly Lifted[] {
  const seen = transfer ?? price;
  if (hold === null || !isLimitCode(hold.code) || seen === null) return lifted;
  const held = hold.code;
  const { receiveAmount } = seen;
  const others = lifted.filter(({ code }) => code !== held);
  return [...others, { code: held, debit: debitOf(seen), receiveAmount }];
}

/**
 * True when a person has lifted this limit for the row at such a price. Rates move with every minute, so `maxDrift` (0.01 for one percent) is
 * allowed on either side, as it is of what was approved.
 */
export function isLifted(
  { lifted }: Progress,
  code: LimitCode,
  asked: { readonly debit: DecimalText; readonly receiveAmount: DecimalText | null },
  maxDrift: DecimalText,
): boolean {
  const seen = lifted.find((each) => each.code === code);
  if (seen === undefined) return false;
  const worse = addDecimals('1', maxDrift);
  const isDearer = compareDecimals(asked.debit, multiplyDecimals(seen.debit, worse)) > 0;
  const { receiveAmount } = asked;
  const bringsLess =
    receiveAmount !== null && compareDecimals(multiplyDecimals(receiveAmount, worse), seen.receiveAmount) < 0;
  return !isDearer && !bringsLess;
}

/** @param price of which a limit of the price itself is asked. */
export function isPriceLifted(
  progress: Progress,
  code: LimitCode,
  price: Price,
  maxDrift: DecimalText,
): boolean {
  return isLifted(progress, code, { debit: debitOf(price), receiveAmount: price.receiveAmount }, maxDrift);
}

/** The limits that are left for a row that is to cost so much. */
export function limitsLeft(
  limits: Limits,
  progress: Progress,
  debit: DecimalText,
  maxDrift: DecimalText,
): Limits {
  const left = (code: LimitCode) => !isLifted(progress, code, { debit, receiveAmount: null }, maxDrift);
  return {
    ...limits,
    perRow: left('over_row_limit') ? limits.perRow : null,
    perPayeePerDay: left('over_payee_limit') ? limits.perPayeePerDay : null,
  };
}
