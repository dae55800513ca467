// What a person decides about a file that waits for its time, or has missed it: a missed one may be paid after all, and either may be
// cancelled. Nobody's word pays a file before its time.
import type { BatchRecord, Decision } from '../../../ledger/records.ts';
import type { StoppedBy } from '../../../payouts/verdict.ts';
import type { Records } from '../../parts.ts';

export function waitsForTime({ state, wait }: BatchRecord): boolean {
  return state === 'accepted' && (wait?.for === 'schedule' || wait?.for === 'missed-time');
}

/** To be called once the rows are closed, where they are. Gives what stopped the file and does no more. */
export async function waiveTime(
  { ledger }: Pick<Records, 'ledger'>,
  { id, wait }: BatchRecord,
  { by, reason, skip }: Decision & { readonly skip: boolean },
): Promise<StoppedBy | null> {
  const counts = await ledger.stageCounts(id);
  const isLeft = (counts.get('ready') ?? 0) + (counts.get('quoted') ?? 0) > 0;
  // A row that was not closed must not be paid because the others were.
  const missed = wait?.for === 'missed-time' ? wait.for : null;
  if (skip ? isLeft : missed === null) return null;
  await ledger.changeBatch(id, { timeWaived: { by, reason }, wait: null });
  return missed;
}
