// A ledger of an earlier release is brought up to this one (schema migration): numbered steps forward, in one commit with the new number. There is no step back.
import { sentence } from '../messages/messages.ts';
import { LedgerUnusable } from './ledger-unusable.ts';

/** By the number that a step starts from: what it changes. A step that was released stays as it is. */
export type UpgradeSteps = ReadonlyMap<number, string>;

/** The step to records that an earlier release would misread, such as an approval that is the first of two. */
export const SAME_TABLES = '';

/** The steps from a schema to a later one, in their order; null where there is no way. */
export function stepsBetween(steps: UpgradeSteps, from: number, to: number): readonly string[] | null {
  const found = Array.from({ length: Math.max(0, to - from) }, (_none, index) => steps.get(from + index));
  return found.length > 0 && found.every((step) => step !== undefined) ? found : null;
}

/** Batches that only the release before can take to their acceptance: of a message that names several days, which it had one of for each. */
export const UNFINISHED_THERE = `
  SELECT 1 AS is_any FROM batches WHERE state = 'agreeing'
      OR (state IN ('taking', 'checking', 'pricing') AND file_id LIKE '%#____-__-__%' AND record NOT LIKE '%"standing"%') LIMIT 1`;

export function upgradeOfDays(): LedgerUnusable {
  return new LedgerUnusable(sentence('ledger.upgradeDays'));
}

/** Somebody works with a ledger of an earlier release. */
export function upgradeWaits(written: number): LedgerUnusable {
  return new LedgerUnusable(sentence('ledger.upgradeWaits', { written: String(written) }));
}
