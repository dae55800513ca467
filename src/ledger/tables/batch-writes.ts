// Every write of a batch, each told in the history by the commit that makes it. To be called inside one commit, of which there is one at a time.
import type { Asked } from '../approval.ts';
import { repeatsOf } from '../batch-rows.ts';
import { mayTakeOver, pauseOf, sameContentAmong, standsAs } from '../batch-rules.ts';
import { isBeingRead, isBeingRebuilt, PAYING } from '../batch-states.ts';
import {
  afterJudging,
  afterWaiting,
  assertComplete,
  beginningOf,
  isToBegin,
  nextRange,
  type Step,
} from '../cross-check.ts';
import type {
  Announced,
  BatchesNow,
  BatchRevision,
  CrossCheck,
  Ledger,
  SeenBatch,
  WhichBatches,
  WholeDecision,
} from '../ledger.ts';
import { LeaseLost } from '../ledger-unusable.ts';
import type { Plan } from '../plan.ts';
import type { BatchRecord, Checked, LeasedBatch, WholeState } from '../records.ts';
import { ROWS_REMOVED, type Tells } from '../seals.ts';
import { waitFor } from '../wait.ts';
import { setApproved } from './approved-rows.ts';
import {
  type BatchesTable,
  carriersBeside,
  changeBatch,
  deleteBatch,
  digestOfBatch,
  endLease,
  forgetCarriers,
  giveTo,
  insertBatch,
  lockBatches,
  lockRowsOf,
} from './batches.ts';
import { encountersOf, type KeysOfStore } from './encounters.ts';
import { isOrdered } from './orders.ts';
import { arePricesOpen, endOf, totalOf } from './rows.ts';
import type { RowWrites } from './row-writes.ts';
import type { RunsInPlans } from '../runs.ts';

type Parts = {
  readonly run: string;
  readonly runs: RunsInPlans;
  readonly batches: BatchesTable;
  readonly rows: RowWrites;
  readonly keys: KeysOfStore;
};

/** Rows that are written together where all of a batch are. */
const WRITTEN_ROWS = 1_000;

export class BatchWrites {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  *announce(tx: Tells, batch: BatchRecord, replaces?: BatchRecord): Plan<Announced> {
    yield* lockBatches();
    const { batches, run } = this.#parts;
    const earlier = yield* batches.where('file_id', batch.fileId);
    if (earlier !== null && (replaces === undefined || !standsAs(earlier, replaces))) return { earlier };
    // A name belongs to the file that had it first, be that refused: somebody may have looked at it under that name.
    const named = yield* batches.where('id', batch.id);
    if (named !== null && named.fileId !== batch.fileId) return { earlier: named };
    if (earlier !== null) yield* this.#delete(tx, earlier.id, 'batch replaced');
    yield* insertBatch(batch, run);
    yield* this.#tellOf(tx, batch.id, 'batch announced');
    return { added: yield* batches.known(batch.id) };
  }

  *revise(
    tx: Tells,
    of: string | LeasedBatch,
    decide: Parameters<Ledger['revise']>[1],
  ): Plan<BatchRecord | null> {
    yield* lockBatches();
    const { batches } = this.#parts;
    const batch = typeof of === 'string' ? yield* batches.where('id', of) : yield* this.assertLeased(of);
    if (batch === null) return null;
    // Locked before the decision: it either sees the writes of rows in progress, or they see the decision.
    yield* lockRowsOf(batch.id);
    const revision = yield* this.#decided((others) => decide(batch, others));
    if (revision !== null) yield* this.#change(tx, batch, revision);
    return batch;
  }

