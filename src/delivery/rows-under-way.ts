// Which rows this process carries at this moment.
import type { RowRecord } from '../ledger/records.ts';
import type { Stage } from '../payouts/lifecycle.ts';

/** The rows that this process has under way, by batch: several runs may carry one, each to a goal of its own. */
export class RowsUnderWay {
  readonly #batches = new Map<string, Map<number, Stage>>();

  /** By position, each with the stage in which it was taken up. */
  of(batch: string): ReadonlyMap<number, Stage> {
    return this.#batches.get(batch) ?? new Map<number, Stage>();
  }

  /** False where another run has it. */
  take({ batch, position, progress }: RowRecord): boolean {
    const rows = this.#batches.get(batch) ?? new Map<number, Stage>();
    if (rows.has(position)) return false;
    this.#batches.set(batch, rows.set(position, progress.stage));
    return true;
  }

  leave({ batch, position }: RowRecord): void {
    const rows = this.#batches.get(batch);
    rows?.delete(position);
    if (rows?.size === 0) this.#batches.delete(batch);
  }
}
