// What a row would still lack whichever of the remaining corridors it takes. Told together with the open choice, so that nobody has to correct a file in
// layers: first the corridor, then the balance, then the account holder.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { FileRefused } from '../rows/file-refused.ts';
import { namedHeader } from '../rows/known-columns.ts';
import { columnsSaid, type Row, type Table } from '../rows/row.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { readDelivery, readReceiver } from './read-parties.ts';
import { readRequestedAmount } from './requested-amount.ts';
import type { Rejection, RejectionCode } from './rejection.ts';
import { RowReader } from './row-reader.ts';

const ASKED: readonly RejectionCode[] = [
  'amount_currency_missing',
  'amount_currency_unrelated',
  'source_currency_missing',
  'receiver_field_missing',
  'delivery_field_missing',
];

type Ask = Pick<Rejection, 'code' | 'column' | 'canonical' | 'words'>;

/** For rows that say the same columns the answer is the same: a million rows ask a few times. */
const known = new WeakMap<Table, Map<string, readonly Ask[]>>();
const KNOWN_MOST = 1_000;

/** Rejects what every one of the corridors would. */
export function askWhatAllRequire(reader: RowReader, row: Row, left: readonly PayoutCorridor[]): void {
  // The owner of a message has no columns to fill.
  if (left.length === 0 || reader.table.message !== undefined) return;
  const asks = known.get(reader.table) ?? new Map<string, readonly Ask[]>();
  if (asks.size > KNOWN_MOST) asks.clear();
  known.set(reader.table, asks);
  const key = keyOf(reader, left);
  const found = asks.get(key) ?? commonAsks(reader, row, left);
  asks.set(key, found);
  for (const { code, canonical = '', words } of found) reader.reject(code, canonical, words);
}

/** The columns that the row fills, and what decides about the balance. */
function keyOf(reader: RowReader, left: readonly PayoutCorridor[]): string {
  const filled = columnsSaid(reader.table).map((name) =>
    /[\p{L}\p{N}]/u.test(reader.text(name)) ? '1' : '0',
  );
  const money = ['currency', 'sourceCurrency', 'targetCurrency'].map((name) =>
    reader.text(name).slice(0, 20),
  );
  return [filled.join(''), ...money, ...left.map(({ id }) => id)].join('\n');
}

function commonAsks({ table }: RowReader, row: Row, left: readonly PayoutCorridor[]): readonly Ask[] {
  const all = left.map((corridor) => asksOf(table, row, corridor));
  // A corridor in another currency than the row's is none of those that are left.
  const fitting = all.filter((asks) => !asks.some(({ code }) => code === 'amount_currency_unrelated'));
  const [first = [], ...others] = fitting.length > 0 ? fitting : all;
  const isCommon = (ask: Ask) =>
    ask.code !== 'amount_currency_unrelated' &&
    others.every((asks) => asks.some(({ code, column }) => code === ask.code && column === ask.column));
  return first.filter(isCommon).map((ask) => ({ ...ask, words: askWords(ask, left) }));
}

/** What one corridor would ask of the row. */
export function asksOf(table: Table, row: Row, corridor: PayoutCorridor): readonly Ask[] {
  const reader = new RowReader(table, row);
  try {
    readRequestedAmount(reader, corridor);
  } catch (error) {
    // Once the corridor is known, the file is asked about it.
    if (!(error instanceof FileRefused)) throw error;
  }
  readReceiver(reader, corridor);
  readDelivery(reader, corridor);
  return reader.rejections.filter(({ code }) => ASKED.includes(code));
}

function askWords({ code, canonical = '' }: Ask, left: readonly PayoutCorridor[]): Words {
  const balances = [...new Set(left.flatMap(({ sourceCurrencies }) => sourceCurrencies))].sort();
  const received = [...new Set(left.map(({ targetCurrency }) => targetCurrency))].sort();
  const join = balances.join(', ');
  switch (code) {
    case 'source_currency_missing':
      return sentence('requestedAmount.readSourceCurrency.sayWhichBalance', { join });
    case 'amount_currency_missing':
      return sentence('askWhatAllRequire.currency', { received: received.join(', '), sent: join });
    default:
      return sentence('askWhatAllRequire.field', { field: namedHeader(canonical) });
  }
}
