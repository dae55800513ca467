// The first reading of a table, to its last row: what its columns mean, how its numbers are written, whether its rows hold together and
// its totals agree. Only then is a row given out.
import {
  decideMark,
  observe,
  observeNumber,
  startAmountColumn,
  type AmountColumn,
  sumUnder,
} from './amount-column.ts';
import type { CellKind } from './cell-kind.ts';
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
import { underMarks } from './under-marks.ts';

/** What the survey of the rows adds to the header. */
export type Surveyed = Omit<Table, 'form'>;

export type Survey = {
  /** Takes the next record below the header; the kinds of its cells where the file knows them. */
  readonly take: (place: number, cells: readonly string[], kinds?: readonly CellKind[]) => void;
  /** After the last record. Throws `FileRefused`, as `take` does. */
  readonly finish: () => Surveyed;
};

type SurveyOptions = {
  readonly rowsMax: number;
  readonly decimalMark: DecimalMark | 'auto';
  /** The number of a row → the place that a person reads. */
  readonly placeOf: (place: number) => string;
  /** Whether a cell may have a `'` before it that protects it, as in CSV. */
  readonly isProtected: boolean;
};
type Held = {
  readonly place: string;
  readonly cells: readonly string[];
  readonly kinds: readonly CellKind[] | undefined;
};
type Watched = { readonly index: number; readonly canonical: string; readonly column: AmountColumn };

/** All rows of a spreadsheet program's sheet: more empty ones are no export, and only cost time. */
const BLANK_ROWS_MAX = 1_048_576;

export function startSurvey(header: FoundHeader, options: SurveyOptions): Survey {
  const { columns } = header;
  const headerPlace = options.placeOf(header.record + 1);
  const bare = options.isProtected ? unprotectFormula : (cell: string) => cell;
  const indexOf = indexColumns(columns, headerPlace);
  const unnamed = unnamedColumns(columns);
  const watched = watchAmounts(indexOf, (index) => columns[index]?.header ?? '');
  let held: Held | null = null;
  let rowCount = 0;

  const accept = (row: Held) => {
    checkShape(row.place, row.cells, columns.length, unnamed);
    rowCount += 1;
    if (rowCount > options.rowsMax) throw tooManyRows(options.rowsMax);
    for (const amounts of watched) observeCell(amounts, row, bare, true);
  };
  // The last row may be the totals row, so a row is judged only when another follows.
  const take = (place: number, cells: readonly string[], kinds?: readonly CellKind[]) => {
    if (place > options.rowsMax + BLANK_ROWS_MAX) throw tooManyRows(options.rowsMax);
    if (isBlank(cells)) return;
    if (held !== null) accept(held);
    held = { place: options.placeOf(place), cells, kinds };
  };
  const finish = (): Surveyed => {
    const last = held;
    const isTotals = last !== null && rowCount > 0 && isTotalsRow(last.cells, columns);
    if (last !== null && !isTotals) accept(last);
    if (last !== null && isTotals) for (const amounts of watched) observeCell(amounts, last, bare, false);
    if (rowCount === 0)
      throw new FileRefused('no_rows', {
        en: `There is no row below the header in row ${headerPlace}.`,
        fr: `Il n'y a aucune ligne sous l'en-tête de la ligne ${headerPlace}.`,
      });
    const summed = watched.map((amounts) => withMark(amounts, options.decimalMark));
    const decimalMarks = new Map(
      summed.flatMap(({ canonical, mark }) => (mark === null ? [] : [[canonical, mark] as const])),
    );
    return {
      headerPlace,
      columns,
      indexOf,
      unknown: columns.filter((column) => column.canonical === null && column.header.trim() !== ''),
      decimalMarks,
      rowCount,
      sums: new Map(summed.map(({ canonical, column, mark }) => [canonical, sumUnder(column, mark ?? '.')])),
      totals: last !== null && isTotals ? totalsOf(last, bare, { decimalMarks, indexOf }, summed) : null,
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

type Bare = (cell: string) => string;

function observeCell(
  { index, column }: Watched,
  { place, cells, kinds }: Held,
  bare: Bare,
  isSummed: boolean,
): void {
  const where = () => nameCell(place, index, column.header);
  const look = kinds?.[index] === 'number' ? observeNumber : observe;
  look(column, bare(cells[index] ?? ''), where, isSummed);
}

function withMark(
  amounts: Watched,
  wanted: DecimalMark | 'auto',
): Watched & { readonly mark: DecimalMark | null } {
  return { ...amounts, mark: wanted === 'auto' ? decideMark(amounts.column) : wanted };
}

function totalsOf(
  { place, cells, kinds = [] }: Held,
  bare: Bare,
  marked: Pick<Table, 'decimalMarks' | 'indexOf'>,
  summed: readonly (Watched & { readonly mark: DecimalMark | null })[],
): Table['totals'] {
  const columns: readonly SummedColumn[] = summed.map((each) => ({ ...each, mark: each.mark ?? '.' }));
  return { place, sums: checkTotals(place, underMarks(cells, kinds, marked).map(bare), columns) };
}

function tooManyRows(rowsMax: number): FileRefused {
  return new FileRefused('too_many_rows', {
    en: `The file has more than ${rowsMax} rows.`,
    fr: `Le fichier a plus de ${rowsMax} lignes.`,
  });
}
