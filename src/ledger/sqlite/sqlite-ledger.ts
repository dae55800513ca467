// The ledger over SQLite: one file, one machine, WAL with full synchronisation. Each method is one commit or one read of its
// tables, but for those whose rows need not change or be counted at the same moment.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import { dayOf, isoTime, type Clock } from '../../base/clock.ts';
import type { Payout } from '../../payouts/payout.ts';
import { SETTLED, type Stage, STAGES, type StageOrHeld } from '../../payouts/lifecycle.ts';
import type { RefusalCounts } from '../../payouts/limits.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type { NewRun } from '../runs.ts';
import type {
  ClaimRequest,
  CrossCheck,
  FoundBatch,
  Ledger,
  RecordResult,
  RowChange,
  RowFilter,
  Schedule,
  SeenBatch,
  UnknownAmong,
  WhichBatches,
  WholeDecision,
} from '../ledger.ts';
import type { BatchRecord, LeasedBatch, NamedTransfer, NewRow, PaidBefore, RowRecord } from '../records.ts';
import {
  approvedRows as approvedRowsTable,
  type ApprovedRows,
  batchesTable,
  type BatchesTable,
  bindAccount,
  boundAccount,
  refusalCounts,
  ledgerId,
} from './batches-table.ts';
import { BatchWrites } from './batch-writes.ts';
import { claimsTable, type ClaimsTable } from './claims-table.ts';
import { exchangeTables } from './exchange-tables.ts';
import { GroupCommit, positionRanges, type Sql, statements } from './group-commit.ts';
import type { NewEvent } from '../seals.ts';
import { History, readEvents } from './history.ts';
import { daySum, fileSum, leftToSend, spentTable, type SpentTable } from './spent-table.ts';
import { keysTable, type KeysTable, transfersTable, type TransfersTable } from './keys-table.ts';
import { noticesTable } from './notices-table.ts';
import { rowWrites, type RowWrites } from './row-writes.ts';
import { matchingRows, rowsTable, type RowsTable } from './rows-table.ts';
import { RunsTable } from './runs-table.ts';
import { verifyHistory } from './verify-history.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';

/** Rows that one commit makes due, and rows that are counted in one go: neither stops the event loop for longer than some ten milliseconds. */
const WRITTEN_ROWS = 500;
const COUNTED_ROWS = 5_000;

/** Any write that changes something: with it all that was written before reaches the disk. */
const REACH_DISK = `INSERT INTO meta VALUES ('reached', '1') ON CONFLICT DO UPDATE SET value = value + 1`;

export class SqliteLedger implements Ledger {
  readonly id: string;
  readonly run: string;
  readonly runs: RunsTable;
  readonly notices: Ledger['notices'];
  readonly exchange: Ledger['exchange'];
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #commits: GroupCommit;
  readonly #sql: Sql;
  readonly #batches: BatchesTable;
  readonly #rows: RowsTable;
  readonly #keys: KeysTable;
  readonly #claims: ClaimsTable;
  readonly #spent: SpentTable;
  readonly #approvedRows: ApprovedRows;
  readonly #rowWrites: RowWrites;
  readonly #batchWrites: BatchWrites;
  readonly #history: History;
  readonly #transfers: TransfersTable;

