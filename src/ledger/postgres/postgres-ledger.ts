// The ledger over PostgreSQL: one database for any number of processes on any number of machines. Writes to the chain of this run go through one
// connection, in shared commits; everything else goes through a few others.
import { randomUUID } from 'node:crypto';

import { type Clock, dayOf, isoTime } from '../../base/clock.ts';
import type { Payout } from '../../payouts/payout.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type { DueRequest, Ledger, RecordResult, RowChange } from '../ledger.ts';
import { find, native } from '../plan.ts';
import type { LeasedBatch, NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { Machine } from '../runs.ts';
import { toRowRecord } from '../stored-rows.ts';
import type { RowsOfStore, RowWrite } from '../tables/batch-writes.ts';
import { batchesTable, type BatchesTable } from '../tables/batches.ts';
import { dueRows, hintRow } from '../tables/due-rows.ts';
import { linesBetween, toPaidBefore } from '../tables/rows.ts';
import { type Store, StoredLedger } from '../tables/stored-ledger.ts';
import { standingsOf } from './batch-standings.ts';
import { Connection, type PostgresPlace, type Query, schemaOf, toldFault } from './connect.ts';
import { duplicateOf, encountersOf, PAID_TO } from './encounters-query.ts';
import { GroupCommit, type Tx } from './group-commit.ts';
import { History, readEvents } from './history.ts';
import { carryOutBy } from './plans.ts';
import type { RowReservation } from './reservations.ts';
import { type Recorded, rowWrites, type RowWrites } from './row-writes.ts';
import { KnownLines } from './rows-table.ts';
import { RunsTable } from './runs-table.ts';
import { openSchema } from './schema.ts';
import { type LedgerWays, SharedConnections } from './shared-connections.ts';
import { amountOf, sumOfDay, sumOfFile } from './spent-table.ts';
import { verifyHistory } from './verify-history.ts';

/** Among the writes that share a commit, these are made first: a caller that asks for the rest of a limit holds no row yet for which another waits. */
const RESERVATIONS = 0;
const RECORDS = 1;
const REGISTRATIONS = 2;

/** Rows that are counted by one statement: each is a way to the database and back. */
const COUNTED_ROWS = 50_000;

/** Rows that one statement registers. */
const WRITTEN_ROWS = 1_000;

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

/** New rows of a batch that is being read. */
type Registration = { readonly leased: LeasedBatch; readonly rows: readonly NewRow[] };

export class PostgresLedger extends StoredLedger<Tx> {
  declare readonly runs: RunsTable;
  readonly #parts: Parts;
  readonly #record: (write: RowWrite) => Promise<Recorded>;
  readonly #register: (registration: Registration) => Promise<void>;
  readonly #reserve: (wish: RowReservation) => ReturnType<Ledger['reserve']>;

  constructor(place: PostgresPlace, id: string, clock: Clock, machine: Machine) {
    const parts = partsOf(place, id, clock, machine);
    super(parts.store);
    this.#parts = parts;
    const { commits, writes } = parts;
    this.#record = commits.sharing(RECORDS, writes.record);
    this.#reserve = commits.sharing(RESERVATIONS, writes.reserve);
    this.#register = commits.sharing(REGISTRATIONS, (tx, items: readonly Registration[]) =>
      this.#registerAll(tx, items),
    );
  }

  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void> {
    return this.#register({ leased, rows });
  }

  /** Those that wait for one batch are registered together. */
  async #registerAll(tx: Tx, items: readonly Registration[]): Promise<readonly undefined[]> {
    for (const of of Map.groupBy(items, ({ leased }) => `${leased.id} ${String(leased.token)}`).values()) {
      const [first] = of;
      if (first === undefined) continue;
      const batch = await carryOutBy(tx.query, this.batchWrites.registered(first.leased));
      const rows = of.flatMap((each) => each.rows);
      for (let from = 0; from < rows.length; from += WRITTEN_ROWS)
        await this.#parts.writes.register(tx, batch, rows.slice(from, from + WRITTEN_ROWS));
    }
    return items.map(() => undefined);
  }

  duplicateOf(payout: Payout | string, since: string): ReturnType<Ledger['duplicateOf']> {
    return this.#read((query) => duplicateOf(query, this.#parts.store.batches, payout, since));
  }

  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]> {
    return this.#parts.store.ways.read(function* () {
      return (yield* find(PAID_TO, [payee, limit])).map(toPaidBefore);
    });
  }

  async dueRows(leased: LeasedBatch, request: DueRequest): Promise<readonly RowRecord[]> {
    const { known, store } = this.#parts;
    const lines = await store.ways.read(() => dueRows(this.run, leased, request));
    for (const line of lines) known.set(line);
    return lines.map(toRowRecord);
  }

  async record(leased: LeasedBatch, row: RowRecord, change: RowChange): Promise<RecordResult> {
    const { written, standings } = await this.#record({ leased, row, change });
    const again = () => this.#read((query) => standingsOf(query, this.run, [leased.id]));
    const { halted } = await standings.catch(again);
    return { written, isHalted: halted.has(leased.id) };
  }

  reserve(
    ...[leased, row, amount, limits, day]: Parameters<Ledger['reserve']>
  ): ReturnType<Ledger['reserve']> {
    return this.#reserve({ leased, row, amount, limits, day: day ?? dayOf(this.#parts.clock.now()) });
  }

  spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']> {
    return this.#read(async (query) => ({
      file: await amountOf(query, sumOfFile(batch, currency)),
      day: await amountOf(query, sumOfDay(day, currency)),
    }));
  }

  hint(row: Pick<RowRecord, 'batch' | 'position'>, event?: string): Promise<boolean> {
    const { commits, store, writes } = this.#parts;
    if (event === undefined) return store.ways.write(() => hintRow(row));
    return commits.run(async (tx) => {
      const isDue = await carryOutBy(tx.query, hintRow(row));
      if (isDue) await writes.note(tx, row, event);
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
  const known = new KnownLines();
  const commits = new GroupCommit({
    run,
    place,
    history: new History(run, givenUp),
    fence: (query) => runs.fence(query),
    enter,
    now: () => isoTime(clock.now()),
  });
  const batches = batchesTable({ learn: (owner, isOpen) => runs.learn(owner, isOpen) });
  const writes = rowWrites({ run, batches, known });
  const store: Store<Tx> = {
    id,
    runs,
    batches,
    rows: rowsOfStore(batches, writes),
    ways: {
      run,
      write: (plan) => ways.write((query) => carryOutBy(query, plan())),
      read: (plan) => ways.read((query) => carryOutBy(query, plan())),
    },
    commit: (plan) => commits.run((tx) => carryOutBy(tx.query, plan(tx))),
    pieces: { rows: COUNTED_ROWS, turn: () => Promise.resolve() },
  };
  return {
    place,
    clock,
    shared,
    ways,
    runs,
    known,
    commits,
    writes,
    store,
  };
}

function rowsOfStore(batches: BatchesTable, writes: RowWrites): RowsOfStore<Tx> {
  return {
    clear: (tx, batch) => native(() => writes.clear(tx, batch)),
    judgeEach: function* (tx, leased, range, judge) {
      const lines = yield* linesBetween(leased.id, range);
      yield* native(() => writes.judgeEach(tx, leased, lines, judge));
    },
    write: (tx, items) => native(async () => (await writes.writeAll(tx, items)).size),
    complete: () => native(() => undefined),
    encounters: (tx, own, range, others) => native(() => encountersOf(tx.query, batches, own, range, others)),
  };
}
