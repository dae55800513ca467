// The result of a step is recorded, with others in one write (group commit), before anything that rests on it: the row, when it is due again, and what the step says of the service.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Ledger, RecordResult, RowChange } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import type { Stage, StageOrHeld } from '../payouts/lifecycle.ts';
import { type Progress, stageOrHeld, whyOf } from '../payouts/progress.ts';
import { type Stop, type Verdict, applyVerdict } from '../payouts/verdict.ts';
import { type Goal, isReached, STAGES_OF } from './goal.ts';
import { dueAt, triesAfter } from './when-due.ts';
import type { FairLanes } from './fair-lanes.ts';
import { type CircuitBreakers, fundedRow } from './paced-transport.ts';
import { notifiedAs } from './requests.ts';
import { type DeliveryTools, type DueRow, mustLook } from './tools.ts';

/** Stages before the confirm. */
export const SENDING: readonly Stage[] = STAGES_OF.submitted;

export type Recording = {
  readonly ledger: Ledger;
  readonly tools: DeliveryTools;
  readonly log: Log;
  readonly goal: Goal;
  /** Called after each recorded change of stage. */
  readonly onMoved: (from: Stage, to: StageOrHeld, errorCode: string | null) => void;
};

export class Recorder {
  readonly #options: Recording;
  readonly #breakers: CircuitBreakers;
  readonly #unusedIntents: UnusedIntents;
  /** True once the batch was seen paused. */
  isPaused = false;
  /** The question that a person has to answer before anything more is sent. */
  stop: Stop | null = null;
  /** Local time in ms of the last move towards a confirm. */
  lastSentAt: number;
  /** Tries of a row's step without success, by its position: they only make the next one later. */
  readonly #tries = new Map<number, number>();

  constructor(options: Recording, breakers: CircuitBreakers, unusedIntents: UnusedIntents) {
    this.#options = options;
    this.#breakers = breakers;
    this.#unusedIntents = unusedIntents;
    this.lastSentAt = options.tools.clock.now();
  }

  /** A price moves no money, and its id gives it again: it is written with what its create says. */
  mayKeep({ row }: DueRow, verdict: Verdict): boolean {
    if (verdict.kind !== 'advanced' || row.progress.stage !== 'ready' || verdict.stage !== 'quoted')
      return false;
    return this.#continues(verdict, { ...row, progress: this.#after(row, verdict) });
  }

  /** Values that are written with the next record of the row; losing them before that must not matter. Gives the row as it stands now. */
  keep(due: DueRow, verdict: Verdict): RowRecord {
    const { row } = due;
    this.#tellBreakers(verdict, due);
    this.#countTry(verdict, row);
    const progress = this.#after(row, verdict);
    this.#tell(row, verdict, progress);
    return { ...row, progress };
  }

  #after({ progress }: RowRecord, verdict: Verdict): Progress {
    return applyVerdict(progress, verdict, this.#options.tools.clock.now());
  }

  /** Gives the row as it stands now when its next step follows at once. @param write the ledger's own `record`, or a way to it. */
  async record(due: DueRow, verdict: Verdict, write: Ledger['record']): Promise<RowRecord | null> {
    const { row } = due;
    const { tools } = this.#options;
    this.#tellBreakers(verdict, due);
    const progress = this.#after(row, verdict);
    const continues = this.#continues(verdict, { ...row, progress });
    const tries = this.#countTry(verdict, row);
    const { written } = await write(row, {
      progress,
      dueAt: this.#dueAt(verdict, progress, row, tries),
      keepClaim: continues,
      event: eventOf(verdict),
      onPaused: this.#pause,
      ...notifiedAs(due, tools),
    });
    if (!written) return null;
    this.#tell(row, verdict, progress);
    const after = { ...row, progress, version: row.version + 1 };
    // A transfer that is confirmed again was confirmed before: only a row in `confirming` has an intent that was not used.
    if (verdict.kind === 'breaker' && verdict.isUnsentConfirm === true && progress.stage === 'confirming')
      this.#unusedIntents.add(doubted(after));
    return continues ? after : null;
  }

  readonly #pause = (): void => {
    this.isPaused = true;
  };

  #continues(verdict: Verdict, row: RowRecord): boolean {
    const { goal } = this.#options;
    if (verdict.kind !== 'advanced' || verdict.afterMs !== undefined) return false;
    return !isReached(goal, verdict, row) && STAGES_OF[goal].includes(row.progress.stage);
  }

  #tellBreakers(verdict: Verdict, due: DueRow): void {
    const { row } = due;
    const funded = fundedRow(row);
    const to = mustLook(due) || !SENDING.includes(row.progress.stage) ? 'read' : 'mutation';
    if (verdict.kind === 'stopped') this.stop ??= verdict.stop;
    else if (verdict.kind === 'breaker') this.#breakers.trip(verdict, to, funded);
    else if (verdict.kind === 'later' && verdict.isUnanswered) this.#breakers.unanswered(to);
    else {
      this.#breakers.serviceAnswered(to);
      if (to === 'mutation' && row.progress.stage !== stageAfter(verdict, row))
        this.#breakers.fundsSeen(funded);
    }
  }

  #dueAt(verdict: Verdict, progress: Progress, row: RowRecord, tries: number): number | null {
    const { tools, goal } = this.#options;
    return dueAt(verdict, progress, {
      goal,
      payout: row.payout,
      tries,
      now: tools.clock.now(),
      triedAgainAt: verdict.kind === 'breaker' ? this.#breakers.triedAgainAt(verdict, fundedRow(row)) : 0,
      pollEveryMs: tools.pollEveryMs,
      isNotified: tools.isNotified?.() ?? false,
      reversalWindowMs: tools.reversalWindowMs,
      random: tools.clock.random(),
    });
  }

  /** Counts each try without success, also of a step that is kept without a record. */
  #countTry(verdict: Verdict, { position, progress }: RowRecord): number {
    const tries = triesAfter(verdict, progress.stage, this.#tries.get(position) ?? 0);
    if (tries === 0) this.#tries.delete(position);
    else this.#tries.set(position, tries);
    return tries;
  }

  #tell(row: RowRecord, verdict: Verdict, progress: Progress): void {
    const { log, onMoved, tools } = this.#options;
    const from = row.progress.stage;
    const to = stageOrHeld(progress);
    log.debug('step', { batch: row.batch, row: row.row, stage: to, verdict: verdict.kind });
    if (from === to) return;
    if (isForward(from, progress)) this.lastSentAt = tools.clock.now();
    onMoved(from, to, whyOf(progress)?.errorCode ?? null);
  }
}

