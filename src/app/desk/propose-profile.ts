// Looks at an unknown file and proposes how to read it, for a person to confirm once. If the file does not show something, paydrop asks and does not choose.
import type { ProposedColumn, SplitSamples } from '../../contract/columns.ts';
import { basename, extname } from 'node:path';

import { editDistance } from '../../base/plain-text.ts';
import { FileRefused, type FileRefusalCode } from '../../rows/file-refused.ts';
import { foldHeader, isAmountColumn } from '../../rows/known-columns.ts';
import { readAmount } from '../../rows/read-amount.ts';
import { scaledBy, unitOfHeader } from '../../rows/units.ts';
import { grouped } from '../../base/decimal.ts';
import { columnsTwice } from '../../rows/namesakes.ts';
import { headersOf, type Profile } from '../../rows/profile.ts';
import { peekRows, readRows, writtenAs } from '../../rows/formats.ts';
import type { MessageRules, ReadFile, ReadOptions } from '../../rows/format.ts';
import { findHeader, type HeaderKind, mapHeader } from '../../rows/header.ts';
import { layoutOf } from '../../rows/layouts.ts';
import { columnLetters } from '../../rows/cell.ts';
import { foldAnswer } from '../../rows/said-of-rows.ts';
import { type Column, ROW_ANSWERS, type RowAnswer } from '../../rows/row.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { IGNORE, isOwnOfRow } from '../config/profile-file.ts';
import type { Config } from '../config/config.ts';
import {
  amountQuestion,
  answersOf,
  cellsOf,
  guessHeader,
  proposeColumns,
  type ColumnQuestion,
  splitSamples,
} from './proposed-columns.ts';
import { checkControl } from '../../rows/control-totals.ts';
import { controlBeside, ownName } from '../workflow/batch/read-batch-file.ts';
import { sentence } from '../../messages/messages.ts';
import { sameWords } from '../../base/language.ts';

/** What a person has already said. */
export type Stated = {
  readonly columns: ReadonlyMap<string, string | null>;
  readonly constants: ReadonlyMap<string, string>;
  readonly split: Profile['split'];
  readonly same: Profile['same'];
  readonly receivers: Profile['receivers'];
  /** The named headers, as they were typed. */
  readonly headers: readonly string[];
  readonly scale: Profile['scale'];
  /** For payment messages. */
  readonly message: MessageRules;
  /** A word of the file, and its value. */
  readonly words: readonly (readonly [string, string])[];
} & Pick<ReadOptions, 'delimiter' | 'encoding' | 'sheet'> & {
    readonly decimalMark: ReadOptions['decimalMark'];
  };

export type Proposal = {
  readonly profile: Profile;
  /** The pattern of file names for the profile. */
  readonly files: string;
  readonly columns: readonly ProposedColumn[];
  readonly splits: readonly SplitSamples[];
  /** `12500 → 125`, of the first amounts, where they are multiplied. */
  readonly scaled: readonly string[];
  readonly rows: number;
  readonly headerPlace: string;
  /** The layout's name, as its makers call it; null where it is none of the market's layouts. */
  readonly layout: string | null;
  /** Questions that only a person can answer; while there are any, the profile cannot be saved. */
  readonly questions: readonly ColumnQuestion[];
};

