// Carries the due rows of one batch: takes them up, steps each one as far as it goes, and records what the next call rests on before it.
// Safety does not rest on this loop; it only decides what happens when.
import { pauseOf } from '../ledger/batch-rules.ts';
import { LeaseLost } from '../ledger/ledger-unusable.ts';
import { isToCome } from '../ledger/days.ts';
import type { PayAt, RowRecord } from '../ledger/records.ts';
import { BEFORE_CONFIRM, type Stage, STAGES_BEFORE_CONFIRM } from '../payouts/lifecycle.ts';
import { type RowState, stageOf } from '../payouts/row-machine/row-state.ts';
import type { Stop } from '../payouts/stop.ts';
import { type Carrying, RowCarrier } from './carry-row.ts';
import { MOSTLY, STAGES_OF } from './goal.ts';
import { NextRows } from './next-rows.ts';
import { lookTogether, TOGETHER_ROWS } from './poll-by-list.ts';
import { CircuitBreakers } from './paced-transport.ts';
import { Recorder } from './recorder.ts';

export type RunOptions = Carrying & {
  readonly batch: string;
  /** The folder that its file came from: the lanes are shared by folder first. */
  readonly folder: string;
  /** The most calls that are under way at the same time, of twice as many rows; the pace may make them fewer. */
  readonly concurrency: number;
  /** How long to wait for things that nobody here can hurry: final statuses, funds, a service out of reach. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called when what holds rows up has changed; null once nothing does. */
  readonly onHalt?: (halt: Halt | null) => void;
  /** Why nothing more may be sent before a person has decided; null to go on. Asked before every step. */
  readonly stop: () => Stop | null;
  /** When the batch is to be paid; absent where no row of it has a day of its own. */
  readonly payAt?: PayAt | undefined;
  /** Also rows of days to come: only for a run that sends nothing. */
  readonly early?: boolean;
};

/** Why the run ended: everything that could be carried was, or what is missing. */
export type RunEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'interrupted' | 'paused' | 'waited' | 'credentials' | 'service' }
  | { readonly kind: 'operator'; readonly stop: Stop }
  | { readonly kind: 'funds'; readonly currencies: readonly string[] };

/** Rows that nobody here can hurry: the currencies whose funds ran out, or else the service that is out of reach. */
export type Halt = { readonly currencies: readonly string[] };

/** A step whose answer got lost is repeated within seconds; leaving it undone for want of patience would only leave work behind. */
const RETRY_PATIENCE_MS = 30_000;

/** A service that is restarted is back within seconds. */
const OUTAGE_PATIENCE_MS = 3_000;

/** Never turn round faster than this while waiting. */
const LOOK_LEAST_MS = 20;

/** How often a waiting run looks whether it was paused, or got an order or a hint from another process. */
const LOOK_EVERY_MS = 1_000;

export async function runBatch(options: RunOptions): Promise<RunEnd> {
  return new Runner(options).run();
}

