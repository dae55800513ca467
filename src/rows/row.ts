// What every reader gives, whatever the kind of file: rows of text cells, beside them what a person sees where, and what a profile says of them.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import type { NameOrder } from '../contract/words.ts';
import { type NamePart, ribOf, splitName } from './cell.ts';
import type { CellKind, DecimalMark, Form } from './form.ts';
import { foldHeader, headerCorridor } from './known-columns.ts';
import type { LayoutId } from './market-layouts.ts';
import type { Scale, Unit } from './units.ts';

// What a cell means where a profile speaks for the program that wrote it. The cell itself stays as it is, and goes back to its owner so.

/** What a person has said of the cells of a column that paydrop does not know. */
export const ROW_ANSWERS = ['pay', 'hold'] as const;
export type RowAnswer = (typeof ROW_ANSWERS)[number];

export type Meaning = {
  /** The profile's name, for messages. */
  readonly profile: string;
  /** Canonical name → what every row says that says nothing itself. */
  readonly constants: ReadonlyMap<string, string>;
  /** Canonical name → the file's word, folded → the value that is meant. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Canonical name → the column of which it is a part. */
  readonly parts: ReadonlyMap<string, NamePart>;
  /** Canonical name → the one that speaks for it where a row is silent. */
  readonly same: ReadonlyMap<string, string>;
  /** Header, folded → cell, folded → whether a row that says so is paid: what a person has said of a column that means nothing else. */
  readonly says?: ReadonlyMap<string, ReadonlyMap<string, RowAnswer>>;
  /** What the amounts are multiplied by; null where they are whole units of their currency. */
  readonly scale?: Scale | null;
  /** What a list of receivers says of each row. */
  readonly receivers?: Receivers & { readonly index: number };
};

/** Who is paid, by a number or a name in a column of the file. */
export type Receivers = {
  /** The header of that column, folded. */
  readonly by: string;
  /** What stands there → canonical name → what is said of the receiver. */
  readonly list: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The canonical names of which the list says something. */
  readonly columns: ReadonlySet<string>;
};

/** The profile's value for the cell's word, the word itself, or the constant where the cell says nothing. */
function meaningOf(
  cell: string,
  canonical: string,
  { constants, values }: Pick<Meaning, 'constants' | 'values'>,
): string {
  if (cell.trim() === '') return constants.get(canonical) ?? cell;
  return values.get(canonical)?.get(foldHeader(cell)) ?? cell;
}

/** One payout row. Cells are text from end to end: an account number or a telephone number is never a number. */
export type Row = {
  /** 0, 1, 2… among the payout rows of the file. */
  readonly position: number;
  /** The row identity: the number that a spreadsheet program shows, from 1, title, header and blank rows counted; `Paie!12` among several sheets. */
  readonly place: string;
  /**
   * One for each column of the table, as written in the file, the one protective `'` before a formula character taken off. Of a workbook:
   * numbers in plain notation, dates in ISO 8601, `TRUE` and `FALSE`.
   */
  readonly cells: readonly string[];
  /** What the cells of a workbook hold; CSV has nothing but text, and no kinds. */
  readonly kinds?: readonly CellKind[];
  readonly currencies?: ShownCurrencies;
  /** What the reader already knows to be wrong with the row. */
  readonly faults?: readonly RowFault[];
  /** Who sends what the account of the row pays; absent where the usual sending party does. */
  readonly sender?: Readonly<Record<string, string>>;
  /** The account that a payment of a message debits, as it is written. */
  readonly debtor?: string;
  /** Names, without their ends, that a document of this row may have that names none itself; the first that lies there counts. */
  readonly documentStems?: readonly string[];
};

/** What number formats show beside numbers, by the index of the cell. */
export type ShownCurrencies = readonly (readonly [index: number, written: string])[];

/** Codes of rejections that a kind of file finds by itself, because its cells no longer show it. */
export type RowFault = {
  readonly code:
    | 'element_unsupported'
    | 'iban_wrong'
    | 'country_contradicts'
    | 'amount_currency_contradicts'
    | 'reference_repeated'
    | 'value_not_listed';
  /** A canonical name, or that of an element. */
  readonly column: string;
  readonly words: Words;
};

export type Column = {
  /** Where the column stands among the cells of a row, from 0. */
  readonly index: number;
  /** The header as written; empty where a column has none. */
  readonly header: string;
  /** The canonical name (`amount`, `receiver.city`), or null when nothing is known of the column and it is ignored. */
  readonly canonical: string | null;
  /** The columns whose cells together are the account: bank, branch, account, key. */
  readonly parts?: readonly number[];
};

