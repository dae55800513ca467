// What a row asks for: one amount, in one currency, on one side of the exchange. Nothing is rounded and nothing is guessed.
import { compareDecimals, type DecimalText } from '../base/decimal.ts';
import { currencyDecimals, fitsCurrency, formatAmount } from '../base/currency.ts';
import { readCurrency } from '../rows/currency-signs.ts';
import { FileRefused } from '../rows/file-refused.ts';
import { contradicts, readAmount, type ReadAmount } from '../rows/read-amount.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { RequestedAmount } from './payout.ts';
import type { RowReader } from './row-reader.ts';

const SIDES = { sourceAmount: 'source', destinationAmount: 'destination' } as const;
type AmountColumn = keyof typeof SIDES | 'amount';

export type RequestedSum = { readonly requested: RequestedAmount; readonly sourceCurrency: string };

/** The amount and the source currency of a row, or null with the reasons rejected. */
export function readRequestedAmount(reader: RowReader, corridor: PayoutCorridor): RequestedSum | null {
  const column = filledColumn(reader);
  if (column === null) return null;
  const amount = readPositive(reader, column);
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

function filledColumn(reader: RowReader): AmountColumn | null {
  const columns: readonly AmountColumn[] = ['sourceAmount', 'destinationAmount', 'amount'];
  const [filled, another] = columns.filter((column) => reader.text(column) !== '');
  if (filled === undefined) {
    const column = columns.find((name) => reader.table.indexOf.has(name)) ?? 'destinationAmount';
    return reader.reject('amount_missing', column, 'The row has no amount. Write one, or delete the row.');
  }
  if (another === undefined) return filled;
  return reader.reject(
    'amount_twice',
    another,
    `The row also has an amount under "${reader.header(filled)}". Keep the one that is meant and empty the other.`,
  );
}

function readCell(reader: RowReader, column: AmountColumn): ReadAmount {
  return readAmount(reader.text(column), reader.table.decimalMarks.get(column) ?? '.');
}

function readPositive(reader: RowReader, column: AmountColumn): DecimalText | null {
  const text = reader.text(column);
  const read = readCell(reader, column);
  if ('fault' in read) return rejectAmount(reader, column, text, read.fault === 'negative');
  return compareDecimals(read.amount, '0') > 0 ? read.amount : rejectAmount(reader, column, text, true);
}

function rejectAmount(reader: RowReader, column: AmountColumn, text: string, isNumber: boolean): null {
  return isNumber
    ? reader.reject(
        'amount_not_positive',
        column,
        `The amount is "${text}". Only amounts above zero can be paid.`,
      )
    : reader.reject(
        'amount_not_a_number',
        column,
        `"${text}" cannot be read as an amount. Write digits, for example 1500.50.`,
      );
}

/** A currency written into the amount's own cell must be the one that is meant. */
function agreesWithCell(reader: RowReader, column: AmountColumn, currency: string): boolean {
  const read = readCell(reader, column);
  if ('fault' in read || !contradicts(read.currency, currency)) return true;
  reader.reject(
    'amount_currency_contradicts',
    column,
    `The cell "${reader.text(column)}" names a currency, but the amount is in ${currency} here. Correct one of the two.`,
  );
  return false;
}

function sideOfAmount(reader: RowReader, corridor: PayoutCorridor): RequestedAmount['side'] | null {
  const currency = currencyIn(reader, 'currency', corridor);
  if (currency === '') {
    return reader.reject(
      'amount_currency_missing',
      'currency',
      `Say in which currency the amount is: ${corridor.targetCurrency} is what the receiver gets, ${corridor.sourceCurrencies.join(' or ')} what is sent.`,
    );
  }
  const isTarget = currency === corridor.targetCurrency;
  const paidFrom = currencyIn(reader, 'sourceCurrency', corridor);
  // A row that says from which other balance it is paid leaves no doubt.
  const isSource = corridor.sourceCurrencies.includes(currency) && (paidFrom === '' || paidFrom === currency);
  if (isTarget && isSource) {
    throw new FileRefused(
      'amount_ambiguous',
      `Row ${reader.place}: the corridor ${corridor.id} sends and pays ${currency}, so an amount in ${currency} could be what is sent or what arrives.`,
    );
  }
  if (isTarget) return 'destination';
  if (isSource) return 'source';
  if (corridor.sourceCurrencies.includes(currency)) {
    return reader.reject(
      'amount_currency_unrelated',
      'currency',
      `The amount is in ${currency}, but the row is paid from ${paidFrom}. Write the amount in ${paidFrom} or ${corridor.targetCurrency}, or pay from ${currency}.`,
    );
  }
  return reader.reject(
    'amount_currency_unrelated',
    'currency',
    `${currency} is not a currency of the corridor ${corridor.id}: it pays ${corridor.targetCurrency} and takes ${corridor.sourceCurrencies.join(', ')}.`,
  );
}

/** The code of a currency column, also from a name or a sign; a sign of several is the one that the corridor knows. Empty for an empty cell. */
function currencyIn(reader: RowReader, column: string, corridor: PayoutCorridor): string {
  const text = reader.text(column);
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
  const written = own !== '' || side === 'destination' ? own : currencyIn(reader, 'currency', corridor);
  const currency = written === '' && sourceCurrencies.length === 1 ? (sourceCurrencies[0] ?? '') : written;
  if (sourceCurrencies.includes(currency)) return currency;
  return currency === ''
    ? reader.reject(
        'source_currency_missing',
        'sourceCurrency',
        `Say from which balance to pay: ${sourceCurrencies.join(', ')}.`,
      )
    : reader.reject(
        'source_currency_not_in_corridor',
        'sourceCurrency',
        `The corridor ${corridor.id} cannot be paid from ${currency}, only from ${sourceCurrencies.join(', ')}.`,
      );
}

function fits(reader: RowReader, column: AmountColumn, amount: DecimalText, currency: string): boolean {
  if (fitsCurrency(amount, currency)) return true;
  const decimals = currencyDecimals(currency);
  const allowed = decimals === 0 ? 'no decimals' : `at most ${String(decimals ?? 0)} decimals`;
  reader.reject(
    'amount_too_many_decimals',
    column,
    decimals === null
      ? `${currency} is not a currency of ISO 4217, so its decimals are not known.`
      : `${currency} has ${allowed}, the cell says ${reader.text(column)}. paydrop does not round: write the exact amount.`,
  );
  return false;
}

function isInside(
  reader: RowReader,
  column: AmountColumn,
  amount: DecimalText,
  corridor: PayoutCorridor,
): boolean {
  const { minimumTransactionAmount: least, maximumTransactionAmount: most, targetCurrency } = corridor;
  if (compareDecimals(amount, least) >= 0 && compareDecimals(amount, most) <= 0) return true;
  const show = (value: DecimalText) => `${formatAmount(value, targetCurrency)} ${targetCurrency}`;
  reader.reject(
    'amount_outside_bounds',
    column,
    `The amount is ${show(amount)}; this corridor pays from ${show(least)} to ${show(most)}. Change the amount or split the payment.`,
  );
  return false;
}
