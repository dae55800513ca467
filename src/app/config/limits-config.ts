// Limits as the config writes them: `5000000 XAF`, or a list of such amounts, one a currency.
import { z } from 'zod';

import { fitsCurrency } from '../../base/currency.ts';
import { compareDecimals, toDecimalText } from '../../base/decimal.ts';
import type { Limit } from '../../payouts/limits.ts';
import { says } from './config-unusable.ts';

const AMOUNT = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/;

const WHAT_TO_WRITE = says('config.write.limit');

const amount = z.string(WHAT_TO_WRITE).regex(AMOUNT, WHAT_TO_WRITE);

/** At least one amount, each in its own currency. */
export const amountsSchema = z
  .union([amount, z.array(amount).min(1, WHAT_TO_WRITE)], { error: WHAT_TO_WRITE })
  .transform((written, context) => {
    const limit = readLimit(typeof written === 'string' ? [written] : written);
    if (limit !== null) return limit;
    context.issues.push({ code: 'custom', message: WHAT_TO_WRITE, input: written });
    return z.NEVER;
  });

export const limitSchema = amountsSchema.nullable().default(null);

/** In hundredths of a percent. */
export const shareSchema = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,2})?%$/, says('config.write.share'))
  .transform((text) => {
    const [whole = '', fraction = ''] = text.slice(0, -1).split('.');
    return Number(whole + fraction.padEnd(2, '0'));
  })
  .nullable()
  .default(null);

const PAIR = /^[A-Z]{3}\/[A-Z]{3}$/;

/** `XAF/EUR: 0.0015`: what one unit of the first currency has to bring of the second. */
export const ratesSchema = z
  .record(
    z.string().regex(PAIR, says('config.write.pair')),
    z.union([z.string(), z.number()]).transform((written, context) => {
      const rate = toDecimalText(String(written));
      if (rate !== null && compareDecimals(rate, '0') > 0) return rate;
      context.issues.push({
        code: 'custom',
        message: says('config.write.rate'),
        input: written,
      });
      return z.NEVER;
    }),
  )
  .nullable()
  .default(null);

/** Null for a currency that is unknown or named twice, and for decimals that it does not have. */
function readLimit(written: readonly string[]): NonNullable<Limit> | null {
  const limit = new Map<string, string>();
  for (const text of written) {
    const [, digits = '', currency = ''] = AMOUNT.exec(text) ?? [];
    const most = toDecimalText(digits);
    if (most === null || !fitsCurrency(most, currency) || limit.has(currency)) return null;
    limit.set(currency, most);
  }
  return Object.fromEntries(limit);
}
