// Amounts that have been paid or may be: by day and by file as running sums, which change in the commit that changes the row; by payee and account of a
// day as the sum of the rows that are found.
import { type DecimalText, addDecimals, subtractDecimals } from '../../base/decimal.ts';
import type { Counted } from '../records.ts';
import type { Found } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';
import type { Query } from './connect.ts';
import type { Tx } from './group-commit.ts';

/** One commit at a time asks what a limit leaves, of all processes. In a statement of its own, because a statement sees what stood before it waited. */
export function lockLimits({ query }: Tx): void {
  void query(`SELECT pg_advisory_xact_lock(hashtext('paydrop limits in ' || current_schema()))`);
}

/** A sum by its scope, key, day and currency; a file's without a day is that of all its days. */
type SumKey = readonly [scope: 'day' | 'file', key: string, day: string, currency: string];

export const sumOfDay = (day: string, currency: string): SumKey => ['day', '', day, currency];
export const sumOfFile = (batch: string, currency: string): SumKey => ['file', batch, '', currency];

/** Sums that change in one commit, and each of which is written once. */
export class Sums {
  readonly #changes = new Map<string, { readonly key: SumKey; readonly amount: DecimalText }>();

  /** The row counts for `after` now, and for `before` no more. */
  move(found: Found, before: Counted | null, after: Counted | null): void {
    if (before?.day === after?.day && before?.amount === after?.amount) return;
    const [batch, currency] = [String(found['batch']), String(found['source_currency'])];
    const change = (day: string, amount: DecimalText): void => {
      this.#add(sumOfDay(day, currency), amount);
      this.#add(['file', batch, day, currency], amount);
    };
    if (before !== null) change(before.day, subtractDecimals('0', before.amount));
    if (after !== null) change(after.day, after.amount);
  }

  /** What was added here to a sum. */
  changeOf([scope, of, day, currency]: SumKey): DecimalText {
    return [...this.#changes.values()]
      .filter(
        ({ key }) =>
          key[0] === scope && key[1] === of && (day === '' || key[2] === day) && key[3] === currency,
      )
      .reduce((sum, { amount }) => addDecimals(sum, amount), '0');
  }

  #add(key: SumKey, amount: DecimalText): void {
    const name = key.join('\n');
    this.#changes.set(name, { key, amount: addDecimals(this.#changes.get(name)?.amount ?? '0', amount) });
  }

  /** In one order for all processes: none waits for another that waits for it. */
  async write(query: Query): Promise<void> {
    const changes = [...this.#changes.entries()].sort(([one], [two]) => (one < two ? -1 : 1));
    const column = (index: 0 | 1 | 2 | 3) => changes.map(([, { key }]) => key[index]);
    if (changes.length === 0) return;
    await query(ADD, [column(0), column(1), column(2), column(3), changes.map(([, { amount }]) => amount)]);
  }
}

const ADD = `
  INSERT INTO spent (scope, key, day, currency, amount)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::numeric[]) ORDER BY 1, 2, 3, 4
      ON CONFLICT (scope, key, day, currency) DO UPDATE SET amount = spent.amount + excluded.amount`;

const AMOUNT = `SELECT sum(amount) AS amount FROM spent WHERE scope = $1 AND key = $2 AND ($3 = '' OR day = $3) AND currency = $4`;

export async function amountOf(query: Query, key: SumKey): Promise<DecimalText> {
  const [found] = await query(AMOUNT, [...key]);
  // As every other amount is written: PostgreSQL keeps the zeros behind the point.
  return addDecimals(String(found?.['amount'] ?? '0'), '0');
}

/** Of the files of which anything counts on the day: what a payee got in others is not read. Those of this commit are in no sum yet. */
const paidBy = (...keys: readonly string[]): string => `
  WITH of_day AS MATERIALIZED (
    SELECT key AS batch FROM spent WHERE scope = 'file' AND day = $1 UNION SELECT unnest($2::text[])),
  of_payee AS MATERIALIZED (${keys
    .map(
      (key) => `
    SELECT batch, position FROM rows WHERE ${key} AND batch >= (SELECT min(batch) FROM of_day)`,
    )
    .join(' UNION')})
  SELECT s.counted FROM of_payee r JOIN row_states s ON s.batch = r.batch AND s.position = r.position
   WHERE s.counted_day = $1 AND s.source_currency = $3 AND r.batch IN (SELECT batch FROM of_day)`;

/** By payee under any account, and by account under any name: neither is a way round the other. */
const OF_PAYEE = paidBy('payee IN ($4, $5)', 'payee_short IN ($4, $5)');
const OF_ACCOUNT = paidBy('account = $4');

/** The amount paid to the payee of a row on a day, by the name and by the account; null where the row has none. @param own the batches of this commit. */
export async function paidOn(
  query: Query,
  found: Found,
  day: string,
  own: readonly string[],
): Promise<Readonly<Record<'payee' | 'account', DecimalText | null>>> {
  const [payee, account] = [textOrNull(found['payee']), textOrNull(found['account'])];
  const short = textOrNull(found['payee_short']) ?? payee;
  const currency = String(found['source_currency']);
  const sum = (lines: readonly Found[]): DecimalText =>
    lines.reduce((total, { counted }) => addDecimals(total, String(counted)), '0');
  return {
    payee: payee === null ? null : sum(await query(OF_PAYEE, [day, own, currency, payee, short])),
    account: account === null ? null : sum(await query(OF_ACCOUNT, [day, own, currency, account])),
  };
}
