// The header of a table: the row that it is, what its columns mean, and that every row below has its cells.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { cellReference, columnLetters } from './cell.ts';
import { FileRefused } from './file-refused.ts';
import { EMAIL_HEADERS, PHONE_HEADERS, SURNAME_HEADERS } from './header-aliases.ts';
import { canonicalOf, foldHeader, isAmountColumn } from './known-columns.ts';
import type { Column } from './row.ts';

// A header row becomes columns: what each is called in the file, and what it means to us. Two headers for one meaning are never guessed apart.

/** A profile's own headers, folded → canonical name, or null for a column that it ignores; they win over ours. */
export type HeaderAliases = ReadonlyMap<string, string | null>;

const PHONES: ReadonlySet<string> = new Set(PHONE_HEADERS.map(foldHeader));
const EMAILS: ReadonlySet<string> = new Set(EMAIL_HEADERS.map(foldHeader));
const CONCEPTS: ReadonlySet<string> = new Set(
  ['Concepto', 'Concepto de pago', 'Verwendungszweck'].map(foldHeader),
);
const SURNAMES: ReadonlySet<string> = new Set(SURNAME_HEADERS.map(foldHeader));

/** The columns of a header row, trailing cells without a name left off. */
export function mapHeader(header: readonly string[], aliases: HeaderAliases): readonly Column[] {
  const names = header.slice(0, header.findLastIndex((name) => name.trim() !== '') + 1);
  const certain = names.map((name) => certainly(name, aliases));
  const present = new Set(certain);
  return names.map((name, index) => {
    const folded = foldHeader(name);
    const isDecided = aliases.has(folded);
    const canonical = certain[index] ?? (isDecided ? null : byNeighbours(folded, present));
    return { index, header: name, canonical };
  });
}

function certainly(header: string, aliases: HeaderAliases): string | null {
  const alias = aliases.get(foldHeader(header));
  return alias === undefined ? canonicalOf(header) : alias;
}

/** Headers whose meaning the other columns decide. */
function byNeighbours(folded: string, present: ReadonlySet<string | null>): string | null {
  const party = present.has('delivery.bankAccountNumber') || present.has('delivery.cardNumber');
  if (PHONES.has(folded)) return party ? 'receiver.msisdn' : 'delivery.msisdn';
  if (EMAILS.has(folded)) return party ? 'receiver.email' : 'delivery.email';
  // Often a remark; where nothing else says what the payment is for, it does.
  if (CONCEPTS.has(folded)) return present.has('purposeOfRemittance') ? null : 'purposeOfRemittance';
  if (!SURNAMES.has(folded)) return null;
  if (present.has('receiver.firstName')) return 'receiver.lastName';
  // `Nombre` beside `Apellidos`, and `Nome` beside `Apelido`, is the first name.
  return ['nombre', 'nome'].includes(folded) && present.has('receiver.lastName')
    ? 'receiver.firstName'
    : 'receiver.name';
}

/** Canonical name → index; a name that two columns claim refuses the file. */
export function indexColumns(columns: readonly Column[], headerPlace: string): ReadonlyMap<string, number> {
  const seen = new Map<string, Column>();
  for (const column of columns) {
    if (column.canonical === null) continue;
    // Folded, because two unlisted fields that differ by case only are one field to the person who wrote them.
    const key = foldHeader(column.canonical);
    const earlier = seen.get(key);
    if (earlier !== undefined) throw columnTwice(earlier, column, headerPlace);
    seen.set(key, column);
  }
  return new Map([...seen.values()].map(({ canonical, index }) => [canonical ?? '', index]));
}

function columnTwice(earlier: Column, later: Column, headerPlace: string): FileRefused {
  const name = ({ header, index }: Column): Words => {
    const cell = cellReference(headerPlace, index);
    return sentence('columns.name', { trim: header.trim(), cell });
  };
  const [one, other, meaning] = [name(earlier), name(later), earlier.canonical ?? ''];
  return new FileRefused('column_twice', sentence('columns.columnTwice', { one, other, meaning }));
}

// Every row must have the header's cells, no fewer and none without a name: a cell that has moved is somebody else's money.

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Indexes of the columns without a header inside the table. */
export function unnamedColumns(columns: readonly Column[]): readonly number[] {
  return columns.filter(({ header }) => header.trim() === '').map(({ index }) => index);
}

