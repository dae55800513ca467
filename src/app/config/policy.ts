// The policy for a file: the same keys in the config, where each has a default, and in a profile, which overrides them for its files.
import { z } from 'zod';

import { fitsCurrency } from '../../base/currency.ts';
import { compareDecimals, type DecimalText, toDecimalText } from '../../base/decimal.ts';
import { parseDuration } from '../../base/duration.ts';
import { readPersonName } from '../../base/person-name.ts';
import { INVALID_ROWS_POLICIES, STRATEGIES } from '../../ledger/records.ts';
import type { Limit } from '../../payouts/limits.ts';
import { says } from './yaml-file.ts';

// Limits as the config writes them: `5000000 XAF`, or a list of such amounts, one for each currency.

const AMOUNT = /^(\d+(?:\.\d+)?) ([A-Z]{3})$/;

const WHAT_TO_WRITE = says('config.write.limit');

const amount = z.string(WHAT_TO_WRITE).regex(AMOUNT, WHAT_TO_WRITE);

/** At least one amount, each in its own currency. */
const amountsSchema = z
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

/** `XAF/EUR: 0.0015`: how much of the second currency one unit of the first must bring. */
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

const WRITE_DURATION = says('config.write.duration');

export const duration = z.string(WRITE_DURATION).transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  context.issues.push({ code: 'custom', message: WRITE_DURATION, input: text });
  return z.NEVER;
});

export const invalidRows = z.enum(INVALID_ROWS_POLICIES);

const NEEDS_APPROVAL = says('config.write.approval');

/** Whether another person has to approve a file before it is paid; a file whose totals do not exceed the amounts needs no approval. */
export const approvalRule = z.union([z.enum(['none', 'required']), amountsSchema], { error: NEEDS_APPROVAL });
export type ApprovalRule = z.output<typeof approvalRule>;

export const percentage = z.string().regex(/^\d{1,2}(\.\d{1,4})?%$/, says('config.write.percentage'));

/** A name that signs decisions. */
export const personName = z.string().transform((text, context) => {
  const name = readPersonName(text);
  if (name !== null) return name;
  context.issues.push({ code: 'custom', message: says('config.write.person'), input: text });
  return z.NEVER;
});

/** The policy keys that a profile may set for its own files. */
export const policyOverrides = z.strictObject({
  onInvalidRows: invalidRows.optional(),
  strategy: z.enum(STRATEGIES).optional(),
  duplicateWindow: duration.optional(),
  newAccount: z.enum(['warn', 'hold']).optional(),
  approval: approvalRule.optional(),
  maxDrift: percentage.optional(),
});
export type PolicyOverrides = z.output<typeof policyOverrides>;

/** The resolved policy, as the manifest of a file keeps it. */
export const keptPolicy: z.ZodType<PolicyOverrides> = z.strictObject({
  onInvalidRows: invalidRows.optional(),
  strategy: z.enum(STRATEGIES).optional(),
  duplicateWindow: z.number().optional(),
  newAccount: z.enum(['warn', 'hold']).optional(),
  approval: z.union([z.enum(['none', 'required']), z.record(z.string(), z.string())]).optional(),
  maxDrift: percentage.optional(),
});

type Approvals = { readonly approval: ApprovalRule; readonly twoApproversAbove: Limit };

/** The config's policy, with the overrides of a profile. What two people approve is asked about, whatever else is said. */
export function policyOf<T extends Required<PolicyOverrides> & Approvals>(
  policy: T,
  overrides: PolicyOverrides = {},
): T {
  const { onInvalidRows, strategy, duplicateWindow, newAccount, approval, maxDrift } = overrides;
  return {
    ...policy,
    onInvalidRows: onInvalidRows ?? policy.onInvalidRows,
    strategy: strategy ?? policy.strategy,
    duplicateWindow: duplicateWindow ?? policy.duplicateWindow,
    newAccount: newAccount ?? policy.newAccount,
    approval: approvalBelow(approval ?? policy.approval, policy.twoApproversAbove),
    maxDrift: maxDrift ?? policy.maxDrift,
  };
}

function approvalBelow(rule: ApprovalRule, twoAbove: Limit): ApprovalRule {
  if (twoAbove === null || rule === 'required') return rule;
  return rule === 'none' ? twoAbove : leastOf(rule, twoAbove);
}

/** What both leave; of a currency that one of them does not name, nothing. */
export function leastOf(a: NonNullable<Limit>, b: NonNullable<Limit>): NonNullable<Limit> {
  return Object.fromEntries(
    Object.entries(a).flatMap(([currency, amount]) => {
      const other = b[currency];
      return other === undefined ? [] : [[currency, least(amount, other)] as const];
    }),
  );
}

export function least(a: DecimalText, b: DecimalText): DecimalText {
  return compareDecimals(a, b) < 0 ? a : b;
}