class Runner {
  readonly #options: RunOptions;
  readonly #breakers: CircuitBreakers;
  readonly #stages: readonly Stage[];
  readonly #rows: NextRows;
  readonly #records: Recorder;
  readonly #carrier: RowCarrier;
  #fault: { readonly error: unknown } | null = null;
  /** Fires when an order for the batch is given in this process. */
  readonly #ordered = new AbortController();
  #active = 0;
  /** The halt that was told last, as text. */
  #told = '';
  #wake: () => void = () => undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#breakers = new CircuitBreakers(options.tools, MOSTLY[options.goal]);
    this.#stages = STAGES_OF[options.goal];
    const { ledger, tools, leased } = options;
    const { clock, rateControl } = tools;
    const { early = false } = options;
    const taking = { ledger, clock, leased, stages: this.#stages, early, underWay: rateControl.underWay };
    this.#rows = new NextRows(taking, this.#breakers);
    this.#records = new Recorder(options);
    const parts = { breakers: this.#breakers, recorder: this.#records };
    this.#carrier = new RowCarrier(options, parts, {
      mustStop: (state) => this.#mustStop(state),
      isBroken: () => this.#fault !== null,
    });
  }

  async run(): Promise<RunEnd> {
    const { ledger, batch, signal } = this.#options;
    const stopWaiting = (): void => this.#wake();
    signal.addEventListener('abort', stopWaiting);
    const listenNoMore = ledger.orders.onGiven(batch, () => {
      this.#records.isPaused = true;
      this.#ordered.abort();
      this.#wake();
    });
    try {
      return await this.#loop();
    } catch (error) {
      // No row is left under way by a run that ends.
      this.#fault ??= { error };
      while (this.#isBusy()) await this.#oneDone();
      throw error;
    } finally {
      this.#rows.leaveAll();
      listenNoMore();
      signal.removeEventListener('abort', stopWaiting);
    }
  }

  async #loop(): Promise<RunEnd> {
    for (;;) {
      const end = this.#endNow();
      if (end !== null) return await this.#leave(end);
      this.#tellHalt();
      const taken = await this.#lookTogether(await this.#rows.next(this.#wanted(), this.#isBusy()));
      for (const row of taken) this.#start(row);
      if (this.#isBusy() && (taken.length === 0 || this.#free() === 0)) await this.#oneDone();
      else if (!this.#isBusy()) {
        const waited = await this.#waitForDue();
        if (waited !== null) return await this.#leave(waited);
      }
    }
  }

  /** A service that is away says nothing of funds. */
  #tellHalt(): void {
    const { currenciesOut, isServiceOut } = this.#breakers;
    const halt = isServiceOut
      ? { currencies: [] }
      : currenciesOut.length > 0
        ? { currencies: currenciesOut }
        : null;
    const text = halt === null ? '' : JSON.stringify(halt);
    if (text === this.#told) return;
    this.#told = text;
    this.#options.onHalt?.(halt);
  }

  #endNow(): RunEnd | null {
    if (this.#fault !== null) return { kind: 'interrupted' };
    if (this.#options.signal.aborted) return { kind: 'interrupted' };
    return this.#haltNow();
  }

  /** Forbids every further call; a request to end only lets no new ones begin. */
  #haltNow(): RunEnd | null {
    if (this.#records.isPaused) return { kind: 'paused' };
    const stop = this.#carrier.stop ?? this.#options.stop();
    if (stop !== null) return { kind: 'operator', stop };
    return this.#breakers.stop === null ? null : { kind: this.#breakers.stop };
  }

  /** Lets the calls under way end, and tells of a fault that was no answer but a bug or a full disk. */
  async #leave(end: RunEnd): Promise<RunEnd> {
    while (this.#isBusy()) await this.#oneDone();
    if (this.#fault !== null) throw this.#fault.error;
    await this.#carrier.takeBackUnused();
    return end;
  }

  #start(row: RowRecord): void {
    this.#assertItsDay(row);
    this.#active += 1;
    const { tools, concurrency } = this.#options;
    void tools.rateControl.rows
      .run(this.#options, concurrency, () => this.#carrier.carry(row))
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#active -= 1;
        this.#rows.ended(row);
        this.#wake();
      });
  }

  /** The ledger gives no row before its day: one that it gave all the same is not sent. */
  #assertItsDay(row: RowRecord): void {
    const { payAt, early, batch } = this.#options;
    const isUnsent = row.progress.stage !== 'confirming' && BEFORE_CONFIRM.has(row.progress.stage);
    if (early !== true && isUnsent && isToCome({ payAt }, row))
      throw new Error(`Row ${row.row} of ${batch} was taken up before its day.`);
  }

  #mustStop(row: RowState): boolean {
    if (this.#breakers.serviceTriedAgainAt > this.#options.tools.clock.now()) return true;
    if (this.#fault !== null || this.#haltNow() !== null) return true;
    // We were asked to end, not forbidden to call: an intent that is on record is followed by its confirm, or nobody could say whether it was.
    return this.#options.signal.aborted && !(stageOf(row) === 'confirming' && !row.mustLook);
  }

  /** The lanes of this batch among those of the others. */
  #laneCount(): number {
    const { concurrency, tools } = this.#options;
    return Math.min(concurrency, tools.rateControl.rows.share(this.#options));
  }

  /**
   * Twice as many rows as lanes: one half makes calls while the other waits for its records. More rows would only grow old in memory, with people's data.
   * New rows are taken up once half of the lanes could be used, because to find one row costs the ledger nearly as much as twenty.
   */
  #free(): number {
    const lanes = this.#laneCount();
    const free = 2 * lanes - this.#active;
    return 2 * free < lanes ? 0 : free;
  }

  /** Payouts that are only followed are looked at together, a round at a time: a few that are taken up while others are read would each time cost a list. */
  #wanted(): number {
    if (this.#options.goal !== 'tracked') return this.#free();
    return this.#isBusy() ? 0 : TOGETHER_ROWS;
  }

  /** Gives the rows that have to be carried one by one. */
  async #lookTogether(taken: readonly RowRecord[]): Promise<readonly RowRecord[]> {
    const { goal, tools } = this.#options;
    if (goal !== 'tracked') return taken;
    const left = await lookTogether(taken, tools, (listed) => this.#carrier.hearList(listed));
    for (const row of taken) if (!left.includes(row)) this.#rows.ended(row);
    return left;
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
    const { ledger, tools, batch, signal, early = false } = this.#options;
    const now = tools.clock.now();
    const besides = this.#rows.besides();
    const which = { except: besides.positions, early };
    const dueAt =
      (await ledger.nextDueAt(batch, this.#stages, which)) ??
      (besides.isAnyOfOurs ? now + LOOK_EVERY_MS : null);
    if (dueAt === null) return { kind: 'done' };
    const nextAt = Math.max(dueAt, this.#breakers.serviceTriedAgainAt, this.#waitsForFunds(dueAt, now));
    if (nextAt > now && nextAt > this.#records.lastSentAt + (await this.#patienceMs()))
      return this.#reasonToWait();
    if (await this.#isHalted()) return { kind: 'paused' };
    const ms = Math.min(Math.max(nextAt - now, LOOK_LEAST_MS), LOOK_EVERY_MS);
    await tools.clock.sleep(ms, AbortSignal.any([signal, this.#ordered.signal]));
    return null;
  }

  /** How long this run may wait after a row last moved towards its confirm. Even a run that is told not to wait repeats a step whose answer was lost. */
  async #patienceMs(): Promise<number> {
    const { ledger, batch, waitMs, early = false } = this.#options;
    if (this.#breakers.currenciesOut.length > 0) return waitMs;
    if (this.#breakers.isServiceOut) return Math.max(waitMs, OUTAGE_PATIENCE_MS);
    const isSending = (await ledger.nextDueAt(batch, STAGES_BEFORE_CONFIRM, { early })) !== null;
    return isSending ? Math.max(waitMs, RETRY_PATIENCE_MS) : waitMs;
  }

  /** When rows are due but no currency of theirs may be tried, the time from which one may. */
  #waitsForFunds(dueAt: number, now: number): number {
    return dueAt <= now ? (this.#breakers.fundsTriedAgainAt() ?? 0) : 0;
  }

  #reasonToWait(): RunEnd {
    const { currenciesOut } = this.#breakers;
    if (currenciesOut.length > 0) return { kind: 'funds', currencies: currenciesOut };
    return this.#breakers.isServiceOut || this.#breakers.isUnanswered
      ? { kind: 'service' }
      : { kind: 'waited' };
  }

  /** Whether the batch was paused meanwhile, or has orders. Throws `LeaseLost` where this run has it no more. */
  async #isHalted(): Promise<boolean> {
    const { ledger, batch, leased } = this.#options;
    const now = await ledger.batch(batch);
    const isOurs = now?.owner === leased.owner && now.token === leased.token && now.isFree !== true;
    if (!isOurs) throw new LeaseLost(batch);
    return pauseOf(now) !== null || (await ledger.orders.open(batch)).length > 0;
  }
}
