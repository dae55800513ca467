// How many batches are read, priced and sent at the same time. A batch waits for others of about its own size only, so that a small one
// is never kept waiting by large ones, however many there are.
import { isBeingRead } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { ReadyFile } from '../workflow/take/ready-files.ts';

/** The most rows of a batch of each size, and how many of them are worked on at once: more would only share the same calls. */
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

  /** Giving back twice is giving back once. */
  giveBack(batch: string): void {
    this.#taken.delete(batch);
  }
}

function sizeOf(rows: number): number {
  return SIZES.findIndex(({ rowsMost }) => rows <= rowsMost);
}

// Large files are taken beside the small ones: reading and copying them takes seconds, in which small ones are taken too.

/** From so many rows on, taking a file is felt. */
const LARGE_ROWS = 1_000;

/** What such a task is called; no batch is called so. */
const ASIDE = 'take ';

export function asideTask({ path }: Pick<ReadyFile, 'path'>): string {
  return ASIDE + path;
}

/** Documents may be another file's too, and so files that name some are taken one after the other. */
export function isTakenAside({ rows, documents }: ReadyFile): boolean {
  return rows > LARGE_ROWS && documents.length === 0;
}

/** A batch of such a task is carried on by whoever takes it; to a look it seems to be one that a kill has left. */
export function mayBeTakenAside(batch: BatchRecord, run: string, tasks: Iterable<string>): boolean {
  const isOwn = batch.owner === run && (batch.state === 'taking' || isBeingRead(batch));
  return isOwn && [...tasks].some((task) => task.startsWith(ASIDE));
}
