// The ledger over SQLite: one file, one machine, WAL with full synchronisation. Each method is one commit or one read of its
// tables, but for those whose rows need not change or be counted at the same moment.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import { type Clock, dayOf, isoTime } from '../../base/clock.ts';
import type { Payout } from '../../payouts/payout.ts';
import { attemptNumberOf } from '../../payouts/progress.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type { CrossCheck, DueRequest, Ledger, RecordResult, RowChange } from '../ledger.ts';
import { carryOutInTime, find, native, type Plan } from '../plan.ts';
import type { BatchRecord, LeasedBatch, NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { NewRun } from '../runs.ts';
import type { NewEvent } from '../seals.ts';
import { toRowRecord } from '../stored-rows.ts';
import type { RowsOfStore, Tells } from '../tables/batch-writes.ts';
import { batchesTable } from '../tables/batches.ts';
import { dueRows, hintRow } from '../tables/due-rows.ts';
import { IS_HALTED } from '../tables/orders.ts';
import { linesBetween, toPaidBefore } from '../tables/rows.ts';
import { nameKnown, nameTransfer } from '../tables/transfers.ts';
import { type Store, StoredLedger } from '../tables/stored-ledger.ts';
import { carrier, statementAsker } from './dialect.ts';
import { duplicateOf, encountersOf, PAID_TO } from './encounters-query.ts';
import { GroupCommit, type Sql, statements } from './group-commit.ts';
import { History, readEvents } from './history.ts';
import { keysTable, type KeysTable } from './keys-table.ts';
import { rowWrites, type RowWrites } from './row-writes.ts';
import { rowsTable } from './rows-table.ts';
import { RunsTable } from './runs-table.ts';
import { daySum, fileSum, spentTable } from './spent-table.ts';
import { verifyHistory } from './verify-history.ts';

/** Rows that are counted in one go: it stops the event loop for no longer than some ten milliseconds. */
const COUNTED_ROWS = 5_000;

/** Any write that changes something: with it all that was written before reaches the disk. */
const REACH_DISK = `INSERT INTO meta VALUES ('reached', '1') ON CONFLICT DO UPDATE SET value = value + 1`;

export class SqliteLedger extends StoredLedger<Tells> {
  declare readonly runs: RunsTable;
  readonly #tables: Tables;

  /** @param run unique; it is the owner of its batches. */
  constructor(database: DatabaseSync, run: NewRun, clock: Clock) {
    const tables = tablesOf(database, run, clock);
    super(tables.store);
    this.#tables = tables;
  }

  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void> {
    const { carry, commits, rowWrites: writes, keys } = this.#tables;
    return commits.runLazily(() => {
      const batch = carry(this.batchWrites.registered(leased));
      for (const row of rows) {
        writes.register(batch.id, row);
      }
      carry(nameKnown(batch, rows));
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

  dueRows(leased: LeasedBatch, request: DueRequest): Promise<readonly RowRecord[]> {
    const { run } = this;
    return this.#tables.store.ways.read(function* () {
      return (yield* dueRows(run, leased, request)).map(toRowRecord);
    });
  }

  record(leased: LeasedBatch, row: RowRecord, change: RowChange): Promise<RecordResult> {
    const { carry, commits, rowWrites: writes, standings } = this.#tables;
    return commits.run(() => {
      const { isHalted, isLeasedAs } = standings.of(leased.id);
      if (!isLeasedAs(leased)) return { written: false, isHalted };
      const written = writes.write(row, change);
      if (written && change.transferExternalId !== undefined)
        carry(nameTransfer(change.transferExternalId, row, attemptNumberOf(row.progress)));
      return { written, isHalted };
    });
  }

  reserve(
    ...[leased, row, amount, limits, day]: Parameters<Ledger['reserve']>
  ): ReturnType<Ledger['reserve']> {
    const { clock, commits, rowWrites: writes, standings } = this.#tables;
    const today = dayOf(clock.now());
    return commits.run(() =>
      standings.of(leased.id).isLeasedAs(leased) ? writes.reserve(row, amount, limits, day ?? today) : 'gone',
    );
  }

  spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']> {
    const { spent } = this.#tables;
    return this.#read(() => ({
      file: spent.spent(fileSum({ batch }), currency),
      day: spent.spent(daySum(day), currency),
    }));
  }

  hint(row: Pick<RowRecord, 'batch' | 'position'>, event = 'notified by the service'): Promise<boolean> {
    const { carry, commits, rowWrites: writes } = this.#tables;
    return commits.run(() => {
      const isDue = carry(hintRow(row));
      if (isDue) writes.note(row, event);
      return isDue;
    });
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

type Standing = { readonly isHalted: boolean; readonly isLeasedAs: (leased: LeasedBatch) => boolean };

const STANDING = `SELECT ${IS_HALTED} AS is_halted, owner, is_free, token FROM batches WHERE id = ?`;

/** Who has which batch, and whether it is halted, as was asked for since the commit began: nobody else writes in it. */
class BatchStandings {
  readonly #sql: Sql;
  readonly #run: string;
  readonly #known = new Map<string, Standing>();

  constructor(sql: Sql, run: string) {
    this.#sql = sql;
    this.#run = run;
  }

  of(id: string): Standing {
    const known = this.#known.get(id) ?? this.#read(id);
    this.#known.set(id, known);
    return known;
  }

  #read(id: string): Standing {
    const found = this.#sql(STANDING).get(id);
    const isOwn = found?.['owner'] === this.#run && found['is_free'] === 0;
    const token = isOwn ? found['token'] : null;
    return { isHalted: found?.['is_halted'] === 1, isLeasedAs: (leased) => leased.token === token };
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
  const standings = new BatchStandings(sql, run);
  const commits = new GroupCommit(database, {
    begin: () => {
      standings.forget();
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
  const batches = batchesTable({ learn: () => undefined });
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
    rows: rowsOfStore({ sql, batchOf, keys, writes }),
    ways: {
      run,
      write: (plan) =>
        commits.run(() => {
          const result = carry(plan());
          standings.forget();
          return result;
        }),
      read: (plan) =>
        commits.read(() => carryOutInTime(plan(), (statement) => Promise.resolve(ask(statement)))),
    },
    commit: <T>(plan: (tx: Tells) => Plan<T>) =>
      commits.run(() => {
        const result = carry(plan(tells));
        standings.forget();
        return result;
      }),
    pieces: { rows: COUNTED_ROWS, turn: () => turn() },
  };
  return {
    ...{ database, sql, carry, clock, commits, runs, rows, keys, spent, batchOf, tells, store, standings },
    rowWrites: writes,
  };
}

type RowTables = {
  readonly sql: Sql;
  readonly batchOf: (id: string) => BatchRecord | null;
  readonly keys: KeysTable;
  readonly writes: RowWrites;
};

function rowsOfStore({ sql, batchOf, keys, writes }: RowTables): RowsOfStore<Tells> {
  return {
    clear: (_, batch) => native(() => writes.clear(batch)),
    judgeEach: function* (_, { id }, range, judge) {
      writes.judgeEach((yield* linesBetween(id, range)).map(toRowRecord), judge);
    },
    write: (_, items) => native(() => items.filter(({ row, change }) => writes.write(row, change)).length),
    complete: (batch) => native(() => keys.complete(batch)),
    encounters: (_, own, range, others) => native(() => encountersOf(sql, batchOf, own, range, others)),
  };
}
