// Every write of a batch, each told in the history by the commit that makes it. To be called inside one commit.
import type { Asked } from '../approval.ts';
import { repeatsOf } from '../batch-rows.ts';
import { mayTakeOver, pauseOf, sameContentAmong, standsAs } from '../batch-rules.ts';
import { isBeingRead, isBeingRebuilt, PAYING } from '../batch-states.ts';
import type { Announced, BatchRevision, CrossCheck, Ledger, SeenBatch, WholeDecision } from '../ledger.ts';
import { LeaseLost } from '../ledger-unusable.ts';
import {
  afterJudging,
  afterWaiting,
  assertComplete,
  beginningOf,
  isToBegin,
  nextRange,
  type Step,
} from '../cross-check.ts';
import type { BatchRecord, Checked, LeasedBatch, WholeState } from '../records.ts';
import { waitFor } from '../wait.ts';
import type { ApprovedRows, BatchesTable } from './batches-table.ts';
import { type NewEvent, ROWS_REMOVED } from '../seals.ts';
import type { KeysTable } from './keys-table.ts';
import type { RowWrites } from './row-writes.ts';
import type { RowsTable } from './rows-table.ts';
import type { RunsTable } from './runs-table.ts';

type Tables = {
  readonly batches: BatchesTable;
  readonly rows: RowsTable;
  readonly keys: Pick<KeysTable, 'complete'>;
  readonly rowWrites: RowWrites;
  readonly approvedRows: ApprovedRows;
  readonly runs: Pick<RunsTable, 'isElsewhere' | 'endIfDead'>;
};

export class BatchWrites {
  readonly #batches: BatchesTable;
  readonly #rows: RowsTable;
  readonly #keys: Pick<KeysTable, 'complete'>;
  readonly #rowWrites: RowWrites;
  readonly #approvedRows: ApprovedRows;
  readonly #run: string;
  readonly #runs: Pick<RunsTable, 'isElsewhere' | 'endIfDead'>;
  readonly #tell: (event: NewEvent) => void;

  constructor(
    { batches, rows, keys, rowWrites, approvedRows, runs }: Tables,
    run: string,
    tell: (event: NewEvent) => void,
  ) {
    this.#batches = batches;
    this.#rows = rows;
    this.#keys = keys;
    this.#rowWrites = rowWrites;
    this.#approvedRows = approvedRows;
    this.#run = run;
    this.#runs = runs;
    this.#tell = tell;
  }

