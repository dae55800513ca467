// The header of a table: the row that it is, what its columns mean, and that every row below has its cells.
import { joinWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { columnLetters } from './cell.ts';
import { FileRefused } from './file-refused.ts';
import { EMAIL_HEADERS, PHONE_HEADERS, SURNAME_HEADERS } from './header-aliases.ts';
import {
  canonicalOf,
  foldHeader,
  type HeaderAliases,
  isAmountColumn,
  isPayeeWord,
  isPayerWord,
  withoutPayee,
} from './known-columns.ts';
import { decidedMeaning, layoutOf, looksLikePayPal, recogniseLayout } from './layouts.ts';
import type { LayoutId } from './market-layouts.ts';
import { withoutConverted, withoutEmployer, withRib } from './namesakes.ts';
import type { Column } from './row.ts';
import { type Unit, unitOfHeader, unitOfTitle } from './units.ts';

// A header row becomes columns: what each is called in the file, and what it means to us.

const PHONES: ReadonlySet<string> = new Set(PHONE_HEADERS.map(foldHeader));
const EMAILS: ReadonlySet<string> = new Set(EMAIL_HEADERS.map(foldHeader));
const CONCEPTS: ReadonlySet<string> = new Set(
  ['Concepto', 'Concepto de pago', 'Verwendungszweck'].map(foldHeader),
);
const SURNAMES: ReadonlySet<string> = new Set(SURNAME_HEADERS.map(foldHeader));

/** The columns of a header row, trailing cells without a name left off, and the layout that they make up. */
export function mapHeader(
  header: readonly string[],
  aliases: HeaderAliases,
): Pick<FoundHeader, 'columns' | 'layout'> {
  const names = header.slice(0, header.findLastIndex((name) => name.trim() !== '') + 1);
  const layout = recogniseLayout(names);
  const decided = names.map((name) => decidedMeaning(name, { layout, aliases }, names));
  const isAmountSaid = names.some((name) => isAmountColumn(aliases.get(foldHeader(name)) ?? null));
  const certain = names.map((name, index) => {
    if (decided[index] !== undefined) return decided[index];
    const canonical = canonicalOf(name);
    // Where a person has said which amount is paid, the others are not.
    return isAmountSaid && isAmountColumn(canonical) ? null : canonical;
  });
  const present = new Set(certain);
  const isHalfNamed = present.has('receiver.firstName') !== present.has('receiver.lastName');
  const columns = names.map((name, index) => {
    const bare = foldHeader(withoutPayee(name));
    // `Nom du bénéficiaire` beside a first name is the surname, as `Nom` is there.
    const isHalf = isHalfNamed && certain[index] === 'receiver.name' && SURNAMES.has(bare);
    const isOpen = decided[index] === undefined && (certain[index] === null || isHalf);
    const canonical = isOpen ? byNeighbours(bare, present) : (certain[index] ?? null);
    return { index, header: name, canonical };
  });
  return { columns: withRib(withoutEmployer(withoutConverted(columns))), layout };
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

// Every row must have the header's cells, no fewer and none without a name: a cell that has moved is somebody else's money.

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Whether a row says the header once more, as each page of a printed list does. */
export function isHeaderAgain(cells: readonly string[], columns: readonly Column[]): boolean {
  const isSaid = ({ index, header }: Column) => header.trim() === (cells[index] ?? '').trim();
  return columns.length >= COLUMNS_LEAST && columns.every(isSaid);
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
  if (above !== undefined) throw missingAbove(place, above);
}

export function missingAbove(place: string, index: number): FileRefused {
  return new FileRefused(
    'header_missing_above_cells',
    sentence('tableShape.checkShape', { columnLetters: columnLetters(index), place }),
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
  /** Position of the record in the file, from 0; -1 where it has no header. */
  readonly record: number;
  readonly columns: readonly Column[];
  /** The layout of the market that its headers make up; null where they make up none. */
  readonly layout: LayoutId | null;
  /** How many of its columns are known, and how many different ones they are. */
  readonly mapped: number;
  readonly known: number;
  readonly hasAmount: boolean;
  /** The unit that a line above it names for the amounts. */
  readonly titleUnit?: Unit | null;
};

/** Where the header stands: found by itself, in the row of this number, or nowhere, so that columns are called by their letters. */
export type HeaderKind = 'auto' | 'none' | number;

/** The best header among the first records, or null when none names two known columns. One with an amount beats one without. */
export function findHeader(
  records: readonly (readonly string[])[],
  aliases: HeaderAliases,
  kind: HeaderKind = 'auto',
): FoundHeader | null {
  const first = records.slice(0, HEADER_WITHIN_ROWS);
  if (kind === 'none') return headerOfLetters(first, aliases);
  if (kind !== 'auto') return readAsHeader(kind - 1, namesIn(first, kind - 1)[0] ?? [], aliases);
  let best: FoundHeader | null = null;
  for (const record of first.keys())
    for (const names of namesIn(first, record)) {
      const found = readAsHeader(record, names, aliases);
      const isHeader = found.mapped >= COLUMNS_LEAST || found.layout !== null;
      if (isHeader && (best === null || isBetter(found, best))) best = found;
    }
  return best;
}

/** What the columns are called where no row does it. An answer of ours has the letters as its header. */
function headerOfLetters(first: readonly (readonly string[])[], aliases: HeaderAliases): FoundHeader | null {
  const own = first.findIndex(
    ([letter, ...others]) => letter === columnLetters(0) && others.includes('payout.batch'),
  );
  if (own >= 0) return readAsHeader(own, first[own] ?? [], aliases);
  const width = widthOf(first);
  const letters = Array.from({ length: width }, (_, index) => columnLetters(index));
  return width === 0 ? null : readAsHeader(-1, letters, aliases);
}

/** Letters mean what a profile says of them, and nothing by themselves. */
function lettered(
  letters: readonly string[],
  aliases: HeaderAliases,
): Pick<FoundHeader, 'columns' | 'layout'> {
  const columns = letters.map((header, index) => ({
    index,
    header,
    canonical: aliases.get(foldHeader(header)) ?? null,
  }));
  return { columns, layout: null };
}

// Some headers have two rows: `Montants` over `Brut` and `Net à payer`, or names that are merged over both.

/** What the columns may be called: by the row alone, and by it and the one above it. */
function namesIn(first: readonly (readonly string[])[], record: number): readonly (readonly string[])[] {
  const [upper = [], lower = []] = [first[record - 1], first[record]];
  const groups = upper.filter((cell) => cell.trim() !== '');
  const isGroups = groups.length >= COLUMNS_LEAST && groups.every((cell) => /^\D*\p{L}\D*$/u.test(cell));
  if (!isGroups || isBlank(lower)) return [lower];
  const both = namesOfTwoRows(upper.slice(0, widthOf(first.slice(record))), lower);
  // Columns of the payer, alone, would be taken for the receiver's.
  return isOfTwoParties(upper) ? [both] : [both, lower];
}

function widthOf(rows: readonly (readonly string[])[]): number {
  return Math.max(0, ...rows.map((cells) => cells.findLastIndex((cell) => cell.trim() !== '') + 1));
}

function isOfTwoParties(groups: readonly string[]): boolean {
  return groups.some(isPayerWord) && groups.some(isPayeeWord);
}

function namesOfTwoRows(upper: readonly string[], lower: readonly string[]): readonly string[] {
  const counts = Map.groupBy(lower, foldHeader);
  let group = '';
  return Array.from({ length: Math.max(upper.length, lower.length) }, (_, index) => {
    const [above, name] = [(upper[index] ?? '').trim(), (lower[index] ?? '').trim()];
    if (above !== '') group = above;
    if (name === '') return above;
    if (canonicalOf(name)?.startsWith('payout.') === true) return name;
    // In an answer the lower row has the joined name already.
    if (group === '' || foldHeader(name).startsWith(foldHeader(group))) return name;
    const joined = [`${group} ${name}`, `${name} ${group}`].find(isKnown) ?? `${group} ${name}`;
    const isTwice = (counts.get(foldHeader(name))?.length ?? 0) > 1;
    if (isTwice || (isOfTwoParties(upper) && isPayerWord(group))) return joined;
    return tellsMore(joined, name) ? joined : name;
  });
}

/** `Net` under `Montant`, and `Nom` under `Banque`, which is nobody's name. */
function tellsMore(joined: string, name: string): boolean {
  if (!isKnown(name)) return isKnown(joined);
  return SURNAMES.has(foldHeader(name)) && canonicalOf(joined)?.startsWith('receiver.') === false;
}

function isKnown(name: string): boolean {
  const folded = foldHeader(name);
  return canonicalOf(name) !== null || PHONES.has(folded) || EMAILS.has(folded) || SURNAMES.has(folded);
}

function readAsHeader(record: number, cells: readonly string[], aliases: HeaderAliases): FoundHeader {
  const { columns, layout } = record < 0 ? lettered(cells, aliases) : mapHeader(cells, aliases);
  const canonical = columns.flatMap((column) => column.canonical ?? []);
  return {
    record,
    columns,
    layout,
    mapped: canonical.length,
    known: new Set(canonical).size,
    hasAmount: canonical.some(isAmountColumn),
  };
}

function isBetter(found: FoundHeader, best: FoundHeader): boolean {
  if ((found.layout === null) !== (best.layout === null)) return found.layout !== null;
  if (found.hasAmount !== best.hasAmount) return found.hasAmount;
  return found.known > best.known;
}

// Without a header, or without amounts in it, nothing of a file can be paid; what is missing is said the same way for every kind of file.

type First = readonly (readonly string[])[];

/** The header that was found among the first rows. Throws `FileRefused` where it is none to pay by. */
export function requireHeader(first: First, found: FoundHeader | null, isList = false): FoundHeader {
  if (found === null) throw headerNotFound(first);
  const refused = layoutOf(found.layout)?.refusal;
  if (refused !== undefined)
    throw new FileRefused('amount_column_missing', refused.fault, { remedy: refused.remedy });
  const inUnits = found.columns.find(({ header }) => unitOfHeader(header) !== null);
  if (!found.hasAmount && !isList && inUnits !== undefined) throw amountUnit(inUnits);
  if (!found.hasAmount && !isList)
    throw new FileRefused('amount_column_missing', sentence('requireHeader.text', { record: found.record }));
  return { ...found, titleUnit: unitAbove(first, found.record) };
}

/** The titles, and a row of groups over the header, say it once for all amounts. */
function unitAbove(first: First, record: number): Unit | null {
  const texts = first.slice(0, Math.max(record, 0)).flat();
  return texts.map(unitOfTitle).find((unit) => unit !== null) ?? null;
}

/** A column of amounts that are no whole units of their currency. */
export function amountUnit(
  { header, index }: Pick<Column, 'header' | 'index'>,
  unit = unitOfHeader(header),
): FileRefused {
  const { word = '', scale = '1' } = unit ?? {};
  const name = header.trim();
  const option = `--column ${JSON.stringify(`${name}=amount`)} --scale ${scale}`;
  const words = { header: name, letters: columnLetters(index), word };
  return new FileRefused('amount_unit', sentence('units.header', words), {
    remedy: sentence('units.remedy', { option }),
  });
}

function headerNotFound(first: First): FileRefused {
  if (first.every(isBlank))
    return new FileRefused('empty_file', sentence('requireHeader.headerNotFound.fileHoldsNothing'));
  if (looksLikePayPal(first))
    return new FileRefused('header_not_found', sentence('layouts.payPal'), {
      remedy: sentence('layouts.payPal.remedy'),
    });
  const near = nearestHeader(first);
  return new FileRefused('header_not_found', near === null ? NO_HEADER : joinWords([NO_HEADER, near]));
}

const LOOKED_AT = { headerWithinRows: HEADER_WITHIN_ROWS };
const NO_HEADER = sentence('requireHeader.headerNotFound.thereHeaderRow', LOOKED_AT);

/** Of a row that names one known column: people look for their own header in vain where they are told that there is none. */
function nearestHeader(first: First): Words | null {
  for (const [record, cells] of first.slice(0, HEADER_WITHIN_ROWS).entries()) {
    const known = mapHeader(cells, new Map()).columns.find(({ canonical }) => canonical !== null);
    const width = cells.filter((cell) => cell.trim() !== '').length;
    if (known !== undefined && width >= COLUMNS_LEAST)
      return sentence('requireHeader.headerNotFound.oneKnown', {
        row: record + 1,
        header: known.header.trim(),
      });
  }
  return null;
}
