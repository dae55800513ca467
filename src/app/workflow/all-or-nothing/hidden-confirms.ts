// What a lost ledger, or an older copy that was put back, cannot tell of a row: whether it had been confirmed. For a while reads may hide it too,
// and a person who is told too early that a row was not confirmed pays it a second time.
import type { RowRecord } from '../../../ledger/records.ts';
import { doubtEndsAt, firstLookBeyond, provableByAnyone } from '../../../payouts/attempt.ts';
import { BEFORE_CONFIRM, type Stage, type StageOrHeld } from '../../../payouts/lifecycle.ts';
import { mayHaveBeenConfirmed, stageOrHeld } from '../../../payouts/progress.ts';

type Row = Pick<RowRecord, 'progress'>;

const TELLS_ITSELF: ReadonlySet<StageOrHeld> = new Set<Stage>(['confirmed', 'paid', 'rejected', 'duplicate']);

/** True where another run may have confirmed what does not show as confirmed. */
export function mayBeConfirmedElsewhere({ progress }: Row): boolean {
  return (
    !TELLS_ITSELF.has(stageOrHeld(progress)) && (mayHaveBeenConfirmed(progress) || progress.begunBy === null)
  );
}

/** The service's time in ms until which a read may hide what was done to a row before its ledger was lost; -Infinity for any other row. */
export function hiddenUntil({ progress }: Row): number {
  const { rebuiltAt } = progress;
  return rebuiltAt !== null && BEFORE_CONFIRM.has(stageOrHeld(progress)) ? doubtEndsAt(rebuiltAt) : -Infinity;
}

/** True for a row that nobody has confirmed; of a rebuilt one only to be asked once its reads can hide nothing. */
export function isUnconfirmed(row: Row): boolean {
  const { rebuiltAt, lookedBy } = row.progress;
  return !mayBeConfirmedElsewhere(row) || (rebuiltAt !== null && lookedBy !== null);
}

/**
 * `hiddenUntil` for the rows of a ledger that may be older than reality, which shows in a transfer that has failed: before the decision nothing of the file
 * is confirmed, so most failures come after it. Nobody knows when that ledger was put back, but after its expiry a transfer is confirmed no more.
 */
export class OlderLedger {
  #hasFailed = false;
  #isDoubtful = false;
  #latest = -Infinity;

  add(row: Row): void {
    const { transfer, rebuiltAt } = row.progress;
    const stage = stageOrHeld(row.progress);
    if (rebuiltAt !== null || !mayBeConfirmedElsewhere(row)) return;
    if (stage === 'failed') this.#hasFailed = true;
    if (BEFORE_CONFIRM.has(stage)) this.#isDoubtful = true;
    const provable = provableByAnyone(row.progress, null);
    if (transfer !== null && provable < Infinity)
      this.#latest = Math.max(this.#latest, firstLookBeyond(provable));
  }

  get hiddenUntil(): number {
    return this.#hasFailed && this.#isDoubtful ? this.#latest : -Infinity;
  }
}
