// The connections that a process shares for what stands in no chain: reads, claims, hints, notices. Each write is fenced like all others.
import { systemClock } from '../../base/clock.ts';
import { Connection, isAway, meetsAnother, type PostgresPlace, type Query, toldFault } from './connect.ts';

/** How the ledger writes and reads apart from the chain of its run. */
export type LedgerWays = {
  readonly run: string;
  /** May be asked again, where the commit met another one. */
  readonly write: <T>(work: Work<T>) => Promise<T>;
  readonly read: <T>(work: Work<T>) => Promise<T>;
};

type Work<T> = (query: Query) => Promise<T>;

const CONNECTIONS_MAX = 4;

/** For how long work waits for a database that is away, and how often it looks. */
const AWAY_MS = 5_000;
const LOOK_MS = 50;

/** How often a commit is made again that met another in such a way that only one of them could be made. */
const MEETINGS_MAX = 20;

export class SharedConnections {
  readonly #place: PostgresPlace;
  #free: Connection[] = [];
  #count = 0;
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(place: PostgresPlace) {
    this.#place = place;
  }

  /** Work in one commit of its own behind the fence. */
  write<T>(fence: (query: Query) => Promise<void>, work: Work<T>): Promise<T> {
    return this.#persistently(async (query) => {
      const opened = Promise.all([query('BEGIN'), fence(query)]);
      opened.catch(() => undefined);
      try {
        const result = await work(query);
        await opened;
        await query('COMMIT');
        return result;
      } catch (error) {
        const first = await opened.then(
          () => error,
          (fault: unknown) => fault,
        );
        await query('ROLLBACK').catch(() => undefined);
        throw first;
      }
    });
  }

  /** Work that sees one moment of the ledger in each of its reads, or in all of them. */
  read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#persistently(work);
  }

  /** A connection in use at this moment is closed when it comes back: one that stayed open would keep the process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#free.splice(0).map((connection) => connection.close()));
  }

  async #persistently<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const since = systemClock.monotonic();
    for (let meetings = 0; ;) {
      try {
        return await this.#with(work);
      } catch (error) {
        const mayCome = isAway(error) && systemClock.monotonic() - since < AWAY_MS;
        const mayGo = meetsAnother(error) && (meetings += 1) <= MEETINGS_MAX;
        if (!mayCome && !mayGo) throw toldFault(error);
        if (mayCome) await systemClock.sleep(LOOK_MS);
      }
    }
  }

  async #with<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const connection = await this.#take();
    try {
      return await work((text, values) => connection.query(text, values));
    } finally {
      if (connection.isOpen && !this.#isClosed) this.#free.push(connection);
      else await this.#drop(connection);
      this.#waiting.shift()?.();
    }
  }

  async #take(): Promise<Connection> {
    for (;;) {
      const free = this.#free.pop();
      if (free?.isOpen === true) return free;
      if (free !== undefined) await this.#drop(free);
      else if (this.#count < CONNECTIONS_MAX) return await this.#open();
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #open(): Promise<Connection> {
    this.#count += 1;
    try {
      return await Connection.open(this.#place);
    } catch (error) {
      this.#count -= 1;
      this.#waiting.shift()?.();
      throw error;
    }
  }

  async #drop(connection: Connection): Promise<void> {
    this.#count -= 1;
    await connection.close();
  }
}
