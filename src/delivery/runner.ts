// Carries the due rows of one batch: claims them, steps each one as far as it goes, and records every verdict before the next call.
// Safety does not rest on this loop or on its claims; it only decides what happens when.
import pLimit, { type LimitFunction } from 'p-limit';

import type { Log } from '../base/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Stop, Verdict } from '../payouts/verdict.ts';
import { Claims } from './claims.ts';
import { dueAt } from './due-at.ts';
import { eventOf } from './event-of.ts';
import { fundedRow, Gate } from './gate.ts';
import { isReached, STAGES_OF, type Goal } from './goal.ts';
import { OddAnswers } from './odd-answers.ts';
import { notifiedAs } from './requests.ts';
import { stepTowards } from './step-towards.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { UnusedIntents } from './unused-intents.ts';

export type RunOptions = {
  readonly ledger: Ledger;
  readonly tools: DeliveryTools;
  readonly log: Log;
  readonly batch: string;
  readonly fileId: string;
  readonly goal: Goal;
  /** The most rows that are carried at the same time; the pace may make them fewer. */
  readonly concurrency: number;
  /** The deadline of one call, which bounds how long a row can be under way between two records. */
  readonly callTimeoutMs: number;
  /** How long to wait for things that nobody here can hurry: final statuses, funds, a service out of reach. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Why nothing more may be sent before a person has decided; null to go on. Asked before every step. */
  readonly stop: () => Stop | null;
  /** Called after each recorded change of stage. */
  readonly onMoved: (from: Stage, to: Stage, errorCode: string | null) => void;
};

