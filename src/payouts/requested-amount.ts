// The amount that a row asks for: one amount, in one currency, on one side of the exchange. Nothing is rounded and nothing is guessed.
import { compareDecimals, type DecimalText } from '../base/decimal.ts';
import { currencyDecimals, fitsCurrency, moneyWords } from '../base/currency.ts';
import {
  contradicts,
  mayBeThousands,
  readAmount,
  type ReadAmount,
  readCurrency,
  readJavaNumber,
} from '../rows/read-amount.ts';
import { FileRefused } from '../rows/file-refused.ts';
import { scaledBy } from '../rows/units.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { RequestedAmount } from './payout.ts';
import { listWords, sameWords, type Words } from '../base/language.ts';
import type { RowReader } from './row-reader.ts';
import { sentence } from '../messages/messages.ts';

const SIDES = { sourceAmount: 'source', destinationAmount: 'destination' } as const;
type AmountColumn = keyof typeof SIDES | 'amount';

type RequestedSum = { readonly requested: RequestedAmount; readonly sourceCurrency: string };

/** The amount and the source currency of a row, or null with the reasons rejected. Of a row whose corridor is not known, the amount alone is looked at. */
export function readRequestedAmount(reader: RowReader, corridor: PayoutCorridor | null): RequestedSum | null {
  const column = filledColumn(reader);
  if (column === null) return null;
  const amount = readPositive(reader, column);
  if (corridor === null) return null;
  const side = column === 'amount' ? sideOfAmount(reader, corridor) : SIDES[column];
  if (side === null) return null;
  const sourceCurrency = readSourceCurrency(reader, corridor, side);
  if (amount === null || sourceCurrency === null) return null;
  const currency = side === 'source' ? sourceCurrency : corridor.targetCurrency;
  if (!agreesWithCell(reader, column, currency)) return null;
  if (!fits(reader, column, amount, currency)) return null;
  if (side === 'destination' && !isInside(reader, column, amount, corridor)) return null;
  return { requested: { side, amount }, sourceCurrency };
}

/** The currency is null where the row does not say in which its amount is. */
export type StatedAmount = { readonly currency: string | null; readonly amount: DecimalText };

/** What the cells of a row state, even if it cannot be paid like that; null where they hold no amount. */
export function statedAmount(reader: RowReader, corridor: PayoutCorridor | null): StatedAmount | null {
  for (const [column, currencyColumn] of STATED) {
    const read = readCell(reader, column);
    if ('fault' in read) continue;
    const side = column === 'amount' ? SAID_SIDES.get(reader.text('currency').toLowerCase()) : undefined;
    const named = side === undefined ? currencyColumn : SIDE_CURRENCIES[side];
    const written = readCurrency(reader.text(named)) ?? read.currency ?? reader.headerCurrency(column);
    const target = column === 'destinationAmount' ? (corridor?.targetCurrency ?? null) : null;
    const currency = written?.codes.length === 1 ? (written.codes[0] ?? null) : target;
    return { currency, amount: read.amount };
  }
  return null;
}

const SIDE_CURRENCIES = { source: 'sourceCurrency', destination: 'targetCurrency' } as const;

const STATED: readonly (readonly [AmountColumn, string])[] = [
  ['amount', 'currency'],
  ['destinationAmount', 'targetCurrency'],
  ['sourceAmount', 'sourceCurrency'],
];

function filledColumn(reader: RowReader): AmountColumn | null {
  const columns: readonly AmountColumn[] = ['sourceAmount', 'destinationAmount', 'amount'];
  const [filled, another] = columns.filter((column) => reader.text(column) !== '');
  if (filled === undefined) {
    const column = columns.find((name) => reader.table.indexOf.has(name)) ?? 'destinationAmount';
    return reader.reject('amount_missing', column, sentence('requestedAmount.filledColumn.rowAmountWrite'));
  }
  if (another === undefined) return filled;
  return reader.reject(
    'amount_twice',
    another,
    sentence('requestedAmount.filledColumn.rowAlsoAmount', { header: reader.header(filled) }),
  );
}

