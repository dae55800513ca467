// The ledger over SQLite: one file, one machine, WAL with full synchronisation. Each method is one commit or one read of its
// tables, but for those whose rows need not change or be counted at the same moment.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import { type Clock, isoTime } from '../../base/clock.ts';
import type { CrossCheck } from '../ledger.ts';
import { carryOutInTime, native, type Plan } from '../plan.ts';
import type { LeasedBatch } from '../records.ts';
import type { NewRun } from '../runs.ts';
import type { NewEvent, Tells } from '../seals.ts';
import type { Sharing } from '../sharing.ts';
import { batchesTable } from '../tables/batches.ts';
import { readEvents } from '../tables/events.ts';
import { rowLines, type RowMemory } from '../tables/row-lines.ts';
import { type Store, StoredLedger } from '../tables/stored-ledger.ts';
import { paidOnBy } from '../tables/sums.ts';
import { carrier, statementAsker } from './dialect.ts';
import { BY_PAYMENT_SINCE, BY_REFERENCE_OF, candidates, PAID_ON, PAID_TO } from './encounters-query.ts';
import { GroupCommit, statements } from './group-commit.ts';
import { History } from './history.ts';
import { keysTable } from './keys-table.ts';
import { RunsTable } from './runs-table.ts';
import { verifyHistory } from './verify-history.ts';

/** Rows that are counted in one go: it stops the event loop for no longer than some ten milliseconds. */
const COUNTED_ROWS = 5_000;

/** Any write that changes something: with it all that was written before reaches the disk. */
const REACH_DISK = `INSERT INTO meta VALUES ('reached', '1') ON CONFLICT DO UPDATE SET value = value + 1`;

export class SqliteLedger extends StoredLedger {
  declare readonly runs: RunsTable;
  readonly #tables: Tables;

  /** @param run unique; it is the owner of its batches. */
  constructor(database: DatabaseSync, run: NewRun, clock: Clock) {
    const tables = tablesOf(database, run, clock);
    super(tables.store);
    this.#tables = tables;
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

  async close(): Promise<void> {
    const { runs, commits, database } = this.#tables;
    await runs.close();
    commits.close();
    database.close();
  }
}

type Tables = ReturnType<typeof tablesOf>;

function tablesOf(database: DatabaseSync, { run, machine }: NewRun, clock: Clock) {
  const sql = statements(database);
  const carry = carrier(sql);
  const history = new History(sql);
  const commits = new GroupCommit(database, {
    begin: () => runs.assertStands(history.begin()),
    end: () => history.end(isoTime(clock.now())),
    committed: () => history.committed(),
    synced: () => history.synced(),
  });
  const runs = new RunsTable(sql, { run, machine, commits });
  const batches = batchesTable({ learn: () => undefined });
  const keys = keysTable(sql);
  const tells: Tells = { tell: (event: NewEvent) => history.add(event) };
  const ask = statementAsker(sql);
  const store: Store = {
    id: String(sql(`SELECT value FROM meta WHERE name = 'ledger'`).get()?.['value']),
    clock,
    history: {
      events: (...asked) => commits.read(() => carry(readEvents('seq', null, ...asked))),
      verify: () => commits.read(() => verifyHistory(database.location() ?? '')),
      tellOf: (sealed) => (history.tell = sealed),
    },
    runs,
    batches,
    rows: {
      lines: rowLines('row_states'),
      memory: NO_MEMORY,
      paidOn: paidOnBy(PAID_ON),
      forgetKeys: (batch) => native(() => keys.remove(batch)),
    },
    keys: {
      registered: (batch, rows) => native(() => keys.putCounting(batch, rows)),
      complete: (batch) => native(() => keys.complete(batch)),
      candidates,
      byReference: BY_REFERENCE_OF,
      byPayment: BY_PAYMENT_SINCE,
      paidTo: PAID_TO,
    },
    ways: {
      run,
      write: (plan) => commits.run(() => carry(plan())),
      read: (plan) =>
        commits.read(() => carryOutInTime(plan(), (statement) => Promise.resolve(ask(statement)))),
    },
    commit: (plan) => commits.run(() => carry(plan(tells))),
    shares: <Item, Result>(
      how: Sharing,
      plan: (tx: Tells, items: readonly Item[]) => Plan<readonly Result[]>,
    ) => commits.sharing(how, (items: readonly Item[]) => carry(plan(tells, items))),
    toldOfHints: 'notified by the service',
    pieces: { rows: COUNTED_ROWS, turn: () => turn() },
  };
  return { database, sql, carry, commits, runs, keys, tells, store };
}

/** What costs little to ask need not be remembered. */
const NO_MEMORY: RowMemory = {
  line: () => null,
  learn: () => undefined,
  forget: () => undefined,
  doubts: { has: () => true, add: () => new Set(), delete: () => true },
};