  /** @param run unique; it is the owner of its claims. */
  constructor(database: DatabaseSync, { run, machine }: NewRun, clock: Clock) {
    this.#database = database;
    this.run = run;
    this.#clock = clock;
    this.#sql = statements(database);
    this.id = ledgerId(this.#sql);
    this.#history = new History(this.#sql);
    this.#commits = new GroupCommit(database, {
      begin: () => {
        this.#batches.begin();
        this.#spent.begin();
        this.runs.assertStands(this.#history.begin());
      },
      end: () => {
        this.#spent.write();
        this.#history.end(isoTime(clock.now()));
      },
      committed: () => {
        this.#history.committed();
      },
    });
    this.runs = new RunsTable(this.#sql, { run, machine, commits: this.#commits });
    this.#batches = batchesTable(this.#sql);
    this.#rows = rowsTable(this.#sql, run);
    this.#keys = keysTable(this.#sql);
    this.#claims = claimsTable(this.#sql, run);
    this.#spent = spentTable(this.#sql);
    this.#approvedRows = approvedRowsTable(this.#sql);
    const [batches, rows, spent, approvedRows] = [this.#batches, this.#rows, this.#spent, this.#approvedRows];
    const tables = { batches, rows, keys: this.#keys, spent, approvedRows, runs: this.runs };
    const tell = (event: NewEvent): void => this.#history.add(event);
    this.#rowWrites = rowWrites(tables, tell);
    this.#batchWrites = new BatchWrites({ ...tables, rowWrites: this.#rowWrites }, run, tell);
    this.#transfers = transfersTable(this.#sql);
    this.notices = noticesTable(this.#sql, this.#commits, run);
    const write = this.#commits.run.bind(this.#commits);
    this.exchange = exchangeTables(this.#sql, this.runs, { run, write, read: (work) => this.#read(work) });
  }

  addBatch(batch: BatchRecord, replaces?: BatchRecord): ReturnType<Ledger['addBatch']> {
    return this.#commits.run(() => this.#batchWrites.announce(batch, replaces));
  }

  revise(of: string | LeasedBatch, decide: Parameters<Ledger['revise']>[1]): Promise<BatchRecord | null> {
    return this.#commits.run(() => this.#batchWrites.revise(of, decide));
  }

  askApproval(...question: Parameters<Ledger['askApproval']>): Promise<boolean> {
    return this.#commits.run(() => this.#batchWrites.askApproval(...question));
  }

  uncovered(id: string): Promise<number> {
    return this.#read(() => {
      const approval = this.#batches.where('id', id)?.approval;
      return approval?.kind === 'asked' ? this.#approvedRows.uncovered(id, approval) : 0;
    });
  }

  takeOver(seen: SeenBatch): Promise<BatchRecord | null> {
    return this.#commits.run(() => this.#batchWrites.takeOver(seen));
  }

  dropBatch(leased: LeasedBatch): Promise<void> {
    return this.#commits.run(() => this.#batchWrites.drop(leased));
  }

  batch(which: Parameters<Ledger['batch']>[0]): Promise<BatchRecord | null> {
    return this.#read(() =>
      typeof which === 'string'
        ? this.#batches.where('id', which)
        : this.#batches.where('file_id', which.fileId),
    );
  }

  batches<Which extends WhichBatches | UnknownAmong = WhichBatches>(which?: Which) {
    const asked: WhichBatches | UnknownAmong | undefined = which;
    const found = (): readonly (BatchRecord | string)[] =>
      asked !== undefined && 'unknownAmong' in asked
        ? this.#batches.unknownAmong(asked.unknownAmong)
        : this.#batches.which(asked);
    return this.#read(() => found() as readonly FoundBatch<Which>[]);
  }

  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void> {
    return this.#commits.runLazily(() => {
      const batch = this.#batchWrites.registered(leased);
      for (const row of rows) {
        this.#rowWrites.register(batch.id, row);
        this.#transfers.nameKnown(batch.fileId, batch.id, row);
      }
      this.#keys.putCounting(batch, rows);
    });
  }

  clearRows(leased: LeasedBatch): Promise<void> {
    return this.#commits.run(() => this.#batchWrites.clear(leased));
  }

  rows(batch: string, from: number, limit: number, filter?: RowFilter): Promise<readonly RowRecord[]> {
    return this.#read(() =>
      filter === undefined
        ? this.#rows.page(batch, from, limit)
        : matchingRows(this.#sql, batch, { from, to: this.#rows.end(batch) }, filter, limit),
    );
  }

