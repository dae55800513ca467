// The ledger over SQLite: one file, one machine, WAL with full synchronisation. Each method is one commit or one read of its
// tables, but for those whose rows need not change or be counted at the same moment.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import { type Clock, dayOf, isoTime } from '../../base/clock.ts';
import { SETTLED, type Stage, STAGES } from '../../payouts/lifecycle.ts';
import type { Payout } from '../../payouts/payout.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type { ClaimRequest, CrossCheck, Ledger, RecordResult, RowChange, Schedule } from '../ledger.ts';
import { carryOutInTime, find, native, type Plan } from '../plan.ts';
import type { BatchRecord, LeasedBatch, NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { NewRun } from '../runs.ts';
import type { NewEvent } from '../seals.ts';
import type { RowsOfStore, Tells } from '../tables/batch-writes.ts';
import { batchesTable } from '../tables/batches.ts';
import { endOf, positionRanges, toPaidBefore } from '../tables/rows.ts';
import { type Store, StoredLedger } from '../tables/stored-ledger.ts';
import { claimsTable, endClaimsOn } from './claims-table.ts';
import { carrier, statementAsker } from './dialect.ts';
import { duplicateOf, encountersOf, PAID_TO } from './encounters-query.ts';
import { GroupCommit, type Sql, statements } from './group-commit.ts';
import { History, readEvents } from './history.ts';
import { keysTable, type KeysTable, transfersTable } from './keys-table.ts';
import { rowWrites, type RowWrites } from './row-writes.ts';
import { rowsTable, type RowsTable } from './rows-table.ts';
import { RunsTable } from './runs-table.ts';
import { daySum, fileSum, spentTable } from './spent-table.ts';
import { verifyHistory } from './verify-history.ts';

/** Rows that one commit makes due, and rows that are counted in one go: neither stops the event loop for longer than some ten milliseconds. */
const WRITTEN_ROWS = 500;
const COUNTED_ROWS = 5_000;

/** Any write that changes something: with it all that was written before reaches the disk. */
const REACH_DISK = `INSERT INTO meta VALUES ('reached', '1') ON CONFLICT DO UPDATE SET value = value + 1`;

/** Closed batches of which an ended row is due. */
const WITH_ROWS_DUE = `SELECT batch FROM row_states INDEXED BY rows_ended_due WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL AND due_at <= $1`;

export class SqliteLedger extends StoredLedger<Tells> {
  declare readonly runs: RunsTable;
  readonly #tables: Tables;

  /** @param run unique; it is the owner of its claims. */
  constructor(database: DatabaseSync, run: NewRun, clock: Clock) {
    const tables = tablesOf(database, run, clock);
    super(tables.store);
    this.#tables = tables;
  }

  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void> {
    const { carry, commits, rowWrites: writes, transfers, keys } = this.#tables;
    return commits.runLazily(() => {
      const batch = carry(this.batchWrites.registered(leased));
      for (const row of rows) {
        writes.register(batch.id, row);
        transfers.nameKnown(batch.fileId, batch.id, row);
      }
      keys.putCounting(batch, rows);
    });
  }

  override async crossCheck(leased: LeasedBatch, check: CrossCheck): Promise<boolean> {
    const { carry, commits, keys, sql, tells } = this.#tables;
    for (const piece of keys.pieces(leased.id))
      if (piece === null) await turn();
      else
        await commits.runLazily(() => {
          carry(this.batchWrites.assertLeased(leased));
          keys.put(leased.id, piece);
        });
    const isLast = await commits.runLazily(() => carry(this.batchWrites.crossCheck(tells, leased, check)));
    if (isLast) await commits.run(() => sql(REACH_DISK).run());
    return isLast;
  }

  duplicateOf(payout: Payout | string, since: string): ReturnType<Ledger['duplicateOf']> {
    const { sql, batchOf } = this.#tables;
    return this.#read(() => duplicateOf(sql, batchOf, payout, since));
  }

  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]> {
    return this.#tables.store.ways.read(function* () {
      return (yield* find(PAID_TO, [payee, limit])).map(toPaidBefore);
    });
  }

  claim(request: ClaimRequest): Promise<readonly RowRecord[]> {
    return this.#tables.commits.run(() => this.#tables.claims.claim(request));
  }

  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null> {
    return this.#read(() => this.#tables.claims.nextDueAt(batch, stages));
  }

  record(row: RowRecord, change: RowChange): Promise<RecordResult> {
    const { commits, rowWrites: writes, transfers, paused } = this.#tables;
    return commits.run(() => {
      const written = writes.write(row, change);
      if (written && change.transferExternalId !== undefined)
        transfers.name(change.transferExternalId, row, attemptNumberOf(row.progress));
      if (paused.has(row.batch)) change.onPaused?.();
      return { written };
    });
  }

  reserve(...[row, amount, limits, day]: Parameters<Ledger['reserve']>): ReturnType<Ledger['reserve']> {
    const { clock, commits, rowWrites: writes } = this.#tables;
    const today = dayOf(clock.now());
    return commits.run(() => writes.reserve(row, amount, limits, day ?? today));
  }

  spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']> {
    const { spent } = this.#tables;
    return this.#read(() => ({
      file: spent.spent(fileSum({ batch }), currency),
      day: spent.spent(daySum(day), currency),
    }));
  }

  unclaim(row: RowRecord): Promise<void> {
    return this.#tables.commits.run(() => this.#tables.claims.giveBack(row));
  }

  hint(row: Pick<RowRecord, 'batch' | 'position'>): Promise<boolean> {
    const { commits, rowWrites: writes, transfers } = this.#tables;
    return commits.run(() => {
      const isDue = transfers.hint(row);
      if (isDue) writes.note(row, 'notified by the service');
      return isDue;
    });
  }

  schedule(row: RowRecord, { now, dueAt, event }: Schedule): Promise<boolean> {
    const { commits, rowWrites: writes, claims } = this.#tables;
    return commits.run(() => {
      const isDone = claims.schedule(row, dueAt, now);
      if (isDone && event !== null) writes.note(row, event);
      return isDone;
    });
  }

  async makeDue(batch: string, which: 'all' | 'waiting', of: readonly Stage[] = STAGES): Promise<void> {
    const { claims, commits, store } = this.#tables;
    const stages = of.filter((stage) => !SETTLED.has(stage));
    const end = await store.ways.read(() => endOf(batch));
    for (const range of positionRanges(end, COUNTED_ROWS)) {
      if (range.from > 0) await turn();
      if (!(await this.#read(() => claims.isAnyToBeDue(batch, range, which, stages)))) continue;
      for (const { from, to } of positionRanges(COUNTED_ROWS, WRITTEN_ROWS)) {
        const part = { from: range.from + from, to: range.from + to };
        await commits.run(() => claims.makeDue(batch, part, which, stages));
      }
    }
  }

  events(of: Parameters<Ledger['events']>[0], after: EventCursor, limit: number): Promise<EventPage> {
    return this.#read(() => readEvents(this.#tables.sql, of, after, limit));
  }

  verifyHistory(): Promise<HistoryReport> {
    const path = this.#tables.database.location();
    if (path === null) throw new Error('A ledger in memory has nobody to be checked for.');
    return this.#read(() => verifyHistory(path));
  }

  async close(): Promise<void> {
    const { runs, commits, database } = this.#tables;
    await runs.close();
    commits.close();
    database.close();
  }

  #read<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#tables.commits.read(work);
  }
}

