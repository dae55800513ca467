// Intents to confirm that this run recorded, and that no confirm is known to have followed: the batch was paused, the key refused, the service away.
// Left on record they would say for ever that a confirm may have arrived, and hours later only a person could decide.
import type { Clock } from '../base/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';

export class UnusedIntents {
  /** By the row's position. */
  readonly #rows = new Map<number, RowRecord>();

  add(row: RowRecord): void {
    this.#rows.set(row.position, row);
  }

  has(row: RowRecord): boolean {
    return this.#rows.has(row.position);
  }

  /** The row takes its next step: its confirm may follow now. */
  delete(row: RowRecord): void {
    this.#rows.delete(row.position);
  }

  /** At the end of a run, when nothing more is sent. A row that another process has taken up meanwhile is left alone. */
  async takeBack(ledger: Ledger, clock: Clock): Promise<void> {
    for (const row of this.#rows.values()) {
      await ledger.record(row, {
        progress: { ...row.progress, stage: 'created' },
        dueAt: clock.now(),
        keepClaim: false,
        event: 'intent to confirm taken back',
      });
    }
  }
}
