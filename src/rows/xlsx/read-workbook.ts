// A workbook from its first byte to its last row, with memory for one piece of it and its distinct texts. It runs in a process of its own.
import { joinWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { columnLetters } from '../cell.ts';
import { type FileRefusalCode, FileRefused } from '../file-refused.ts';
import type { CellKind, HeadCell } from '../form.ts';
import { type FoundHeader, requireHeader } from '../header.ts';
import { isAmountColumn } from '../known-columns.ts';
import type { Column, ShownCurrencies } from '../row.ts';
import { type Area, type CellContext, type CellFault, placeInWords } from './cell-value.ts';
import { EMPTY_ROWS_MAX, HEADER_COLUMNS_MAX } from './limits.ts';
import type { MergedArea, ReaderMessage, ReadJob, WireRow } from './messages.ts';
import { openParts, type PackageParts, refuseOtherFiles } from './package-parts.ts';
import {
  lookAtSheet,
  scanSheet,
  type SheetCell,
  type SheetLayout,
  type SheetLook,
  type SheetRow,
} from './scan-sheet.ts';
import { readStyles, type Styles } from './styles.ts';
import { readSharedStrings, readWorkbook, type Workbook } from './workbook.ts';
import { bytesOf } from './zip.ts';

// Which sheet is paid is never guessed: the one that is named, else the only one whose header fits and below whose header something stands.

type ChosenSheet = { readonly look: SheetLook; readonly header: FoundHeader };

/** `wanted` is the sheet that a profile names. Throws `FileRefused`. */
function chooseSheet(looks: readonly SheetLook[], wanted: string | null, isList = false): ChosenSheet {
  const look = wanted === null ? onlyFitting(looks, isList) : named(looks, wanted);
  return { look, header: requireHeader(look.first, look.header, isList) };
}

/** The sheet to look at when no header is known: the one that is named, else the first that can be seen and holds most rows. */
function peekSheet(looks: readonly SheetLook[], wanted: string | null): SheetLook {
  return wanted === null ? fullest(looks) : named(looks, wanted);
}

function fullest(looks: readonly SheetLook[]): SheetLook {
  const visible = looks.filter(({ sheet }) => !sheet.isHidden);
  return visible.toSorted((a, b) => b.first.length - a.first.length)[0] ?? nearest(looks);
}

function named(looks: readonly SheetLook[], wanted: string): SheetLook {
  const fold = (name: string) => name.trim().normalize('NFC').toLowerCase();
  const look = looks.find(({ sheet }) => fold(sheet.name) === fold(wanted));
  if (look === undefined)
    throw new FileRefused('sheet_not_found', sentence('chooseSheet.named', { wanted, list: list(looks) }));
  if (look.sheet.isHidden) throw hidden(look);
  return look;
}

function onlyFitting(looks: readonly SheetLook[], isList: boolean): SheetLook {
  const fitting = looks.filter(
    ({ header, hasRows }) => header !== null && (isList || header.hasAmount) && hasRows,
  );
  const unseen = fitting.find(({ sheet }) => sheet.isHidden);
  if (unseen !== undefined) throw hidden(unseen);
  const [only, ...others] = fitting;
  if (others.length > 0)
    throw new FileRefused('sheets_ambiguous', sentence('chooseSheet.onlyFitting', { list: list(fitting) }));
  return only ?? nearest(looks);
}

/** None fits; the refusal is then about the one that comes nearest to it. */
function nearest(looks: readonly SheetLook[]): SheetLook {
  const visible = looks.filter(({ sheet }) => !sheet.isHidden);
  const look =
    visible.find(({ header }) => header?.hasAmount === true) ??
    visible.find(({ header }) => header !== null) ??
    visible.find(({ first }) => first.length > 0) ??
    visible[0];
  if (look === undefined) throw new FileRefused('empty_file', sentence('chooseSheet.nearest'));
  return look;
}

function hidden({ sheet }: SheetLook): FileRefused {
  return new FileRefused('hidden_sheet', sentence('chooseSheet.hidden', { name: sheet.name }));
}

function list(looks: readonly SheetLook[]): Words {
  const names = looks.map(({ sheet: { name } }) => sentence('quoted', { text: name }));
  return joinWords(names, ', ');
}

// The rows below the header, and every reason why a sheet may show its owner something else than what would be paid.

/** A row as wide as the header. */
type TableRow = {
  readonly place: number;
  readonly cells: readonly string[];
  readonly kinds: readonly CellKind[];
  readonly currencies: ShownCurrencies;
};

type TableRows = {
  /** The row, or null for one that is not below the header or holds nothing. Throws `FileRefused`. */
  readonly take: (row: SheetRow) => TableRow | null;
  /** The style of the first filled cell of each column. */
  readonly styles: readonly (number | undefined)[];
  /** After the last row: the highest merged area below the header, which matters unless it lies below the payments. */
  readonly firstMerge: (layout: SheetLayout) => MergedArea | null;
  /** One cell of each row with struck-through text that would be paid, as far as they are named. */
  readonly struck: readonly string[];
};

function startTableRows(sheet: string, { record, columns }: FoundHeader, forms: Styles['forms']): TableRows {
  const headerPlace = record + 1;
  const isUsed = columns.map(isUsedColumn);
  const styles: (number | undefined)[] = columns.map(() => undefined);
  const struck: string[] = [];
  let last = headerPlace;
  const take = (row: SheetRow): TableRow | null => {
    if (row.place <= headerPlace) return null;
    for (const cell of row.cells) checkCell(sheet, row.place, cell, columns);
    const filled = row.cells.filter(({ text }) => text.trim() !== '');
    const [first] = filled;
    if (first === undefined) return null;
    if (row.place - last > EMPTY_ROWS_MAX)
      throw outside(sheet, first.column, row.place, below(row.place - last - 1));
    if (row.isHidden)
      throw new FileRefused('hidden_rows', sentence('tableRows.take', { place: row.place, sheet }));
    last = row.place;
    for (const { column, style } of filled) styles[column] ??= style;
    const crossed = filled.find(({ column, isStruck }) => isStruck && isUsed[column] === true);
    if (crossed !== undefined && struck.length <= STRUCK_MOST)
      struck.push(placeInWords(sheet, crossed.column, row.place));
    return fill(row, columns, forms);
  };
  return {
    take,
    styles,
    firstMerge: ({ merges }) => firstMerge(sheet, merges, headerPlace, columns.length),
    struck,
  };
}

/** So many are named; the others are found beside them. */
const STRUCK_MOST = 20;

function struckThrough(places: readonly string[]): FileRefused {
  const list = places.slice(0, STRUCK_MOST).join(', ') + (places.length > STRUCK_MOST ? '…' : '');
  return new FileRefused('struck_through', sentence('tableRows.struckThrough', { list }));
}

/** The columns that a payment is made of; what stands in the others is not even looked at. */
function isUsedColumn({ canonical }: Column): boolean {
  return canonical !== null && !canonical.startsWith('payout.');
}

/** Throws `FileRefused` when a column that is used cannot be seen. */
function checkHiddenColumns(sheet: string, { columns }: FoundHeader, { hiddenColumns }: SheetLayout): void {
  const hidden = columns
    .filter(isUsedColumn)
    .find(({ index }) => hiddenColumns.some(({ from, to }) => from.column <= index && index <= to.column));
  if (hidden === undefined) return;
  const [letters, name] = [columnLetters(hidden.index), hidden.header.trim()];
  throw new FileRefused('hidden_column', sentence('tableRows.checkHiddenColumns', { letters, name, sheet }));
}

type CellRefusal = { readonly code: FileRefusalCode; readonly says: (cell: SheetCell) => Words };

/** The longest, `#GETTING_DATA`, is shorter. */
const ERROR_CHARS = 20;

const SHOWN_OTHERWISE: CellRefusal = {
  code: 'number_shown_otherwise',
  says: ({ text }) => sentence('tableRows.faults.holdsButNumber', { text }),
};

const FAULTS: Readonly<Record<CellFault, CellRefusal>> = {
  formula_without_value: {
    code: 'formula_without_value',
    says: () => sentence('tableRows.faults.holdsFormulaWhose'),
  },
  cell_error: {
    code: 'cell_error',
    says: ({ text }) => sentence('tableRows.faults.showsError', { slice: text.slice(0, ERROR_CHARS) }),
  },
  shown_otherwise: SHOWN_OTHERWISE,
  amount_shown_otherwise: SHOWN_OTHERWISE,
  cell_unreadable: { code: 'workbook_damaged', says: () => sentence('tableRows.faults.holdsValueCannot') },
};

function checkCell(sheet: string, row: number, cell: SheetCell, columns: readonly Column[]): void {
  const column = columns[cell.column];
  const isHarmless = cell.fault === 'amount_shown_otherwise' && !isAmountColumn(column?.canonical ?? null);
  if (cell.fault !== null && !isHarmless && column !== undefined && isUsedColumn(column)) {
    const { code, says } = FAULTS[cell.fault];
    const place = placeInWords(sheet, cell.column, row);
    throw new FileRefused(code, sentence('tableRows.checkCell', { place, says: says(cell) }));
  }
  if (column === undefined && cell.text.trim() !== '') throw outside(sheet, cell.column, row, BESIDE);
}

const BESIDE: Words = sentence('tableRows.beside');

function below(emptyRows: number): Words {
  return sentence('tableRows.below', { emptyRows });
}

function outside(sheet: string, column: number, row: number, where: Words): FileRefused {
  const place = placeInWords(sheet, column, row);
  return new FileRefused('cell_outside_table', sentence('tableRows.outside', { place, where }));
}

function fill(row: SheetRow, columns: readonly Column[], forms: Styles['forms']): TableRow {
  const cells = new Array<string>(columns.length).fill('');
  const kinds = new Array<CellKind>(columns.length).fill('empty');
  const currencies: (readonly [number, string])[] = [];
  for (const { column, text, kind, style } of row.cells) {
    const canonical = columns[column]?.canonical;
    if (canonical === undefined) continue;
    cells[column] = text;
    kinds[column] = kind;
    const currency = kind === 'number' && isAmountColumn(canonical) ? forms[style]?.asAmount?.currency : null;
    if (typeof currency === 'string') currencies.push([column, currency]);
  }
  return { place: row.place, cells, kinds, currencies };
}

function firstMerge(
  sheet: string,
  merges: readonly Area[],
  header: number,
  width: number,
): MergedArea | null {
  const inside = merges.filter(({ from, to }) => to.row > header && from.column < width);
  if (inside.length === 0) return null;
  const first = inside.reduce((high, area) => (area.from.row < high.from.row ? area : high));
  return { row: first.from.row, area: areaInWords(sheet, first) };
}

export function merged(area: string): FileRefused {
  return new FileRefused('merged_cells', sentence('tableRows.merged', { area }));
}

function areaInWords(sheet: string, { from, to }: Area): string {
  return `${placeInWords(sheet, from.column, from.row)}:${columnLetters(to.column)}${to.row}`;
}

/** What is found, in the order of the messages' type. Throws `FileRefused`. */
export async function* readWorkbookFile(
  descriptor: number,
  job: ReadJob,
  onBytes: (count: number) => void,
): AsyncGenerator<ReaderMessage> {
  const file = bytesOf(descriptor);
  await refuseOtherFiles(file);
  const parts = await openParts(file, onBytes);
  const workbook = await readWorkbook(parts);
  const styles = await readStyles(parts, workbook.stylesPart);
  const context: CellContext = {
    styles: styles.forms,
    struckStyles: styles.struck,
    strings: await readSharedStrings(parts, workbook.stringsPart),
    is1904: workbook.is1904,
    isUncomputed: workbook.isUncomputed,
  };
  const looks = await lookAtSheets(parts, workbook, context, job);
  if (job.isPeek) {
    const { sheet, first } = peekSheet(looks, job.sheet);
    yield { kind: 'peeked', sheet: sheet.name, rows: first };
    return;
  }
  const { look, header } = chooseSheet(looks, job.sheet, job.isList);
  const { name, part } = look.sheet;
  const isOnlySheet = workbook.sheets.filter(({ isHidden }) => !isHidden).length < 2;
  const others = looks.filter((each) => each !== look && !each.sheet.isHidden && each.first.length > 0);
  const unread = others.map(({ sheet }) => sheet.name);
  yield { kind: 'opened', sheet: name, isOnlySheet, unread, header };
  const scan = scanSheet(parts, name, part ?? '', context);
  const table = startTableRows(name, header, context.styles);
  const head: HeadCell[][] = [];
  let isChecked = false;
  for await (const rows of scan.rows) {
    if (!isChecked) checkHiddenColumns(name, header, scan.layout);
    isChecked = true;
    for (const row of rows) if (row.place <= header.record + 1) keepHead(head, row, styles);
    const taken = rows.flatMap((row) => table.take(row) ?? []);
    if (taken.length > 0) yield { kind: 'rows', rows: taken.map(wireRow) };
  }
  if (table.struck.length > 0) throw struckThrough(table.struck);
  const numberFormats = table.styles.map((style) => context.styles[style ?? -1]?.code ?? 'General');
  yield { kind: 'end', head, numberFormats, firstMerge: table.firstMerge(scan.layout) };
}

/** What its owner sees above the payments; nobody reads a meaning in it. */
function keepHead(head: HeadCell[][], { place, cells }: SheetRow, { forms, looks }: Styles): void {
  while (head.length < place) head.push([]);
  for (const { column, text, kind, style } of cells) {
    if (column >= HEADER_COLUMNS_MAX) break;
    const row = head[place - 1] ?? [];
    while (row.length < column) row.push(NO_CELL);
    row[column] = { text, kind, format: forms[style]?.code ?? 'General', look: looks[style] ?? {} };
  }
}

const NO_CELL: HeadCell = { text: '', kind: 'empty', format: 'General', look: {} };

async function lookAtSheets(
  parts: PackageParts,
  { sheets }: Workbook,
  context: CellContext,
  { aliases, header }: ReadJob,
): Promise<readonly SheetLook[]> {
  const looks: SheetLook[] = [];
  for (const sheet of sheets) {
    const scan = sheet.part === null ? null : scanSheet(parts, sheet.name, sheet.part, context);
    if (scan !== null) looks.push(await lookAtSheet(sheet, scan, new Map(aliases), header));
  }
  if (looks.length === 0) throw new FileRefused('empty_file', sentence('readWorkbook.lookAtSheets'));
  return looks;
}

function wireRow({ place, cells, kinds, currencies }: TableRow): WireRow {
  return [place, cells, kinds.map((kind) => kind.charAt(0)).join(''), currencies];
}
