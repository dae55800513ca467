// Workbooks are written row by row into a stream, so that a large answer needs the memory of a small one. They never contain a formula: text is
// a string cell, whatever it starts with.
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Cell, Font, Row as ExcelRow, stream, Worksheet } from 'exceljs';

import { columnLetters } from '../cell.ts';
import type { CellLook } from '../form.ts';

/** A number, as plain decimal text. */
type XlsxNumber = { readonly decimal: string };

export type XlsxCell = {
  readonly value: string | XlsxNumber | Date | boolean | null;
  /** The number format, such as `#,##0.00`; `@` keeps digits as text when somebody types into the cell. */
  readonly format?: string;
  /** Background as ARGB. */
  readonly fill?: string;
  /** Of the letters, as ARGB. */
  readonly color?: string;
  readonly isBold?: boolean;
  readonly note?: string;
};

export type XlsxSheet = {
  readonly name: string;
  /** Rows above the header. */
  readonly title?: readonly (readonly XlsxCell[])[];
  readonly header: readonly string[];
  /** The header's own colours; ours where it has none. */
  readonly headerLooks?: readonly CellLook[];
  /** How many columns are printed; all where it is absent. */
  readonly printed?: number;
  /** Stands at the head of each printed page. */
  readonly banner?: string;
  /** In characters, one for each column. */
  readonly widths: readonly number[];
  readonly rows: AsyncIterable<readonly XlsxCell[]> | Iterable<readonly XlsxCell[]>;
};

const HEADER_FILL = 'FFD9E1F2';

/** A4, as page set-ups number the sizes of paper, one page across however many columns there are; margins in inches. */
const PAGE_SETUP: Readonly<Record<string, unknown>> = {
  paperSize: 9,
  orientation: 'landscape',
  margins: { left: 0.4, right: 0.4, top: 0.6, bottom: 0.6, header: 0.3, footer: 0.3 },
  fitToPage: true,
  fitToWidth: 1,
  fitToHeight: 0,
};

/** A sentence is read in its cell; ids and names stay on one line. */
const WRAP_FROM_CHARS = 50;

/** Rows between two pauses in which the compressed bytes can leave. */
const ROWS_AT_ONCE = 200;

