// The first reading of a table, to its last row: what its columns mean, how its numbers are written, whether its rows hold together and
// its totals agree. Only then is a row given out.
import { decideMark, observe, startAmountColumn, type AmountColumn } from './amount-column.ts';
import { indexColumns } from './columns.ts';
import type { DecimalMark } from './decimal-mark.ts';
import { FileRefused } from './file-refused.ts';
import type { FoundHeader } from './find-header.ts';
import { unprotectFormula } from './formula.ts';
import { AMOUNT_COLUMNS } from './known-columns.ts';
import { nameCell } from './name-cell.ts';
import type { Table } from './row.ts';
import { checkShape, isBlank, unnamedColumns } from './table-shape.ts';
import { checkTotals, isTotalsRow, type SummedColumn } from './totals-row.ts';

/** What the survey of the rows adds to the header. */
export type Surveyed = Omit<Table, 'form'>;

export type Survey = {
  /** Takes the next record below the header. */
  readonly take: (place: number, cells: readonly string[]) => void;
  /** After the last record. Throws `FileRefused`, as `take` does. */
  readonly finish: () => Surveyed;
};

type SurveyOptions = { readonly rowsMax: number; readonly decimalMark: DecimalMark | 'auto' };
type Held = { readonly place: number; readonly cells: readonly string[] };
type Watched = { readonly index: number; readonly canonical: string; readonly column: AmountColumn };

/** All rows of a spreadsheet program's sheet: more empty ones are no export, and only cost time. */
const BLANK_ROWS_MAX = 1_048_576;

export function startSurvey(header: FoundHeader, options: SurveyOptions): Survey {
  const { columns } = header;
  const headerPlace = String(header.record + 1);
  const indexOf = indexColumns(columns, headerPlace);
  const unnamed = unnamedColumns(columns);
  const watched = watchAmounts(indexOf, (index) => columns[index]?.header ?? '');
  let held: Held | null = null;
  let rowCount = 0;

  const accept = ({ place, cells }: Held) => {
    checkShape(place, cells, columns.length, unnamed);
    rowCount += 1;
    if (rowCount > options.rowsMax) throw tooManyRows(options.rowsMax);
    for (const amounts of watched) observeCell(amounts, place, cells, true);
  };
  // The last row may be the totals row, so a row is judged only when another follows.
  const take = (place: number, cells: readonly string[]) => {
    if (place > options.rowsMax + BLANK_ROWS_MAX) throw tooManyRows(options.rowsMax);
    if (isBlank(cells)) return;
    if (held !== null) accept(held);
    held = { place, cells };
  };
  const finish = (): Surveyed => {
    const last = held;
    const isTotals = last !== null && rowCount > 0 && isTotalsRow(last.cells, columns);
    if (last !== null && !isTotals) accept(last);
    if (last !== null && isTotals)
      for (const amounts of watched) observeCell(amounts, last.place, last.cells, false);
    if (rowCount === 0)
      throw new FileRefused('no_rows', `There is no row below the header in row ${headerPlace}.`);
    const summed = watched.map((amounts) => withMark(amounts, options.decimalMark));
    return {
      headerPlace,
      columns,
      indexOf,
      unknown: columns.filter((column) => column.canonical === null && column.header.trim() !== ''),
      decimalMarks: new Map(
        summed.flatMap(({ canonical, mark }) => (mark === null ? [] : [[canonical, mark]])),
      ),
      rowCount,
      totals: last !== null && isTotals ? totalsOf(last, summed) : null,
    };
  };
  return { take, finish };
}

function watchAmounts(
  indexOf: ReadonlyMap<string, number>,
  headerAt: (index: number) => string,
): readonly Watched[] {
  return AMOUNT_COLUMNS.flatMap((canonical) => {
    const index = indexOf.get(canonical);
    return index === undefined ? [] : [{ index, canonical, column: startAmountColumn(headerAt(index)) }];
  });
}

function observeCell(
  { index, column }: Watched,
  place: number,
  cells: readonly string[],
  isSummed: boolean,
): void {
  const where = () => nameCell(String(place), index, column.header);
  observe(column, unprotectFormula(cells[index] ?? ''), where, isSummed);
}

function withMark(
  amounts: Watched,
  wanted: DecimalMark | 'auto',
): Watched & { readonly mark: DecimalMark | null } {
  return { ...amounts, mark: wanted === 'auto' ? decideMark(amounts.column) : wanted };
}

function totalsOf(
  last: Held,
  summed: readonly (Watched & { readonly mark: DecimalMark | null })[],
): Table['totals'] {
  const place = String(last.place);
  const marked: readonly SummedColumn[] = summed.map((each) => ({ ...each, mark: each.mark ?? '.' }));
  return { place, sums: checkTotals(place, last.cells.map(unprotectFormula), marked) };
}

function tooManyRows(rowsMax: number): FileRefused {
  return new FileRefused('too_many_rows', `The file has more than ${rowsMax} rows.`);
}
