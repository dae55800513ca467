// An answer as a workbook: the input's cells as they were, ours as real numbers and moments, coloured by the row's outcome.
import { toDecimalText } from '../base/decimal.ts';
import type { Language } from '../base/language.ts';
import { faultsText } from '../messages/messages.ts';
import type { Outcome } from '../payouts/lifecycle.ts';
import { COMPARE_MARK, isTelephoneToCompare } from '../rows/cell.ts';
import type { CellKind, XlsxForm } from '../rows/form.ts';
import type { Column, Table } from '../rows/row.ts';
import { writeXlsx, type XlsxCell, type XlsxSheet } from '../rows/xlsx/xlsx-writer.ts';
import {
  type AnswerKind,
  type AnswerRow,
  type AnswerTable,
  type AnswerFault,
  SANDBOX_CELL,
  SANDBOX_COLUMN,
} from './answer-table.ts';

/** The row has the outcome in words as well: nobody has to tell green from red. */
const FILLS: Readonly<Record<Outcome, string | undefined>> = {
  paid: 'FFE2F0D9',
  failed: 'FFF8CBAD',
  rejected: 'FFF8CBAD',
  held: 'FFFFE699',
  duplicate: 'FFE7E6E6',
  submitted: 'FFDDEBF7',
  pending: undefined,
};

const FAULT_FILL = 'FFFFC7CE';

/** The bytes; `more` are further sheets. */
export async function* xlsxAnswer(
  form: XlsxForm,
  input: Pick<Table, 'decimalMarks'>,
  table: AnswerTable,
  more: readonly XlsxSheet[],
  language: Language,
): AsyncGenerator<Uint8Array> {
  const arrange = arrangement(table);
  const header = arrange(
    table.own.map((column) => column.header),
    table.added.map((column) => column.header),
  );
  const { first, all } = await sampled(table.pages);
  const sample = await Array.fromAsync(cellsOf(form, input, table, [first.slice(0, SAMPLE_ROWS)], language));
  const sheet: XlsxSheet = {
    name: form.sheet,
    ...headOf(form, table, arrange),
    header,
    printed: printedOf(table),
    ...(isOfSandbox(table) ? { banner: SANDBOX_CELL } : {}),
    widths: widthsOf(
      header,
      sample.map((cells) => cells.map(shownText)),
    ),
    rows: cellsOf(form, input, table, all, language),
  };
  yield* writeXlsx([sheet, ...more]);
}

/** Puts the cells of a row in their order: the input's own, then ours, one of which may stand beside the first. */
type Arrange = <T>(own: readonly T[], added: readonly T[]) => readonly T[];

function arrangement({ own: { length }, added }: Pick<AnswerTable, 'own' | 'added'>): Arrange {
  const beside = length === 0 ? -1 : added.findIndex(({ isBesideFirst }) => isBesideFirst === true);
  if (beside < 0) return (own, ours) => [...own, ...ours];
  return (own, ours) => [
    ...own.slice(0, 1),
    ...ours.slice(beside, beside + 1),
    ...own.slice(1),
    ...ours.toSpliced(beside, 1),
  ];
}

/** How many columns of the sheet are printed. */
function printedOf({ own, added }: Pick<AnswerTable, 'own' | 'added'>): number {
  const last = added.findIndex(({ isLastPrinted }) => isLastPrinted === true);
  return own.length + (last < 0 ? added.length : last + 1);
}

function isOfSandbox({ added }: Pick<AnswerTable, 'added'>): boolean {
  return added.some(({ header }) => header === SANDBOX_COLUMN.header);
}

/** The title block above the input's header, and the header's colours, where the answer mirrors the input. */
function headOf(
  { head }: XlsxForm,
  { own, added }: Pick<AnswerTable, 'own' | 'added'>,
  arrange: Arrange,
): Pick<XlsxSheet, 'title' | 'headerLooks'> {
  if (own.length === 0) return {};
  const besides = added.filter(({ isBesideFirst }) => isBesideFirst === true).length;
  const title = head.slice(0, -1).map((row) => {
    const cells = row.map(({ text, kind, format, look }): XlsxCell => ({
      ...ownCell(text, kind, format),
      ...look,
    }));
    // A band of colour goes on under what stands beside the first column.
    const { fill } = cells[0] ?? {};
    const blank: XlsxCell = { value: '', ...(fill === undefined ? {} : { fill }) };
    const arranged = arrange(
      cells,
      added.map(() => blank),
    );
    return arranged.slice(0, cells.length + besides);
  });
  const looks = own.map(({ index }) => head.at(-1)?.[index]?.look ?? {});
  return {
    title,
    headerLooks: arrange(
      looks,
      added.map(() => ({})),
    ),
  };
}

