// What people do at the page beside the commands of the command line: they are shown what is asked, lift a pause, and stop everything.
import type { Words } from '../../base/language.ts';
import { removeStop, stopFileWords, writeStop } from '../../inbox/stop-file.ts';
import type { Records } from '../parts.ts';
import { type Question, questionOfBatch } from '../workflow/approval/decide-approval.ts';
import { liftPauses, type PauseOrder } from '../workflow/decisions/pause-batch.ts';

export type { Question };

/** What is asked about a batch; null where nobody was asked, or there is no such batch. */
export async function questionOf({ ledger }: Records, batch: string): Promise<Question | null> {
  const known = await ledger.batch(batch);
  return known === null ? null : questionOfBatch(known);
}

/** Of all batches, the one that was asked last first. */
export async function questions({ ledger }: Records): Promise<readonly Question[]> {
  const asked = (await ledger.batches()).flatMap((batch) => questionOfBatch(batch) ?? []);
  return asked.sort((one, other) => (one.askedAt < other.askedAt ? 1 : -1));
}

/** Lifts its pause; whoever carries it goes on. Null when there is no batch of that name. */
export async function unpause(
  records: Records,
  batch: string,
  by: string,
): Promise<{ readonly wasPaused: boolean } | null> {
  const known = await records.ledger.batch(batch);
  if (known === null) return null;
  const lifted = await liftPauses(records, [known], by);
  records.log.info('resumed', { batch, by });
  return { wasPaused: lifted.has(batch) };
}

/** Stops everything, by the same file that people put into the inbox. */
export function putStop({ workspace, log }: Records, { by, reason }: PauseOrder): void {
  writeStop(workspace, `${by}: ${reason ?? ''}`);
  log.info('stop put', { by });
}

/** False where nothing was stopped. */
export function liftStop({ workspace, log }: Records, by: string): boolean {
  const wasStopped = removeStop(workspace);
  if (wasStopped) log.info('stop lifted', { by });
  return wasStopped;
}

export function standingStop({ workspace }: Records): Words | null {
  return stopFileWords(workspace);
}