/** Refuses a row that is shorter than the header, or that has text where the header has none. Empty cells beyond the header are no fault. */
export function checkShape(
  place: string,
  cells: readonly string[],
  width: number,
  unnamed: readonly number[],
): void {
  if (cells.length < width) throw new FileRefused('row_too_short', countsDiffer(place, cells.length, width));
  if (cells.length > width && !isBlank(cells.slice(width))) throw tooWide(place, cells, width);
  const above = unnamed.find((index) => (cells[index] ?? '').trim() !== '');
  if (above !== undefined)
    throw new FileRefused(
      'header_missing_above_cells',
      sentence('tableShape.checkShape', { columnLetters: columnLetters(above), place }),
    );
}

function tooWide(place: string, cells: readonly string[], width: number): FileRefused {
  const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  return new FileRefused('row_too_wide', countsDiffer(place, filled, width));
}

function countsDiffer(place: string, cells: number, width: number): Words {
  return sentence('tableShape.countsDiffer', { place, cells, width });
}

/**
 * Refuses a record in which quotes have swallowed line ends: each of its lines then has as many separators as a row of its own,
 * or a line in the middle has. In three columns or more no address or remark looks like that by chance.
 */
export function checkSwallowedRows(
  place: number,
  cells: readonly string[],
  delimiter: string,
  width: number,
): void {
  if (!cells.some((cell) => /[\r\n]/.test(cell))) return;
  const lines = cells.join(delimiter).split(/\r\n|\n|\r/);
  const isRow = lines.map((line) => line.split(delimiter).length === width);
  const inMiddle = width >= MIDDLE_WIDTH_LEAST && isRow.slice(1, -1).includes(true);
  if (isRow.every(Boolean) || inMiddle)
    throw new FileRefused(
      'quote_swallows_rows',
      sentence('tableShape.checkSwallowedRows', { place, length: lines.length }),
    );
}

/** With two columns a comma in the middle line of an address would already look like a row. */
const MIDDLE_WIDTH_LEAST = 3;

// Exports carry a title, a period and blank lines above their header, so the header is the row that reads most like one.

/** Title blocks of real exports end well before this; what lies deeper is data. */
export const HEADER_WITHIN_ROWS = 30;

/** One column alone may be a word in a title that happens to be an alias. */
const COLUMNS_LEAST = 2;

export type FoundHeader = {
  /** Position of the record in the file, from 0. */
  readonly record: number;
  readonly columns: readonly Column[];
  /** How many of its columns are known, and how many different ones they are. */
  readonly mapped: number;
  readonly known: number;
  readonly hasAmount: boolean;
};

/** The best header among the first records, or null when none names two known columns. One with an amount beats one without. */
export function findHeader(
  records: readonly (readonly string[])[],
  aliases: HeaderAliases,
): FoundHeader | null {
  let best: FoundHeader | null = null;
  for (const [record, cells] of records.slice(0, HEADER_WITHIN_ROWS).entries()) {
    const found = readAsHeader(record, cells, aliases);
    if (found.mapped >= COLUMNS_LEAST && (best === null || isBetter(found, best))) best = found;
  }
  return best;
}

function readAsHeader(record: number, cells: readonly string[], aliases: HeaderAliases): FoundHeader {
  const columns = mapHeader(cells, aliases);
  const canonical = columns.flatMap((column) => column.canonical ?? []);
  return {
    record,
    columns,
    mapped: canonical.length,
    known: new Set(canonical).size,
    hasAmount: canonical.some(isAmountColumn),
  };
}

function isBetter(found: FoundHeader, best: FoundHeader): boolean {
  if (found.hasAmount !== best.hasAmount) return found.hasAmount;
  return found.known > best.known;
}

// Without a header, or without amounts in it, nothing of a file can be paid; what is missing is said the same way for every kind of file.

/** The header that was found among the first rows. Throws `FileRefused` where it is none to pay by. */
export function requireHeader(first: readonly (readonly string[])[], found: FoundHeader | null): FoundHeader {
  if (found === null) throw headerNotFound(first);
  if (!found.hasAmount)
    throw new FileRefused('amount_column_missing', sentence('requireHeader.text', { record: found.record }));
  return found;
}

function headerNotFound(first: readonly (readonly string[])[]): FileRefused {
  const isEmpty = first.every(isBlank);
  if (isEmpty)
    return new FileRefused('empty_file', sentence('requireHeader.headerNotFound.fileHoldsNothing'));
  return new FileRefused(
    'header_not_found',
    sentence('requireHeader.headerNotFound.thereHeaderRow', { headerWithinRows: HEADER_WITHIN_ROWS }),
  );
}