async function* cellsOf(
  form: XlsxForm,
  input: Pick<Table, 'decimalMarks'>,
  table: AnswerTable,
  pages: AsyncIterable<readonly AnswerRow[]> | Iterable<readonly AnswerRow[]>,
  language: Language,
): AsyncGenerator<readonly XlsxCell[]> {
  const { own, added } = table;
  const arrange = arrangement(table);
  for await (const line of rowsOf(pages)) {
    const fill = line.outcome === undefined ? undefined : FILLS[line.outcome];
    const notes = placeFaults(line.faults ?? [], own, language);
    const ownCells = own.map(({ index, canonical }, position) => {
      const kind = line.row?.kinds?.[index] ?? 'text';
      const comma = input.decimalMarks.get(canonical ?? '') === ',';
      const raw = kind === 'number' ? line.row?.cells[index] : undefined;
      const note = notes.get(position);
      if (note !== undefined && raw !== undefined && isTelephoneToCompare(canonical, kind, raw))
        return withFault(ownCell(COMPARE_MARK + raw, 'text'), note);
      const text = raw ?? line.own[position] ?? '';
      const cell = ownCell(
        comma && kind === 'number' ? text.replace(',', '.') : text,
        kind,
        form.numberFormats[index],
      );
      return withFault(cell, note);
    });
    const addedCells = added.map(({ kind }, position) => addedCell(line.added[position] ?? '', kind));
    const marked = addedCells.map((cell, position) => {
      const isFault = added[position]?.header === 'payout.error' && (line.faults ?? []).length > 0;
      const background = isFault ? FAULT_FILL : fill;
      return background === undefined ? cell : { ...cell, fill: background };
    });
    yield arrange(ownCells, marked);
  }
}

function ownCell(text: string, kind: CellKind, format = 'General'): XlsxCell {
  switch (kind) {
    case 'number':
      return numberCell(text, format);
    case 'date':
      return momentCell(text, format === 'General' || format === '@' ? 'yyyy-mm-dd' : format);
    case 'boolean':
      return { value: text === 'TRUE' };
    case 'text':
    case 'empty':
      // Text format even where the column had none: digits that a person types in place of the fault stay digits.
      return { value: text, format: '@' };
  }
}

/** A moment of a workbook has no zone; its format says which one is meant. */
const MOMENT_FORMAT = 'yyyy-mm-dd hh:mm:ss "UTC"';

function addedCell(text: string, kind: AnswerKind): XlsxCell {
  switch (kind) {
    case 'number':
      return numberCell(text, `#,##0${decimalsOf(text)}`);
    case 'moment':
      return momentCell(text, MOMENT_FORMAT);
    case 'text':
      return { value: text };
  }
}

function numberCell(text: string, format: string): XlsxCell {
  const decimal = toDecimalText(text);
  return decimal === null ? { value: text } : { value: { decimal }, format };
}

function momentCell(text: string, format: string): XlsxCell {
  const isMoment = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?$/.test(text);
  const ms = isMoment ? Date.parse(/T.*[^Z]$/.test(text) ? `${text}Z` : text) : NaN;
  return Number.isNaN(ms) ? { value: text } : { value: new Date(ms), format };
}

function decimalsOf(text: string): string {
  const decimals = text.split('.')[1]?.length ?? 0;
  return decimals === 0 ? '' : `.${'0'.repeat(decimals)}`;
}

function withFault(cell: XlsxCell, fault: string | undefined): XlsxCell {
  return fault === undefined ? cell : { ...cell, fill: FAULT_FILL, note: fault };
}

// Where a workbook marks a fault. A missing column has no cell, so its fault is marked in the cell where a person would look first.

