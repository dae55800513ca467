// A PostgreSQL ledger that is moved: read whole, or filled from another ledger, in one commit. Columns that only serve searches are computed again.
import { addDecimals } from '../../base/decimal.ts';
import {
  columnsOf,
  type Kind,
  type LedgerMove,
  type Line,
  mayBeReplaced,
  type MovableLedger,
  MOVE,
  MOVED_TABLES,
  type MovedTable,
  ORDER,
} from '../movable-ledger.ts';
import { fixedDigest } from '../seals.ts';
import { RESTLESS } from '../tables/batches.ts';
import { Connection, type PostgresPlace, type Query, schemaOf, toldFault } from './connect.ts';
import { ensureSchema, makeTablesAnew, moveOf } from './schema.ts';
import { verifyHistory } from './verify-history.ts';

/** Lines that are read or written by one statement. */
const PAGE_LINES = 2_000;

/** Opens the ledger in a schema, past all runs. Throws `LedgerUnusable`. */
export async function openMovablePostgres(place: PostgresPlace): Promise<MovableLedger> {
  return toldly(async () => {
    const connection = await Connection.open(place);
    await ensureSchema(connection, schemaOf(place));
    return movable(connection, place);
  });
}

function movable(connection: Connection, place: PostgresPlace): MovableLedger {
  const query: Query = (text, values) => connection.query(text, values);
  return {
    move: () => toldly(() => moveOf(query)),
    sayMove: (seen, next) =>
      toldly(() =>
        inOneCommit(query, async () => {
          if ((await isWorkedWith(query)) || JSON.stringify(await moveOf(query)) !== JSON.stringify(seen))
            return false;
          await putMove(query, next);
          return true;
        }),
      ),
    isEmpty: () => toldly(() => isEmpty(query)),
    lines: (table) => linesOf(query, table),
    fill: (next, lines) =>
      toldly(() =>
        inOneCommit(query, async () => {
          await query("SET LOCAL idle_in_transaction_session_timeout = '10min'");
          if ((await isWorkedWith(query)) || !mayBeReplaced(await moveOf(query), await isEmpty(query)))
            return false;
          await makeTablesAnew(connection, schemaOf(place));
          for (const table of MOVED_TABLES) await put(query, table, lines(table));
          await complete(query);
          await putMove(query, next);
          return true;
        }),
      ),
    verifyHistory: () => toldly(() => verifyHistory(place)),
    close: () => connection.close(),
  };
}

/** Inside a commit: who enters now waits for its end, and sees what it says. */
async function isWorkedWith(query: Query): Promise<boolean> {
  await query('LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE');
  return (await query('SELECT 1 AS is_open FROM runs WHERE ended_at IS NULL LIMIT 1')).length > 0;
}

async function isEmpty(query: Query): Promise<boolean> {
  const found = await query('SELECT 1 AS one FROM batches UNION ALL SELECT 1 FROM groups LIMIT 1');
  return found.length === 0;
}

async function toldly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toldFault(error);
  }
}

async function putMove(query: Query, move: LedgerMove | null): Promise<void> {
  await query('DELETE FROM meta WHERE name = $1', [MOVE]);
  if (move !== null) await query('INSERT INTO meta VALUES ($1, $2)', [MOVE, JSON.stringify(move)]);
}

async function inOneCommit<T>(query: Query, work: () => Promise<T>): Promise<T> {
  await query('BEGIN');
  try {
    const result = await work();
    await query('COMMIT');
    return result;
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

// Read.

const META = `SELECT name, value FROM meta WHERE name NOT IN ('schema', '${MOVE}')`;

/** Here the digest of a row's fixed part is stored with it. */
const STATES = `
  SELECT ${columnsOf('row_states')
    .map(([name]) => (name === 'fixed' ? 'r.fixed' : `s.${name}`))
    .join(', ')}
    FROM row_states s LEFT JOIN rows r ON r.batch = s.batch AND r.position = s.position
   ORDER BY s.batch COLLATE "C", s.position`;

function selectOf(table: MovedTable): string {
  const columns = columnsOf(table);
  const kinds = new Map<string, Kind>(columns);
  // In the order of their bytes, whatever the language of the database.
  const order = ORDER[table].map((name) => (kinds.get(name) === 'text' ? `${name} COLLATE "C"` : name));
  if (table === 'row_states') return STATES;
  const from = table === 'meta' ? META : `SELECT ${columns.map(([name]) => name).join(', ')} FROM ${table}`;
  return `${from} ORDER BY ${table === 'groups' ? 'id' : order.join(', ')}`;
}

async function* linesOf(query: Query, table: MovedTable): AsyncGenerator<Line> {
  const columns = columnsOf(table);
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await query("SET LOCAL idle_in_transaction_session_timeout = '10min'");
    await query(`DECLARE moved NO SCROLL CURSOR FOR ${selectOf(table)}`);
    for (;;) {
      const page = await query(`FETCH ${String(PAGE_LINES)} FROM moved`);
      for (const found of page) yield columns.map(([name, kind]) => shown(kind, found[name] ?? null));
      if (page.length < PAGE_LINES) return;
    }
  } catch (error) {
    throw toldFault(error);
  } finally {
    await query('ROLLBACK').catch(() => undefined);
  }
}

function shown(kind: Kind, value: unknown): Line[number] {
  return kind === 'amount' ? addDecimals(String(value), '0') : (value as Line[number]);
}

// Written.

const ARRAYS: Readonly<Record<Kind, string>> = {
  text: 'text[]',
  number: 'bigint[]',
  amount: 'text[]',
};

async function put(query: Query, table: MovedTable, lines: AsyncIterable<Line>): Promise<void> {
  let page: Line[] = [];
  for await (const line of lines) {
    page.push(line);
    if (page.length < PAGE_LINES) continue;
    await putPage(query, table, page);
    page = [];
  }
  if (page.length > 0) await putPage(query, table, page);
}

async function putPage(query: Query, table: MovedTable, page: readonly Line[]): Promise<void> {
  const columns = columnsOf(table).map(([name, kind], index) => ({ name, kind, index }));
  const kept = columns.filter(({ name }) => table !== 'row_states' || name !== 'fixed');
  const values = kept.map(({ index }) => page.map((line) => line[index] ?? null));
  const names = kept.map(({ name }) => name);
  const arrays = kept.map(({ kind }) => ARRAYS[kind]);
  const given = kept.map(({ name, kind }) => (kind === 'amount' ? `${name}::numeric` : name));
  if (table === 'rows') {
    names.push('fixed');
    given.push('fixed');
    arrays.push('text[]');
    values.push(
      page.map((line) => fixedDigest(Object.fromEntries(names.map((name, at) => [name, line[at]])))),
    );
  }
  const parameters = arrays.map((array, index) => `$${String(index + 1)}::${array}`);
  await query(
    `INSERT INTO ${table} (${names.join(', ')})
     SELECT ${given.join(', ')} FROM unnest(${parameters.join(', ')}) WITH ORDINALITY AS given (${names.join(', ')}, nth) ORDER BY nth`,
    values,
  );
}

/** Derived data: the batches with work to do, and the next numbers of fetched files and orders. */
async function complete(query: Query): Promise<void> {
  await query(RESTLESS);
  for (const table of ['sftp_pulls', 'orders'])
    await query(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table} HAVING max(id) IS NOT NULL`,
    );
  await query('ANALYZE');
}
