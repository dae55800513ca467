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
import type { CellKind, DecimalMark } from './form.ts';
import { checkShape, type FoundHeader, isBlank, isHeaderAgain, missingAbove } from './header.ts';
import { decidedMeaning } from './layouts.ts';
import { isPart, startNamesakes } from './namesakes.ts';
import { FileRefused } from './file-refused.ts';
import { nameCell, unprotectFormula } from './cell.ts';
import { AMOUNT_COLUMNS, type HeaderAliases } from './known-columns.ts';
import { type Column, type Footer, type Table, type TotalsRow, underMarks } from './row.ts';
import {
  checkTotals,
  explainsColumns,
  isRemark,
  kindOfRow,
  type RowKind,
  type SummedColumn,
} from './totals-row.ts';
import { watchRivals } from './rival-amounts.ts';
import { FEW_MOST } from './said-of-rows.ts';
import { sentence } from '../messages/messages.ts';

/** What the survey of the rows adds to the header. */
export type Surveyed = Omit<Table, 'form'> & {
  /** The number of the last row that is neither the totals row nor below it. */
  readonly lastPayment: number;
};

type Survey = {
  /** Takes the next record below the header; the kinds of its cells where the file knows them. */
  readonly take: (number: number, cells: readonly string[], kinds?: readonly CellKind[]) => void;
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
  /** Headers of which a profile speaks. */
  readonly headerAliases?: HeaderAliases;
};
type Held = {
  readonly number: number;
  readonly place: string;
  readonly cells: readonly string[];
  readonly kinds: readonly CellKind[] | undefined;
};
type Watched = { readonly index: number; readonly canonical: string; readonly column: AmountColumn };

/** All rows of a spreadsheet program's sheet: more empty ones are no export, and only cost time. */
const BLANK_ROWS_MAX = 1_048_576;

export function startSurvey(header: FoundHeader, options: SurveyOptions): Survey {
  const { record, columns, layout, titleUnit = null } = header;
  const headerPlace = options.placeOf(record + 1);
  const bare = options.isProtected ? unprotectFormula : (cell: string) => cell;
  const namesakes = startNamesakes(columns, headerPlace);
  const shape = startShape(columns);
  const watched = watchAmounts(namesakes.indexOf, (index) => columns[index]?.header ?? '');
  let [below, rowCount, summedCount, lastRow] = [NOTHING_BELOW, 0, 0, 0];
  const [head, seen] = [startHead(columns), startSeen(columns, decidedBy(header, options.headerAliases))];
  const accept = (row: Held, isBelowTotal = false, kind = kindOfRow(row.cells, columns)) => {
    shape.take(row);
    if (++rowCount > options.rowsMax) throw tooManyRows(options.rowsMax);
    if (!isBelowTotal) lastRow = row.number;
    const among = isBelowTotal ? null : kind;
    seen.observe(row, isSummed(among));
    summedCount += isSummed(among) ? 1 : 0;
    if (isSummed(among)) namesakes.observe(row.place, row.cells);
    for (const amounts of watched) observeCell(amounts, row, bare, among);
  };
  const take = (number: number, cells: readonly string[], kinds?: readonly CellKind[]) => {
    if (number > options.rowsMax + BLANK_ROWS_MAX) throw tooManyRows(options.rowsMax);
    if (isBlank(cells) || head.isPartOf(number, cells)) return;
    const row = { number, place: options.placeOf(number), cells, kinds };
    const alone = kindOfRow(cells, columns);
    // The only row is a payment, whatever it looks like.
    const kind = rowCount === 0 ? 'payment' : alone;
    if (below !== NOTHING_BELOW && belowWith(below, row, kind, columns.length) === null) settle();
    const after = belowWith(below, row, kind, columns.length);
    if (after === null) accept(row, false, alone);
    else below = after;
  };
  /** The list goes on: what seemed to close the file were rows like the others. */
  const settle = () => {
    const { totals, rows, footer, oddest } = below;
    if (oddest !== null) shape.fits(oddest);
    rowCount += footer?.count ?? 0;
    for (const row of totals === null ? rows : [totals.row, ...rows]) accept(row);
    below = NOTHING_BELOW;
  };
  const finish = (): Surveyed => {
    for (const row of below.rows) accept(row, true);
    const last = below.totals?.row ?? null;
    if (last !== null) for (const amounts of watched) observeCell(amounts, last, bare, null);
    shape.settle(rowCount, headerPlace);
    const summed = watched.map((amounts) => withMark(amounts, options.decimalMark));
    const found = { ...seen.found(), ...namesakes.settle(), ...amountsOf(summed) };
    const table = { headerPlace, layout, titleUnit, ...found };
    return {
      ...table,
      unknown: unknownColumns(table, options.headerAliases),
      rowCount,
      lastPayment: lastRow,
      totals: last === null ? null : { ...totalsOf(last, bare, table, summed), rows: summedCount },
      footer: below.footer,
      guide: head.guide === null ? null : options.placeOf(head.guide),
    };
  };
  return { take, finish };
}

