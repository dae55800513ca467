// What a row's steps lead to is recorded, with others in one write (group commit), before anything that rests on it: the row, when it is due again, and what the
// service's answers say beyond the row.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Ledger, RecordResult, RowChange } from '../ledger/ledger.ts';
import type { LeasedBatch, RowRecord } from '../ledger/records.ts';
import { advancedTo } from '../ledger/seals.ts';
import { BEFORE_CONFIRM, mayMove, type Stage, type StageOrHeld } from '../payouts/lifecycle.ts';
import { attemptNumberOf, type Progress, type Tenure, whyOf } from '../payouts/progress.ts';
import { progressOf } from '../payouts/row-machine/record.ts';
import { attemptOf, type RowState, stageOf } from '../payouts/row-machine/row-state.ts';
import type { FairLanes } from './fair-lanes.ts';
import type { Goal } from './goal.ts';
import { transferExternalId } from './requests.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

export type Recording = {
  readonly ledger: Ledger;
  /** Under which its rows are written. */
  readonly leased: LeasedBatch;
  readonly tools: DeliveryTools;
  readonly log: Log;
  readonly goal: Goal;
  /** The name under which this run vouches for rows: the run and its lease. */
  readonly tenure: Tenure;
  /** Called after each change of stage. */
  readonly onMoved: (from: Stage, to: StageOrHeld, errorCode: string | null) => void;
};

/** A row as it was recorded last, and how it stands by then. */
export type Recorded = { readonly due: DueRow; readonly state: RowState };

type Writing = {
  /** Local time in ms; null when nothing more is to be done in this run. */
  readonly dueAt: number | null;
  /** What the history says where the stage alone does not. */
  readonly event?: string;
};

export class Recorder {
  readonly #options: Recording;
  /** True once the batch was seen paused, or has orders. */
  isPaused = false;
  /** Local time in ms of the last move towards a confirm. */
  lastSentAt: number;

  constructor(options: Recording) {
    this.#options = options;
    this.lastSentAt = options.tools.clock.now();
  }

  /** The row as it stands now; null where the batch has another owner by now. @param write the ledger's own `record`, or a way to it. */
  async record(
    { due, state }: Recorded,
    writing: Writing,
    write: Ledger['record'],
  ): Promise<Recorded | null> {
    const { row } = due;
    const progress = this.recordOf(row, state);
    const { written, isHalted } = await write(this.#options.leased, row, {
      progress,
      dueAt: writing.dueAt,
      event: writing.event ?? eventOf(row.progress, progress),
      ...this.#notifiedAs(due, state),
    });
    if (isHalted) this.isPaused = true;
    if (!written) return null;
    return { due: { ...due, row: { ...row, progress, version: row.version + 1 } }, state };
  }

  /** A move that the lifecycle does not have is a bug. */
  recordOf({ progress: before }: RowRecord, state: RowState): Progress {
    const after = progressOf(state, this.#options.tenure);
    if (
      attemptNumberOf(before) === attemptNumberOf(after) &&
      !mayMove(before.stage, after.stage) &&
      after.hold === null
    )
      throw new Error(`A payout cannot go from ${before.stage} to ${after.stage}.`);
    return after;
  }

  /** The id by which a notification will name the transfer: on record with what its create says. */
  #notifiedAs(due: DueRow, state: RowState): { readonly transferExternalId?: string } {
    const { stage } = due.row.progress;
    const isNews = this.#options.tools.callbackUrl !== null && (stage === 'ready' || stage === 'quoted');
    return isNews ? { transferExternalId: transferExternalId(due, attemptOf(state)) } : {};
  }

  /** Tells of a change, also of one that is not written yet because losing it would not matter. */
  tell({ batch, row }: RowRecord, before: RowState, after: RowState): void {
    const { log, onMoved, tools, tenure } = this.#options;
    const from = stageOf(before);
    const to = after.hold === null ? stageOf(after) : 'held';
    log.debug('step', { batch, row, stage: to });
    if (from === to) return;
    if (isForward(from, after)) this.lastSentAt = tools.clock.now();
    onMoved(from, to, whyOf(progressOf(after, tenure))?.errorCode ?? null);
  }
}

/** A new price is no progress: a row that goes round in circles must run out of patience. */
function isForward(from: Stage, row: RowState): boolean {
  const to = stageOf(row);
  return BEFORE_CONFIRM.has(from) && to !== 'ready' && (to !== 'quoted' || row.quotation === 1);
}

/** The words of the history for a record. */
function eventOf(before: Progress, after: Progress): string {
  if (after.hold !== null) return `held: ${after.hold.code}`;
  if (after.stage === before.stage && attemptNumberOf(before) === attemptNumberOf(after)) return 'waiting';
  return after.stage === 'failed' || after.stage === 'rejected'
    ? `refused: ${after.stage}`
    : advancedTo(after.stage);
}

// Intents to confirm that this run recorded, and that no confirm has followed: the batch was paused, or the service is away. Left on record they would say
// for ever that a confirm may have arrived, and hours later only time could decide.

export class UnusedIntents {
  /** By the row's position. */
  readonly #rows = new Map<number, Recorded>();

  add(recorded: Recorded): void {
    this.#rows.set(recorded.due.row.position, recorded);
  }

  has({ position }: RowRecord): boolean {
    return this.#rows.has(position);
  }

  /** Its confirm may follow now. */
  delete({ position }: RowRecord): void {
    this.#rows.delete(position);
  }

  /** At the end of a run, when nothing more is sent. */
  async takeBack(
    { ledger, leased }: Pick<Recording, 'ledger' | 'leased'>,
    clock: Clock,
    takenBack: (recorded: Recorded) => Progress,
  ): Promise<void> {
    for (const recorded of this.#rows.values())
      await ledger.record(leased, recorded.due.row, {
        progress: takenBack(recorded),
        dueAt: clock.now(),
        event: 'intent to confirm taken back',
      });
  }
}

// While a row waits for its record, another row uses its lane. Ordinary records wait for one another, because sixty cost as much as one; they are written
// when a lane would otherwise stand idle.

type Waiting = {
  readonly leased: LeasedBatch;
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
  readonly whenUnused = async (
    leased: LeasedBatch,
    row: RowRecord,
    change: RowChange,
  ): Promise<RecordResult> => {
    const written = new Promise<RecordResult>((settle) =>
      this.#waiting.push({ leased, row, change, settle }),
    );
    this.#lanes.aside(row.batch, this.#writeAll);
    try {
      return await written;
    } finally {
      this.#lanes.back(row.batch);
    }
  };

  /** Writes it, and all that waits, at once. */
  readonly atOnce: Ledger['record'] = (leased, row, change) => {
    const written = this.whenUnused(leased, row, change);
    this.#writeAll();
    return written;
  };

  readonly #writeAll = (): void => {
    const group = this.#waiting;
    this.#waiting = [];
    for (const { leased, row, change, settle } of group) settle(this.#ledger.record(leased, row, change));
  };
}
