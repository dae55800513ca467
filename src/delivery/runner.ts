// Carries the due rows of one batch: claims them, steps each one as far as it goes, and records every verdict before the next call.
// Safety does not rest on this loop or on its claims; it only decides what happens when.
import pLimit, { type LimitFunction } from 'p-limit';

import { backoffMs } from '../base/backoff.ts';
import type { Log } from '../base/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import { SETTLED, type Stage } from '../payouts/lifecycle.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { Gate } from './gate.ts';
import { step } from './step.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** How far rows are carried. `found`: to knowing whether a transfer exists; `priced`: to a quotation; `submitted`: to the confirm; `tracked`: from there to the end. */
export type Goal = 'found' | 'priced' | 'submitted' | 'tracked';

const STAGES_OF: Readonly<Record<Goal, readonly Stage[]>> = {
  found: ['ready'],
  priced: ['ready'],
  submitted: ['ready', 'quoted', 'created', 'documented'],
  tracked: ['confirmed'],
};

export type RunOptions = {
  readonly ledger: Ledger;
  readonly tools: DeliveryTools;
  readonly log: Log;
  readonly batch: string;
  readonly fileId: string;
  readonly goal: Goal;
  readonly concurrency: number;
  /** How long to wait for things that nobody here can hurry: final statuses, funds, a service out of reach. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called after each recorded change of stage. */
  readonly onMoved: (from: Stage, to: Stage) => void;
};

/** Why the run ended: everything that could be carried was, or what is missing. */
export type RunEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'interrupted' | 'paused' | 'waited' | 'credentials' | 'service' }
  | { readonly kind: 'funds'; readonly currencies: readonly string[] };

/** Longer than the longest chain of calls and waits between two records of one row. */
const LEASE_MS = 180_000;

/** The wait before a step is tried again after an answer that was none. */
const RETRY_BACKOFF = { firstMs: 500, mostMs: 30_000 } as const;

/** Stages before the confirm. */
const SENDING: readonly Stage[] = STAGES_OF.submitted;

/** A step whose answer got lost is repeated within seconds; leaving it undone for want of patience would only leave work behind. */
const RETRY_PATIENCE_MS = 30_000;

/** A service that is restarted is back within seconds. */
const OUTAGE_PATIENCE_MS = 3_000;

/** Never turn round faster than this while waiting. */
const LOOK_LEAST_MS = 20;

/** How often a waiting run looks whether it was paused, or whether another process has moved its rows. */
const LOOK_EVERY_MS = 1_000;

export async function runBatch(options: RunOptions): Promise<RunEnd> {
  return new Runner(options).run();
}