/** Indexes of the columns without a header: those to the left of all others, and those inside the table. */
function unnamedColumns(
  columns: readonly Column[],
): Readonly<Record<'leading' | 'unnamed', readonly number[]>> {
  const first = columns.findIndex(({ header }) => header.trim() !== '');
  const all = columns.filter(({ header }) => header.trim() === '').map(({ index }) => index);
  return { leading: all.filter((index) => index < first), unnamed: all.filter((index) => index > first) };
}

/**
 * Whether the rows have the header's cells. Columns without a name to the left of all others hold the rows' labels, as programs write them: then the first
 * of them has text in every row. Where it has not, a cell has moved.
 */
function startShape(columns: readonly Column[]) {
  const { leading, unnamed } = unnamedColumns(columns);
  let labelled = 0;
  let first: { readonly place: string; readonly index: number } | null = null;
  const fits = ({ place, cells }: Held): void => checkShape(place, cells, columns.length, unnamed);
  return {
    fits,
    take: (row: Held): void => {
      fits(row);
      const index = leading.find((each) => (row.cells[each] ?? '').trim() !== '');
      if (index !== undefined) first ??= { place: row.place, index };
      if (index === 0) labelled += 1;
    },
    settle: (rows: number, headerPlace: string): void => {
      if (rows === 0) throw noRows(headerPlace);
      if (first !== null && labelled < rows) throw missingAbove(first.place, first.index);
    },
  };
}

/** Longer texts are remarks, and no kinds of rows. */
const FEW_CHARS_MOST = 100;

/** Which columns nobody has filled; and the cells of those that nobody knows, as long as they are few different ones. An empty cell is one of them. */
function startSeen(columns: readonly Column[], isDecided: (header: string) => boolean) {
  const rivals = watchRivals(columns, isDecided);
  const blank = new Set(columns.map(({ index }) => index));
  const few = new Map<number, Map<string, number>>(
    columns.flatMap(({ index, canonical, header }) =>
      canonical === null && header.trim() !== '' ? [[index, new Map()] as const] : [],
    ),
  );
  const observe = ({ place, cells }: Pick<Held, 'place' | 'cells'>, isPayment: boolean): void => {
    for (const index of blank) if ((cells[index] ?? '').trim() !== '') blank.delete(index);
    if (!isPayment) return;
    rivals.observe(place, cells);
    for (const [index, counts] of few) {
      const cell = (cells[index] ?? '').trim();
      counts.set(cell, (counts.get(cell) ?? 0) + 1);
      const isMany = counts.size > (counts.has('') ? FEW_MOST + 1 : FEW_MOST);
      if (isMany || cell.length > FEW_CHARS_MOST) few.delete(index);
    }
  };
  return { found: () => ({ blank, few, rivals: rivals.found() }), observe };
}

/** Which rows below the header say what it says: the first may explain it, and any may repeat it. */
function startHead(columns: readonly Column[]) {
  let isFirst = true;
  const head = {
    guide: null as number | null,
    isPartOf: (number: number, cells: readonly string[]): boolean => {
      if (isHeaderAgain(cells, columns)) return true;
      if (isFirst && explainsColumns(cells, columns)) head.guide = number;
      isFirst = false;
      return head.guide === number;
    },
  };
  return head;
}

/** The columns that nobody knows; what a profile or a layout ignores is known to it, and so is a part of an account. */
function unknownColumns({ columns, layout }: Pick<Table, 'columns' | 'layout'>, aliases?: HeaderAliases) {
  return columns.filter((column) => {
    const { canonical, header } = column;
    if (canonical !== null || header.trim() === '' || isPart(column, columns)) return false;
    return decidedMeaning(header, { layout, aliases }) !== null;
  });
}

/** Whether a person or a layout of the market has said what a column of amounts is. */
function decidedBy({ layout }: Pick<FoundHeader, 'layout'>, aliases?: HeaderAliases) {
  return (header: string): boolean => decidedMeaning(header, { layout, aliases }) !== undefined;
}

function noRows(headerPlace: string): FileRefused {
  return new FileRefused('no_rows', sentence('survey.noRows', { headerPlace }));
}

type Marked = Watched & { readonly mark: DecimalMark | null };