function readCell(reader: RowReader, column: AmountColumn): ReadAmount {
  const read = readAmount(reader.amountText(column), reader.table.decimalMarks.get(column) ?? '.');
  const scale = reader.table.meaning?.scale ?? null;
  if (scale === null || 'fault' in read) return read;
  const amount = scaledBy(read.amount, scale);
  return amount === null ? { fault: 'too_many_digits' } : { ...read, amount };
}

function readPositive(reader: RowReader, column: AmountColumn): DecimalText | null {
  const text = reader.text(column);
  const read = readCell(reader, column);
  if ('fault' in read) return rejectAmount(reader, column, text, read.fault === 'negative');
  if (readJavaNumber(text) !== null)
    reader.warn(sentence('requestedAmount.javaNumber', { header: reader.header(column) }));
  return compareDecimals(read.amount, '0') > 0 ? read.amount : rejectAmount(reader, column, text, true);
}

function rejectAmount(reader: RowReader, column: AmountColumn, text: string, isNumber: boolean): null {
  return isNumber
    ? reader.reject(
        'amount_not_positive',
        column,
        sentence('requestedAmount.rejectAmount.amountOnlyAmounts', { text }),
      )
    : reader.reject(
        'amount_not_a_number',
        column,
        sentence('requestedAmount.rejectAmount.cannotReadAmount', { text }),
      );
}

/** A currency in the amount's own cell, or in its header, must agree with `currency`. */
function agreesWithCell(reader: RowReader, column: AmountColumn, currency: string): boolean {
  const named = reader.headerCurrency(column);
  if (named !== null && contradicts(named, currency)) {
    reader.reject(
      'amount_currency_contradicts',
      column,
      sentence('requestedAmount.agreesWithCell.columnButAmount', {
        header: reader.header(column),
        named: named.written,
        currency,
      }),
    );
    return false;
  }
  const read = readCell(reader, column);
  if ('fault' in read || !contradicts(read.currency, currency)) return true;
  reader.reject(
    'amount_currency_contradicts',
    column,
    sentence('requestedAmount.agreesWithCell.cellNamesCurrency', {
      text: reader.amountText(column),
      currency,
    }),
  );
  return false;
}

/** `source` and `target` in place of a currency say which of the two the amount is in. */
const SAID_SIDES: ReadonlyMap<string, RequestedAmount['side']> = new Map([
  ['source', 'source'],
  ['target', 'destination'],
]);

function sideOfAmount(reader: RowReader, corridor: PayoutCorridor): RequestedAmount['side'] | null {
  const said = SAID_SIDES.get(reader.text('currency').toLowerCase());
  if (said !== undefined) return said;
  const currency = currencyIn(reader, 'currency', corridor);
  if (currency === '') {
    return reader.reject(
      'amount_currency_missing',
      'currency',
      sentence('requestedAmount.sideOfAmount.sayWhichCurrency', {
        targetCurrency: corridor.targetCurrency,
        sent: listWords(corridor.sourceCurrencies.map(sameWords), 'disjunction'),
      }),
    );
  }
  const isTarget = currency === corridor.targetCurrency;
  const paidFrom = currencyIn(reader, 'sourceCurrency', corridor);
  // A row that says from which other balance it is paid leaves no doubt.
  const isSource = corridor.sourceCurrencies.includes(currency) && (paidFrom === '' || paidFrom === currency);
  if (isTarget && isSource && reader.table.message !== undefined) return 'destination';
  if (isTarget && isSource) {
    throw new FileRefused(
      'amount_ambiguous',
      sentence('requestedAmount.sideOfAmount.rowCorridorSends', {
        place: reader.place,
        id: corridor.id,
        currency,
      }),
    );
  }
  if (isTarget) return 'destination';
  if (isSource) return 'source';
  if (corridor.sourceCurrencies.includes(currency)) {
    return reader.reject(
      'amount_currency_unrelated',
      'currency',
      sentence('requestedAmount.sideOfAmount.amountButRow', {
        currency,
        paidFrom,
        targetCurrency: corridor.targetCurrency,
      }),
    );
  }
  return reader.reject(
    'amount_currency_unrelated',
    'currency',
    sentence('requestedAmount.sideOfAmount.currencyCorridorPays', {
      currency,
      id: corridor.id,
      targetCurrency: corridor.targetCurrency,
      join: corridor.sourceCurrencies.join(', '),
    }),
  );
}

