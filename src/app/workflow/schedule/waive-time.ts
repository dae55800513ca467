// What a person decides about a file that waits for its time, or has missed it: a missed one may be paid after all, and either may be
// cancelled. Nobody's word pays a file before its time.
import { isoTime } from '../../../base/clock.ts';
import type { BatchRevision } from '../../../ledger/ledger.ts';
import type { BatchRecord, Decision } from '../../../ledger/records.ts';
import type { StoppedBy } from '../../../payouts/verdict.ts';
import type { Records } from '../../parts.ts';

export function waitsForTime({ state, wait }: BatchRecord): boolean {
  return state === 'accepted' && (wait?.for === 'schedule' || wait?.for === 'missed-time');
}

/** To be called once the rows are closed, where they are. Gives what stopped the file and does no more. */
export async function waiveTime(
  { ledger, clock }: Pick<Records, 'ledger' | 'clock'>,
  { id, wait }: BatchRecord,
  { by, reason, skip }: Pick<Decision, 'by' | 'reason'> & { readonly skip: boolean },
): Promise<StoppedBy | null> {
  const counts = await ledger.stageCounts(id);
  const isLeft = (counts.get('ready') ?? 0) + (counts.get('quoted') ?? 0) > 0;
  // A row that was not closed must not be paid because the others were.
  const missed = wait?.for === 'missed-time' ? wait.for : null;
  if (skip ? isLeft : missed === null) return null;
  const decision: Decision = { about: 'time', by, reason, at: isoTime(clock.now()) };
  await ledger.revise(id, ({ decisions }) => decided(decisions, decision));
  return missed;
}

/** What a batch was stopped for stops it no more. */
export function decided(decisions: readonly Decision[], decision: Decision): BatchRevision {
  const event = `decided about ${decision.about} by ${decision.by}: ${decision.reason}`;
  return { change: { decisions: [...decisions, decision], wait: null }, event };
}