function amountsOf(summed: readonly Marked[]): Pick<Table, 'decimalMarks' | 'sums'> {
  return {
    decimalMarks: new Map(
      summed.flatMap(({ canonical, mark }) => (mark === null ? [] : [[canonical, mark] as const])),
    ),
    sums: new Map(summed.map(({ canonical, column, mark }) => [canonical, sumUnder(column, mark ?? '.')])),
  };
}

/** What stands below the last payment so far. */
type Below = {
  readonly totals: { readonly row: Held; readonly kind: RowKind } | null;
  /** Rows below a total that are none of the footer. They are no payments either, and go back to their owner. */
  readonly rows: readonly Held[];
  readonly footer: Footer | null;
  /** The line of the footer with the fewest cells, which as a row may be too short. */
  readonly oddest: Held | null;
};

const NOTHING_BELOW: Below = { totals: null, rows: [], footer: null, oddest: null };

/** Below a total stand a few signatures. Who writes more below it goes on with the list. */
const ROWS_BELOW_MAX = 200;

/** With one more row; null where that row shows that the list goes on. */
function belowWith(below: Below, row: Held, kind: RowKind, width: number): Below | null {
  const { totals } = below;
  // Judged only at the end, when nothing is paid behind it.
  if (totals === null && (kind === 'total' || kind === 'bare-total'))
    return { ...below, totals: { row, kind } };
  const isCut = row.cells.length < width;
  const isBelowTotal = totals?.kind === 'total' && below.rows.length < ROWS_BELOW_MAX;
  // A line that is too short may be the row at which a file was cut off; below a total it is not.
  if ((kind === 'text' && !(isCut && totals === null)) || (isBelowTotal && isRemark(kind, row.cells)))
    return { ...below, footer: footerWith(below.footer, row), oddest: shorter(below.oddest, row) };
  const isRow = kind === 'incomplete' || kind === 'subtotal' || kind === 'bare-total';
  return isBelowTotal && isRow ? { ...below, rows: [...below.rows, row] } : null;
}

function shorter(one: Held | null, other: Held): Held {
  return one === null || other.cells.length < one.cells.length ? other : one;
}

/** Enough to recognise the lines by, in one sentence. */
const FOOTER_TEXTS_MOST = 4;

function footerWith(footer: Footer | null, { number, place, cells }: Held): Footer {
  const text = cells
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' ');
  if (footer === null) return { first: place, last: place, count: 1, from: number, texts: [text] };
  const texts = footer.texts.length < FOOTER_TEXTS_MOST ? [...footer.texts, text] : footer.texts;
  return { ...footer, last: place, count: footer.count + 1, texts };
}

/** Whether the row at this place is given out: it is neither the totals row, nor a line of the footer, nor does it explain or repeat the header. */
export function isGivenOut(
  { totals, footer, columns, guide }: Pick<Table, 'totals' | 'footer' | 'columns' | 'guide'>,
  number: number,
  place: string,
  cells: readonly string[],
): boolean {
  if (place === totals?.place || place === guide || isHeaderAgain(cells, columns)) return false;
  if (footer === null || number < footer.from) return true;
  const kind = kindOfRow(cells, columns);
  return totals === null ? kind !== 'text' : !isRemark(kind, cells);
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

/** @param kind that of a row among the payments; null of one that is not. */
function observeCell(
  { index, column }: Watched,
  { place, cells, kinds }: Held,
  bare: Bare,
  kind: RowKind | null,
): void {
  const text = bare(cells[index] ?? '');
  const where = () => nameCell(place, index, column.header);
  const look = kinds?.[index] === 'number' ? observeNumber : observe;
  look(column, text, where, isSummed(kind));
  if (kind === 'subtotal' && text.trim() !== '') column.part ??= { text: text.trim(), where: where() };
}

function isSummed(kind: RowKind | null): boolean {
  return kind !== null && kind !== 'total' && kind !== 'subtotal';
}

function withMark(amounts: Watched, wanted: DecimalMark | 'auto'): Marked {
  return { ...amounts, mark: wanted === 'auto' ? decideMark(amounts.column) : wanted };
}

function totalsOf(
  { place, cells, kinds = [] }: Held,
  bare: Bare,
  marked: Pick<Table, 'decimalMarks' | 'indexOf'>,
  summed: readonly Marked[],
): Omit<TotalsRow, 'rows'> {
  const columns: readonly SummedColumn[] = summed.map((each) => ({ ...each, mark: each.mark ?? '.' }));
  return { place, sums: checkTotals(place, underMarks(cells, kinds, marked).map(bare), columns) };
}

function tooManyRows(rowsMax: number): FileRefused {
  return new FileRefused('too_many_rows', sentence('survey.tooManyRows', { rowsMax }));
}
