// Which batches a daemon takes up: those that no task here carries, and that have work to do by now.
import { pauseOf } from '../../ledger/batch-rules.ts';
import { LedgerAway } from '../../ledger/ledger-unusable.ts';
import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { ReportedOnce } from '../intake/reported-once.ts';
import type { TakeBeside } from '../intake/take-dropped.ts';
import type { StandingFiles } from '../intake/standing-files.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import { EndedLists } from '../workflow/follow/ended-lists.ts';
import { resumeBatch } from '../workflow/process-batch.ts';
import { STATES } from '../workflow/states.ts';

type UnfinishedSources = Pick<Paydrop, 'ledger' | 'clock'>;

export async function unfinishedBatches({
  ledger,
  clock,
}: UnfinishedSources): Promise<readonly BatchRecord[]> {
  const open = (await ledger.batches({ toLookAt: clock.now() })).filter(
    (batch) => !ENDED_BATCH.has(batch.state) && !ledger.runs.isElsewhere(batch.owner),
  );
  const ordered = await orderedAmong(ledger);
  return open.filter((batch) => pauseOf(batch) === null || ordered.has(batch.id));
}

/** Batches whose mailbox has an order that nobody has carried out. */
async function orderedAmong({ orders }: UnfinishedSources['ledger']): Promise<ReadonlySet<string>> {
  return new Set((await orders.open(null)).map(({ batch }) => batch));
}

/** By the entry in `states.ts` for the present state of the batch. */
export async function hasWork(
  known: UnfinishedSources & Pick<Paydrop, 'serviceClock'>,
  { id }: BatchRecord,
  withinMs: number,
  standing: Pick<StandingFiles, 'hasLeft'>,
): Promise<boolean> {
  const batch = await known.ledger.batch(id);
  if (batch === null || known.ledger.runs.isElsewhere(batch.owner)) return false;
  if ((await orderedAmong(known.ledger)).has(id)) return true;
  return STATES[batch.state].isDue({ known, batch, hasLeft: standing.hasLeft(batch), withinMs });
}

/** The calls by which background services reach the daemon. */
export type DaemonCalls = {
  readonly wake: () => void;
  /** Somebody has decided something: work that was put off is looked at now. */
  readonly lookNow: () => void;
  readonly takeBeside: TakeBeside;
  /** Looks at closed batches now: a notification concerned a payment that had ended. */
  readonly lookBackNow: () => void;
};

// Looks at closed batches whose payments may have changed since they were answered, one after the other.

export async function lookBack(
  paydrop: Paydrop,
  control: RunControl,
  told: Pick<ReportedOnce, 'batch'>,
): Promise<void> {
  const { ledger, clock } = paydrop;
  // A batch that has not ended yet waits for the next round: otherwise the others would wait for it.
  const batches = await ledger.batches({ toLookAt: clock.now() });
  const lists = new EndedLists(paydrop, batches);
  const once: RunControl = { ...control, waitMs: 0, isRound: true, endedOf: (batch) => lists.of(batch) };
  for (const { id, state } of batches) {
    if (control.signal.aborted) return;
    const result = state === 'closed' ? await resumeBatch(paydrop, id, once) : null;
    if (result !== null) told.batch(id, result);
  }
}

// When the ledger is away, such as a restarting database, the daemon waits for it, and then goes on.

/** How soon its return is noticed. */
const AWAY_LOOK_MS = 500;

export class LedgerPatience {
  readonly #paydrop: Pick<Paydrop, 'ledger' | 'clock' | 'meter'>;
  readonly #signal: AbortSignal;
  readonly #tell: (words: Words | null) => void;
  #isAway = false;

  /** @param tell says once what is wrong; null when all is well again. */
  constructor(
    paydrop: Pick<Paydrop, 'ledger' | 'clock' | 'meter'>,
    signal: AbortSignal,
    tell: (words: Words | null) => void,
  ) {
    this.#paydrop = paydrop;
    this.#signal = signal;
    this.#tell = tell;
  }

  /** Whether the failure has this cause; then no new work begins until the ledger is back. */
  mustWait(error: unknown): boolean {
    if (!(error instanceof LedgerAway)) return false;
    this.#isAway = true;
    return true;
  }

  /** Does the work if the ledger is there; null, after a moment's wait, if it is not. */
  async outlive<T>(work: () => Promise<T>): Promise<T | null> {
    const { meter, clock } = this.#paydrop;
    try {
      if (this.#isAway) await this.#find();
      return await work();
    } catch (error) {
      if (!(error instanceof LedgerAway)) throw error;
      this.#isAway = true;
      meter.away();
      this.#tell(error.words);
      await clock.sleep(AWAY_LOOK_MS, this.#signal);
      return null;
    }
  }

  /** Checks by a write, because payments need to write. */
  async #find(): Promise<void> {
    await this.#paydrop.ledger.runs.endDead();
    this.#isAway = false;
    this.#tell(null);
  }
}