class Runner {
  readonly #options: RunOptions;
  readonly #gate: Gate;
  readonly #lanes: LimitFunction;
  readonly #stages: readonly Stage[];
  #isPaused = false;
  #fault: { readonly error: unknown } | null = null;
  #lastSentAt: number;
  #active = 0;
  #wake: () => void = () => undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#gate = new Gate(options.tools.clock);
    this.#lanes = pLimit(options.concurrency);
    this.#stages = STAGES_OF[options.goal];
    this.#lastSentAt = options.tools.clock.now();
  }

  async run(): Promise<RunEnd> {
    const stopWaiting = (): void => this.#wake();
    this.#options.signal.addEventListener('abort', stopWaiting);
    try {
      return await this.#loop();
    } finally {
      this.#options.signal.removeEventListener('abort', stopWaiting);
    }
  }

  async #loop(): Promise<RunEnd> {
    for (;;) {
      const end = this.#endNow();
      if (end !== null) return await this.#leave(end);
      const claimed = await this.#claim();
      for (const row of claimed) this.#start(row);
      if (this.#isBusy() && (claimed.length === 0 || this.#free() === 0)) await this.#oneDone();
      else if (!this.#isBusy()) {
        const waited = await this.#waitForDue();
        if (waited !== null) return await this.#leave(waited);
      }
    }
  }

  #endNow(): RunEnd | null {
    if (this.#fault !== null) return { kind: 'interrupted' };
    if (this.#options.signal.aborted) return { kind: 'interrupted' };
    if (this.#isPaused) return { kind: 'paused' };
    return this.#gate.stop === null ? null : { kind: this.#gate.stop };
  }

  /** Lets the calls under way end, and tells of a fault that was no answer but a bug or a full disk. */
  async #leave(end: RunEnd): Promise<RunEnd> {
    while (this.#isBusy()) await this.#oneDone();
    if (this.#fault !== null) throw this.#fault.error;
    return end;
  }

  async #claim(): Promise<readonly RowRecord[]> {
    const { ledger, tools, batch } = this.#options;
    const now = tools.clock.now();
    if (this.#gate.serviceClosedUntil > now || this.#free() === 0) return [];
    // While the service or a currency is in doubt, one row at a time finds out.
    const isDoubtful =
      this.#gate.isServiceOut || this.#gate.currenciesOut.length > this.#gate.currenciesClosed().length;
    if (isDoubtful && this.#isBusy()) return [];
    return ledger.claim({
      batch,
      now,
      leaseMs: LEASE_MS,
      limit: isDoubtful ? 1 : this.#free(),
      stages: this.#stages,
      withoutFunds: this.#gate.currenciesClosed(),
    });
  }

  #start(row: RowRecord): void {
    this.#active += 1;
    void this.#lanes(() => this.#carry(row))
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#active -= 1;
        this.#wake();
      });
  }

  /** Steps one row for as long as each verdict lets the next step follow at once. */
  async #carry(claimed: RowRecord): Promise<void> {
    let row: RowRecord | null = claimed;
    while (
      row !== null &&
      this.#endNow() === null &&
      this.#gate.serviceClosedUntil <= this.#options.tools.clock.now()
    ) {
      row = await this.#stepOnce(row);
    }
    // Stopped between two steps: the row is free for whoever goes on.
    if (row !== null && this.#fault === null) await this.#options.ledger.unclaim(row);
  }

  async #stepOnce(row: RowRecord): Promise<RowRecord | null> {
    const verdict = await step(this.#dueRow(row), this.#options.tools);
    this.#tellGate(verdict, row);
    const progress = applyVerdict(row.progress, verdict);
    const continues = this.#continues(verdict, progress);
    const { written, paused } = await this.#options.ledger.record(row, {
      progress,
      dueAt: this.#dueAt(verdict, progress, row.payout?.sourceCurrency ?? ''),
      keepClaim: continues,
      event: eventOf(verdict),
    });
    this.#isPaused ||= paused;
    if (!written) return null;
    this.#tell(row, verdict, progress);
    return continues
      ? { ...row, progress, version: row.version + 1, writtenBy: this.#options.ledger.run }
      : null;
  }

  #continues(verdict: Verdict, progress: Progress): boolean {
    if (verdict.kind !== 'advanced' || this.#options.goal === 'found') return false;
    return this.#stages.includes(progress.stage);
  }

  #dueRow(row: RowRecord): DueRow {
    const { payout } = row;
    if (payout === null) throw new Error('Only rows with a payout are ever due.');
    const { ledger, fileId } = this.#options;
    const isOwnRecord = row.writtenBy === ledger.run;
    return { fileId, row: { ...row, payout }, isOwnRecord, mustLook: row.progress.unsure || !isOwnRecord };
  }

  #tellGate(verdict: Verdict, row: RowRecord): void {
    const sourceCurrency = row.payout?.sourceCurrency ?? '';
    if (verdict.kind === 'breaker') this.#gate.close(verdict, sourceCurrency);
    else if (verdict.kind === 'later' && verdict.isUnanswered) this.#gate.unanswered(verdict.retryAfterMs);
    else this.#gate.serviceAnswered();
    const isCreated =
      verdict.kind === 'advanced' && (verdict.stage === 'created' || verdict.stage === 'documented');
    if (isCreated && row.progress.stage === 'quoted') this.#gate.fundsSeen(sourceCurrency);
  }

  #dueAt(verdict: Verdict, progress: Progress, sourceCurrency: string): number | null {
    const { tools, goal } = this.#options;
    const isReached =
      verdict.kind === 'advanced' && (goal === 'found' || (goal === 'priced' && progress.stage !== 'ready'));
    // What is carried further later is made due then.
    if (SETTLED.has(progress.stage) || isReached) return null;
    const now = tools.clock.now();
    if (verdict.kind === 'breaker') return Math.max(now, this.#gate.reopensAt(verdict, sourceCurrency));
    return now + Math.ceil(this.#dueInMs(verdict, progress));
  }

  #dueInMs(verdict: Verdict, progress: Progress): number {
    const { clock, pollEveryMs } = this.#options.tools;
    if (verdict.kind === 'waiting') return verdict.lookAgainMs;
    if (verdict.kind === 'later') {
      const backoff = backoffMs(RETRY_BACKOFF, progress.tries, clock.random());
      // What the service asks for is obeyed, but `Retry-After: 0` is no reason to storm it; our own 0 means a look at once.
      return verdict.isUnanswered
        ? Math.max(verdict.retryAfterMs ?? 0, backoff)
        : (verdict.retryAfterMs ?? backoff);
    }
    return progress.stage === 'confirmed' && !progress.unsure ? Math.min(pollEveryMs, POLL_FIRST_MS) : 0;
  }

  #tell(row: RowRecord, verdict: Verdict, progress: Progress): void {
    const { log, onMoved, tools } = this.#options;
    const from = row.progress.stage;
    log.debug('step', { batch: row.batch, row: row.row, stage: progress.stage, verdict: verdict.kind });
    if (from === progress.stage) return;
    if (SENDING.includes(from)) this.#lastSentAt = tools.clock.now();
    onMoved(from, progress.stage);
  }

  #free(): number {
    return 2 * this.#options.concurrency - this.#active;
  }

  #isBusy(): boolean {
    return this.#active > 0;
  }

  #oneDone(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Sleeps until a row is due; gives the reason when none will be, or not within the time that may be waited. */
  async #waitForDue(): Promise<RunEnd | null> {
    const { ledger, tools, batch, signal } = this.#options;
    const dueAt = await ledger.nextDueAt(batch, this.#stages);
    if (dueAt === null) return { kind: 'done' };
    const now = tools.clock.now();
    const nextAt = Math.max(dueAt, this.#gate.serviceClosedUntil, this.#waitsForFunds(dueAt, now));
    if (nextAt > now && nextAt > this.#lastSentAt + (await this.#patienceMs())) return this.#reasonToWait();
    if (await this.#wasPausedMeanwhile()) return { kind: 'paused' };
    await tools.clock.sleep(Math.min(Math.max(nextAt - now, LOOK_LEAST_MS), LOOK_EVERY_MS), signal);
    return null;
  }

  /** How long after the last thing sent the next may still be waited for. Not waiting for the world is no reason to leave a retry undone. */
  async #patienceMs(): Promise<number> {
    const { ledger, batch, waitMs } = this.#options;
    if (this.#gate.currenciesOut.length > 0) return waitMs;
    if (this.#gate.isServiceOut) return Math.max(waitMs, OUTAGE_PATIENCE_MS);
    const isSending = (await ledger.nextDueAt(batch, SENDING)) !== null;
    return isSending ? Math.max(waitMs, RETRY_PATIENCE_MS) : waitMs;
  }

  /** When rows are due but their currency is closed, the time at which it reopens. */
  #waitsForFunds(dueAt: number, now: number): number {
    return dueAt <= now ? (this.#gate.fundsReopenAt() ?? 0) : 0;
  }

  #reasonToWait(): RunEnd {
    const { currenciesOut } = this.#gate;
    if (currenciesOut.length > 0) return { kind: 'funds', currencies: currenciesOut };
    return this.#gate.isServiceOut ? { kind: 'service' } : { kind: 'waited' };
  }

  async #wasPausedMeanwhile(): Promise<boolean> {
    const { ledger, batch } = this.#options;
    return (await ledger.batch(batch))?.paused === true;
  }
}

/** The first look at a confirmed transfer. */
const POLL_FIRST_MS = 300;

function eventOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'advanced':
      return `advanced to ${verdict.stage}`;
    case 'refused':
      return `refused: ${verdict.stage}`;
    case 'held':
      return `held: ${verdict.code}`;
    case 'breaker':
      return `stopped by ${verdict.breaker}`;
    case 'waiting':
    case 'later':
    case 'interrupted':
      return verdict.kind;
  }
}