/** Columns that belong together, the nearest first. */
const FAMILIES: readonly (readonly string[])[] = [
  [
    ...['receiver.name', 'receiver.registeredName', 'receiver.lastName', 'receiver.firstName'],
    'delivery.bankAccountHolderFullName',
  ],
  [
    ...['delivery.bankAccountNumber', 'delivery.cardNumber', 'delivery.msisdn', 'delivery.email'],
    ...['delivery.bankAccountSwiftCode', 'bankName', 'receiver.msisdn'],
  ],
  ['amount', 'destinationAmount', 'sourceAmount', 'currency', 'sourceCurrency', 'targetCurrency'],
  [
    ...['payoutCorridorId', 'destinationCountryIsoCode', 'deliveryMethod', 'transactionMode', 'bankName'],
    ...['targetCurrency', 'currency'],
  ],
  ['attachment', 'documentReferenceNumber', 'reference', 'purposeOfRemittance'],
];

/** The faults by the position of their column in `own`; several faults of one cell stand below each other. */
function placeFaults(
  faults: readonly AnswerFault[],
  own: readonly Column[],
  language: Language,
): ReadonlyMap<number, string> {
  const placed = faults.map((fault) => {
    const present = own.findIndex(({ header }) => header.trim() === fault.column.trim());
    // In a cell that stands in for another column the message alone would not say what it is about.
    return present >= 0
      ? { ...fault, name: '', position: present }
      : { ...fault, position: nearest(fault.column, own) };
  });
  const cells = [...Map.groupBy(placed, ({ position }) => position)].filter(([position]) => position >= 0);
  return new Map(cells.map(([position, its]) => [position, faultsText(its, language, '\n')]));
}

/** -1 where no column is related to it. */
function nearest(missing: string, own: readonly Column[]): number {
  const at = (canonical: string) => own.findIndex((column) => column.canonical === canonical);
  const family = FAMILIES.filter((names) => names.includes(missing)).flat();
  const kin = family.map(at).find((position) => position >= 0);
  if (kin !== undefined) return kin;
  const [party] = missing.split('.');
  return missing.includes('.')
    ? own.findIndex(({ canonical }) => canonical?.startsWith(`${party ?? ''}.`))
    : -1;
}

// The widths of a workbook's columns follow from the header and the first rows: the rest has not been read when the widths are written.

/** The number of rows that decide. */
const SAMPLE_ROWS = 100;

const WIDTH_LEAST = 8;

/** A person reads a reason in its cell; a wider column would push the next ones off the screen. */
const WIDTH_MOST = 60;

/** The first rows, as many as decide if there are that many, and all pages. */
async function sampled(
  pages: AsyncIterable<readonly AnswerRow[]>,
): Promise<{ readonly first: readonly AnswerRow[]; readonly all: AsyncIterable<readonly AnswerRow[]> }> {
  const iterator = pages[Symbol.asyncIterator]();
  const first: AnswerRow[] = [];
  while (first.length < SAMPLE_ROWS) {
    const next = await iterator.next();
    if (next.done === true) return { first, all: chained(first, null) };
    first.push(...next.value);
  }
  return { first, all: chained(first, iterator) };
}

async function* chained(
  first: readonly AnswerRow[],
  rest: AsyncIterator<readonly AnswerRow[]> | null,
): AsyncGenerator<readonly AnswerRow[]> {
  yield first;
  for (let next = await rest?.next(); next !== undefined && next.done !== true; next = await rest?.next())
    yield next.value;
}

async function* rowsOf(
  pages: AsyncIterable<readonly AnswerRow[]> | Iterable<readonly AnswerRow[]>,
): AsyncGenerator<AnswerRow> {
  for await (const page of pages) yield* page;
}

/** Of the filter button beside a header. */
const BUTTON = 4;
/** Beside a value: a program without the font shows a wider one. */
const ROOM = 2;

/** In characters: the longest value, and the longest word of the header, which is broken between words. */
function widthsOf(header: readonly string[], rows: readonly (readonly string[])[]): readonly number[] {
  return header.map((name, index) => {
    const word = Math.max(...name.split(/\s+/).map(({ length }) => length));
    const value = Math.max(0, ...rows.map((cells) => cells[index]?.length ?? 0));
    return Math.min(WIDTH_MOST, Math.max(WIDTH_LEAST, word + BUTTON, value + ROOM));
  });
}

/** The text that a program shows for a cell, as far as its length matters: a number that does not fit is shown as a row of crosses. */
function shownText({ value, format = '' }: XlsxCell): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value).toUpperCase();
  if (value instanceof Date) return format;
  const [whole = '', fraction = ''] = value.decimal.split('.');
  const decimals = /\.(0+)/.exec(format)?.[1] ?? fraction;
  const grouped = format.includes('#,##') ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole;
  return decimals === '' ? grouped : `${grouped}.${decimals}`;
}
