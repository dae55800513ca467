// Every write of a batch, each told in the history by the commit that makes it. To be called inside one commit.
import { PAYING, type BatchState } from '../batch-states.ts';
import { mayGoOn, type Asked } from '../approval.ts';
import type { CrossCheck, Ledger, SeenBatch, WholeDecision } from '../ledger.ts';
import type { BatchChange, BatchRecord, WholeState } from '../records.ts';
import { waitFor } from '../wait.ts';
import type { ApprovedRows } from './approved-rows.ts';
import type { BatchesTable } from './batches-table.ts';
import { standsAs } from '../batch-rules.ts';
import { checkNext } from './check-writes.ts';
import { ROWS_REMOVED, type NewEvent } from './history.ts';
import type { RowWrites } from './row-writes.ts';
import type { RowsTable } from './rows-table.ts';

type Tables = {
  readonly batches: BatchesTable;
  readonly rows: RowsTable;
  readonly rowWrites: RowWrites;
  readonly approvedRows: ApprovedRows;
};

export class BatchWrites {
  readonly #batches: BatchesTable;
  readonly #rows: RowsTable;
  readonly #rowWrites: RowWrites;
  readonly #approvedRows: ApprovedRows;
  readonly #run: string;
  readonly #tell: (event: NewEvent) => void;

  constructor(
    { batches, rows, rowWrites, approvedRows }: Tables,
    run: string,
    tell: (event: NewEvent) => void,
  ) {
    this.#batches = batches;
    this.#rows = rows;
    this.#rowWrites = rowWrites;
    this.#approvedRows = approvedRows;
    this.#run = run;
    this.#tell = tell;
  }

  announce(batch: BatchRecord, replaces?: BatchRecord): BatchRecord | null {
    const earlier = this.#batches.where('file_id', batch.fileId);
    if (earlier !== null && (replaces === undefined || !standsAs(earlier, replaces))) return earlier;
    // A name belongs to the file that had it first, be that refused: somebody may have looked at it under that name.
    const named = this.#batches.where('id', batch.id);
    if (named !== null && named.fileId !== batch.fileId) return named;
    if (earlier !== null) this.#delete(earlier.id, 'batch replaced');
    this.#batches.insert(batch);
    this.#tellOf(batch.id, 'batch announced');
    return null;
  }

  change(id: string, change: BatchChange): void {
    if (change.state === 'checking') this.#assertTaken(id);
    this.#batches.change(id, change);
    this.#tellOf(id, 'batch changed', JSON.stringify(change));
  }

  moveOn(id: string, from: BatchState, to: BatchState): boolean {
    const batch = this.#batches.where('id', id);
    if (batch?.state !== from || (PAYING.has(to) && from === 'accepted' && !mayGoOn(batch))) return false;
    this.change(id, { state: to });
    return true;
  }

  revise(id: string, decide: Parameters<Ledger['revise']>[1]): BatchRecord | null {
    const batch = this.#batches.where('id', id);
    const revision = batch === null ? null : decide(batch, () => this.#batches.all());
    if (revision === null) return batch;
    this.#batches.change(id, revision.change);
    this.#tellOf(id, revision.event, JSON.stringify(revision.change));
    return batch;
  }

  askApproval(id: string, asked: Omit<Asked, 'coverage'>, positions: readonly number[]): boolean {
    const known = this.#batches.where('id', id)?.approval;
    if (asked.round !== (known?.kind === 'asked' ? known.round : 0) + 1) return false;
    const approval: Asked = { ...asked, coverage: this.#approvedRows.set(id, positions) };
    this.#batches.change(id, { approval, wait: waitFor('approval', asked.words) });
    this.#tellOf(id, 'approval asked', JSON.stringify(approval));
    return true;
  }

  takeOver(id: string, seen: SeenBatch, pause: 'keep' | 'lift'): BatchRecord | null {
    const batch = this.#batches.where('id', id);
    if (batch === null || !standsAs(batch, seen) || batch.paused !== seen.paused) return null;
    this.change(id, { ...(pause === 'lift' ? { paused: false } : {}), takenBy: this.#run });
    return this.#batches.where('id', id);
  }

  refuse(id: string, finishedAt: string): boolean {
    if (this.#batches.where('id', id)?.takenBy !== this.#run) return false;
    this.change(id, { state: 'refused', finishedAt, wait: null });
    this.clear(id);
    return true;
  }

  drop(id: string): void {
    const batch = this.#batches.where('id', id);
    if (batch?.state !== 'taking' || batch.takenBy !== this.#run)
      throw new Error(`Batch ${id} is not this run's to forget.`);
    this.#delete(id, 'batch dropped');
  }

  clear(id: string): void {
    this.#rowWrites.clear(id);
    this.#tellOf(id, ROWS_REMOVED);
  }

  crossCheck(id: string, check: CrossCheck): boolean {
    const batch = this.#batches.where('id', id);
    if (batch?.takenBy !== this.#run) throw new Error(`Batch ${id} is not this run's to check.`);
    const tables = { batches: this.#batches, rows: this.#rows, rowWrites: this.#rowWrites };
    const { change, isDone } = checkNext(tables, batch, check);
    this.change(id, change);
    return isDone;
  }

  decideWhole(batch: string, { to, versions, judged }: WholeDecision): WholeState | 'moved' | null {
    const known = this.#batches.where('id', batch);
    if (known?.whole !== 'reserving' || known.paused) return known?.whole ?? null;
    if (this.#rows.versions(batch) !== versions) return 'moved';
    for (const { row, ...mark } of judged)
      this.#rowWrites.write(row, { ...mark, dueAt: null, keepClaim: false });
    const epoch = (known.epoch ?? 0) + 1;
    this.change(batch, { whole: to, epoch, ...(known.state === 'reserving' ? { state: 'sending' } : {}) });
    return to;
  }

  /** Who took it may have slept so long that another run takes it by now. */
  #assertTaken(id: string): void {
    const batch = this.#batches.where('id', id);
    if (batch?.state === 'taking' && batch.takenBy !== this.#run)
      throw new Error(`Batch ${id} is not this run's to read.`);
  }

  #delete(id: string, event: string): void {
    this.clear(id);
    this.#batches.delete(id);
    this.#tellOf(id, event);
  }

  #tellOf(batch: string, event: string, detail: string | null = null): void {
    this.#tell({ batch, position: null, event, detail, digest: this.#batches.digest(batch) });
  }
}