/** Which batches are paused, as they were asked for since the commit began: nobody else writes in it. */
class PausedBatches {
  readonly #sql: Sql;
  readonly #known = new Map<string, boolean>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  has(id: string): boolean {
    const is =
      this.#known.get(id) ?? this.#sql('SELECT paused FROM batches WHERE id = ?').get(id)?.['paused'] === 1;
    this.#known.set(id, is);
    return is;
  }

  forget(): void {
    this.#known.clear();
  }
}

type Tables = ReturnType<typeof tablesOf>;

function tablesOf(database: DatabaseSync, { run, machine }: NewRun, clock: Clock) {
  const sql = statements(database);
  const carry = carrier(sql);
  const history = new History(sql);
  const spent = spentTable(sql);
  const paused = new PausedBatches(sql);
  const commits = new GroupCommit(database, {
    begin: () => {
      paused.forget();
      spent.begin();
      runs.assertStands(history.begin());
    },
    end: () => {
      spent.write();
      history.end(isoTime(clock.now()));
    },
    committed: () => history.committed(),
  });
  const runs = new RunsTable(sql, { run, machine, commits });
  const batches = batchesTable({ withRowsDue: WITH_ROWS_DUE, learn: () => undefined });
  const batchOf = (id: string) => carry(batches.where('id', id));
  const rows = rowsTable(sql, run);
  const keys = keysTable(sql);
  const tells: Tells = { tell: (event: NewEvent) => history.add(event) };
  const writes = rowWrites({ rows, keys, spent, batchOf, carry }, tells.tell);
  const ask = statementAsker(sql);
  const store: Store<Tells> = {
    id: String(sql(`SELECT value FROM meta WHERE name = 'ledger'`).get()?.['value']),
    runs,
    batches,
    rows: rowsOfStore({ sql, run, batchOf, rows, keys, writes }),
    ways: {
      run,
      write: (plan) => commits.run(() => carry(plan())),
      read: (plan) =>
        commits.read(() => carryOutInTime(plan(), (statement) => Promise.resolve(ask(statement)))),
    },
    commit: <T>(plan: (tx: Tells) => Plan<T>) =>
      commits.run(() => {
        const result = carry(plan(tells));
        paused.forget();
        return result;
      }),
    pieces: { rows: COUNTED_ROWS, turn: () => turn() },
  };
  return {
    ...{ database, sql, carry, clock, commits, runs, rows, keys, spent, batchOf, tells, store, paused },
    claims: claimsTable(sql, run),
    rowWrites: writes,
    transfers: transfersTable(sql),
  };
}

type RowTables = {
  readonly sql: Sql;
  readonly run: string;
  readonly batchOf: (id: string) => BatchRecord | null;
  readonly rows: RowsTable;
  readonly keys: KeysTable;
  readonly writes: RowWrites;
};

function rowsOfStore({ sql, run, batchOf, rows, keys, writes }: RowTables): RowsOfStore<Tells> {
  return {
    clear: (_, batch) => native(() => writes.clear(batch)),
    judgeEach: (_, batch, range, judge) => native(() => writes.judgeEach(rows.between(batch, range), judge)),
    write: (_, items) =>
      native(() => {
        for (const { row, change } of items) writes.write(row, change);
      }),
    complete: (batch) => native(() => keys.complete(batch)),
    encounters: (_, own, range, others) => native(() => encountersOf(sql, batchOf, own, range, others)),
    endClaims: (_, batch) => native(() => endClaimsOn(sql, batch, run)),
  };
}
