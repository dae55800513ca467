// What came of a step goes on record: the row, when it is due again, and what the step says of the service. What guards money is on record before
// anything else happens; what the service tells again is written with the next commit.
import type { Log } from '../base/log.ts';
import type { Ledger, RowChange } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { sentence } from '../messages/messages.ts';
import type { Stage, StageOrHeld } from '../payouts/lifecycle.ts';
import { type Progress, stageOrHeld, whyOf } from '../payouts/progress.ts';
import { type Stop, type Verdict, applyVerdict } from '../payouts/verdict.ts';
import { dueAt, triesAfter } from './due-at.ts';
import { type Goal, STAGES_OF, isReached } from './goal.ts';
import { type CircuitBreakers, fundedRow } from './paced-transport.ts';
import type { Order } from './rate-control.ts';
import { notifiedAs } from './requests.ts';
import { type DeliveryTools, type DueRow, mustLook } from './tools.ts';
import type { UnusedIntents } from './unused-intents.ts';

/** Stages before the confirm. */
export const SENDING: readonly Stage[] = STAGES_OF.submitted;

export type Recording = {
  readonly ledger: Ledger;
  readonly tools: DeliveryTools;
  readonly log: Log;
  readonly batch: string;
  readonly goal: Goal;
  /** Called after each recorded change of stage. */
  readonly onMoved: (from: Stage, to: StageOrHeld, errorCode: string | null) => void;
};

/** `next`: the row as it stands now, where its next step follows. `written`: whether it is on record; null where no step waits for that. */
export type Recorded = { readonly next: RowRecord | null; readonly written: Promise<boolean> | null };

export class Recorder {
  readonly #options: Recording;
  readonly #breakers: CircuitBreakers;
  readonly #unusedIntents: UnusedIntents;
  readonly #odd = new OddAnswers();
  /** True once the batch was seen paused. */
  isPaused = false;
  /** What a person has to decide before anything more is sent. */
  stop: Stop | null = null;
  /** What kept a record from being written for which no row waited. */
  fault: { readonly error: unknown } | null = null;
  /** Records that no row waits for, until they are durable: the last of each row, by its position. */
  readonly #waiting = new Map<number, Promise<unknown>>();
  /** Positions of rows whose record somebody else has written since they were claimed. */
  readonly #lost = new Set<number>();
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

  /** Everything that comes of a step is told here at once, and to nobody else before it is durable. */
  record(due: DueRow, stepped: Verdict): Recorded {
    const { row } = due;
    const verdict = this.#odd.judge(row, stepped, this.#breakers.answers);
    const { tools, goal } = this.#options;
    this.#tellBreakers(verdict, due);
    const progress = applyVerdict(row.progress, verdict, tools.clock.now());
    const continues = this.#continues(verdict, { ...row, progress });
    // What is paid whole or not at all is decided by records alone, whoever decides it.
    const mayWait = goal !== 'reserved' && isToldAgain(verdict, row.progress, progress);
    const after = { ...row, progress, version: row.version + 1, writtenBy: due.run };
    const written = this.#written(row, verdict, after, {
      progress,
      dueAt: this.#dueAt(verdict, progress, row),
      keepClaim: continues,
      event: eventOf(verdict),
      ...notifiedAs(due, tools),
      ...(mayWait ? { mayWait } : {}),
    });
    if (mayWait) this.#wait(row, written);
    return { next: continues ? after : null, written: mayWait ? null : written };
  }

  /** The row has just been claimed. */
  taken({ position }: RowRecord): void {
    this.#lost.delete(position);
  }

  /**
   * True while the row may be carried on: nobody has paused the batch, and nobody else has written the row. The record of its last step tells both
   * once it is durable. Before that, and before the row's first step, the pause is asked for; and where the claim may have run out (`isHeld` is
   * false), what was recorded is waited for.
   */
  async mayGoOn({ position }: RowRecord, order: Order, isHeld: boolean): Promise<boolean> {
    const { ledger, batch } = this.#options;
    const isWaiting = this.#waiting.has(position);
    if (isWaiting && !isHeld) await this.settled();
    if (isWaiting || order === 'new') this.isPaused ||= await ledger.isPaused(batch);
    return !this.isPaused && !this.#lost.has(position);
  }

  /** Resolves once all that was recorded is durable, or known not to be. */
  async settled(): Promise<void> {
    await this.#options.ledger.flush();
    await Promise.all(this.#waiting.values());
  }

  #wait({ position }: RowRecord, written: Promise<boolean>): void {
    const waiting: Promise<unknown> = written
      .catch((error: unknown) => (this.fault ??= { error }))
      .finally(() => {
        if (this.#waiting.get(position) === waiting) this.#waiting.delete(position);
      });
    this.#waiting.set(position, waiting);
  }

  async #written(row: RowRecord, verdict: Verdict, after: RowRecord, change: RowChange): Promise<boolean> {
    const { written, paused } = await this.#options.ledger.record(row, change);
    this.isPaused ||= paused;
    if (!written) {
      this.#lost.add(row.position);
      return false;
    }
    this.#tell(row, verdict, after.progress);
    // One that is confirmed again has had its confirm.
    if (
      verdict.kind === 'breaker' &&
      verdict.isUnsentConfirm === true &&
      after.progress.stage === 'confirming'
    )
      this.#unusedIntents.add(doubted(after));
    return true;
  }

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
    else if (verdict.kind === 'breaker') this.#breakers.close(verdict, to, funded);
    else if (verdict.kind === 'later' && verdict.isUnanswered) this.#breakers.unanswered(to);
    else {
      this.#breakers.serviceAnswered(to);
      if (to === 'mutation' && row.progress.stage !== stageAfter(verdict, row))
        this.#breakers.fundsSeen(funded);
    }
  }

  #dueAt(verdict: Verdict, progress: Progress, row: RowRecord): number | null {
    const { tools, goal } = this.#options;
    const tries = triesAfter(verdict, row.progress.stage, this.#tries.get(row.position) ?? 0);
    if (tries === 0) this.#tries.delete(row.position);
    else this.#tries.set(row.position, tries);
    return dueAt(verdict, progress, {
      goal,
      payout: row.payout,
      tries,
      now: tools.clock.now(),
      reopensAt: verdict.kind === 'breaker' ? this.#breakers.reopensAt(verdict, fundedRow(row)) : 0,
      pollEveryMs: tools.pollEveryMs,
      isNotified: tools.isNotified?.() ?? false,
      reversalWindowMs: tools.reversalWindowMs,
      random: tools.clock.random(),
    });
  }

  #tell(row: RowRecord, verdict: Verdict, progress: Progress): void {
    const { log, onMoved, tools } = this.#options;
    const from = row.progress.stage;
    const to = stageOrHeld(progress);
    log.debug('step', { batch: row.batch, row: row.row, stage: to, verdict: verdict.kind });
    if (from === to) return;
    if (isForward(from, progress)) this.lastSentAt = tools.clock.now();
    onMoved(from, to, whyOf(progress).errorCode);
  }
}