/** Another column of amounts than the one that is read, and the first row in which the two differ. */
export type RivalAmount = {
  readonly amount: Column;
  readonly rival: Column;
  readonly place: string;
  /** What stands in the two there. */
  readonly cells: readonly [amount: string, rival: string];
};

/** A row below the payments that states the sums of the amount columns; it was checked and is not paid. */
export type TotalsRow = {
  readonly place: string;
  /** The rows that are summed up: those above it that are no sums themselves. */
  readonly rows: number;
  /** The canonical amount column, the sum that the row states, in canonical decimal text, the cell that states it, and which cell is not in it. */
  readonly sums: readonly (Readonly<Record<'canonical' | 'sum' | 'cell', string>> & {
    readonly without?: Words;
  })[];
};

/** Lines below the payments that pay nobody: a place and date, a signature. They are not read. */
export type Footer = {
  /** Places of the first and the last, and how many they are. */
  readonly first: string;
  readonly last: string;
  readonly count: number;
  /** The number of the first line, from which on such lines are left out. */
  readonly from: number;
  /** What the first few of them say. */
  readonly texts: readonly string[];
};

/** What is known of a file once it has been surveyed from its first to its last byte. */
export type Table = {
  readonly form: Form;
  /** As in the commands that a fault proposes. */
  readonly fileName?: string;
  readonly headerPlace: string;
  readonly columns: readonly Column[];
  /** Canonical name → index in `Row.cells`. A Map, so that a header named `__proto__` is only a header. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** Canonical name → further columns that say the same, one of them where the first is empty. */
  readonly others?: ReadonlyMap<string, readonly number[]>;
  /** What the reference says in every row, so that it is the text of the payments and tells none from another; null where it does not. */
  readonly textReference?: string | null;
  /** The layout of the market that the headers make up. */
  readonly layout?: LayoutId | null;
  /** The unit that a title names for all amounts, as `Montants en milliers` does. */
  readonly titleUnit?: Unit | null;
  /** Other columns of amounts than the one that is read, which differ from it, and of which nobody has said which is paid. */
  readonly rivals?: readonly RivalAmount[];
  /** The columns that are listed and ignored. */
  readonly unknown: readonly Column[];
  /** The mark of each amount column, by canonical name; absent where no number of the column shows one, so that any reading is the same. */
  readonly decimalMarks: ReadonlyMap<string, DecimalMark>;
  /** Payout rows: blank rows, the totals row and the footer are not counted. */
  readonly rowCount: number;
  /** The different cells of a column that is listed and ignored, and in how many payments each stands, where they are few; by the index of the column. */
  readonly few?: ReadonlyMap<number, ReadonlyMap<string, number>>;
  /** Where among the cells of a row nothing stands in any row. */
  readonly blank?: ReadonlySet<number>;
  readonly totals: TotalsRow | null;
  readonly footer: Footer | null;
  /** The place of a row below the header that says what to write into each column; it is not read. */
  readonly guide?: string | null;
  /** Other sheets of the workbook that hold anything; they are not read. */
  readonly unreadSheets?: readonly string[];
  /** The exact sum of each amount column, by canonical name; rows that are sums themselves are not in it. */
  readonly sums: ReadonlyMap<string, string>;
  /** What a profile says of the cells; without one they mean what they say. */
  readonly meaning?: Meaning;
  /**
   * Of payment messages, whose meaning is fixed: an amount in a currency that is both sent and received is what arrives, and a bank is named for
   * information. With the kind of the message, as `pain.001.001.09`, what it is known by, the order in which the names of a person stand, and how many payments each day has.
   */
  readonly message?: {
    readonly name: string;
    readonly id: string;
    readonly personNames: NameOrder | null;
    readonly days: ReadonlyMap<string, number>;
  };
};

/** What a row says in a canonical column; the empty text when neither the file nor its profile says anything. */
export function cellOf(table: Table, row: Row, canonical: string): string {
  const index = table.indexOf.get(canonical);
  const first = index === undefined ? '' : cellAt(table, row, index);
  const written = first === '' && table.others !== undefined ? ofOthers(table.others, row, canonical) : first;
  const cell = written === '' && index !== undefined ? ofHeader(table, index, canonical) : written;
  const { meaning } = table;
  if (meaning === undefined) return cell;
  const own = cell.trim() === '' ? partOf(row, canonical, meaning) : cell;
  const said = meaningOf(own.trim() === '' ? listed(row, canonical, meaning) : own, canonical, meaning);
  const other = meaning.same.get(canonical);
  return said.trim() === '' && other !== undefined ? cellOf(table, row, other) : said;
}

