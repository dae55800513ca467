// How a file is treated: the same keys in the config, where each has a default, and in a profile, where it overrides them for its files.
import { z } from 'zod';

import { readPersonName } from '../../base/person-name.ts';
import { parseDuration } from '../../base/duration.ts';
import { INVALID_ROWS_POLICIES, STRATEGIES } from '../../ledger/records.ts';
import { amountsSchema } from './limits-config.ts';
import { says } from './config-unusable.ts';

const WRITE_DURATION = says('config.write.duration');

export const duration = z.string(WRITE_DURATION).transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  context.issues.push({ code: 'custom', message: WRITE_DURATION, input: text });
  return z.NEVER;
});

export const invalidRows = z.enum(INVALID_ROWS_POLICIES);

const NEEDS_APPROVAL = says('config.write.approval');

/** Whether somebody else has to approve a file before it is paid; amounts are totals that a file may reach without. */
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

/** What a profile may say of its own files. */
export const policyOverrides = z.strictObject({
  onInvalidRows: invalidRows.optional(),
  strategy: z.enum(STRATEGIES).optional(),
  duplicateWindow: duration.optional(),
  newAccount: z.enum(['warn', 'hold']).optional(),
  approval: approvalRule.optional(),
  maxDrift: percentage.optional(),
});
export type PolicyOverrides = z.output<typeof policyOverrides>;

/** The same as it was understood, kept beside a file. */
export const keptPolicy: z.ZodType<PolicyOverrides> = z.strictObject({
  onInvalidRows: invalidRows.optional(),
  strategy: z.enum(STRATEGIES).optional(),
  duplicateWindow: z.number().optional(),
  newAccount: z.enum(['warn', 'hold']).optional(),
  approval: z.union([z.enum(['none', 'required']), z.record(z.string(), z.string())]).optional(),
  maxDrift: percentage.optional(),
});

/** The config's policy with what a profile says otherwise. */
export function policyOf<T extends Required<PolicyOverrides>>(policy: T, overrides: PolicyOverrides = {}): T {
  const { onInvalidRows, strategy, duplicateWindow, newAccount, approval, maxDrift } = overrides;
  return {
    ...policy,
    onInvalidRows: onInvalidRows ?? policy.onInvalidRows,
    strategy: strategy ?? policy.strategy,
    duplicateWindow: duplicateWindow ?? policy.duplicateWindow,
    newAccount: newAccount ?? policy.newAccount,
    approval: approval ?? policy.approval,
    maxDrift: maxDrift ?? policy.maxDrift,
  };
}