/** A copy of a confirm that was refused with the key may still be taken: what becomes of this attempt only time can vouch for. */
function doubted(row: RowRecord): RowRecord {
  return { ...row, progress: { ...row.progress, begunBy: null } };
}

/** A new price is no progress: a row that goes round in circles must run out of patience. */
function isForward(from: Stage, { stage, quotationAttempt }: Progress): boolean {
  return SENDING.includes(from) && stage !== 'ready' && (stage !== 'quoted' || quotationAttempt === 1);
}

function stageAfter(verdict: Verdict, { progress }: RowRecord): StageOrHeld {
  if (verdict.kind === 'advanced' || verdict.kind === 'refused') return verdict.stage;
  return verdict.kind === 'held' ? 'held' : progress.stage;
}

// The words of the history for a recorded step, by its result.

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
    case 'stopped':
      return `stopped: ${verdict.stop.by}`;
    case 'waiting':
    case 'later':
    case 'interrupted':
      return verdict.kind;
  }
}

// Intents to confirm that this run recorded, and that no confirm is known to have followed: the batch was paused, the key refused, the service away.
// Left on record they would say for ever that a confirm may have arrived, and hours later only a person could decide.

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

// While a row waits for its record, another row uses its lane. Ordinary records wait for one another, because sixty cost as much as one; they are written
// when a lane would otherwise stand idle.

type Waiting = {
  readonly row: RowRecord;
  readonly change: RowChange;
  readonly settle: (written: Promise<RecordResult>) => void;
};

export class RecordGroup {
  readonly #ledger: Ledger;
  readonly #lanes: FairLanes;
  #waiting: Waiting[] = [];

  constructor(ledger: Ledger, lanes: FairLanes) {
    this.#ledger = ledger;
    this.#lanes = lanes;
  }

  /** Writes it as soon as a lane would stay unused, or anything else is written. */
  readonly whenUnused = async (row: RowRecord, change: RowChange): Promise<RecordResult> => {
    const written = new Promise<RecordResult>((settle) => this.#waiting.push({ row, change, settle }));
    this.#lanes.aside(row.batch, this.#writeAll);
    try {
      return await written;
    } finally {
      this.#lanes.back(row.batch);
    }
  };

  /** Writes it, and all that waits, at once. */
  readonly atOnce = (row: RowRecord, change: RowChange): Promise<RecordResult> => {
    const written = this.whenUnused(row, change);
    this.#writeAll();
    return written;
  };

  readonly #writeAll = (): void => {
    const group = this.#waiting;
    this.#waiting = [];
    for (const { row, change, settle } of group) settle(this.#ledger.record(row, change));
  };
}

// A service that answers others as usual, and one row never, is not out of reach: that row is for a person, and the batch goes on.

/** A step whose answers the interface does not describe, while others are answered as usual, is tried this often before a person looks. */
const ODD_ANSWERS_MOST = 10;

/** So many usable answers meanwhile show that the service is well. */
const WELL_LEAST = 3;

type Odd = { readonly times: number; readonly answersBefore: number };

export class OddAnswers {
  /** By the row's position. */
  readonly #rows = new Map<number, Odd>();

  /** The verdict, or `held` when patience is no longer the answer. `answers`: how many usable answers the service has given in this run. */
  judge({ position, progress }: RowRecord, verdict: Verdict, answers: number): Verdict {
    // A look between two odd answers is answered well, and changes nothing.
    if (verdict.kind === 'advanced' && verdict.stage !== progress.stage) this.#rows.delete(position);
    if (verdict.kind !== 'later' || verdict.oddity === undefined) return verdict;
    const known = this.#rows.get(position) ?? { times: 0, answersBefore: answers };
    const odd = { ...known, times: known.times + 1 };
    this.#rows.set(position, odd);
    if (odd.times < ODD_ANSWERS_MOST || !this.#isServiceWell(odd, answers)) return verdict;
    const reason = sentence('oddAnswers.judge', { oddity: verdict.oddity });
    return { kind: 'held', code: 'unexpected_refusal', reason, learned: verdict.learned };
  }

  /** Others have been answered since, or this row is the only one that is not and they were before. */
  #isServiceWell({ answersBefore }: Odd, answers: number): boolean {
    if (this.#rows.size === 1 && answers > 0) return true;
    return answers - answersBefore >= WELL_LEAST;
  }
}
