// Workbooks are written row by row into a stream, so that a large answer needs the memory of a small one. Nothing in them is ever a formula:
// text is a string cell whatever it starts with.
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Cell, stream, Worksheet } from 'exceljs';

/** A number, as plain decimal text. */
export type XlsxNumber = { readonly decimal: string };

export type XlsxCell = {
  readonly value: string | XlsxNumber | Date | boolean | null;
  /** The number format, such as `#,##0.00`; `@` keeps digits as text when somebody types into the cell. */
  readonly format?: string;
  /** Background as ARGB. */
  readonly fill?: string;
  readonly note?: string;
};

export type XlsxSheet = {
  readonly name: string;
  readonly header: readonly string[];
  /** In characters, one for each column. */
  readonly widths: readonly number[];
  readonly rows: AsyncIterable<readonly XlsxCell[]> | Iterable<readonly XlsxCell[]>;
};

const HEADER_FILL = 'FFD9E1F2';

/** A sentence is read in its cell; ids and names stay on one line. */
const WRAP_FROM_CHARS = 50;

/** Rows between two pauses in which the compressed bytes can leave. */
const ROWS_AT_ONCE = 200;

/** The bytes of a workbook; the same sheets give the same bytes. */
export async function* writeXlsx(sheets: readonly XlsxSheet[]): AsyncGenerator<Uint8Array> {
  // Loaded only when a workbook is written: it takes longer than everything else together.
  const { default: excel } = await import('exceljs');
  const bytes = new PassThrough();
  const workbook = new excel.stream.xlsx.WorkbookWriter({
    stream: bytes,
    useStyles: true,
    useSharedStrings: false,
  });
  makeRepeatable(workbook);
  const written = fill(workbook, sheets).catch((error: unknown) => {
    bytes.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  yield* bytes as AsyncIterable<Uint8Array>;
  await written;
}

async function fill(workbook: stream.xlsx.WorkbookWriter, sheets: readonly XlsxSheet[]): Promise<void> {
  for (const sheet of sheets) await writeSheet(workbook, sheet);
  await workbook.commit();
}

async function writeSheet(workbook: stream.xlsx.WorkbookWriter, sheet: XlsxSheet): Promise<void> {
  const worksheet = workbook.addWorksheet(sheet.name, {
    views: [{ state: 'frozen', ySplit: 1 }],
    pageSetup: { orientation: 'landscape', printTitlesRow: '1:1' },
  });
  worksheet.columns = sheet.widths.map((width) => ({ width }));
  worksheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: 1, column: sheet.header.length } };
  writeHeader(worksheet, sheet.header);
  let rows = 0;
  for await (const cells of sheet.rows) {
    const row = worksheet.addRow([]);
    for (const [index, cell] of cells.entries()) writeCell(row.getCell(index + 1), cell);
    row.commit();
    rows += 1;
    if (rows % ROWS_AT_ONCE === 0) await nextTurn();
  }
  worksheet.commit();
}

function writeHeader(worksheet: Worksheet, header: readonly string[]): void {
  const row = worksheet.addRow([...header]);
  // A font without a name is shown in whatever the program likes, beside cells in Calibri.
  row.font = { name: 'Calibri', family: 2, size: 11, bold: true };
  row.alignment = { vertical: 'top', wrapText: true };
  row.eachCell((cell) => {
    cell.fill = solid(HEADER_FILL);
  });
  row.commit();
}

function writeCell(target: Cell, { value, format, fill: background, note }: XlsxCell): void {
  if (value !== null && value !== '') target.value = valueOf(value);
  if (format !== undefined) target.numFmt = format;
  if (background !== undefined) target.fill = solid(background);
  if (note !== undefined) target.note = note;
  if (typeof value === 'string')
    target.alignment = { vertical: 'top', wrapText: value.length > WRAP_FROM_CHARS || value.includes('\n') };
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
