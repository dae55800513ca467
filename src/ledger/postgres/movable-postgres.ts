// A PostgreSQL ledger that is moved: read whole, or filled from another ledger, in one commit. Columns that only serve searches are computed again.
import {
  columnsOf,
  type Kind,
  type Line,
  type MovableLedger,
  MOVE,
  type MovedTable,
  ORDER,
} from '../movable-ledger.ts';
import { fixedDigest } from '../seals.ts';
import { RESTLESS } from '../tables/batches.ts';
import { lineOf, movable } from '../tables/moves.ts';
import { Connection, type PostgresPlace, type Query, schemaOf, toldFault } from './connect.ts';
import { carryOutBy } from './plans.ts';
import { ensureSchema, makeTablesAnew } from './schema.ts';
import { verifyHistory } from './verify-history.ts';

/** Lines that are read or written by one statement. */
const PAGE_LINES = 2_000;

/** Opens the ledger in a schema, past all runs. Throws `LedgerUnusable`. */
export async function openMovablePostgres(place: PostgresPlace): Promise<MovableLedger> {
  return toldly(async () => {
    const connection = await Connection.open(place);
    await ensureSchema(connection, schemaOf(place));
    return movableBy(connection, place);
  });
}

function movableBy(connection: Connection, place: PostgresPlace): MovableLedger {
  const query: Query = (text, values) => connection.query(text, values);
  return movable({
    carry: (plan) => toldly(() => carryOutBy(query, plan)),
    inOneCommit: (work) => toldly(() => inOneCommit(query, work)),
    lines: (table) => linesOf(query, table),
    makeTablesAnew: () => makeTablesAnew(connection, schemaOf(place)),
    put: (table, lines) => put(query, table, lines),
    complete: () => complete(query),
    verifyHistory: () => toldly(() => verifyHistory(place)),
    close: () => connection.close(),
  });
}

async function toldly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toldFault(error);
  }
}

async function inOneCommit<T>(query: Query, work: () => Promise<T>): Promise<T> {
  await query('BEGIN');
  try {
    await query(MAY_WAIT);
    const result = await work();
    await query('COMMIT');
    return result;
  } catch (error) {
    await query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** For the other ledger. */
const MAY_WAIT = "SET LOCAL idle_in_transaction_session_timeout = '10min'";

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
  await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await query(MAY_WAIT);
    await query(`DECLARE moved NO SCROLL CURSOR FOR ${selectOf(table)}`);
    for (;;) {
      const page = await query(`FETCH ${String(PAGE_LINES)} FROM moved`);
      for (const found of page) yield lineOf(table, found);
      if (page.length < PAGE_LINES) return;
    }
  } catch (error) {
    throw toldFault(error);
  } finally {
    await query('ROLLBACK').catch(() => undefined);
  }
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
