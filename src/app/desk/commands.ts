// One function for each command that changes something, for the command line, a page and a program alike. None of them prints, and each loads only
// what it needs: a command that asks the service nothing starts at once.
import type { Words } from '../../base/language.ts';
import type { Paydrop, Records } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { DecisionEnd, DecisionOrder } from '../workflow/approval/decide-approval.ts';
import type { BatchResult } from '../workflow/batch-result.ts';
import type { ReleaseEnd, ReleaseOrder } from '../workflow/decisions/release-rows.ts';
import type { Rebuilt } from '../workflow/resolve-doubt/rebuild-ledger.ts';

/** `again`: bytes that were paid before are paid once more; `by`: who is known to bring the files. */
export type RunOrder = { readonly again: boolean; readonly by: readonly string[] };

/** Pays files one after the other; those that are left when the process is asked to stop are not begun. Throws what `describeError` puts into words. */
export async function run(
  paydrop: Paydrop,
  files: readonly string[],
  control: RunControl,
  { again, by }: RunOrder,
): Promise<readonly BatchResult[]> {
  const { processBatch } = await import('../workflow/process-batch.ts');
  await openWork(paydrop);
  const results: BatchResult[] = [];
  for (const file of files)
    if (!control.signal.aborted) results.push(await processBatch(paydrop, file, control, again, by));
  return results;
}

/** To be called before anything is paid, once a process: what a lost ledger has left is settled first. Throws `LedgerForgetful`. */
export async function openWork(paydrop: Paydrop): Promise<void> {
  const { assertLedgerKnowsAll } = await import('../workflow/resolve-doubt/known-batches.ts');
  const { settleRebuilt } = await import('../workflow/resolve-doubt/settle-rebuilt.ts');
  await assertLedgerKnowsAll(paydrop);
  await settleRebuilt(paydrop);
}

/** Goes on with one batch, or with all that are not finished. Null when there is no batch of that name. */
export async function resume(
  paydrop: Paydrop,
  batch: string | null,
  control: RunControl,
): Promise<readonly BatchResult[] | null> {
  const { resumeBatches } = await import('../workflow/resume-batches.ts');
  return resumeBatches(paydrop, batch, control);
}

export async function approve(records: Records, batch: string, order: DecisionOrder): Promise<DecisionEnd> {
  const { approveBatch } = await import('../workflow/approval/decide-approval.ts');
  return approveBatch(records, batch, order);
}

/** `isLeft`: no other process has the batch, so whoever declined it closes it with `resume`. */
export async function decline(
  records: Records,
  batch: string,
  order: DecisionOrder & { readonly reason: string },
): Promise<{ readonly end: DecisionEnd; readonly isLeft: boolean }> {
  const { isCarriedElsewhere } = await import('../workflow/approval/carried-elsewhere.ts');
  const { declineBatch } = await import('../workflow/approval/decide-approval.ts');
  const end = await declineBatch(records, batch, order);
  return { end, isLeft: end.kind === 'decided' && !(await isCarriedElsewhere(records, batch)) };
}

/** `finished`: there was nothing to pause. Null when there is no batch of that name. */
export async function pause(records: Records, batch: string): Promise<'paused' | 'finished' | null> {
  const { pauseBatch } = await import('../workflow/decisions/pause-batch.ts');
  if ((await records.ledger.batch(batch)) === null) return null;
  return (await pauseBatch(records, batch)) ? 'paused' : 'finished';
}

/**
 * Lets held rows go, or cancels them; `isDone`: all that was asked for. Null when there is no batch of that name.
 * @param records the whole of paydrop where rows are to be cancelled: they are looked up at the service first.
 */
export async function release(
  records: Records | Paydrop,
  batch: string,
  order: ReleaseOrder,
): Promise<{ readonly end: ReleaseEnd; readonly isDone: boolean } | null> {
  const { releaseRows } = await import('../workflow/decisions/release-rows.ts');
  const known = await records.ledger.batch(batch);
  if (known === null) return null;
  const end = await releaseRows(records, known, order);
  const { onlySkip, left, closedBefore, unasked } = end;
  return { end, isDone: onlySkip.length + left.length + closedBefore.length === 0 && unasked === null };
}

/** Recreates a lost ledger for files that were paid before, from the service alone; pays nothing. */
export async function rebuild(
  paydrop: Paydrop,
  files: readonly string[],
  control: RunControl,
): Promise<{ readonly rebuilt: readonly Rebuilt[]; readonly leftOut: readonly Words[] }> {
  const { rebuildFiles } = await import('../workflow/resolve-doubt/rebuild-ledger.ts');
  return rebuildFiles(paydrop, files, control);
}

/** What people are to be told is told at the end of a command, after its own words, if that is quickly done. */
export async function tellPeople(paydrop: Paydrop, signal: AbortSignal): Promise<void> {
  const { tellAtEnd } = await import('../notify/tell-at-end.ts');
  await tellAtEnd(paydrop, signal);
}