/** The bytes of a workbook; the same sheets give the same bytes. */
export async function* writeXlsx(sheets: readonly XlsxSheet[]): AsyncGenerator<Uint8Array> {
  // Loaded only when a workbook is written: it takes longer than everything else together.
  const { default: excel } = await import('exceljs');
  const bytes = new PassThrough();
  class Repeatable extends excel.stream.xlsx.WorkbookWriter {
    // The constructor writes the first parts already, and dates them.
    override addThemes(): Promise<void> {
      makeRepeatable(this);
      return super.addThemes();
    }
  }
  const workbook = new Repeatable({
    stream: bytes,
    useStyles: true,
    useSharedStrings: false,
  });
  const written = fill(workbook, sheets).catch((error: unknown) => {
    bytes.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  yield* bytes as AsyncIterable<Uint8Array>;
  await written;
}

async function fill(workbook: stream.xlsx.WorkbookWriter, sheets: readonly XlsxSheet[]): Promise<void> {
  const printed: PrintedNames[] = [];
  for (const sheet of sheets) printed.push(await writeSheet(workbook, sheet));
  namePrinted(workbook, printed);
  await workbook.commit();
}

/** What is printed of a sheet, and the rows that head each page. */
type PrintedNames = { readonly sheet: string; readonly area: string | null; readonly titles: string };

/** The names by which a workbook keeps that, in place of those of exceljs, which opens no sheet whose name has an apostrophe. */
function namePrinted(workbook: stream.xlsx.WorkbookWriter, printed: readonly PrintedNames[]): void {
  const model = printed.flatMap(({ sheet, area, titles }, localSheetId) => {
    const place = `'${sheet.replaceAll("'", "''")}'!`;
    const titled = { name: '_xlnm.Print_Titles', localSheetId, ranges: [place + titles] };
    if (area === null) return [titled];
    return [{ name: '_xlnm.Print_Area', localSheetId, ranges: [place + area] }, titled];
  });
  // Not in exceljs' types, which have no names that belong to a sheet.
  (workbook as unknown as { _definedNames: unknown })._definedNames = { model };
}

async function writeSheet(workbook: stream.xlsx.WorkbookWriter, sheet: XlsxSheet): Promise<PrintedNames> {
  const { name, title = [], header, widths, printed = header.length, banner } = sheet;
  const headerRow = title.length + 1;
  const worksheet = workbook.addWorksheet(name, {
    views: [{ state: 'frozen', ySplit: headerRow }],
    pageSetup: PAGE_SETUP,
  });
  worksheet.headerFooter = {
    ...(banner === undefined ? {} : { oddHeader: `&C&B${banner}` }),
    oddFooter: '&L&F&R&P / &N',
  };
  worksheet.columns = widths.map((width) => ({ width }));
  worksheet.autoFilter = {
    from: { row: headerRow, column: 1 },
    to: { row: headerRow, column: header.length },
  };
  for (const cells of title) writeTitle(worksheet, cells, widths);
  writeHeader(worksheet, sheet);
  let rows = 0;
  for await (const cells of sheet.rows) {
    const row = worksheet.addRow([]);
    for (const [index, cell] of cells.entries()) writeCell(row.getCell(index + 1), cell);
    makeRoom(row, linesOfRow(cells, widths));
    row.commit();
    rows += 1;
    if (rows % ROWS_AT_ONCE === 0) await nextTurn();
  }
  worksheet.commit();
  const last = `$${columnLetters(printed - 1)}$${String(headerRow + rows)}`;
  return {
    sheet: name,
    area: printed < header.length ? `$A$1:${last}` : null,
    titles: `$${String(headerRow)}:$${String(headerRow)}`,
  };
}

/** A title runs on over the empty cells to its right: it is not wrapped, and its background goes with it, or white letters would be lost. */
function writeTitle(worksheet: Worksheet, cells: readonly XlsxCell[], widths: readonly number[]): void {
  const row = worksheet.addRow([]);
  for (const [index, cell] of cells.entries()) {
    writeCell(row.getCell(index + 1), cell);
    if (typeof cell.value !== 'string') continue;
    row.getCell(index + 1).alignment = { vertical: 'top' };
    if (cell.fill === undefined) continue;
    let room = widths[index] ?? WIDTH_USUAL;
    for (let next = index + 1; next < widths.length && room < cell.value.length; next += 1) {
      if ((cells[next]?.value ?? '') !== '') break;
      row.getCell(next + 1).fill = solid(cell.fill);
      room += widths[next] ?? WIDTH_USUAL;
    }
  }
  row.commit();
}

function writeHeader(worksheet: Worksheet, { header, widths, headerLooks = [] }: XlsxSheet): void {
  const row = worksheet.addRow([...header]);
  row.alignment = { vertical: 'top', wrapText: true };
  row.eachCell((cell, number) => {
    const { fill: background = HEADER_FILL, color } = headerLooks[number - 1] ?? {};
    cell.fill = solid(background);
    cell.font = fontOf(true, color);
  });
  makeRoom(row, Math.max(1, ...header.map((text, index) => linesIn(text, widths[index] ?? WIDTH_USUAL))));
  row.commit();
}

/** Programs show a font without a name in any font they like, next to cells in Calibri. */
function fontOf(isBold: boolean, color: string | undefined): Partial<Font> {
  return {
    name: 'Calibri',
    family: 2,
    size: 11,
    ...(isBold ? { bold: true } : {}),
    ...(color === undefined ? {} : { color: { argb: color } }),
  };
}

/** Of a line of Calibri 11; and the highest row that a spreadsheet program keeps. */
const LINE_POINTS = 15;
const ROW_POINTS_MOST = 405;

/** No program makes room for wrapped lines of itself when it opens a file. */
function makeRoom(row: ExcelRow, lines: number): void {
  if (lines > 1) row.height = Math.min(ROW_POINTS_MOST, lines * LINE_POINTS);
}

/** The width of a column that is given none. */
const WIDTH_USUAL = 9;

/** The lines of the highest cell; text that is not wrapped stays on one. */
function linesOfRow(cells: readonly XlsxCell[], widths: readonly number[]): number {
  return cells.reduce((most, { value }, index) => {
    if (typeof value !== 'string' || !isWrapped(value)) return most;
    return Math.max(most, linesIn(value, widths[index] ?? WIDTH_USUAL));
  }, 1);
}

function isWrapped(text: string): boolean {
  return text.length > WRAP_FROM_CHARS || text.includes('\n');
}

/** Letters that are twice as wide as others. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uFF01-\uFF60]/gu;

/**
 * The lines that a text takes in a column of a width in digits, broken between words, and within a word longer than a line. Most letters are
 * narrower than digits: the difference is for programs that lack the font and use a wider one.
 */
export function linesIn(text: string, width: number): number {
  const room = Math.max(1, Math.floor(width));
  const even = text.replace(WIDE, '$&$&');
  return even.split(/\r\n|\r|\n/).reduce((lines, line) => lines + wrappedLines(line, room), 0);
}

function wrappedLines(line: string, room: number): number {
  let lines = 1;
  let used = 0;
  for (const word of line.split(/(?<=[\s-])/)) {
    const length = word.trimEnd().length;
    if (used + length > room && used > 0) {
      lines += 1;
      used = 0;
    }
    lines += Math.max(0, Math.ceil(length / room) - 1);
    used = length > room ? length % room : used + word.length;
  }
  return lines;
}

function writeCell(target: Cell, { value, format, fill: background, color, isBold, note }: XlsxCell): void {
  if (value !== null && value !== '') target.value = valueOf(value);
  if (format !== undefined) target.numFmt = format;
  if (background !== undefined) target.fill = solid(background);
  if (color !== undefined || isBold === true) target.font = fontOf(isBold === true, color);
  if (note !== undefined) target.note = note;
  // Numbers are aligned at the top too, on one line with the words next to them.
  target.alignment = {
    vertical: 'top',
    ...(typeof value === 'string' ? { wrapText: isWrapped(value) } : {}),
  };
}

function valueOf(value: NonNullable<XlsxCell['value']>): string | number | Date | boolean {
  return typeof value === 'object' && 'decimal' in value ? numberOf(value.decimal) : value;
}

/** A workbook keeps numbers of fifteen digits as they are written; one that has more would lose some, and stays text. */
const DIGITS_MOST = 15;

function numberOf(decimal: string): number | string {
  const digits = decimal.replace(/\D/g, '').replace(/^0+/, '').length;
  return digits <= DIGITS_MOST ? Number(decimal) : decimal;
}

function solid(argb: string) {
  return { type: 'pattern', pattern: 'solid', fgColor: { argb } } as const;
}

/** The moment of writing stands in two places of a workbook; without it an answer that is written again is the same file. */
const NO_MOMENT = new Date(1980, 0, 1);

type Zip = { append: (source: unknown, data: Readonly<Record<string, unknown>>) => unknown };

function makeRepeatable(workbook: stream.xlsx.WorkbookWriter): void {
  workbook.created = NO_MOMENT;
  workbook.modified = NO_MOMENT;
  // The archive is not in exceljs' types; it dates each part by the clock unless it is told otherwise.
  const { zip } = workbook as unknown as { readonly zip: Zip };
  const append = zip.append.bind(zip);
  zip.append = (source, data) => append(source, { ...data, date: NO_MOMENT });
}
