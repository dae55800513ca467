// What has been paid or stands ready to be, as running sums: by day, by file, and by payee and account of a day. A row counts from the
// moment at which money may be reserved for it, until it is certain that none of it goes out. The sums change in the commit that changes the row.
import { addDecimals, subtractDecimals, type DecimalText } from '../../base/decimal.ts';
import { hitOf, type LimitHit, type LimitName, type Limits } from '../../payouts/limits.ts';
import type { Counted } from '../counted.ts';
import { textOrNull, type RowsTableRow } from './rows-table.ts';
import type { Sql } from './statements.ts';

/** The row that counts, and whom it pays. */
export type CountedRow = {
  readonly batch: string;
  readonly currency: string;
  readonly payee: string | null;
  readonly account: string | null;
};

/** The limits that are asked of, and what a person lifted: those of the row, or those of the file. */
export type Asked = {
  readonly limits: Limits;
  readonly lifted: { readonly row: boolean; readonly file: boolean };
};

type Sum = {
  readonly scope: 'day' | 'file' | 'payee' | 'account';
  readonly key: string;
  readonly day: string;
};

export function countedRow(found: RowsTableRow): CountedRow {
  return {
    batch: String(found['batch']),
    currency: String(found['source_currency']),
    payee: textOrNull(found['payee']),
    account: textOrNull(found['account']),
  };
}

export type SpentTable = ReturnType<typeof spentTable>;

export function spentTable(sql: Sql) {
  const spent = ({ scope, key, day }: Sum, currency: string): DecimalText => {
    const found = sql(
      'SELECT amount FROM spent WHERE scope = ? AND key = ? AND day = ? AND currency = ?',
    ).get(scope, key, day, currency);
    return found === undefined ? '0' : String(found['amount']);
  };
  const add = ({ scope, key, day }: Sum, currency: string, amount: DecimalText): void => {
    sql(
      `INSERT INTO spent (scope, key, day, currency, amount) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (scope, key, day, currency) DO UPDATE SET amount = add_decimals(amount, excluded.amount)`,
    ).run(scope, key, day, currency, amount);
  };
  return {
    spent,
    /** What the file of the row would come to if the row counted for `amount` instead of `before`. */
    ofFile: (row: CountedRow, before: Counted | null, amount: DecimalText): DecimalText => {
      const others = subtractDecimals(spent(fileSum(row), row.currency), before?.amount ?? '0');
      return addDecimals(others, amount);
    },
    /** The row counts for `after` now, and for `before` no more. */
    move: (row: CountedRow, before: Counted | null, after: Counted | null): void => {
      const change = (day: string, amount: DecimalText): void => {
        for (const sum of sumsOf(row, day)) add(sum, row.currency, amount);
      };
      if (before !== null) change(before.day, subtractDecimals('0', before.amount));
      if (after !== null) change(after.day, after.amount);
    },
    /** The first limit that the row would exceed if it counted for `wished` instead of `before`. */
    hit: (
      row: CountedRow,
      before: Counted | null,
      wished: Counted,
      { limits, lifted }: Asked,
    ): LimitHit | null => {
      const { amount, day } = wished;
      const total = (sum: Sum): DecimalText => {
        const isIn = before !== null && (sum.day === '' || before.day === day);
        return addDecimals(subtractDecimals(spent(sum, row.currency), isIn ? before.amount : '0'), amount);
      };
      const check = (name: LimitName, sum: DecimalText) => hitOf(name, limits, row.currency, sum);
      const ofPayee = (sum: Sum) => check('perPayeePerDay', total(sum));
      return (
        (lifted.row ? null : (check('perRow', amount) ?? firstOf(payeeSums(row, day), ofPayee))) ??
        (lifted.file ? null : (check('perFile', total(fileSum(row))) ?? check('perDay', total(daySum(day)))))
      );
    },
  };
}

export function daySum(day: string): Sum {
  return { scope: 'day', key: '', day };
}

export function fileSum({ batch }: Pick<CountedRow, 'batch'>): Sum {
  return { scope: 'file', key: batch, day: '' };
}

/** Whoever bears the name, and whatever name is written to the account: neither is a way round the other. */
function payeeSums({ payee, account }: CountedRow, day: string): readonly Sum[] {
  return [
    ...(payee === null ? [] : [{ scope: 'payee', key: payee, day } as const]),
    ...(account === null ? [] : [{ scope: 'account', key: account, day } as const]),
  ];
}

function sumsOf(row: CountedRow, day: string): readonly Sum[] {
  return [daySum(day), fileSum(row), ...payeeSums(row, day)];
}

function firstOf(sums: readonly Sum[], hit: (sum: Sum) => LimitHit | null): LimitHit | null {
  return sums.map(hit).find((found) => found !== null) ?? null;
}