/** Throws `FileRefused` for a file that no profile could make readable. */
export async function proposeProfile(
  path: string,
  { intake }: Pick<Config, 'intake'>,
  stated: Stated,
  signal?: AbortSignal,
): Promise<Proposal> {
  const { columns, delimiter = 'auto', encoding = 'auto', decimalMark, sheet } = stated;
  const form = { delimiter, encoding, decimalMark, ...(sheet === undefined ? {} : { sheet }) };
  const options: ReadOptions = {
    rowsMax: intake.rowsMax,
    bytesMax: intake.bytesMax,
    signal,
    // A look pays nothing; a run asks whose account it debits.
    isAnyDebtor: true,
    message: stated.message,
    ...form,
    headerAliases: columns,
  };
  const { file, aliases, header, questions: first, open: twice = [] } = await readSomehow(path, options);
  checkNamed(file, stated);
  const { amounts, question } = await openAmounts(file);
  const open = [...twice, ...amounts];
  const found = await proposeColumns(file, { stated: columns, guessed: aliases });
  const asked = new Set(open.map(({ index }) => columnLetters(index)));
  const proposed = found.columns.map((each) =>
    asked.has(each.letter) ? { ...each, column: null, confidence: null, from: null } : each,
  );
  const { values, says } = await valuesOf(file, stated, proposed);
  const rest = { ...profileOf(path, file, stated, proposed), says };
  const profile = { ...rest, header: await headerOf(path, options, header, rest), values };
  return {
    profile,
    files: patternOf(path),
    columns: proposed,
    splits: await splitSamples(file, profile),
    rows: file.table.rowCount,
    headerPlace: file.table.headerPlace,
    layout: layoutOf(file.table.layout)?.name ?? null,
    scaled: scaledSamples(proposed, profile),
    questions: [
      ...first,
      ...question,
      ...found.questions,
      ...unitQuestions(file, proposed, profile),
      ...(await contradictions(path, file.table)),
    ],
  };
}

/** The columns of amounts of which a person has to say which is paid, and the question. */
async function openAmounts(file: ReadFile) {
  const { rivals = [] } = file.table;
  const amounts = [...new Set(rivals.flatMap(({ amount, rival }) => [amount, rival]))];
  if (amounts.length === 0) return { amounts, question: [] };
  const cells = await cellsOf(file);
  return { amounts, question: [amountQuestion(amounts, ({ index }) => cells[index] ?? [])] };
}

/** The row of a header that is found by itself, once its columns are named, need not be said. */
async function headerOf(
  path: string,
  options: ReadOptions,
  header: HeaderKind,
  { columns }: Pick<Profile, 'columns'>,
): Promise<HeaderKind> {
  if (typeof header === 'string') return header;
  const found = findHeader((await peekRows(path, options)).rows, columns);
  return found?.record === header - 1 ? 'auto' : header;
}

/** The contradictions between its control file and the proposed reading. */
async function contradictions(path: string, table: ReadFile['table']): Promise<readonly ColumnQuestion[]> {
  const control = controlBeside(path);
  if (control === null) return [];
  try {
    await checkControl(control, table);
    return [];
  } catch (error) {
    if (error instanceof FileRefused) return [{ words: error.fault, answers: [] }];
    throw error;
  }
}

type Readable = {
  readonly file: ReadFile;
  readonly aliases: ReadonlyMap<string, string | null>;
  readonly header: HeaderKind;
  readonly questions: readonly ColumnQuestion[];
  /** Columns of one meaning that differ: neither of them is proposed. */
  readonly open?: readonly Column[];
};

const NO_HEADER: readonly FileRefusalCode[] = ['header_not_found', 'amount_column_missing', 'amount_unit'];

/** Reads the file as it is, else with a header guessed from its cells, else with either decimal mark, which the person must then choose. */
async function readSomehow(path: string, options: ReadOptions): Promise<Readable> {
  const aliases = options.headerAliases ?? new Map<string, string | null>();
  const first = await attempt(path, options);
  if (!(first instanceof FileRefused)) return { file: first, aliases, header: 'auto', questions: [] };
  if (first.code === 'number_ambiguous') return askMark(path, options, first);
  if (first.code === 'column_twice') return askColumns(path, options, first);
  if (!NO_HEADER.includes(first.code)) throw first;
  const { rows, sheet } = await peekRows(path, options);
  const guess = guessHeader(rows, aliases);
  if (guess === null) throw withoutItself(first, rows);
  const { aliases: guessed, kind: header } = guess;
  // Without a header every sheet is a table.
  const peeked = header === 'none' && sheet !== null ? { sheet } : {};
  const again = { ...options, ...peeked, header, headerAliases: guessed };
  const second = await attempt(path, again);
  if (!(second instanceof FileRefused)) return { file: second, aliases: guessed, header, questions: [] };
  if (second.code === 'number_ambiguous') return askMark(path, again, second);
  if (second.code === 'column_twice') return askColumns(path, again, second);
  throw NO_HEADER.includes(second.code) ? withoutItself(first, rows) : second;
}