/** Steps whose outcome is asked for again after a crash, under the same ids. Not the intent to confirm, and nothing that ends a row unpaid. */
const TOLD_AGAIN: ReadonlySet<string> = new Set([
  'ready quoted',
  'quoted created',
  'confirming confirmed',
  'confirmed confirmed',
  'confirmed paid',
] satisfies readonly `${Stage} ${Stage}`[]);

/** What a later look rests on: none of it may be forgotten once it is known. */
const EVIDENCE = [
  'transferAttempt',
  'confirm',
  'mayArriveUntil',
  'rebuiltAt',
  'silentAt',
  'deadAttempts',
  'hold',
  'errorCode',
  'doubts',
] as const satisfies readonly (keyof Progress)[];

/** True where nothing rests on the record before the row's next one: a crash that takes it along costs another question to the service, and no more. */
export function isToldAgain({ kind }: Verdict, before: Progress, after: Progress): boolean {
  if (kind !== 'advanced' && kind !== 'waiting') return false;
  return (
    TOLD_AGAIN.has(`${before.stage} ${after.stage}`) &&
    after.lookedBy !== null &&
    EVIDENCE.every((fact) => after[fact] === before[fact])
  );
}

/** A copy of a confirm that was refused with the key may still be taken: what becomes of this attempt only time can vouch for. */
function doubted(row: RowRecord): RowRecord {
  return { ...row, progress: { ...row.progress, begunBy: null } };
}

/** A price asked for anew is no progress: what goes round in circles must run out of patience. */
function isForward(from: Stage, { stage, quotationAttempt }: Progress): boolean {
  return SENDING.includes(from) && stage !== 'ready' && (stage !== 'quoted' || quotationAttempt === 1);
}

function stageAfter(verdict: Verdict, { progress }: RowRecord): StageOrHeld {
  if (verdict.kind === 'advanced' || verdict.kind === 'refused') return verdict.stage;
  return verdict.kind === 'held' ? 'held' : progress.stage;
}

// What the history says of a step that was recorded, by what the step ended in.

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

// A service that answers others as usual, and one row never, is not out of reach: that row is for a person, and the batch goes on.

/** A step whose answers the interface does not describe, while others are answered as usual, is tried this often before a person looks. */
const ODD_ANSWERS_MOST = 10;

/** So many usable answers meanwhile show that the service is well. */
const WELL_LEAST = 3;

type Odd = { readonly times: number; readonly answersBefore: number };

class OddAnswers {
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
    return { kind: 'held', code: 'unexpected_refusal', learned: { ...verdict.learned, reason } };
  }

  /** Others have been answered since, or this row is the only one that is not and they were before. */
  #isServiceWell({ answersBefore }: Odd, answers: number): boolean {
    if (this.#rows.size === 1 && answers > 0) return true;
    return answers - answersBefore >= WELL_LEAST;
  }
}
