// The ledger over PostgreSQL: one database for any number of processes on any number of machines. Writes to the chain of this run go through one
// connection, in shared commits; everything else goes through a few others.
import { randomUUID } from 'node:crypto';

import { type Clock, isoTime } from '../../base/clock.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type { Ledger } from '../ledger.ts';
import { native, type Plan } from '../plan.ts';
import type { RowRecord } from '../records.ts';
import type { Machine } from '../runs.ts';
import type { Tells } from '../seals.ts';
import type { Sharing } from '../sharing.ts';
import { batchesTable } from '../tables/batches.ts';
import { hintRow } from '../tables/due-rows.ts';
import { rowLines } from '../tables/row-lines.ts';
import { type Store, StoredLedger } from '../tables/stored-ledger.ts';
import { paidOnBy } from '../tables/sums.ts';
import { Connection, type PostgresPlace, type Query, schemaOf, toldFault } from './connect.ts';
import { BY_PAYMENT, BY_REFERENCE, candidates, PAID_ON, PAID_TO } from './encounters-query.ts';
import { GroupCommit } from './group-commit.ts';
import { History, readEvents } from './history.ts';
import { carryOutBy } from './plans.ts';
import { KnownRows } from './known-rows.ts';
import { RunsTable } from './runs-table.ts';
import { openSchema } from './schema.ts';
import { type LedgerWays, SharedConnections } from './shared-connections.ts';
import { verifyHistory } from './verify-history.ts';

/** Rows that are counted by one statement: each is a way to the database and back. */
const COUNTED_ROWS = 50_000;

/** Opens or creates the ledger in a schema of the database, for a run of its own. Throws `LedgerUnusable`, and `LedgerAway` where the database does not answer. */
export async function openPostgresLedger(
  place: PostgresPlace,
  clock: Clock,
  machine: Machine,
): Promise<PostgresLedger> {
  try {
    const connection = await Connection.open(place);
    const id = await openSchema(connection, schemaOf(place)).finally(() => connection.close());
    return new PostgresLedger(place, id, clock, machine);
  } catch (error) {
    throw toldFault(error);
  }
}

export class PostgresLedger extends StoredLedger {
  declare readonly runs: RunsTable;
  readonly #parts: Parts;

  constructor(place: PostgresPlace, id: string, clock: Clock, machine: Machine) {
    const parts = partsOf(place, id, clock, machine);
    super(parts.store);
    this.#parts = parts;
  }

  hint(row: Pick<RowRecord, 'batch' | 'position'>, event?: string): Promise<boolean> {
    const { rowWrites } = this;
    const { store } = this.#parts;
    if (event === undefined) return store.ways.write(() => hintRow(row));
    return store.commit(function* (tx) {
      const isDue = yield* hintRow(row);
      if (isDue) yield* rowWrites.note(tx, row, event);
      return isDue;
    });
  }

  events(of: Parameters<Ledger['events']>[0], after: EventCursor, limit: number): Promise<EventPage> {
    return this.#read((query) => readEvents(query, of, after, limit));
  }

  async verifyHistory(): Promise<HistoryReport> {
    try {
      return await verifyHistory(this.#parts.place);
    } catch (error) {
      throw toldFault(error);
    }
  }

  async close(): Promise<void> {
    const { commits, runs, shared } = this.#parts;
    await commits.idle();
    try {
      await runs.close();
    } finally {
      await commits.close();
      await shared.close();
    }
  }

  #read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#parts.ways.read(work);
  }
}

/** The indexes of the tables are the keys. */
const KEYS: Store['keys'] = {
  registered: () => native(() => undefined),
  complete: () => native(() => undefined),
  candidates,
  byReference: BY_REFERENCE,
  byPayment: BY_PAYMENT,
  paidTo: PAID_TO,
};

type Parts = ReturnType<typeof partsOf>;

function partsOf(place: PostgresPlace, id: string, clock: Clock, machine: Machine) {
  const run = randomUUID();
  const shared = new SharedConnections(place);
  const givenUp = new AbortController();
  const enter = async (): Promise<void> => {
    try {
      await runs.enter();
    } catch (error) {
      throw toldFault(error);
    }
  };
  const ways: LedgerWays = {
    run,
    read: (work) => shared.read(work),
    write: async (work) => {
      await enter();
      return shared.write((query) => runs.fence(query), work);
    },
  };
  const runs = new RunsTable({ run, machine, place, ways, givenUp });
  const commits = new GroupCommit({
    run,
    place,
    history: new History(run, givenUp),
    fence: (query) => runs.fence(query),
    enter,
    now: () => isoTime(clock.now()),
  });
  const batches = batchesTable({ learn: (owner, isOpen) => runs.learn(owner, isOpen) });
  const store: Store = {
    id,
    clock,
    runs,
    batches,
    rows: {
      lines: rowLines('rows'),
      memory: new KnownRows(),
      paidOn: paidOnBy(PAID_ON),
      forgetKeys: () => native(() => undefined),
    },
    keys: KEYS,
    ways: {
      run,
      write: (plan) => ways.write((query) => carryOutBy(query, plan())),
      read: (plan) => ways.read((query) => carryOutBy(query, plan())),
    },
    commit: (plan) => commits.run((tx) => carryOutBy(tx.query, plan(tx), 'left')),
    shares: <Item, Result>(
      how: Sharing,
      plan: (tx: Tells, items: readonly Item[]) => Plan<readonly Result[]>,
    ) =>
      commits.sharing(how.order, (tx, items: readonly Item[]) =>
        carryOutBy(tx.query, plan(tx, items), 'left'),
      ),
    pieces: { rows: COUNTED_ROWS, turn: () => Promise.resolve() },
  };
  return { place, shared, ways, runs, commits, store };
}