/** A person finds the right one among these, or in the file. */
const HEADERS_SHOWN = 20;

/** What anybody else says of a file without a header of payments sends to this command; here it says what may be written or typed instead. */
function withoutItself(refused: FileRefused, rows: readonly (readonly string[])[]): FileRefused {
  const { code, fault, hasOwnRemedy } = refused;
  if (hasOwnRemedy || code === 'amount_unit') return refused;
  const found = findHeader(rows, new Map())?.columns ?? [];
  const headers = found.map(({ header }) => header.trim()).filter((header) => header !== '');
  const names = [...headers.slice(0, HEADERS_SHOWN), ...(headers.length > HEADERS_SHOWN ? ['…'] : [])];
  const remedy =
    code === 'header_not_found' ? sentence('profile.noHeader') : sentence('profile.noAmount', { names });
  return new FileRefused(code, fault, { remedy, cause: refused });
}

async function attempt(path: string, options: ReadOptions): Promise<ReadFile | FileRefused> {
  return readRows(path, options).catch((error: unknown) => {
    if (error instanceof FileRefused) return error;
    throw error;
  });
}

/** Two columns of one meaning: continues with the first, and asks about the others unless they agree in every row. */
async function askColumns(path: string, options: ReadOptions, refusal: FileRefused): Promise<Readable> {
  const known = options.headerAliases ?? new Map<string, string | null>();
  const { rows } = await peekRows(path, options);
  const { header = 'auto' } = options;
  const twice = columnsTwice(findHeader(rows, known, header)?.columns ?? []);
  const ignored = new Map(twice.map(({ later }) => [foldHeader(later.header), null]));
  const file = await attempt(path, { ...options, headerAliases: new Map([...known, ...ignored]) });
  if (file instanceof FileRefused || twice.length === 0) throw refusal;
  const questions: ColumnQuestion[] = [];
  const open: Column[] = [];
  const cells = await cellsOf(file);
  for (const { earlier, later } of twice) {
    if (await saysTheSame(file, earlier, later)) continue;
    open.push(earlier, later);
    if (isAmountColumn(earlier.canonical)) {
      questions.push(amountQuestion([earlier, later], ({ index }) => cells[index] ?? []));
      continue;
    }
    const [one, name, canonical] = [earlier.header.trim(), later.header.trim(), later.canonical ?? ''];
    const option = JSON.stringify(`${name}=${IGNORE}`);
    questions.push({
      words: sentence('profile.ask.twice', { earlier: one, name, canonical, option }),
      answers: answersOf([later, earlier], IGNORE),
    });
  }
  return { file, aliases: known, header, questions, open };
}

async function saysTheSame(file: ReadFile, earlier: Column, later: Column): Promise<boolean> {
  for await (const { cells } of file.rows()) {
    const [one = '', other = ''] = [earlier, later].map(({ index }) => (cells[index] ?? '').trim());
    // Firms may stand in one column, and persons in the other.
    if (one !== other && ((one !== '' && other !== '') || earlier.canonical === later.canonical))
      return false;
  }
  return true;
}

/** Continues with either mark, to show the rest. The right mark decides about money, so paydrop asks. */
async function askMark(path: string, options: ReadOptions, refusal: FileRefused): Promise<Readable> {
  const file = await readRows(path, { ...options, decimalMark: ',' });
  const question = { words: sentence('profile.ask.mark', { fault: refusal.fault }), answers: [] };
  const aliases = options.headerAliases ?? new Map<string, string | null>();
  return { file, aliases, header: options.header ?? 'auto', questions: [question] };
}

