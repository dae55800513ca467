// What somebody has confirmed once about the files of one program, so that nobody guesses about them again: what each column means, how the
// file is written, and what it never says because it is always the same.
import { joinWords, sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { columnLetters, type NamePart, type Split } from './cell.ts';
import { FileRefused } from './file-refused.ts';
import type { DecimalMark, Delimiter, EncodingName } from './form.ts';
import type { MessageRules, ReadFile, ReadOptions } from './format.ts';
import type { HeaderKind } from './header.ts';
import { amountUnit } from './header.ts';
import { foldHeader, isAmountColumn } from './known-columns.ts';
import { layoutOf } from './layouts.ts';
import type { Layout, RowRule } from './market-layouts.ts';
import { rivalsRefused } from './rival-amounts.ts';
import type { Column, Meaning, Receivers, Row, RowFault, Table } from './row.ts';
import { type Scale, unitOfHeader, unitOfTitle } from './units.ts';

// A program whose export changes its columns may mean something else by those that stayed, so the difference is told before anything is paid.

/** The headers of a table: our own columns, which an answer has added, are not among them. */
export function headersOf({ columns }: Pick<Table, 'columns'>): readonly string[] {
  return columns.filter((column) => !isOurs(column)).map(({ header }) => header.trim());
}

function isOurs({ canonical }: Column): boolean {
  return canonical?.startsWith('payout.') === true;
}

/** Throws `FileRefused` when the columns are not those that were confirmed, in their order. */
function checkLayout(
  table: Pick<Table, 'columns' | 'headerPlace'>,
  profile: string,
  confirmed: readonly string[] | null,
): void {
  if (confirmed === null) return;
  const differences = compareLayouts(confirmed, headersOf(table));
  if (differences.length === 0) return;
  throw new FileRefused(
    'layout_changed',
    sentence('layout.checkLayout', {
      headerPlace: table.headerPlace,
      profile,
      joinWords: joinWords(differences, '; '),
      joinWords2: joinWords(differences, ' ; '),
    }),
  );
}

/** What a person would say of the change: columns that are gone, that are new, and that have moved. */
function compareLayouts(confirmed: readonly string[], found: readonly string[]): readonly Words[] {
  const before = confirmed.map(foldHeader);
  const now = found.map(foldHeader);
  const gone = confirmed.filter((_, index) => !now.includes(before[index] ?? ''));
  const added = found.filter((_, index) => !before.includes(now[index] ?? ''));
  const stayed = (all: readonly string[], other: readonly string[]) =>
    all.filter((name) => other.includes(name));
  const order = stayed(now, before);
  const moved = stayed(before, now).find((name, index) => name !== order[index]);
  return [
    ...gone.map(goneWords),
    ...added.map((header) => newWords(header, columnLetters(found.indexOf(header)))),
    ...(moved === undefined ? [] : [movedWords(moved, confirmed, found)]),
  ];
}

function goneWords(header: string): Words {
  return sentence('layout.gone', { counted: quoted(header) });
}

function newWords(header: string, letters: string): Words {
  return sentence('layout.new', { counted: quoted(header), letters });
}

function movedWords(folded: string, confirmed: readonly string[], found: readonly string[]): Words {
  const at = (headers: readonly string[]) =>
    columnLetters(headers.findIndex((header) => foldHeader(header) === folded));
  const header = confirmed.find((each) => foldHeader(each) === folded) ?? folded;
  return sentence('layout.moved', { counted: quoted(header), at: at(confirmed), at2: at(found) });
}

function quoted(header: string): Words {
  return header === '' ? sentence('layout.quoted.withoutName') : sentence('quoted', { text: header });
}

export type Profile = {
  readonly name: string;
  /** Header, folded → canonical name, or null for a column that is ignored whatever we think of it. */
  readonly columns: ReadonlyMap<string, string | null>;
  readonly constants: Meaning['constants'];
  readonly values: Meaning['values'];
  /** Header, folded → what its cells are taken apart into. */
  readonly split: ReadonlyMap<string, Split>;
  readonly same: Meaning['same'];
  readonly scale: Scale | null;
  /** Header, folded → cell, folded → whether a row that says so is paid. */
  readonly says: NonNullable<Meaning['says']>;
  /** Null where the rows say themselves who is paid. */
  readonly receivers: Receivers | null;
  readonly delimiter: Delimiter | 'auto';
  readonly encoding: EncodingName | 'auto';
  readonly decimalMark: DecimalMark | 'auto';
  readonly sheet: string | null;
  /** The row of the header; `none`: `columns` names letters. */
  readonly header: HeaderKind;
  /** The headers of the file that was confirmed, in their order; null when any are taken. */
  readonly layout: readonly string[] | null;
  readonly message: MessageRules;
};

/** How a file of this profile is read. */
export function readOptionsOf(profile: Profile | null): Omit<ReadOptions, 'rowsMax' | 'bytesMax'> {
  if (profile === null) return { decimalMark: 'auto' };
  const { columns, delimiter, encoding, decimalMark, sheet, header, message } = profile;
  const form = { delimiter, encoding, decimalMark, header, ...(sheet === null ? {} : { sheet }) };
  return { headerAliases: columns, ...form, message };
}

/** The file with the profile's meaning laid over its cells, which stay as they are. Throws `FileRefused` when it is laid out in another way. */
export function underProfile(file: ReadFile, profile: Profile | null): ReadFile {
  const layout = layoutOf(file.table.layout);
  if (profile === null) return underLayout(file, layout);
  checkLayout(file.table, profile.name, profile.layout);
  const { name, constants, values } = profile;
  // Together the two might send a reader round in a circle.
  const same = profile.same.size > 0 ? profile.same : sameIn(layout);
  const parts = partsIn(file, profile);
  assertUnits(file.table, profile.scale);
  assertOneAmount(file.table);
  const meaning = { profile: name, constants, values, parts, same, says: profile.says, scale: profile.scale };
  if (profile.receivers === null) return { ...file, table: { ...file.table, meaning } };
  const receivers = { ...profile.receivers, index: columnOf(file, profile.receivers.by, name).index };
  const table = { ...file.table, meaning: { ...meaning, receivers } };
  return { ...file, table, rows: (copy) => withReceivers(file.rows(copy), table, receivers) };
}

// A list of receivers says where the money of a row goes. A row that is not in it, or that says another account, is never paid on a guess.

async function* withReceivers(
  rows: AsyncIterable<Row>,
  table: Table,
  { list, index }: NonNullable<Meaning['receivers']>,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    const key = (row.cells[index] ?? '').trim();
    const words = receiverFault(row, table, key, list.get(key));
    const column = table.columns[index]?.header.trim() ?? '';
    const fault = { code: 'value_not_listed', column, words: words ?? sameWords('') } as const;
    yield words === null ? row : { ...row, faults: [...(row.faults ?? []), fault] };
  }
}

