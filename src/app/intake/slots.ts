// How many batches are read, priced and sent at the same time. A batch waits only for others of about its own size, so that large ones never
// delay a small one, however many there are. Nor does the first of a folder wait for the many of another one.
import type { Clock } from '../../base/clock.ts';
import { isBeingRead } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { ReadyFile } from '../workflow/ready-files.ts';

/** The most rows of a batch of each size, and how many such batches run at once: more would only share the same calls. As many again are for folders that have none. */
const SIZES = [
  { rowsMost: 100, batches: 16 },
  { rowsMost: 1_000, batches: 8 },
  { rowsMost: 10_000, batches: 8 },
  { rowsMost: Infinity, batches: 8 },
] as const;

/** What asks for a slot. A batch that is taken up again comes from no folder. */
export type Sized = { readonly rows: number; readonly folder?: string };

type Slot = { readonly size: number; readonly folder: string };

export class Slots {
  /** Of every batch that has one. */
  readonly #taken = new Map<string, Slot>();

  isFree({ rows, folder = '' }: Sized): boolean {
    const size = sizeOf(rows);
    const taken = [...this.#taken.values()].filter((other) => other.size === size);
    const most = SIZES[size]?.batches ?? 0;
    return taken.length < (taken.some((other) => other.folder === folder) ? most : 2 * most);
  }

  take(batch: string, { rows, folder = '' }: Sized): void {
    this.#taken.set(batch, { size: sizeOf(rows), folder });
  }

  /** A second return has no effect. */
  giveBack(batch: string): void {
    this.#taken.delete(batch);
  }
}

function sizeOf(rows: number): number {
  return SIZES.findIndex(({ rowsMost }) => rows <= rowsMost);
}

// One look at the inbox takes its files one after the other. What comes meanwhile is not in that look, and must not wait for all of a heap.

/** The most time for the files behind the first of their folder; where it took longer to find them, as long as that. */
const TAKE_MOST_MS = 1_000;

/** The time of one look, from when it begins. */
export class LookTime {
  readonly #clock: Clock;
  readonly #beganAt: number;
  readonly #folders = new Set<string>();
  #until: number | null = null;
  /** Files are left for the next look. */
  isUp = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonic();
  }

  /** Asked of each file in turn, before it is taken. */
  isUpFor({ folder }: Pick<ReadyFile, 'folder'>): boolean {
    const now = this.#clock.monotonic();
    this.#until ??= now + Math.max(TAKE_MOST_MS, now - this.#beganAt);
    this.isUp = this.#folders.has(folder) && now > this.#until;
    this.#folders.add(folder);
    return this.isUp;
  }
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
