// Which batches a daemon takes up: those that nobody here carries, and that have something to do by now.
import { pauseOf } from '../../ledger/batch-rules.ts';
import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Told } from '../intake/reported-once.ts';
import type { TakeBeside } from '../intake/uploads.ts';
import type { StandingFiles } from '../intake/standing-files.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import { resumeBatch } from '../workflow/process-batch.ts';
import { STATES } from '../workflow/states.ts';

type Known = Pick<Paydrop, 'ledger' | 'clock'>;

export async function unfinishedBatches({ ledger, clock }: Known): Promise<readonly BatchRecord[]> {
  return (await ledger.batches({ toLookAt: clock.now() })).filter(
    (batch) =>
      !ENDED_BATCH.has(batch.state) && pauseOf(batch) === null && !ledger.runs.isElsewhere(batch.owner),
  );
}

/** As `states.ts` has it of the state in which the batch stands now. */
export async function hasWork(
  known: Known & Pick<Paydrop, 'serviceClock'>,
  { id }: BatchRecord,
  withinMs: number,
  standing: Pick<StandingFiles, 'hasLeft'>,
): Promise<boolean> {
  const batch = await known.ledger.batch(id);
  if (batch === null) return false;
  return STATES[batch.state].isDue({ known, batch, hasLeft: standing.hasLeft(batch), withinMs });
}

/** By which what runs beside the daemon speaks to it. */
export type DaemonCalls = {
  readonly wake: () => void;
  readonly takeBeside: TakeBeside;
  /** Closed batches are looked at now: something was told of a payment that had ended. */
  readonly lookBackNow: () => void;
};

// Closed batches whose payments may have changed since they were answered, looked at one after the other.

export async function lookBack(
  paydrop: Paydrop,
  control: RunControl,
  told: Pick<Told, 'batch'>,
): Promise<void> {
  const { ledger, clock } = paydrop;
  // What has not ended yet is looked at in the next round: the others would wait for it.
  const once = { ...control, waitMs: 0, isRound: true };
  for (const { id, state } of await ledger.batches({ toLookAt: clock.now() })) {
    if (control.signal.aborted) return;
    const result = state === 'closed' ? await resumeBatch(paydrop, id, once) : null;
    if (result !== null) told.batch(id, result);
  }
}