/** A cell, whole where it is but a part of an account; one that is put together wrongly stays as it is written, and has a fault. */
function cellAt({ columns }: Table, { cells }: Row, index: number): string {
  const parts = columns[index]?.parts;
  const cell = cells[index] ?? '';
  return parts === undefined || cell.trim() === '' ? cell : (ribOf(partsOf(cells, parts)) ?? cell);
}

function partsOf(cells: readonly string[], parts: readonly number[]): readonly string[] {
  return parts.map((index) => cells[index] ?? '');
}

/** Why the parts of an account make none; null where they do: their key also proves that a workbook has lost none but leading zeros. */
export function ribFault({ cells }: Row, parts: readonly number[]): Words | null {
  const written = partsOf(cells, parts);
  const rib = written.map((part) => part.trim()).join(' ');
  return ribOf(written) === null ? sentence('checkText.rib', { rib }) : null;
}

function ofOthers(others: NonNullable<Table['others']>, { cells }: Row, canonical: string): string {
  const filled = others.get(canonical)?.find((index) => (cells[index] ?? '').trim() !== '');
  return filled === undefined ? '' : (cells[filled] ?? '');
}

/** What a header says of its whole column. */
function ofHeader({ columns }: Table, index: number, canonical: string): string {
  return canonical === 'payoutCorridorId' ? (headerCorridor(columns[index]?.header ?? '') ?? '') : '';
}

function listed({ cells }: Row, canonical: string, { receivers }: Meaning): string {
  const key = receivers === undefined ? '' : (cells[receivers.index] ?? '').trim();
  return receivers?.list.get(key)?.get(canonical) ?? '';
}

function partOf({ cells }: Row, canonical: string, { parts }: Meaning): string {
  const found = parts.get(canonical);
  return found === undefined ? '' : (splitName(cells[found.index] ?? '', found.by)?.[found.part] ?? '');
}

/** True when some row may say something in a canonical column. */
export function saysSomething({ indexOf, meaning }: Table, canonical: string): boolean {
  if (indexOf.has(canonical)) return true;
  return (
    meaning !== undefined &&
    [meaning.constants, meaning.parts, meaning.same, meaning.receivers?.columns].some(
      (said) => said?.has(canonical) === true,
    )
  );
}

/** True when some row does. */
export function isSaid(table: Table, canonical: string): boolean {
  const { indexOf, others, blank, meaning } = table;
  const index = indexOf.get(canonical);
  const isAlone = meaning === undefined && others?.has(canonical) !== true;
  const isBlank = isAlone && index !== undefined && blank?.has(index) === true;
  return !isBlank && saysSomething(table, canonical);
}

/** Every canonical column in which some row may say something. */
export function columnsSaid({ indexOf, meaning }: Table): readonly string[] {
  const said =
    meaning === undefined
      ? []
      : [meaning.constants, meaning.parts, meaning.same].flatMap((map) => [...map.keys()]);
  return [...new Set([...indexOf.keys(), ...said, ...(meaning?.receivers?.columns ?? [])])];
}

/** The header under which a person finds a canonical column, or its canonical name when the file has none. */
export function headerOf({ indexOf, columns, meaning }: Table, canonical: string): string {
  const index = indexOf.get(canonical) ?? meaning?.parts.get(canonical)?.index;
  const header = index === undefined ? undefined : columns[index]?.header.trim();
  if (header !== undefined) return header;
  const isOfProfile =
    meaning?.constants.has(canonical) === true || meaning?.receivers?.columns.has(canonical) === true;
  return isOfProfile ? `${canonical} (profile ${meaning.profile})` : canonical;
}

/** Where among the cells of a row the column stands that `headerOf` names so, from 0; null where the file has none. */
export function indexOfHeader(
  { indexOf, columns }: Pick<Table, 'indexOf' | 'columns'>,
  name: string,
): number | null {
  const named = columns.filter(({ header }) => header.trim() === name);
  // Of two that are called so the one that means something is meant.
  const found = named.find(({ canonical }) => canonical !== null) ?? named[0];
  return found?.index ?? indexOf.get(name) ?? null;
}

// In one column of a workbook some amounts are numbers and some are text with a decimal comma. Once the column's mark is known, its numbers
// are written with that mark, so that all its cells are read in one way.

type Marked = Pick<Table, 'decimalMarks' | 'indexOf'>;

export function underMarks(
  cells: readonly string[],
  kinds: readonly CellKind[],
  { decimalMarks, indexOf }: Marked,
): readonly string[] {
  let written: string[] | null = null;
  for (const [canonical, mark] of decimalMarks) {
    const index = indexOf.get(canonical) ?? -1;
    if (mark !== ',' || kinds[index] !== 'number') continue;
    written ??= [...cells];
    written[index] = (cells[index] ?? '').replace('.', ',');
  }
  return written ?? cells;
}