/** Why the run ended: everything that could be carried was, or what is missing. */
export type RunEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'interrupted' | 'paused' | 'waited' | 'credentials' | 'service' }
  | { readonly kind: 'operator'; readonly stop: Stop }
  | { readonly kind: 'funds'; readonly currencies: readonly string[] };

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
  readonly #odd = new OddAnswers();
  readonly #unusedIntents = new UnusedIntents();
  readonly #claims: Claims;
  #isPaused = false;
  #stop: Stop | null = null;
  #fault: { readonly error: unknown } | null = null;
  #lastSentAt: number;
  #active = 0;
  #wake: () => void = () => undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#gate = new Gate(options.tools.clock);
    this.#lanes = pLimit(this.#laneCount());
    this.#stages = STAGES_OF[options.goal];
    const { ledger, tools, batch, callTimeoutMs } = options;
    const claiming = { ledger, clock: tools.clock, batch, callTimeoutMs, stages: this.#stages };
    this.#claims = new Claims(claiming, this.#gate);
    this.#lastSentAt = tools.clock.now();
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
      this.#lanes.concurrency = this.#laneCount();
      const claimed = await this.#claims.next(this.#free(), this.#isBusy());
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
    const stop = this.#stop ?? this.#options.stop();
    if (stop !== null) return { kind: 'operator', stop };
    return this.#gate.stop === null ? null : { kind: this.#gate.stop };
  }

  /** Lets the calls under way end, and tells of a fault that was no answer but a bug or a full disk. */
  async #leave(end: RunEnd): Promise<RunEnd> {
    while (this.#isBusy()) await this.#oneDone();
    if (this.#fault !== null) throw this.#fault.error;
    await this.#unusedIntents.takeBack(this.#options.ledger, this.#options.tools.clock);
    return end;
  }

  #start(row: RowRecord): void {
    this.#active += 1;
    this.#unusedIntents.delete(row);
    void this.#lanes(() => this.#carry(row))
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        this.#active -= 1;
        this.#claims.ended(row);
        this.#wake();
      });
  }

  /** Steps one row for as long as each verdict lets the next step follow at once. */
  async #carry(claimed: RowRecord): Promise<void> {
    let row: RowRecord | null = claimed;
    let before: RowRecord = claimed;
    while (row !== null && !this.#mustStop(row)) {
      before = row;
      row = await this.#stepOnce(row);
    }
    // Stopped between two steps: the row is free for whoever goes on.
    if (row !== null && this.#fault === null) await this.#giveBack(row, before);
  }

  #mustStop({ progress, writtenBy }: RowRecord): boolean {
    if (this.#gate.serviceClosedUntil > this.#options.tools.clock.now()) return true;
    const end = this.#endNow();
    // We were asked to end, not forbidden to call: an intent that is on record is followed by its confirm, or nobody could say whether it was.
    const isIntended = progress.stage === 'documented' && writtenBy === this.#options.ledger.run;
    return end !== null && !(end.kind === 'interrupted' && this.#fault === null && isIntended);
  }

  async #giveBack(row: RowRecord, before: RowRecord): Promise<void> {
    const isNew = row.progress.stage === 'documented' && before.progress.stage !== 'documented';
    if (isNew) this.#unusedIntents.add(row);
    await this.#options.ledger.unclaim(row);
  }

  async #stepOnce(row: RowRecord): Promise<RowRecord | null> {
    const due = this.#dueRow(row);
    const { goal, tools } = this.#options;
    const verdict = this.#odd.judge(row, await stepTowards(goal, due, tools), this.#gate.answers);
    this.#tellGate(verdict, due);
    const progress = applyVerdict(row.progress, verdict);
    const continues = this.#continues(verdict, { ...row, progress });
    const { written, paused } = await this.#options.ledger.record(row, {
      progress,
      dueAt: this.#dueAt(verdict, progress, row),
      keepClaim: continues,
      event: eventOf(verdict),
      ...notifiedAs(due, this.#options.tools),
    });
    this.#isPaused ||= paused;
    if (!written) return null;
    this.#tell(row, verdict, progress);
    const after = { ...row, progress, version: row.version + 1, writtenBy: this.#options.ledger.run };
    if (verdict.kind === 'breaker' && verdict.isUnsentConfirm === true) this.#unusedIntents.add(after);
    return continues ? after : null;
  }

  #continues(verdict: Verdict, row: RowRecord): boolean {
    if (verdict.kind !== 'advanced' || verdict.afterMs !== undefined) return false;
    return !isReached(this.#options.goal, verdict, row) && this.#stages.includes(row.progress.stage);
  }

  #dueRow(row: RowRecord): DueRow {
    const { payout } = row;
    if (payout === null) throw new Error('Only rows with a payout are ever due.');
    const { ledger, fileId } = this.#options;
    const isOwnRecord = row.writtenBy === ledger.run;
    return { fileId, row: { ...row, payout }, isOwnRecord, mustLook: row.progress.unsure || !isOwnRecord };
  }

  #tellGate(verdict: Verdict, { row, mustLook }: DueRow): void {
    const funded = fundedRow(row);
    const to = mustLook || !SENDING.includes(row.progress.stage) ? 'read' : 'mutation';
    if (verdict.kind === 'stopped') this.#stop ??= verdict.stop;
    else if (verdict.kind === 'breaker') this.#gate.close(verdict, funded);
    else if (verdict.kind === 'later' && verdict.isUnanswered)
      this.#gate.unanswered(to, verdict.retryAfterMs, verdict.oddity === undefined ? null : row.position);
    else {
      this.#gate.serviceAnswered(to);
      if (to === 'mutation' && row.progress.stage !== stageAfter(verdict, row)) this.#gate.fundsSeen(funded);
    }
  }

  #dueAt(verdict: Verdict, progress: Progress, row: RowRecord): number | null {
    const { tools, goal } = this.#options;
    return dueAt(verdict, progress, {
      goal,
      payout: row.payout,
      now: tools.clock.now(),
      reopensAt: verdict.kind === 'breaker' ? this.#gate.reopensAt(verdict, fundedRow(row)) : 0,
      pollEveryMs: tools.pollEveryMs,
      isNotified: tools.isNotified?.() ?? false,
      reversalWindowMs: tools.reversalWindowMs,
      random: tools.clock.random(),
    });
  }

  #tell(row: RowRecord, verdict: Verdict, progress: Progress): void {
    const { log, onMoved, tools } = this.#options;
    const from = row.progress.stage;
    log.debug('step', { batch: row.batch, row: row.row, stage: progress.stage, verdict: verdict.kind });
    if (from === progress.stage) return;
    if (isForward(from, progress)) this.#lastSentAt = tools.clock.now();
    onMoved(from, progress.stage, progress.errorCode);
  }

  #laneCount(): number {
    return Math.min(this.#options.concurrency, this.#options.tools.pacer.lanes);
  }

  /** One row waits for each that is under way; more would only age, and fill the memory with people's data. */
  #free(): number {
    return Math.max(0, 2 * this.#lanes.concurrency - this.#active);
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
    return this.#gate.isServiceOut || this.#gate.isUnanswered ? { kind: 'service' } : { kind: 'waited' };
  }

  async #wasPausedMeanwhile(): Promise<boolean> {
    const { ledger, batch } = this.#options;
    return (await ledger.batch(batch))?.paused === true;
  }
}

/** A price asked for anew is no progress: what goes round in circles must run out of patience. */
function isForward(from: Stage, { stage, quotationAttempt }: Progress): boolean {
  return SENDING.includes(from) && stage !== 'ready' && (stage !== 'quoted' || quotationAttempt === 1);
}

function stageAfter(verdict: Verdict, { progress }: RowRecord): Stage {
  if (verdict.kind === 'advanced' || verdict.kind === 'refused') return verdict.stage;
  return verdict.kind === 'held' ? 'held' : progress.stage;
}