function receiverFault(
  { cells }: Row,
  { indexOf }: Table,
  key: string,
  known: ReadonlyMap<string, string> | undefined,
): Words | null {
  if (known === undefined) return sentence('receivers.unknown', { key });
  const differs = [...known].some(([canonical, value]) => {
    const cell = cells[indexOf.get(canonical) ?? -1] ?? '';
    return ACCOUNTS.test(canonical) && cell.trim() !== '' && foldHeader(cell) !== foldHeader(value);
  });
  return differs ? sentence('receivers.differs', { key }) : null;
}

const ACCOUNTS = /^delivery\.(?:bankAccountNumber|bankAccountSwiftCode|cardNumber|msisdn|email)$/;

// Amounts in cents or in thousands are read only as a person has said.

/** Throws `FileRefused` where a header, a title or a line below the table names a unit and nobody has said what it means. */
function assertUnits({ columns, titleUnit, footer, message }: Table, scale: Scale | null): void {
  if (scale !== null || message !== undefined) return;
  const amounts = columns.filter(({ canonical }) => isAmountColumn(canonical));
  const named = amounts.find(({ header }) => unitOfHeader(header) !== null);
  if (named !== undefined) throw amountUnit(named);
  const unit = titleUnit ?? footer?.texts.map(unitOfTitle).find((each) => each !== null) ?? null;
  const [amount] = amounts;
  if (unit !== null && amount !== undefined) throw amountUnit(amount, unit);
}

/** Throws `FileRefused` where nobody has said which of several amounts is paid. */
function assertOneAmount({ rivals = [], indexOf }: Table): void {
  // An answer that comes back was asked about when its file came.
  if (indexOf.has('payout.batch')) return;
  const refusal = rivalsRefused(rivals);
  if (refusal !== null) throw refusal;
}

// Where no profile speaks, the layout of the market does that the headers make up. A person who has confirmed a profile has looked at what it asks.

function underLayout(file: ReadFile, layout: Layout | null): ReadFile {
  assertUnits(file.table, null);
  assertOneAmount(file.table);
  if (layout === null) return file;
  const rules = rulesIn(file.table, layout);
  const same = sameIn(layout);
  const meaning = { profile: layout.name, constants: NOTHING, values: NOTHING, parts: NOTHING, same };
  const table = { ...file.table, meaning };
  if (rules.length === 0) return { ...file, table };
  return { ...file, table, rows: (copy) => withFaults(file.rows(copy), rules) };
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

function sameIn(layout: Layout | null): Meaning['same'] {
  return new Map(Object.entries(layout?.same ?? {}));
}

type RuleAt = RowRule & { readonly index: number; readonly canonical: string };

function rulesIn({ columns }: Table, { rules = [] }: Layout): readonly RuleAt[] {
  return rules.flatMap((rule) => {
    const column = columns.find(({ header }) => foldHeader(header) === foldHeader(rule.header));
    if (column === undefined) return [];
    return [{ ...rule, index: column.index, canonical: column.canonical ?? column.header.trim() }];
  });
}

async function* withFaults(rows: AsyncIterable<Row>, rules: readonly RuleAt[]): AsyncGenerator<Row> {
  for await (const row of rows) {
    const faults = rules.flatMap((rule) => faultOf(rule, row) ?? []);
    yield faults.length === 0 ? row : { ...row, faults };
  }
}

function faultOf({ index, canonical, only, words }: RuleAt, { cells }: Row): RowFault | null {
  const cell = (cells[index] ?? '').trim();
  if (cell === '' || only.some((each) => foldHeader(each) === foldHeader(cell))) return null;
  return { code: 'value_not_listed', column: canonical, words: words(cell) };
}

/** A column that is gone is told: what it was taken apart into would be missing in every row. */
function partsIn({ table }: ReadFile, { name, split }: Profile): Meaning['parts'] {
  const parts = new Map<string, NamePart>();
  for (const [folded, { into, by }] of split) {
    const { index } = columnOf({ table }, folded, name);
    parts.set(into[0], { index, by, part: 0 });
    parts.set(into[1], { index, by, part: 1 });
  }
  return parts;
}

function columnOf({ table }: Pick<ReadFile, 'table'>, folded: string, profile: string): Column {
  const column = table.columns.find(({ header }) => foldHeader(header) === folded);
  if (column !== undefined) return column;
  throw new FileRefused('layout_changed', sentence('profile.columnGone', { profile, folded }));
}
