// What a record that another run wrote leaves uncertain. It may be older than what that run did last, and our first own record would hide that.
import type { RowRecord } from '../ledger/records.ts';
import { furthest, type Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import type { DueRow } from './tools.ts';

/** What our own records have to say of the run before, which the first of them hides: an intent of another run may have been followed by its confirm. */
export function takenOver(due: DueRow): Pick<Progress, 'inherited' | 'confirm'> {
  const { confirm, stage } = due.row.progress;
  const isForeignIntent = !due.isOwnRecord && stage === 'confirming';
  return { inherited: isInherited(due), confirm: isForeignIntent ? furthest(confirm, 'sent') : confirm };
}

/** Whatever came of the first step after another run: the record that says so is our own, and must not pass for one that always was. */
export function asTakenOver(verdict: Verdict, due: DueRow): Verdict {
  if (due.isOwnRecord || !('learned' in verdict)) return verdict;
  return { ...verdict, learned: { ...takenOver(due), ...verdict.learned, inherited: true } };
}

/** Once taken over from another run an attempt stays so: our own records after that say nothing of what that run did last. */
export function isInherited({ row, isOwnRecord }: DueRow): boolean {
  return row.progress.inherited || !isOwnRecord;
}

/** The same for a write that follows no look: the next step has to look before it sends anything. */
export function unlooked(
  { progress, writtenBy }: RowRecord,
  run: string,
): Pick<Progress, 'inherited' | 'unsure'> {
  const isForeign = writtenBy !== run;
  return { inherited: progress.inherited || isForeign, unsure: progress.unsure || isForeign };
}
