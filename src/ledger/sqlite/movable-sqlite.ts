// A SQLite ledger that is moved: read whole, or filled from another ledger, in one commit. Keys, which derive from rows, are computed again.
import type { DatabaseSync } from 'node:sqlite';

import { columnsOf, type Line, type MovableLedger, MOVE, type MovedTable, ORDER } from '../movable-ledger.ts';
import { type Chain, chainAfter, nextOwnChain, OWN_CHAIN, startBehind } from '../seals.ts';
import { RESTLESS } from '../tables/batches.ts';
import { lineOf, movable } from '../tables/moves.ts';
import { carrier, inSqlite } from './dialect.ts';
import { type Sql, statements } from './group-commit.ts';
import { CHAIN_START } from './history.ts';
import { keysTable } from './keys-table.ts';
import { makeTablesAnew } from './schema.ts';
import { verifyHistory } from './verify-history.ts';

/** @param database a ledger with its tables. */
export function movableSqlite(database: DatabaseSync): MovableLedger {
  let sql = statements(database);
  return movable({
    carry: (plan) => Promise.resolve(carrier(sql)(plan)),
    inOneCommit: (work) => inOneCommit(database, work),
    lines: (table) => linesOf(sql, table),
    makeTablesAnew: () => {
      makeTablesAnew(database);
      // Those that were prepared name tables that are gone.
      sql = statements(database);
    },
    put: (table, lines) => put(sql, table, lines),
    complete: () => {
      const keys = keysTable(sql);
      for (const { id } of sql('SELECT id FROM batches').all()) keys.complete(String(id));
      sql(inSqlite(RESTLESS)).run();
    },
    verifyHistory: () => verifyHistory(database.location() ?? ''),
    close: () => {
      database.close();
      return Promise.resolve();
    },
  });
}

async function inOneCommit<T>(database: DatabaseSync, work: () => Promise<T>): Promise<T> {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** What a ledger has for itself alone. */
const OF_ITS_OWN = `('${MOVE}', 'reached', '${OWN_CHAIN}', '${CHAIN_START}')`;

/** The own chain bears its name only here; the others have theirs, and their own numbers. */
const GROUPS = `
  SELECT coalesce(chain, (SELECT value FROM meta WHERE name = '${OWN_CHAIN}'), 'sqlite') AS run,
         coalesce(chain_seq, seq) AS seq, coalesce(chain_seq, seq) + last - seq AS last, at, batch, from_position, to_position, hash, events
    FROM groups ORDER BY groups.seq`;

function selectOf(table: MovedTable): string {
  if (table === 'groups') return GROUPS;
  const columns = columnsOf(table).map(([name]) => name);
  const which = table === 'meta' ? `WHERE name NOT IN ${OF_ITS_OWN}` : '';
  return `SELECT ${columns.join(', ')} FROM ${table} ${which} ORDER BY ${ORDER[table].join(', ')}`;
}

async function* linesOf(sql: Sql, table: MovedTable): AsyncGenerator<Line> {
  await Promise.resolve();
  for (const found of sql(selectOf(table)).iterate()) yield lineOf(table, found);
}

async function put(sql: Sql, table: MovedTable, lines: AsyncIterable<Line>): Promise<void> {
  if (table === 'groups') return putGroups(sql, lines);
  const made = table === 'runs' ? ['beat_at'] : [];
  const columns = [...columnsOf(table).map(([name]) => name), ...made];
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  for await (const line of lines) sql(insert).run(...line, ...made.map(() => 0));
}

const PUT_GROUP = `
  INSERT INTO groups (seq, last, chain, chain_seq, at, batch, from_position, to_position, hash, events)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Every chain keeps its name and its numbers; the own one begins behind them all, and vouches for them. */
async function putGroups(sql: Sql, lines: AsyncIterable<Line>): Promise<void> {
  const chains = new Map<string, Chain>();
  let last = 0;
  for await (const [run = null, from, to, at = null, batch = null, ...rest] of lines) {
    const seq = last + 1;
    last += Number(to) - Number(from) + 1;
    sql(PUT_GROUP).run(seq, last, run, Number(from), at, batch, ...rest);
    chainAfter(chains, String(run), { seq: Number(from), last: Number(to), hash: String(rest[2]) });
  }
  const put = sql('INSERT INTO meta VALUES (?, ?)');
  put.run(OWN_CHAIN, nextOwnChain(chains.keys()));
  put.run(CHAIN_START, startBehind(chains).hash);
}
