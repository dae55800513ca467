// The ordinary way of a row, written flat: price, transfer, intent on record, confirm. `isLaneFor` and `isPlain` say which rows take it. The same functions judge
// each response as in `step.ts`; anything unusual goes on record, and the steps go on from there.
import type { RowRecord } from '../ledger/records.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { create, quote } from './calls.ts';
import { confirm } from './confirm.ts';
import type { Goal } from './goal.ts';
import { afterFault, believed } from './step.ts';
import { type DeliveryTools, type DueRow, mustLook } from './tools.ts';

/** Everything that limits count, a notification will name, or a person may hold for its price is on record before the create. */
export function isLaneFor({ goal, tools }: { readonly goal: Goal; readonly tools: DeliveryTools }): boolean {
  const { reserve, callbackUrl, priceLimits } = tools;
  const isFree = reserve === null && priceLimits.feeShare === null && priceLimits.leastRates === null;
  return goal === 'submitted' && isFree && callbackUrl === null;
}

/** A first attempt of which this tenure knows that no transfer stands, and none can arrive. */
export function isPlain(due: DueRow): boolean {
  const { payout, progress } = due.row;
  const { stage, deadAttempts, hold, mayArriveUntil, confirm: sent } = progress;
  if (mustLook(due) || payout.document !== null || deadAttempts.length > 0) return false;
  if (due.doubtSince !== null || hold !== null || mayArriveUntil !== null || sent !== 'none') return false;
  return stage === 'ready' || stage === 'quoted';
}

/** The parts of its run that a row on the lane uses like any other. */
export type LaneRun = {
  readonly tools: DeliveryTools;
  readonly dueRow: (row: RowRecord) => DueRow;
  /** Without a record; see `Recorder`. */
  readonly keep: (due: DueRow, verdict: Verdict) => DueRow;
  /** Ordinary results are recorded together with others, unusual ones at once. */
  readonly note: (due: DueRow, verdict: Verdict) => Promise<RowRecord | null>;
  readonly settle: (due: DueRow, verdict: Verdict) => Promise<RowRecord | null>;
  readonly mustStop: (row: RowRecord) => boolean;
};

export class Lane {
  readonly #run: LaneRun;

  constructor(run: LaneRun) {
    this.#run = run;
  }

  /** Carries a plain row to its confirm. Gives the row as it stands now where another step follows. */
  async carry(plain: DueRow): Promise<RowRecord | null> {
    const { tools, dueRow, keep, note, settle, mustStop } = this.#run;
    let due = plain;
    try {
      if (due.row.progress.stage === 'ready') {
        const priced = await this.#timed(due, quote);
        if (!isAt(priced, 'quoted')) return await this.#unusual(due, priced);
        // A price moves no money, and its id gives it again: it is written with what its create says.
        due = keep(due, priced);
        if (mustStop(due.row)) return due.row;
      }
      const made = await this.#timed(due, create);
      if (!isAt(made, 'confirming')) return await this.#unusual(due, made);
      const intended = await note(due, made);
      if (intended === null || mustStop(intended)) return intended;
      due = dueRow(intended);
      const confirmed = await this.#timed(due, confirm);
      if (!isAt(confirmed, 'confirmed')) return await this.#unusual(due, confirmed);
      return await note(due, confirmed);
    } catch (fault) {
      return settle(due, afterFault(fault, due, tools));
    }
  }

  /** How long the steps of a row take says until when it may be created. */
  async #timed(due: DueRow, call: (due: DueRow, tools: DeliveryTools) => Promise<Verdict>): Promise<Verdict> {
    const { tools } = this.#run;
    const startedAt = tools.clock.monotonic();
    const verdict = await call(due, tools);
    if (verdict.kind === 'advanced')
      tools.rateControl.times.took(
        due.row.progress.stage,
        verdict.stage,
        tools.clock.monotonic() - startedAt,
      );
    return verdict;
  }

  async #unusual(due: DueRow, verdict: Verdict): Promise<RowRecord | null> {
    const { tools, settle } = this.#run;
    return settle(due, await believed(verdict, due, tools));
  }
}

function isAt(verdict: Verdict, stage: Stage): boolean {
  return verdict.kind === 'advanced' && verdict.stage === stage;
}
