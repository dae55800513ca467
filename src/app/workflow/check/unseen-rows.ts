// Of two lost rows that may be the same payment, which was paid is not known while reads may hide it: both wait until that is over, and nothing else.
import type { CrossCheck } from '../../../ledger/ledger.ts';
import type { Encounter, RowRecord } from '../../../ledger/records.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { heldUnseen } from '../resolve-doubt/held-unseen.ts';

/** Since when it is not known which of two lost rows in different files was paid, in ms; null where that is known, or one of them certainly is. */
export function unseenSince(row: RowRecord, encounters: readonly Encounter[]): number | null {
  const { rebuiltAt } = row.progress;
  if (rebuiltAt === null) return null;
  const isOpen = encounters.some(
    ({ other }) =>
      other.batch !== row.batch && (other.unseenSince !== null || BEFORE_CONFIRM.has(other.stage)),
  );
  return isOpen ? Math.max(rebuiltAt, latestUnseen(row, encounters) ?? rebuiltAt) : null;
}

/** When the last of the lost rows of other files was lost that nothing is seen of yet, in ms; null where all of them are seen. */
export function latestUnseen({ batch }: RowRecord, encounters: readonly Encounter[]): number | null {
  const since = encounters
    .filter(({ other }) => other.batch !== batch)
    .map(({ other }) => other.unseenSince)
    .filter((at) => at !== null);
  return since.length === 0 ? null : Math.max(...since);
}

/** Held until no read can hide what was sent of it, and looked for again then. */
export function unseen({ progress }: RowRecord, since: number | null): ReturnType<CrossCheck['judge']> {
  if (since === null) return null;
  return { progress: heldUnseen(progress, since), event: 'cross-check: may be hidden' };
}
