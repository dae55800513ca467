// How a file is treated: the same keys in the config, where each has a default, and in a profile, where it overrides them for its files.
import { z } from 'zod';

import { parseDuration } from '../../base/duration.ts';
import { INVALID_ROWS_POLICIES, STRATEGIES } from '../../ledger/records.ts';

export const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  context.issues.push({ code: 'custom', message: 'write a duration such as 2s, 15m or 5d', input: text });
  return z.NEVER;
});

export const invalidRows = z.enum(INVALID_ROWS_POLICIES);

/** What a profile may say of its own files. */
export const policyOverrides = z.strictObject({
  onInvalidRows: invalidRows.optional(),
  strategy: z.enum(STRATEGIES).optional(),
  duplicateWindow: duration.optional(),
  newAccount: z.enum(['warn', 'hold']).optional(),
});
export type PolicyOverrides = z.output<typeof policyOverrides>;

/** The config's policy with what a profile says otherwise. */
export function policyOf<T extends Required<PolicyOverrides>>(policy: T, overrides: PolicyOverrides = {}): T {
  const { onInvalidRows, strategy, duplicateWindow, newAccount } = overrides;
  return {
    ...policy,
    onInvalidRows: onInvalidRows ?? policy.onInvalidRows,
    strategy: strategy ?? policy.strategy,
    duplicateWindow: duplicateWindow ?? policy.duplicateWindow,
    newAccount: newAccount ?? policy.newAccount,
  };
}