/** A misspelt header would be saved without any effect. */
function checkNamed({ table }: ReadFile, { headers }: Stated): void {
  const present = table.columns.map(({ header }) => header.trim()).filter((header) => header !== '');
  const folded = new Set(present.map(foldHeader));
  const wrong = headers.find((header) => !folded.has(foldHeader(header)));
  if (wrong === undefined) return;
  const [near] = present
    .map((header) => ({ header, letters: editDistance(foldHeader(wrong), foldHeader(header)) }))
    .sort((a, b) => a.letters - b.letters);
  const meant =
    near !== undefined && near.letters * 3 <= wrong.length
      ? sentence('profile.meant', { header: near.header })
      : sameWords('');
  throw new ConfigUnusable(
    sentence('profile.noSuchColumn', {
      wrong,
      meant,
      columns: present.map((header) => `«${header}»`).join(', '),
    }),
  );
}

/** Of amounts in cents or in thousands: how many times each is meant, with three of them. */
function unitQuestions(
  { table }: ReadFile,
  columns: readonly ProposedColumn[],
  { scale, decimalMark }: Pick<Profile, 'scale' | 'decimalMark'>,
): readonly ColumnQuestion[] {
  const amount = columns.find(({ column }) => isAmountColumn(column));
  if (scale !== null || amount === undefined) return [];
  const unit = unitOfHeader(amount.header) ?? table.titleUnit ?? null;
  if (unit === null) return [];
  const samples = scaledSamples(columns, { scale: unit.scale, decimalMark });
  const words = sentence('units.ask', { header: amount.header, word: unit.word, scale: unit.scale, samples });
  return [{ words, answers: [] }];
}

function scaledSamples(
  columns: readonly ProposedColumn[],
  { scale, decimalMark }: Pick<Profile, 'scale' | 'decimalMark'>,
): readonly string[] {
  const amount = columns.find(({ column }) => isAmountColumn(column));
  if (scale === null || amount === undefined) return [];
  return amount.samples.flatMap((cell) => {
    const read = readAmount(cell, decimalMark === 'auto' ? '.' : decimalMark);
    const scaled = 'fault' in read ? null : scaledBy(read.amount, scale);
    return scaled === null ? [] : [`${cell.trim()} → ${grouped(scaled).en}`];
  });
}

type SaidWords = Pick<Profile, 'values' | 'says'>;

/** Each word that a person gave, under the column whose cells contain it: a value where the column means something, else whether such rows are paid. */
async function valuesOf(
  file: ReadFile,
  { words, columns: stated }: Stated,
  columns: readonly ProposedColumn[],
): Promise<SaidWords> {
  const answers = words.filter(([, value]) => isRowAnswer(value));
  const values = await meaningsOf(
    file,
    words.filter(([, value]) => !isRowAnswer(value)),
    columns,
  );
  const says = new Map<string, Map<string, RowAnswer>>();
  const open = file.table.columns.filter(
    ({ header }) =>
      header.trim() !== '' &&
      !stated.has(foldHeader(header)) &&
      columns.every((each) => each.header !== header.trim() || each.column === null),
  );
  const wanted = new Map(answers.map(([word, value]) => [foldHeader(word), value as RowAnswer]));
  for await (const { cells } of answers.length === 0 ? [] : file.rows())
    for (const { header, index } of open) {
      const folded = foldAnswer((cells[index] ?? '').trim());
      const answer = wanted.get(folded);
      if (answer === undefined || (folded === foldAnswer('') && !file.table.few?.has(index))) continue;
      const said = says.get(foldHeader(header)) ?? new Map<string, RowAnswer>();
      says.set(foldHeader(header), said.set(folded, answer));
    }
  const found = new Set([...says.values()].flatMap((said) => [...said.keys()]));
  const missing = answers.find(([word]) => !found.has(foldHeader(word)));
  if (missing !== undefined) throw new ConfigUnusable(sentence('profile.noSuchWord', { word: missing[0] }));
  return { values, says };
}

function isRowAnswer(value: string): boolean {
  return ROW_ANSWERS.some((answer) => answer === value);
}

