// Holds the running sums of files and days against the rows that they are sums of: limits rest on them.
import { addDecimals, compareDecimals, type DecimalText } from '../../base/decimal.ts';
import type { SumFault } from '../history-report.ts';
import { countedOf } from './rows-table.ts';
import type { Sql } from './statements.ts';

const COUNTED =
  'SELECT batch, source_currency AS currency, counted_day, counted FROM rows WHERE counted IS NOT NULL';

const SUMS = 'SELECT scope, key, day, currency, amount FROM spent';

export function checkSums(sql: Sql): SumFault | null {
  const sums = new Map<string, DecimalText>();
  const add = (name: string, amount: DecimalText): void => {
    sums.set(name, addDecimals(sums.get(name) ?? '0', amount));
  };
  for (const found of sql(COUNTED).iterate()) {
    const counted = countedOf(found);
    if (counted === null) continue;
    const currency = String(found['currency']);
    add(nameOf('day', counted.day, currency), counted.amount);
    add(nameOf('file', String(found['batch']), currency), counted.amount);
  }
  for (const { scope, key, day, currency, amount } of sql(SUMS).all()) {
    const name = nameOf(String(scope), String(key === '' ? day : key), String(currency));
    if (compareDecimals(sums.get(name) ?? '0', String(amount)) !== 0) return { of: name };
    sums.delete(name);
  }
  const [unwritten] = sums.keys();
  return unwritten === undefined ? null : { of: unwritten };
}

function nameOf(scope: string, key: string, currency: string): string {
  return `${scope} ${key} in ${currency}`;
}
