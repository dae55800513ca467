// Amounts that have been paid or may be: by day and by file as running sums, which change in the commit that changes the row; by payee and
// account of a day as the sum of the rows that are found, because such sums would be as many as rows, and few are ever asked for. A row counts
// from the moment at which money may be reserved for it, until it is certain that none of it goes out.
import { type DecimalText, addDecimals, DecimalSum, subtractDecimals } from '../../base/decimal.ts';
import type { Counted } from '../records.ts';
import { ACCOUNT, PAYEE } from './encounters-query.ts';
import type { SumsAsked } from '../row-rules.ts';
import { textOrNull } from '../stored-rows.ts';
import type { RowsTableRow } from './rows-table.ts';
import type { Sql } from './group-commit.ts';

/** The row that counts, and whom it pays. */
export type CountedRow = {
  readonly batch: string;
  readonly currency: string;
  readonly payee: string | null;
  /** See `shortPayeeKey`. */
  readonly payeeShort: string | null;
  readonly account: string | null;
};

/** A file's without a day is that of all its days. */
type Sum = {
  readonly scope: 'day' | 'file';
  readonly key: string;
  readonly day: string;
};

type Moved = { readonly sum: Sum; readonly currency: string; readonly by: DecimalSum };

const AMOUNTS =
  'SELECT amount FROM spent WHERE scope = ? AND key = ? AND day BETWEEN ? AND ? AND currency = ?';
/** Behind every day. */
const ANY_DAY = '9999';

const ADD = `
  INSERT INTO spent (scope, key, day, currency, amount) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (scope, key, day, currency) DO UPDATE SET amount = add_decimals(amount, excluded.amount)`;

/** By payee under any account, and by account under any name: neither is a way round the other. What a payee got in files of which nothing counts on the day is not read. */
const paidBy = (kind: string, keys: string): string => `
  SELECT s.counted
    FROM (SELECT DISTINCT batch, position FROM row_keys k
           WHERE kind = ${kind} AND key IN ${keys} AND batch >= (SELECT min(key) FROM spent INDEXED BY spent_by_day WHERE scope = 'file' AND day = ?1)
             AND EXISTS (SELECT 1 FROM spent f WHERE f.scope = 'file' AND f.key = k.batch AND f.day = ?1)) k
    CROSS JOIN row_states s ON s.batch = k.batch AND s.position = k.position
   WHERE s.counted_day = ?1 AND s.source_currency = ?2`;
const OF_PAYEE = paidBy(PAYEE, '(?3, ?4)');
const OF_ACCOUNT = paidBy(ACCOUNT, '(?3)');

export function countedRow(found: RowsTableRow): CountedRow {
  return {
    batch: String(found['batch']),
    currency: String(found['source_currency']),
    payee: textOrNull(found['payee']),
    payeeShort: textOrNull(found['payee_short']),
    account: textOrNull(found['account']),
  };
}

export type SpentTable = ReturnType<typeof spentTable>;

export function spentTable(sql: Sql) {
  const moved = movedSums(sql);
  /** The sum as it stands within the commit. */
  const spentSoFar = (sum: Sum, currency: string): DecimalText => {
    moved.write();
    return spent(sql, sum, currency);
  };
  return {
    /** To be called when a write transaction has begun. */
    begin: moved.forget,
    /** To be called before it ends. */
    write: moved.write,
    /** Outside of write transactions. */
    spent: (sum: Sum, currency: string): DecimalText => spent(sql, sum, currency),
    /** The row counts for `after` now, and for `before` no more. */
    move: (row: CountedRow, before: Counted | null, after: Counted | null): void => {
      const change = (day: string, amount: DecimalText): void => {
        moved.add(daySum(day), row.currency, amount);
        moved.add({ ...fileSum(row), day }, row.currency, amount);
      };
      if (before !== null) change(before.day, subtractDecimals('0', before.amount));
      if (after !== null) change(after.day, after.amount);
    },
    /** The amounts that count within the commit, for one reservation: the approval and the limit of the file need the same sum. */
    sumsFor: (row: CountedRow, day: string): SumsAsked => {
      let ofFile: DecimalText | null = null;
      return {
        ofFile: () => (ofFile ??= spentSoFar(fileSum(row), row.currency)),
        ofDay: () => spentSoFar(daySum(day), row.currency),
        ofPayee: (by) => {
          // By it the files of the day are found.
          moved.write();
          return row[by] === null ? null : paidTo(sql, row, by, day);
        },
      };
    },
  };
}

function spent(sql: Sql, { scope, key, day }: Sum, currency: string): DecimalText {
  return sql(AMOUNTS)
    .all(scope, key, day, day === '' ? ANY_DAY : day, currency)
    .reduce((sum, { amount }) => addDecimals(sum, String(amount)), '0');
}

/** The changes of sums by the rows of the present commit: many rows change a handful of sums. */
function movedSums(sql: Sql) {
  const moved = new Map<string, Moved>();
  return {
    add: (sum: Sum, currency: string, amount: DecimalText): void => {
      const name = `${sum.scope} ${sum.key} ${sum.day} ${currency}`;
      const known = moved.get(name) ?? { sum, currency, by: new DecimalSum() };
      known.by.add(amount);
      moved.set(name, known);
    },
    write: (): void => {
      for (const { sum, currency, by } of moved.values())
        sql(ADD).run(sum.scope, sum.key, sum.day, currency, by.toText());
      moved.clear();
    },
    /** The changes of a commit that was undone. */
    forget: (): void => moved.clear(),
  };
}

function paidTo(sql: Sql, row: CountedRow, by: 'payee' | 'account', day: string): DecimalText {
  const { payee, payeeShort, account, currency } = row;
  const found =
    by === 'payee'
      ? sql(OF_PAYEE).all(day, currency, payee, payeeShort ?? payee)
      : sql(OF_ACCOUNT).all(day, currency, account);
  return found.reduce((sum, { counted }) => addDecimals(sum, String(counted)), '0');
}

export function daySum(day: string): Sum {
  return { scope: 'day', key: '', day };
}

export function fileSum({ batch }: Pick<CountedRow, 'batch'>): Sum {
  return { scope: 'file', key: batch, day: '' };
}
