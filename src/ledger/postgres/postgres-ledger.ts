// The ledger over PostgreSQL: one database for any number of processes on any number of machines. Writes to the chain of this run go through one
// connection, in shared commits; everything else goes through a few others.
import { randomUUID } from 'node:crypto';

import { type Clock, isoTime } from '../../base/clock.ts';
import { native, type Plan } from '../plan.ts';
import type { Machine } from '../runs.ts';
import type { Tells } from '../seals.ts';
import type { Sharing } from '../sharing.ts';
import { batchesTable } from '../tables/batches.ts';
import { rowLines } from '../tables/row-lines.ts';
import { type Store, StoredLedger } from '../tables/stored-ledger.ts';
import { paidOnBy } from '../tables/sums.ts';
import { Connection, type PostgresPlace, schemaOf, toldFault } from './connect.ts';
import { BY_PAYMENT, BY_REFERENCE, candidates, PAID_ON, PAID_TO } from './encounters-query.ts';
import { GroupCommit } from './group-commit.ts';
import { eventsWhole, History } from './history.ts';
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

function failTold(error: unknown): never {
  throw toldFault(error);
}

function partsOf(place: PostgresPlace, id: string, clock: Clock, machine: Machine) {
  const run = randomUUID();
  const shared = new SharedConnections(place);
  const givenUp = new AbortController();
  const enter = (): Promise<void> => runs.enter().catch(failTold);
  const ways: LedgerWays = {
    run,
    read: (work) => shared.read(work),
    write: async (work) => {
      await enter();
      return shared.write((query) => runs.fence(query), work);
    },
  };
  const runs = new RunsTable({ run, machine, place, ways, givenUp });
  const history = new History(run, givenUp);
  const commits = new GroupCommit({
    run,
    place,
    history,
    fence: (query) => runs.fence(query),
    enter,
    now: () => isoTime(clock.now()),
  });
  const batches = batchesTable({ learn: (owner, isOpen) => runs.learn(owner, isOpen) });
  const store: Store = {
    id,
    clock,
    history: {
      events: (...asked) => ways.read((query) => eventsWhole(query, ...asked)),
      verify: () => verifyHistory(place).catch(failTold),
      tellOf: (sealed) => (history.tell = sealed),
    },
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
    toldOfHints: null,
    pieces: { rows: COUNTED_ROWS, turn: () => Promise.resolve() },
  };
  return { place, shared, ways, runs, commits, store };
}
