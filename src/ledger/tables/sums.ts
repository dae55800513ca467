// Amounts that have been paid or may be, as running sums by day and by file, which change in the commit that changes the row. A row counts from the moment at which
// money may be reserved for it, until it is certain that none of it goes out.
import { type DecimalText, addDecimals, subtractDecimals } from '../../base/decimal.ts';
import { eachOf, find, sendEach, type Plan } from '../plan.ts';
import type { Counted } from '../records.ts';
import type { Found } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';

/** A sum by its scope, key, day and currency; a file's without a day is that of all its days. */
type SumKey = readonly [scope: 'day' | 'file', key: string, day: string, currency: string];

export const sumOfDay = (day: string, currency: string): SumKey => ['day', '', day, currency];
export const sumOfFile = (batch: string, currency: string): SumKey => ['file', batch, '', currency];

type Change = { readonly key: SumKey; readonly amount: DecimalText };

const ADD = eachOf<Change>(
  `INSERT INTO spent (scope, key, day, currency, amount)
   SELECT l.scope, l.key, l.day, l.currency, l.amount FROM lines l WHERE true
       ON CONFLICT (scope, key, day, currency) DO UPDATE SET amount = spent.amount + excluded.amount`,
  {
    scope: ['text', ({ key }) => key[0]],
    key: ['text', ({ key }) => key[1]],
    day: ['text', ({ key }) => key[2]],
    currency: ['text', ({ key }) => key[3]],
    amount: ['numeric', ({ amount }) => amount],
  },
);

/** Sums that change in one commit. */
export class Sums {
  readonly #changes = new Map<string, Change>();
  /** As they stood before these changes. */
  readonly #known = new Map<string, DecimalText>();

  /** The row counts for `after` now, and for `before` no more. */
  move(line: Found, before: Counted | null, after: Counted | null): void {
    if (before?.day === after?.day && before?.amount === after?.amount) return;
    const [batch, currency] = [String(line['batch']), String(line['source_currency'])];
    const change = (day: string, amount: DecimalText): void => {
      this.#add(sumOfDay(day, currency), amount);
      this.#add(['file', batch, day, currency], amount);
    };
    if (before !== null) change(before.day, subtractDecimals('0', before.amount));
    if (after !== null) change(after.day, after.amount);
  }

  /** The sum as it stands within the commit. */
  *of(key: SumKey): Plan<DecimalText> {
    const name = key.join('\n');
    const known = this.#known.get(name) ?? (yield* amountOf(key));
    this.#known.set(name, known);
    const [scope, of, day, currency] = key;
    return [...this.#changes.values()]
      .filter(
        ({ key: each }) =>
          each[0] === scope && each[1] === of && (day === '' || each[2] === day) && each[3] === currency,
      )
      .reduce((sum, { amount }) => addDecimals(sum, amount), known);
  }

  #add(key: SumKey, amount: DecimalText): void {
    const name = key.join('\n');
    this.#changes.set(name, { key, amount: addDecimals(this.#changes.get(name)?.amount ?? '0', amount) });
  }

  /**
   * In one order for all processes: none waits for another that waits for it. In the midst of a commit only sums of files may be written: their owner alone changes
   * them, and those of a day would hold up all others until its end.
   */
  *write(which: 'file' | 'all' = 'all'): Plan<void> {
    const isMeant = (name: string): boolean => which === 'all' || name.startsWith(`${which}\n`);
    const changes = [...this.#changes].filter(([name]) => isMeant(name));
    for (const [name] of changes) this.#changes.delete(name);
    if (changes.length > 0)
      for (const name of this.#known.keys()) if (isMeant(name)) this.#known.delete(name);
    const inOrder = changes.sort(([one], [two]) => (one < two ? -1 : 1));
    yield* sendEach(ADD(inOrder.map(([, change]) => change)));
  }
}

const AMOUNTS =
  'SELECT amount FROM spent WHERE scope = $1 AND key = $2 AND day BETWEEN $3 AND $4 AND currency = $5';
/** Behind every day. */
const ANY_DAY = '9999';

export function* amountOf([scope, key, day, currency]: SumKey): Plan<DecimalText> {
  const found = yield* find(AMOUNTS, [scope, key, day, day === '' ? ANY_DAY : day, currency]);
  return found.reduce((sum, { amount }) => addDecimals(sum, String(amount)), '0');
}

/** What the rows of a day come to that pay one payee or account: such sums would be as many as rows, and few are ever asked for. */
export function paidOnBy(texts: {
  /** Of the day, currency, name and short name. */
  readonly payee: string;
  /** Of the day, currency and account. */
  readonly account: string;
}) {
  return function* (line: Found, by: 'payee' | 'account', day: string): Plan<DecimalText | null> {
    if (line[by] === undefined) throw new Error('Whom a row pays is asked of its whole line.');
    const key = textOrNull(line[by]);
    if (key === null) return null;
    const values = [day, String(line['source_currency']), key];
    const short = textOrNull(line['payee_short']) ?? key;
    const found = yield* find(texts[by], by === 'payee' ? [...values, short] : values);
    return found.reduce((sum, { counted }) => addDecimals(sum, String(counted)), '0');
  };
}