/** The code of a currency column, also from a name or a sign; for a sign of several currencies, the one that the corridor knows. Empty for an empty cell. */
function currencyIn(reader: RowReader, column: string, corridor: PayoutCorridor): string {
  // `Montant (XAF)` states for all rows what a currency column would state for each.
  const text =
    reader.text(column) || (column === 'currency' && reader.headerCurrency('amount')?.written) || '';
  const codes = readCurrency(text)?.codes ?? [text.toUpperCase()];
  const known = codes.filter(
    (code) => code === corridor.targetCurrency || corridor.sourceCurrencies.includes(code),
  );
  const [only] = known.length === 1 ? known : codes;
  return codes.length === 1 || known.length === 1 ? (only ?? '') : text.toUpperCase();
}

function readSourceCurrency(
  reader: RowReader,
  corridor: PayoutCorridor,
  side: RequestedAmount['side'],
): string | null {
  const { sourceCurrencies } = corridor;
  const own = currencyIn(reader, 'sourceCurrency', corridor);
  const isNamed =
    own !== '' || side === 'destination' || SAID_SIDES.has(reader.text('currency').toLowerCase());
  const written = isNamed ? own : currencyIn(reader, 'currency', corridor);
  const currency = written === '' && sourceCurrencies.length === 1 ? (sourceCurrencies[0] ?? '') : written;
  if (sourceCurrencies.includes(currency)) return currency;
  return currency === ''
    ? reader.reject(
        'source_currency_missing',
        'sourceCurrency',
        sentence('requestedAmount.readSourceCurrency.sayWhichBalance', { join: sourceCurrencies.join(', ') }),
      )
    : reader.reject(
        'source_currency_not_in_corridor',
        'sourceCurrency',
        sentence('requestedAmount.readSourceCurrency.corridorCannotPaid', {
          id: corridor.id,
          currency,
          join: sourceCurrencies.join(', '),
        }),
      );
}

function fits(reader: RowReader, column: AmountColumn, amount: DecimalText, currency: string): boolean {
  const words = wordsAgainst(reader, column, amount, currency);
  if (words !== null) reader.reject('amount_too_many_decimals', column, words);
  return words === null;
}

/** Null for an amount that its currency has, and that can be read in one way only. */
function wordsAgainst(
  reader: RowReader,
  column: AmountColumn,
  amount: DecimalText,
  currency: string,
): Words | null {
  const [cell, decimals] = [reader.text(column), currencyDecimals(currency)];
  if (!fitsCurrency(amount, currency)) return decimalsWords(currency, decimals, cell);
  // Of a message the form of numbers is fixed.
  if (reader.table.message !== undefined || (decimals ?? 0) > 2) return null;
  if (!mayBeThousands(cell, reader.table.decimalMarks.get(column) ?? '.')) return null;
  const thousands = cell.replace(/(\d)[.,](\d{3})/, '$1$2');
  return sentence('requestedAmount.decimals.mayBeThousands', { cell, thousands, amount });
}

function decimalsWords(currency: string, decimals: number | null, cell: string): Words {
  if (decimals === null) {
    return sentence('requestedAmount.decimals.currencyIsoSo', { currency });
  }
  return sentence('requestedAmount.decimals.cellSaysPaydrop', { currency, decimals, cell });
}

function isInside(
  reader: RowReader,
  column: AmountColumn,
  amount: DecimalText,
  corridor: PayoutCorridor,
): boolean {
  const { minimumTransactionAmount: least, maximumTransactionAmount: most, targetCurrency } = corridor;
  if (compareDecimals(amount, least) >= 0 && compareDecimals(amount, most) <= 0) return true;
  const show = (value: DecimalText) => moneyWords(value, targetCurrency);
  reader.reject(
    'amount_outside_bounds',
    column,
    sentence('requestedAmount.isInside', { show: show(amount), show2: show(least), show3: show(most) }),
    compareDecimals(amount, least) < 0 ? { isBelow: true } : {},
  );
  return false;
}