  announce(batch: BatchRecord, replaces?: BatchRecord): Announced {
    const earlier = this.#batches.where('file_id', batch.fileId);
    if (earlier !== null && (replaces === undefined || !standsAs(earlier, replaces))) return { earlier };
    // A name belongs to the file that had it first, be that refused: somebody may have looked at it under that name.
    const named = this.#batches.where('id', batch.id);
    if (named !== null && named.fileId !== batch.fileId) return { earlier: named };
    if (earlier !== null) this.#delete(earlier.id, 'batch replaced');
    this.#batches.insert(batch, this.#run);
    this.#tellOf(batch.id, 'batch announced');
    return { added: this.#batches.known(batch.id) };
  }

  revise(of: string | LeasedBatch, decide: Parameters<Ledger['revise']>[1]): BatchRecord | null {
    const batch = typeof of === 'string' ? this.#batches.where('id', of) : this.assertLeased(of);
    const revision = batch === null ? null : decide(batch, this.#batches.which);
    if (batch !== null && revision !== null) this.#change(batch.id, revision);
    return batch;
  }

  #change(id: string, { change, event }: BatchRevision): void {
    // Whatever happens to it, from here on its rows may be met.
    if (change.state !== undefined && change.state !== 'refused') this.#keys.complete(id);
    this.#batches.change(id, change);
    this.#tellOf(id, event, JSON.stringify(change));
    if (change.state === 'refused') this.#clear(id);
  }

  askApproval(leased: LeasedBatch, asked: Omit<Asked, 'coverage'>, positions: readonly number[]): boolean {
    const { id, approval: known } = this.assertLeased(leased);
    // Numbers only grow; a preview that outlived an earlier ledger may have taken some.
    if (asked.round <= (known?.kind === 'asked' ? known.round : 0)) return false;
    const approval: Asked = { ...asked, coverage: this.#approvedRows.set(id, positions) };
    this.#batches.change(id, { approval, wait: waitFor('approval', asked.words) });
    this.#tellOf(id, 'approval asked', JSON.stringify(approval));
    return true;
  }

  takeOver(seen: SeenBatch): BatchRecord | null {
    const batch = this.#batches.where('id', seen.id);
    if (batch === null || !standsAs(batch, seen)) return null;
    if (!mayTakeOver(batch, seen, this.#runs.isElsewhere(batch.owner))) return null;
    const dead = this.#batches.carriersBeside(batch.id, this.#run).filter((run) => this.#runs.endIfDead(run));
    this.#batches.takeOver(batch.id, this.#run);
    // Nobody gave it back, or a run that had it before was killed since: this ledger may be an older copy, from before that run's last work.
    const isLeft = (batch.owner !== null && batch.owner !== this.#run) || dead.length > 0;
    if (isLeft && PAYING.has(batch.state))
      this.#change(batch.id, { change: { doubt: { since: null } }, event: 'batch changed' });
    for (const run of dead) this.#batches.forgetCarrier(batch.id, run);
    this.#tellOf(batch.id, 'batch taken over', this.#run);
    return this.#batches.known(batch.id);
  }

  drop(leased: LeasedBatch): void {
    const { id, state } = this.assertLeased(leased);
    if (state !== 'taking') throw new Error(`Batch ${id} is ${state}, and is not forgotten.`);
    this.#delete(id, 'batch dropped');
  }

  /** The batch whose rows are being registered. */
  registered(leased: LeasedBatch): BatchRecord {
    const batch = this.assertLeased(leased);
    if (isBeingRead(batch) || isBeingRebuilt(batch)) return batch;
    throw new Error(`Batch ${batch.id} is ${batch.state}, and its rows are not to be registered.`);
  }

  clear(leased: LeasedBatch): void {
    this.#clear(this.registered(leased).id);
  }

  #clear(id: string): void {
    this.#rowWrites.clear(id);
    this.#tellOf(id, ROWS_REMOVED);
  }

  crossCheck(leased: LeasedBatch, check: CrossCheck): boolean {
    const batch = this.assertLeased(leased);
    this.#keys.complete(batch.id);
    const tables = { batches: this.#batches, rows: this.#rows, rowWrites: this.#rowWrites };
    const { change, isDone } = checkNext(tables, batch, check);
    this.#change(batch.id, { change, event: 'batch changed' });
    return isDone;
  }

  decideWhole(leased: LeasedBatch, { to, versions, judged }: WholeDecision): WholeState | 'moved' | null {
    const known = this.assertLeased(leased);
    if (known.whole !== 'reserving' || pauseOf(known) !== null) return known.whole;
    if (this.#rows.versions(known.id) !== versions) return 'moved';
    for (const { row, ...mark } of judged)
      this.#rowWrites.write(row, { ...mark, dueAt: null, keepClaim: false });
    const epoch = (known.epoch ?? 0) + 1;
    const moved = known.state === 'reserving' ? ({ state: 'sending' } as const) : {};
    this.#change(known.id, { change: { whole: to, epoch, ...moved }, event: 'batch changed' });
    return to;
  }

  /** The batch as it stands. Throws `LeaseLost` where this run has it no more, or another carrier of this run has taken it over. */
  assertLeased({ id, token }: LeasedBatch): BatchRecord {
    const batch = this.#batches.known(id);
    if (batch.owner !== this.#run || batch.token !== token) throw new LeaseLost(id);
    return batch;
  }

  #delete(id: string, event: string): void {
    this.#clear(id);
    this.#batches.delete(id);
    this.#tellOf(id, event);
  }

  #tellOf(batch: string, event: string, detail: string | null = null): void {
    this.#tell({ batch, position: null, event, detail, digest: this.#batches.digest(batch) });
  }
}

// Compares a batch with all others, some rows a commit. Every commit sees each row that was checked before it, of any batch and by any process,
// and is seen by each that is checked after it. So no two rows that meet can miss each other, however their checks interleave.

type CheckedTables = {
  readonly batches: BatchesTable;
  readonly rows: RowsTable;
  readonly rowWrites: RowWrites;
};

/** Checks the next rows of a batch; gives how the batch changes by it, and whether they were the last. */
function checkNext(tables: CheckedTables, own: BatchRecord, check: CrossCheck): Step {
  const { batches, rows, rowWrites } = tables;
  const done = own.checked === undefined || isToBegin(own) ? begin(tables, own, check) : own.checked;
  const range = nextRange(done, check);
  const isLast = range.to >= rows.end(own.id);
  if (done.waitingTo !== undefined) {
    const repeats = repeatsOf(own, done);
    if (repeats !== null)
      rowWrites.judgeEach(rows.between(own.id, range), (row) => check.judgeRest?.(row, repeats) ?? null);
    return afterWaiting(done, range, isLast, check);
  }
  const { since, countsUnseen = false } = check;
  const met = rows.encounters((id) => batches.where('id', id), own, range, { since, countsUnseen });
  const same = done.sameContent === null ? null : batches.where('id', done.sameContent);
  const repeats = new Map(Object.entries(done.repeats ?? {}));
  if (check.everyRow || same !== null || met.size > 0)
    rowWrites.judgeEach(rows.between(own.id, range), (row) => {
      const judged = check.judge(row, { encounters: met.get(row.position) ?? [], sameContent: same });
      if (judged?.repeats !== undefined) repeats.set(judged.repeats, (repeats.get(judged.repeats) ?? 0) + 1);
      return judged;
    });
  if (isBeingRead(own) || isLast) assertComplete(own, rows.total(own.id));
  return afterJudging(own, { done, repeats }, range, isLast, check);
}

function begin({ batches, rows }: CheckedTables, own: BatchRecord, check: CrossCheck): Checked {
  const { id, content } = own;
  const fingerprint = content?.fingerprint ?? null;
  const same = fingerprint === null ? null : sameContentAmong(batches.which({ content: fingerprint }), own);
  const checked = beginningOf(own, same, rows.arePricesOpen(id), check);
  batches.change(id, { checked });
  return checked;
}
