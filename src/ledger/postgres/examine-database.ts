// The facts about a database before money is entrusted to it; the reader judges them.
import { systemClock } from '../../base/clock.ts';
import { Connection, type PostgresPlace, toldFault } from './connect.ts';

export type DatabaseFacts = {
  /** `server_version_num`: 180004 is 18.4. */
  readonly version: number;
  /** By their names, as PostgreSQL writes them: `fsync`, `full_page_writes`, `synchronous_commit`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Standbys that have every commit before it is acknowledged. */
  readonly synchronousStandbys: number;
  /** The database's clock less this machine's. */
  readonly clockDifferenceMs: number;
  /** Whether something between us and the database lends its sessions by the transaction: locks and listening do not outlive one there. */
  readonly isPooled: boolean;
};

/** Throws `LedgerUnusable`. */
export async function examineDatabase(place: PostgresPlace): Promise<DatabaseFacts> {
  const opened: Connection[] = [];
  const open = async (): Promise<Connection> => {
    const connection = await Connection.open(place);
    opened.push(connection);
    return connection;
  };
  try {
    return await factsOf(await open(), await open());
  } catch (error) {
    throw toldFault(error);
  } finally {
    for (const connection of opened) await connection.close();
  }
}

async function factsOf(connection: Connection, other: Connection): Promise<DatabaseFacts> {
  const settings = await connection.query(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'server_version_num')`,
  );
  const values = Object.fromEntries(settings.map(({ name, setting }) => [String(name), String(setting)]));
  const [standbys] = await connection.query(
    `SELECT count(*)::int AS count FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`,
  );
  const askedAt = systemClock.now();
  const [clock] = await connection.query(
    `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`,
  );
  const halfWay = (askedAt + systemClock.now()) / 2;
  return {
    version: Number(values['server_version_num']),
    settings: values,
    synchronousStandbys: Number(standbys?.['count']),
    clockDifferenceMs: Math.round(Number(clock?.['now']) - halfWay),
    isPooled: await isPooled(connection, other),
  };
}

/** A session that is ours alone stays the same, whatever another one does meanwhile. */
async function isPooled(connection: Connection, other: Connection): Promise<boolean> {
  const before = await backendOf(connection);
  await other.query('BEGIN');
  const between = await backendOf(other);
  const after = await backendOf(connection);
  await other.query('ROLLBACK');
  return before !== after || before === between;
}

async function backendOf(connection: Connection): Promise<number> {
  const [found] = await connection.query('SELECT pg_backend_pid() AS pid');
  return Number(found?.['pid']);
}