  async crossCheck(leased: LeasedBatch, check: CrossCheck): Promise<boolean> {
    for (const piece of this.#keys.pieces(leased.id))
      if (piece === null) await turn();
      else
        await this.#commits.runLazily(() => {
          this.#batchWrites.assertLeased(leased);
          this.#keys.put(leased.id, piece);
        });
    const isLast = await this.#commits.runLazily(() => this.#batchWrites.crossCheck(leased, check));
    if (isLast) await this.#commits.run(() => this.#sql(REACH_DISK).run());
    return isLast;
  }

  decideWhole(leased: LeasedBatch, decision: WholeDecision): ReturnType<Ledger['decideWhole']> {
    return this.#commits.run(() => this.#batchWrites.decideWhole(leased, decision));
  }

  duplicateOf(payout: Payout | string, since: string): ReturnType<Ledger['duplicateOf']> {
    return this.#read(() => this.#rows.duplicateOf((id) => this.#batches.where('id', id), payout, since));
  }

  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]> {
    return this.#read(() => this.#rows.paidTo(payee, limit));
  }

  stageCounts(batch: string): Promise<ReadonlyMap<StageOrHeld, number>> {
    return this.#read(async () => {
      const counts = new Map<StageOrHeld, number>();
      for (const range of positionRanges(this.#rows.end(batch), COUNTED_ROWS)) {
        if (range.from > 0) await turn();
        for (const [stage, rows] of this.#rows.stageCounts(batch, range))
          counts.set(stage, (counts.get(stage) ?? 0) + rows);
      }
      return counts;
    });
  }

  claim(request: ClaimRequest): Promise<readonly RowRecord[]> {
    return this.#commits.run(() => this.#claims.claim(request));
  }

  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null> {
    return this.#read(() => this.#claims.nextDueAt(batch, stages));
  }

  record(row: RowRecord, change: RowChange): Promise<RecordResult> {
    return this.#commits.run(() => {
      const written = this.#rowWrites.write(row, change);
      if (written && change.transferExternalId !== undefined)
        this.#transfers.name(change.transferExternalId, row, attemptNumberOf(row.progress));
      if (this.#batches.isPaused(row.batch)) change.onPaused?.();
      return { written };
    });
  }

  reserve(...[row, amount, limits, day]: Parameters<Ledger['reserve']>): ReturnType<Ledger['reserve']> {
    const today = dayOf(this.#clock.now());
    return this.#commits.run(() => this.#rowWrites.reserve(row, amount, limits, day ?? today));
  }

  spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']> {
    return this.#read(() => ({
      file: this.#spent.spent(fileSum({ batch }), currency),
      day: this.#spent.spent(daySum(day), currency),
    }));
  }

  refusalCounts(batch: string): Promise<RefusalCounts> {
    return this.#read(() => refusalCounts(this.#sql, batch));
  }

  leftToSend(batch: string): ReturnType<Ledger['leftToSend']> {
    return this.#read(() => leftToSend(this.#sql, batch));
  }

  unclaim(row: RowRecord): Promise<void> {
    return this.#commits.run(() => this.#claims.giveBack(row));
  }

  transferOf(externalId: string): Promise<NamedTransfer | null> {
    return this.#read(() => this.#transfers.named(externalId));
  }

  hint(row: Pick<RowRecord, 'batch' | 'position'>): Promise<boolean> {
    return this.#commits.run(() => {
      const isDue = this.#transfers.hint(row);
      if (isDue) this.#rowWrites.note(row, 'notified by the service');
      return isDue;
    });
  }

  schedule(row: RowRecord, { now, dueAt, event }: Schedule): Promise<boolean> {
    return this.#commits.run(() => {
      const isDone = this.#claims.schedule(row, dueAt, now);
      if (isDone && event !== null) this.#rowWrites.note(row, event);
      return isDone;
    });
  }

  async makeDue(batch: string, which: 'all' | 'waiting', of: readonly Stage[] = STAGES): Promise<void> {
    const stages = of.filter((stage) => !SETTLED.has(stage));
    const end = await this.#read(() => this.#rows.end(batch));
    for (const range of positionRanges(end, COUNTED_ROWS)) {
      if (range.from > 0) await turn();
      if (!(await this.#read(() => this.#claims.isAnyToBeDue(batch, range, which, stages)))) continue;
      for (const { from, to } of positionRanges(COUNTED_ROWS, WRITTEN_ROWS)) {
        const part = { from: range.from + from, to: range.from + to };
        await this.#commits.run(() => this.#claims.makeDue(batch, part, which, stages));
      }
    }
  }

  events(of: Parameters<Ledger['events']>[0], after: EventCursor, limit: number): Promise<EventPage> {
    return this.#read(() => readEvents(this.#sql, of, after, limit));
  }

  verifyHistory(): Promise<HistoryReport> {
    const path = this.#database.location();
    if (path === null) throw new Error('A ledger in memory has nobody to be checked for.');
    return this.#read(() => verifyHistory(path));
  }

  boundTo(): Promise<string | null> {
    return this.#read(() => boundAccount(this.#sql));
  }

  bindTo(account: string, seen: string | null): Promise<boolean> {
    return this.#commits.run(() => bindAccount(this.#sql, account, seen));
  }

  async close(): Promise<void> {
    await this.runs.close();
    this.#commits.close();
    this.#database.close();
  }

  #read<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#commits.read(work);
  }
}
