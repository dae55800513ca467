// The numbers of a whole column decide together which mark is the decimal one. Where they cannot, or will not agree, nobody guesses.
import type { Words } from '../base/language.ts';
import { addDecimals, decimalsOf, toDecimalText, type DecimalText } from '../base/decimal.ts';
import type { DecimalMark } from './form.ts';
import { FileRefused } from './file-refused.ts';
import {
  currencyBeside,
  isPlainWhole,
  isWithoutMark,
  readDigits,
  type ScaledDigits,
  readJavaNumber,
  takeApart,
} from './read-amount.ts';
import { sentence } from '../messages/messages.ts';
import { cellOf, type Row, type Table } from './row.ts';

type Witness = { readonly text: string; readonly where: Words };

/** Sums by the number of decimals, so that adding is plain addition of whole numbers. */
type SumByScale = Map<number, bigint>;

/** The evidence of the cells seen so far. Filled in place: a column may have a million cells. */
export type AmountColumn = {
  readonly header: string;
  /** The first cell that reads only with a point, only with a comma, or differently with each. */
  point: Witness | null;
  comma: Witness | null;
  either: Witness | null;
  /** The first cell that is no number. */
  unreadable: Witness | null;
  /** The first sum over some rows that stands among them, and is in no sum. */
  part: Witness | null;
  /** A number of a workbook has decimals: it is shown with a point where nothing else decides. */
  hasFraction: boolean;
  readonly sums: { readonly plain: SumByScale; readonly '.': SumByScale; readonly ',': SumByScale };
};

export function startAmountColumn(header: string): AmountColumn {
  const sums = { plain: new Map(), '.': new Map(), ',': new Map() };
  const seen = { point: null, comma: null, either: null, unreadable: null, part: null };
  return { header, ...seen, hasFraction: false, sums };
}

/** Takes a cell as evidence, and into the sums unless it states the sum itself. */
export function observe(column: AmountColumn, text: string, where: () => Words, isSummed: boolean): void {
  if (isPlainWhole(text)) {
    if (isSummed) add(column.sums.plain, BigInt(text), 0);
    return;
  }
  if (text.trim() === '') return;
  if (readJavaNumber(text) !== null) {
    observeNumber(column, text.trim(), where, isSummed);
    return;
  }
  const apart = takeApart(text);
  if (apart === null || 'fault' in currencyBeside(apart)) column.unreadable ??= { text, where: where() };
  else observeBody(column, apart.body, apart.isNegative, { text, where, isSummed });
}

/** Takes a cell that is a number already: it tells nothing of marks, and adds the same under each. */
export function observeNumber(
  column: AmountColumn,
  text: string,
  where: () => Words,
  isSummed: boolean,
): void {
  const exact = toDecimalText(text);
  if (exact === null) {
    column.unreadable ??= { text, where: where() };
    return;
  }
  column.hasFraction ||= exact.includes('.');
  if (isSummed) add(column.sums.plain, BigInt(exact.replace('.', '')), decimalsOf(exact));
}

type Observed = { readonly text: string; readonly where: () => Words; readonly isSummed: boolean };

function observeBody(column: AmountColumn, body: string, isNegative: boolean, cell: Observed): void {
  const point = summable(readDigits(body, '.'));
  const comma = summable(readDigits(body, ','));
  const witness =
    point === null ? (comma === null ? 'unreadable' : 'comma') : comma === null ? 'point' : 'either';
  const isPlain = witness === 'either' && isWithoutMark(body);
  if (!isPlain) column[witness] ??= { text: cell.text, where: cell.where() };
  if (!cell.isSummed) return;
  const signed = (digits: string) => (isNegative ? -BigInt(digits) : BigInt(digits));
  if (isPlain) add(column.sums.plain, signed(point?.digits ?? '0'), 0);
  else if (point !== null) add(column.sums['.'], signed(point.digits), point.scale);
  if (!isPlain && comma !== null) add(column.sums[','], signed(comma.digits), comma.scale);
}

/** A million numbers of so many digits still sum up within what `toDecimalText` reads; no amount comes near. */
const DIGITS_MAX = 28;

function summable(digits: ScaledDigits | null): ScaledDigits | null {
  return digits !== null && digits.digits.length <= DIGITS_MAX ? digits : null;
}

function add(sum: SumByScale, units: bigint, scale: number): void {
  sum.set(scale, (sum.get(scale) ?? 0n) + units);
}

/** The mark of the column, or null when no cell shows one. Throws `FileRefused` when the cells leave it open or contradict each other. */
export function decideMark(column: AmountColumn): DecimalMark | null {
  const { point, comma, either } = column;
  if (point !== null && comma !== null) throw mixed(point, comma);
  if (point !== null) return '.';
  if (comma !== null) return ',';
  if (either !== null) throw ambiguous(either);
  return column.hasFraction ? '.' : null;
}

/** The exact sum of the cells that are numbers under the mark. */
export function sumUnder(column: AmountColumn, mark: DecimalMark): DecimalText {
  const parts = [...column.sums.plain, ...column.sums[mark]];
  return parts.map(([scale, units]) => scaled(units, scale)).reduce(addDecimals, '0');
}

function scaled(units: bigint, scale: number): DecimalText {
  const text = toDecimalText(`${units}e-${scale}`);
  if (text === null) throw new Error(`A sum of ${scale} decimals is beyond exact decimals.`);
  return text;
}

function mixed(point: Witness, comma: Witness): FileRefused {
  return new FileRefused(
    'numbers_mixed',
    sentence('amountColumn.mixed', {
      text: point.text,
      where: point.where,
      text2: comma.text,
      where2: comma.where,
    }),
  );
}

function ambiguous({ text, where }: Witness): FileRefused {
  return new FileRefused('number_ambiguous', sentence('amountColumn.ambiguous', { text, where }));
}

/** An amount as a workbook shows it: with the currency of its number format, as if it stood in the cell. */
export function shownAmount(table: Table, row: Row, canonical: string): string {
  const { indexOf, others, meaning } = table;
  const names = [canonical, meaning?.same.get(canonical) ?? canonical];
  const read = names.flatMap((name) => [indexOf.get(name), ...(others?.get(name) ?? [])]);
  const written = (row.currencies ?? []).filter(([index]) => read.includes(index)).map(([, each]) => each);
  return [cellOf(table, row, canonical), ...new Set(written)].join(' ').trim();
}
