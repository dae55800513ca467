// Large files are taken beside the small ones: reading and copying them takes seconds, in which small ones are taken too.
import type { BatchRecord } from '../../ledger/records.ts';
import type { ReadyFile } from '../workflow/take/ready-files.ts';
import { isBeingRead } from '../../ledger/batch-states.ts';

/** From so many rows on, taking a file is felt. */
const LARGE_ROWS = 1_000;

/** What such a task is called; no batch is called so. */
const ASIDE = 'take ';

export function asideTask({ path }: ReadyFile): string {
  return ASIDE + path;
}

/** Documents may be another file's too, and so files that name some are taken one after the other. */
export function isTakenAside({ rows, documents }: ReadyFile): boolean {
  return rows > LARGE_ROWS && documents.length === 0;
}

/** A batch of such a task is carried on by whoever takes it; to a look it seems to be one that a kill has left. */
export function mayBeTakenAside(batch: BatchRecord, run: string, tasks: Iterable<string>): boolean {
  const isOwn = batch.takenBy === run && (batch.state === 'taking' || isBeingRead(batch));
  return isOwn && [...tasks].some((task) => task.startsWith(ASIDE));
}
