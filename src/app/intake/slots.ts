// How many batches are read, priced and sent at the same time. A batch waits for others of about its own size only, so that a small one
// is never kept waiting by large ones, however many there are.

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
