// Accounting programs close a list with its sum. That row must be told from a payment, and its sum from the rows, or one of them is wrong.
import { sameWords, type Words } from '../base/language.ts';
import { compareDecimals, type DecimalText } from '../base/decimal.ts';
import { sumUnder, type AmountColumn } from './amount-column.ts';
import type { DecimalMark } from './decimal-mark.ts';
import { FileRefused } from './file-refused.ts';
import { foldHeader } from './fold-header.ts';
import { isAmountColumn, RECEIVER_NAME } from './known-columns.ts';
import { nameCell } from './name-cell.ts';
import { readSigned } from './read-amount.ts';
import type { Column } from './row.ts';

/** Folded words that stand for a total, alone in their cell. TOTAL is a company too, so as a receiver's name nothing longer counts. */
const TOTAL_WORDS: ReadonlySet<string> = new Set([
  ...[
    'total',
    'totals',
    'totaux',
    'totales',
    'grandtotal',
    'totalgeneral',
    'totalgeneraux',
    'sum',
    'somme',
    'suma',
  ],
  ...['totalapayer', 'totalapagar', 'netapayer', 'overalltotal', 'sumatotal', 'sommetotale', 'montanttotal'],
]);

const CURRENCY_COLUMNS: ReadonlySet<string | null> = new Set([
  'currency',
  'sourceCurrency',
  'targetCurrency',
]);

/** True when the last row of a table states sums and pays nobody: it names no receiver, no account and no document. */
export function isTotalsRow(cells: readonly string[], columns: readonly Column[]): boolean {
  const filled = columns.filter(({ index }) => (cells[index] ?? '').trim() !== '');
  if (!filled.some(({ canonical }) => isAmountColumn(canonical))) return false;
  const others = filled.filter(
    ({ canonical }) => !isAmountColumn(canonical) && !CURRENCY_COLUMNS.has(canonical),
  );
  const labels = others.filter((column) => isLabel(cells[column.index] ?? '', column));
  if (labels.length === 0)
    return others.length === 0 && columns.some(({ canonical }) => paysSomebody(canonical));
  return others.every((column) => labels.includes(column) || !paysSomebody(column.canonical));
}

function isLabel(cell: string, { canonical }: Column): boolean {
  const folded = foldHeader(cell);
  if (TOTAL_WORDS.has(folded)) return true;
  // `TOTAL NOVEMBRE 2026` in a column that is not a payee's.
  return (
    folded.startsWith('total') && !(canonical ?? '').startsWith('receiver.') && canonical !== RECEIVER_NAME
  );
}

/** Columns that only a payment fills. */
function paysSomebody(canonical: string | null): boolean {
  return (
    canonical !== null &&
    /^(?:receiver|delivery)\.|^(?:reference|attachment|documentReferenceNumber)$/.test(canonical)
  );
}

export type SummedColumn = {
  readonly index: number;
  readonly canonical: string;
  readonly column: AmountColumn;
  readonly mark: DecimalMark;
};

/** The sums that the row states. Throws `FileRefused` where one is not the sum of its column. */
export function checkTotals(
  place: string,
  cells: readonly string[],
  summed: readonly SummedColumn[],
): readonly { readonly canonical: string; readonly sum: DecimalText }[] {
  const stated = summed.filter(({ index }) => (cells[index] ?? '').trim() !== '');
  return stated.map(({ index, canonical, column, mark }) => {
    const text = cells[index] ?? '';
    const read = readSigned(text, mark);
    const sum = sumUnder(column, mark);
    if ('amount' in read && compareDecimals(read.amount, sum) === 0) return { canonical, sum };
    throw totalsDiffer(nameCell(place, index, column.header), text, sum, column);
  });
}

function totalsDiffer(
  where: Words,
  text: string,
  sum: DecimalText,
  { unreadable }: AmountColumn,
): FileRefused {
  const left: Words =
    unreadable === null
      ? sameWords('')
      : {
          en: ` (without «${unreadable.text}» in ${unreadable.where.en}, which is no number)`,
          fr: ` (sans « ${unreadable.text} », ${unreadable.where.fr}, qui n'est pas un nombre)`,
        };
  return new FileRefused('totals_differ', {
    en: `The total in ${where.en} is «${text.trim()}», but the rows add up to ${sum}${left.en}.`,
    fr: `Le total (${where.fr}) est « ${text.trim()} », mais la somme des lignes est ${sum}${left.fr}.`,
  });
}