async function meaningsOf(
  file: ReadFile,
  words: Stated['words'],
  columns: readonly ProposedColumn[],
): Promise<Profile['values']> {
  const values = new Map<string, Map<string, string>>();
  if (words.length === 0) return values;
  const known = new Map(
    columns.flatMap(({ header, column }) => {
      const index = file.table.columns.findIndex((each) => each.header.trim() === header);
      return column === null || isOwnOfRow(column) ? [] : [[index, column] as const];
    }),
  );
  const wanted = new Map(words.map(([word, value]) => [foldHeader(word), value]));
  for await (const { cells } of file.rows())
    for (const [index, column] of known) {
      const folded = foldHeader(cells[index] ?? '');
      const value = wanted.get(folded);
      if (value === undefined) continue;
      const said = values.get(column) ?? new Map<string, string>();
      values.set(column, said.set(folded, value));
    }
  const found = new Set([...values.values()].flatMap((said) => [...said.keys()]));
  const missing = words.find(([word]) => !found.has(foldHeader(word)));
  if (missing !== undefined) throw new ConfigUnusable(sentence('profile.noSuchWord', { word: missing[0] }));
  return values;
}

function profileOf(
  path: string,
  file: ReadFile,
  stated: Stated,
  columns: readonly ProposedColumn[],
): Omit<Profile, 'header' | 'values' | 'says'> {
  const { delimiter, encoding, sheet } = writtenAs(path, file.table);
  const taken = columns.map(({ header, column }) => [foldHeader(header), column] as const);
  const isMessage = file.table.message !== undefined;
  // An unknown column is left out; a known one that was not taken must be ignored explicitly. The columns of a message are always the same.
  const headers = file.table.columns.map(({ header }) => header);
  const known = mapHeader(headers, stated.columns).columns.filter(({ canonical }) => canonical !== null);
  const forbidden = new Set([...stated.columns.keys(), ...known.map(({ header }) => foldHeader(header))]);
  const kept = taken.filter(([header, column]) => column !== null || forbidden.has(header));
  return {
    name: nameOf(path),
    columns: new Map(isMessage ? [] : kept),
    constants: stated.constants,
    split: stated.split,
    same: stated.same,
    scale: stated.scale,
    receivers: stated.receivers,
    delimiter,
    encoding,
    decimalMark: markOf(path, file, stated),
    sheet,
    layout: isMessage ? null : headersOf(file.table),
    message: stated.message,
  };
}

/** The mark that the amounts show; open where they show none, or several, or there are none. */
function markOf(path: string, { table }: ReadFile, { decimalMark }: Stated): Profile['decimalMark'] {
  if (decimalMark !== 'auto') return decimalMark;
  const marks = new Set(table.decimalMarks.values());
  const [only] = marks;
  return !writtenAs(path, table).hasMarks || only === undefined || marks.size > 1 ? 'auto' : only;
}

/** Months in English, French and Spanish, by their first letters: `nov`, `novembre`, `November`, `noviembre`. */
const MONTH =
  '(?:jan|ene|f[eé]v|feb|mar[sz]|march|avr|apr|abr|mai|may|juin|juil|jun|jul|ao[uû]t|aug|ago|sep|oct|nov|d[eé]c|dic)\\p{L}*';
/** A number of the week, the quarter or the month has a letter before it: `S48`, `T4`, `Q3`, `M11`. */
const PART = `(?:\\p{L}?\\d+|${MONTH})`;
const CHANGING = new RegExp(`(?<![\\p{L}\\d])${PART}(?:[ ._-]*${PART})*(?![\\p{L}\\d])`, 'giu');

/**
 * `Sage fournisseurs *.csv` for `Sage fournisseurs 2026-11.csv`: a date or number in a name changes with every file. Of a name that has no word
 * besides, only the digits change: `*.csv` would read the files of everybody.
 */
function patternOf(path: string): string {
  // Written so, a sign of the name stands for itself alone: a wildcard would read files of other names.
  const name = ownName(path).replace(/[[\]{}()*?!+@\\]/g, '\\$&');
  const stem = name.slice(0, name.length - extname(name).length);
  const pattern = stem.replace(CHANGING, '*');
  return (/\p{L}/u.test(pattern) ? pattern : stem.replace(/\d/g, '[0-9]')) + extname(name);
}

/** Letters and hyphens, which are valid in file names on every system. */
function nameOf(path: string): string {
  const stem = basename(ownName(path), extname(path)).normalize('NFKD').toLowerCase();
  const name = stem
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'profile' : name;
}
