// A ledger that is moved, over either store: how its move stands, and the one commit that says so, or fills it from another.
import { addDecimals } from '../../base/decimal.ts';
import {
  columnsOf,
  type LedgerMove,
  type Line,
  mayBeReplaced,
  type MovableLedger,
  MOVE,
  MOVED_TABLES,
  type MovedTable,
  readMove,
} from '../movable-ledger.ts';
import { findOne, lock, type Plan, send } from '../plan.ts';
import type { Found } from '../seals.ts';

/** Null where it was never moved. */
export function* moveOf(): Plan<LedgerMove | null> {
  return readMove((yield* findOne('SELECT value FROM meta WHERE name = $1', [MOVE]))?.['value']);
}

function* putMove(move: LedgerMove | null): Plan<void> {
  yield* send('DELETE FROM meta WHERE name = $1', [MOVE]);
  if (move !== null) yield* send('INSERT INTO meta VALUES ($1, $2)', [MOVE, JSON.stringify(move)]);
}

/** Inside a commit: who enters now waits for its end, and sees what it says. */
function* isWorkedWith(): Plan<boolean> {
  yield* lock('LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE');
  return (yield* findOne('SELECT 1 AS is_open FROM runs WHERE ended_at IS NULL LIMIT 1')) !== null;
}

function* isEmpty(): Plan<boolean> {
  return (yield* findOne('SELECT 1 AS one FROM batches UNION ALL SELECT 1 FROM groups LIMIT 1')) === null;
}

function* sayMove(seen: LedgerMove | null, move: LedgerMove | null): Plan<boolean> {
  if ((yield* isWorkedWith()) || JSON.stringify(yield* moveOf()) !== JSON.stringify(seen)) return false;
  yield* putMove(move);
  return true;
}

function* mayBeFilled(): Plan<boolean> {
  return !(yield* isWorkedWith()) && mayBeReplaced(yield* moveOf(), yield* isEmpty());
}

/** A line of a table that is moved, as its store found it. */
export function lineOf(table: MovedTable, found: Found): Line {
  return columnsOf(table).map(([name, kind]) => {
    const value = found[name] ?? null;
    return kind === 'amount' ? addDecimals(String(value), '0') : (value as Line[number]);
  });
}

/** What each store does in its own way. */
type Moved = Pick<MovableLedger, 'lines' | 'verifyHistory' | 'close'> & {
  readonly carry: <T>(plan: Plan<T>) => Promise<T>;
  readonly inOneCommit: <T>(work: () => Promise<T>) => Promise<T>;
  /** Empty ones in the place of all that is there. */
  readonly makeTablesAnew: () => void | Promise<void>;
  readonly put: (table: MovedTable, lines: AsyncIterable<Line>) => Promise<void>;
  /** Makes what derives from the lines. */
  readonly complete: () => void | Promise<void>;
};

export function movable({
  carry,
  inOneCommit,
  makeTablesAnew,
  put,
  complete,
  ...same
}: Moved): MovableLedger {
  return {
    ...same,
    move: () => carry(moveOf()),
    sayMove: (seen, move) => inOneCommit(() => carry(sayMove(seen, move))),
    isEmpty: () => carry(isEmpty()),
    fill: (move, lines) =>
      inOneCommit(async () => {
        if (!(await carry(mayBeFilled()))) return false;
        await makeTablesAnew();
        for (const table of MOVED_TABLES) await put(table, lines(table));
        await complete();
        await carry(putMove(move));
        return true;
      }),
  };
}
