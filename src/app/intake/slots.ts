// How many batches are read, priced and sent at the same time. A batch waits only for others of about its own size, so that large ones never
// delay a small one, however many there are.
import { isBeingRead } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { ReadyFile } from '../workflow/take/ready-files.ts';

/** The most rows of a batch of each size, and how many such batches run at once: more would only share the same calls. */
const SIZES = [
  { rowsMost: 100, batches: 16 },
  { rowsMost: 1_000, batches: 8 },
  { rowsMost: 10_000, batches: 8 },
  { rowsMost: Infinity, batches: 8 },
] as const;

export class Slots {
  /** The size of every batch that has a slot. */
  readonly #taken = new Map<string, number>();

  isFree(rows: number): boolean {
    const size = sizeOf(rows);
    const taken = [...this.#taken.values()].filter((other) => other === size).length;
    return taken < (SIZES[size]?.batches ?? 0);
  }

  take(batch: string, rows: number): void {
    this.#taken.set(batch, sizeOf(rows));
  }

  /** A second return has no effect. */
  giveBack(batch: string): void {
    this.#taken.delete(batch);
  }
}

function sizeOf(rows: number): number {
  return SIZES.findIndex(({ rowsMost }) => rows <= rowsMost);
}

// Large files are taken in parallel with small ones: reading and copying them takes seconds, in which small ones are taken too.

/** From this many rows on, taking a file takes noticeable time. */
const LARGE_ROWS = 1_000;

/** The prefix of such a task's name; no batch is called so. */
const ASIDE = 'take ';

export function asideTask({ path }: Pick<ReadyFile, 'path'>): string {
  return ASIDE + path;
}

/** Documents may belong to other files too, so files that name documents are taken one after the other. */
export function isTakenAside({ rows, documents }: ReadyFile): boolean {
  return rows > LARGE_ROWS && documents.length === 0;
}

/** The task that takes such a batch also carries it; to a look, the batch seems to be one that a kill has left. */
export function mayBeTakenAside(batch: BatchRecord, run: string, tasks: Iterable<string>): boolean {
  const isOwn = batch.owner === run && (batch.state === 'taking' || isBeingRead(batch));
  return isOwn && [...tasks].some((task) => task.startsWith(ASIDE));
}