  /** A decision is pure: where it turns out to need other batches they are read, and it is asked once more. */
  *#decided<T>(decide: (others: BatchesNow) => T): Plan<T> {
    const asked: WhichBatches[] = [];
    try {
      return decide((which) => {
        asked.push(which);
        throw new Error('They are not read yet.');
      });
    } catch (error) {
      const [which] = asked;
      if (which === undefined) throw error;
      const others = yield* this.#parts.batches.which(which);
      return decide(() => others);
    }
  }

  *#change(tx: Tells, batch: BatchRecord, { change, event }: BatchRevision): Plan<void> {
    // Whatever happens to it, from here on its rows may be met.
    if (change.state !== undefined && change.state !== 'refused') yield* this.#parts.keys.complete(batch.id);
    yield* changeBatch(batch, change);
    yield* this.#tellOf(tx, batch.id, event, JSON.stringify(change));
    if (change.state === 'refused') yield* this.#clear(tx, batch.id);
  }

  *askApproval(
    tx: Tells,
    leased: LeasedBatch,
    asked: Omit<Asked, 'coverage'>,
    positions: readonly number[],
  ): Plan<boolean> {
    yield* lockBatches();
    const batch = yield* this.assertLeased(leased);
    const { id, approval: known } = batch;
    // Numbers only grow; a preview that outlived an earlier ledger may have taken some.
    if (asked.round <= (known?.kind === 'asked' ? known.round : 0)) return false;
    yield* lockRowsOf(id);
    const approval: Asked = { ...asked, coverage: yield* setApproved(id, positions) };
    yield* changeBatch(batch, { approval, wait: waitFor('approval', asked.words) });
    yield* this.#tellOf(tx, id, 'approval asked', JSON.stringify(approval));
    return true;
  }

  *takeOver(tx: Tells, seen: SeenBatch): Plan<BatchRecord | null> {
    yield* lockBatches();
    const { batches, run, runs } = this.#parts;
    const batch = yield* batches.where('id', seen.id);
    if (batch === null || !standsAs(batch, seen)) return null;
    const dead: string[] = [];
    for (const each of yield* carriersBeside(batch.id, run)) if (yield* runs.endIfDead(each)) dead.push(each);
    if (!mayTakeOver(batch, seen, runs.isElsewhere(batch.owner))) return null;
    yield* lockRowsOf(batch.id);
    yield* giveTo(batch.id, run);
    // Nobody gave it back, or a run that had it before was killed since: this ledger may be an older copy, from before that run's last work.
    const isGiven = batch.owner === null || batch.owner === run || batch.isFree === true;
    const isLeft = !isGiven || dead.length > 0;
    if (isLeft && PAYING.has(batch.state))
      yield* this.#change(tx, batch, { change: { doubt: { since: null } }, event: 'batch changed' });
    yield* forgetCarriers(batch.id, dead);
    yield* this.#tellOf(tx, batch.id, 'batch taken over', run);
    return yield* batches.known(batch.id);
  }

  *giveBack({ id, token }: LeasedBatch, left: boolean): Plan<boolean> {
    yield* lockBatches();
    const { run, batches } = this.#parts;
    const batch = yield* batches.where('id', id);
    if (batch?.owner !== run || batch.token !== token || batch.isFree === true) return true;
    if (!left && (yield* isOrdered(id))) return false;
    yield* endLease(id, run, token);
    return true;
  }

  *drop(tx: Tells, leased: LeasedBatch): Plan<void> {
    yield* lockBatches();
    const { id, state } = yield* this.assertLeased(leased);
    if (state !== 'taking') throw new Error(`Batch ${id} is ${state}, and is not forgotten.`);
    yield* this.#delete(tx, id, 'batch dropped');
  }

  *clear(tx: Tells, leased: LeasedBatch): Plan<void> {
    yield* lockBatches();
    yield* this.#clear(tx, (yield* this.registered(leased)).id);
  }

  /** The batch whose rows are being registered. */
  *registered(leased: LeasedBatch): Plan<BatchRecord> {
    yield* lockRowsOf(leased.id);
    const batch = yield* this.assertLeased(leased);
    if (isBeingRead(batch) || isBeingRebuilt(batch)) return batch;
    throw new Error(`Batch ${batch.id} is ${batch.state}, and its rows are not to be registered.`);
  }

  *#clear(tx: Tells, id: string): Plan<void> {
    yield* this.#parts.rows.clear(id);
    yield* this.#tellOf(tx, id, ROWS_REMOVED);
  }

  /** Holds the next rows of a batch against all others: every commit sees each row that was checked before it, and is seen by each that is checked after it. */
  *crossCheck(tx: Tells, leased: LeasedBatch, check: CrossCheck): Plan<boolean> {
    yield* lockBatches();
    yield* lockRowsOf(leased.id);
    const own = yield* this.assertLeased(leased);
    yield* this.#parts.keys.complete(own.id);
    const { change, isDone } = yield* this.#checkNext(tx, own, check);
    const known = yield* this.#parts.batches.known(own.id);
    yield* this.#change(tx, known, { change, event: 'batch changed' });
    return isDone;
  }

  *#checkNext(tx: Tells, own: BatchRecord, check: CrossCheck): Plan<Step> {
    const { rows, batches } = this.#parts;
    const done = own.checked === undefined || isToBegin(own) ? yield* this.#begin(own, check) : own.checked;
    const range = nextRange(done, check);
    const isLast = range.to >= (yield* endOf(own.id));
    if (done.waitingTo !== undefined) {
      const repeats = repeatsOf(own, done);
      if (repeats !== null)
        yield* rows.judgeEach(tx, own, range, (row) => check.judgeRest?.(row, repeats) ?? null);
      return afterWaiting(done, range, isLast, check);
    }
    const { since, countsUnseen = false } = check;
    const begun = { ...own, checked: done };
    const met = yield* encountersOf(this.#parts, begun, range, { since, countsUnseen });
    const same = done.sameContent === null ? null : yield* batches.where('id', done.sameContent);
    const repeats = new Map(Object.entries(done.repeats ?? {}));
    if (check.everyRow || same !== null || met.size > 0)
      yield* rows.judgeEach(tx, own, range, (row) => {
        const judged = check.judge(row, { encounters: met.get(row.position) ?? [], sameContent: same });
        if (judged?.repeats !== undefined)
          repeats.set(judged.repeats, (repeats.get(judged.repeats) ?? 0) + 1);
        return judged;
      });
    if (isBeingRead(own) || isLast) assertComplete(own, yield* totalOf(own.id));
    return afterJudging(own, { done, repeats }, range, isLast, check);
  }

  *#begin(own: BatchRecord, check: CrossCheck): Plan<Checked> {
    const { id, content } = own;
    const fingerprint = content?.fingerprint ?? null;
    const same =
      fingerprint === null
        ? null
        : sameContentAmong(yield* this.#parts.batches.which({ content: fingerprint }), own);
    const checked = beginningOf(own, same, yield* arePricesOpen(id), check);
    yield* changeBatch(own, { checked });
    return checked;
  }

  *decideWhole(tx: Tells, leased: LeasedBatch, { to, judged }: WholeDecision): Plan<WholeState | null> {
    yield* lockBatches();
    yield* lockRowsOf(leased.id);
    const known = yield* this.assertLeased(leased);
    if (known.whole !== 'reserving' || pauseOf(known) !== null || (yield* isOrdered(known.id)))
      return known.whole;
    const items = judged.map(({ row, ...mark }) => ({
      leased: known,
      row,
      change: { ...mark, dueAt: null },
    }));
    let written = 0;
    for (let from = 0; from < items.length; from += WRITTEN_ROWS)
      written += (yield* this.#parts.rows.writeAll(tx, items.slice(from, from + WRITTEN_ROWS))).size;
    if (written < items.length) throw new Error(`A row of ${known.id} was written beside its owner.`);
    const epoch = (known.epoch ?? 0) + 1;
    const moved = known.state === 'reserving' ? ({ state: 'sending' } as const) : {};
    yield* this.#change(tx, known, { change: { whole: to, epoch, ...moved }, event: 'batch changed' });
    return to;
  }

  /** The batch as it stands. Throws `LeaseLost` where this run has it no more, or another carrier of this run has taken it over. */
  *assertLeased({ id, token }: LeasedBatch): Plan<BatchRecord> {
    const batch = yield* this.#parts.batches.known(id);
    if (batch.owner !== this.#parts.run || batch.token !== token || batch.isFree === true)
      throw new LeaseLost(id);
    return batch;
  }

  *#delete(tx: Tells, id: string, event: string): Plan<void> {
    yield* this.#clear(tx, id);
    yield* deleteBatch(id);
    yield* this.#tellOf(tx, id, event);
  }

  *#tellOf(tx: Tells, batch: string, event: string, detail: string | null = null): Plan<void> {
    const digest = yield* digestOfBatch(batch);
    tx.tell({ batch, position: null, event, detail, digest });
  }
}
