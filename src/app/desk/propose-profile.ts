// Looks at a file of which nothing is known and proposes how it is to be read, for a person to confirm once. What cannot be told is asked, not chosen.
import { basename, extname } from 'node:path';

import { FileRefused, type FileRefusalCode } from '../../rows/file-refused.ts';
import { foldHeader } from '../../rows/fold-header.ts';
import { layoutOf } from '../../rows/layout.ts';
import { peekRows } from '../../rows/peek-rows.ts';
import type { Profile } from '../../rows/profile.ts';
import type { ReadFile, ReadOptions } from '../../rows/read-file.ts';
import { readRows } from '../../rows/read-rows.ts';
import type { Config } from '../config/config.ts';
import { guessHeader, proposeColumns, type ProposedColumn } from './proposed-columns.ts';
import { ownName } from '../workflow/take/read-batch-file.ts';

/** What a person has said already. */
export type Stated = {
  readonly columns: ReadonlyMap<string, string | null>;
  readonly constants: ReadonlyMap<string, string>;
} & Pick<ReadOptions, 'delimiter' | 'encoding' | 'sheet'> & {
    readonly decimalMark: ReadOptions['decimalMark'];
  };

export type Proposal = {
  readonly profile: Profile;
  /** The pattern of file names that the profile would be for. */
  readonly files: string;
  readonly columns: readonly ProposedColumn[];
  readonly rows: number;
  readonly headerPlace: string;
  /** What only a person can say; with anything here the profile cannot be saved. */
  readonly questions: readonly string[];
};

/** Throws `FileRefused` for a file that no profile could make readable. */
export async function proposeProfile(path: string, { intake }: Config, stated: Stated): Promise<Proposal> {
  const { columns, delimiter = 'auto', encoding = 'auto', decimalMark, sheet } = stated;
  const form = { delimiter, encoding, decimalMark, ...(sheet === undefined ? {} : { sheet }) };
  const options: ReadOptions = {
    rowsMax: intake.rowsMax,
    bytesMax: intake.bytesMax,
    ...form,
    headerAliases: columns,
  };
  const { file, aliases, questions } = await readSomehow(path, options);
  const proposed = await proposeColumns(file, { stated: columns, guessed: aliases });
  const profile = profileOf(path, file, stated, proposed);
  return {
    profile,
    files: patternOf(path),
    columns: proposed,
    rows: file.table.rowCount,
    headerPlace: file.table.headerPlace,
    questions,
  };
}

type Readable = {
  readonly file: ReadFile;
  readonly aliases: ReadonlyMap<string, string | null>;
  readonly questions: readonly string[];
};

const NO_HEADER: readonly FileRefusalCode[] = ['header_not_found', 'amount_column_missing'];

/** Reads the file as it is, else with a header guessed from its cells, else under a decimal mark that is asked about. */
async function readSomehow(path: string, options: ReadOptions): Promise<Readable> {
  const aliases = options.headerAliases ?? new Map<string, string | null>();
  const first = await attempt(path, options);
  if (!(first instanceof FileRefused)) return { file: first, aliases, questions: [] };
  if (first.code === 'number_ambiguous') return askMark(path, options, first);
  if (!NO_HEADER.includes(first.code)) throw first;
  const guessed = guessHeader((await peekRows(path, options)).rows, aliases);
  if (guessed === null) throw first;
  const second = await attempt(path, { ...options, headerAliases: guessed });
  if (!(second instanceof FileRefused)) return { file: second, aliases: guessed, questions: [] };
  if (second.code === 'number_ambiguous')
    return askMark(path, { ...options, headerAliases: guessed }, second);
  throw NO_HEADER.includes(second.code) ? first : second;
}

async function attempt(path: string, options: ReadOptions): Promise<ReadFile | FileRefused> {
  return readRows(path, options).catch((error: unknown) => {
    if (error instanceof FileRefused) return error;
    throw error;
  });
}

/** Reads on under either mark, so that the rest can be shown; which it is decides about money, so it is asked. */
async function askMark(path: string, options: ReadOptions, refusal: FileRefused): Promise<Readable> {
  const file = await readRows(path, { ...options, decimalMark: ',' });
  const question = `${refusal.fault.en} Say which with --decimal-mark "," or --decimal-mark ".".`;
  return { file, aliases: options.headerAliases ?? new Map<string, string | null>(), questions: [question] };
}

function profileOf(
  path: string,
  file: ReadFile,
  stated: Stated,
  columns: readonly ProposedColumn[],
): Profile {
  const { form } = file.table;
  const taken = columns.map(({ header, column }) => [foldHeader(header), column] as const);
  return {
    name: nameOf(path),
    // A column of which nothing is known is left out rather than forbidden.
    columns: new Map(taken.filter(([header, column]) => column !== null || stated.columns.has(header))),
    constants: stated.constants,
    values: new Map(),
    delimiter: form.kind === 'csv' ? form.delimiter : 'auto',
    encoding: form.kind === 'csv' ? form.encoding.name : 'auto',
    decimalMark:
      stated.decimalMark === 'auto' && file.table.decimalMarks.size === 0 ? 'auto' : markOf(file, stated),
    sheet: form.kind === 'xlsx' ? form.sheet : null,
    layout: layoutOf(file.table),
  };
}

/** A workbook's numbers have no mark. */
function markOf({ table }: ReadFile, { decimalMark }: Stated): Profile['decimalMark'] {
  if (decimalMark !== 'auto') return decimalMark;
  const marks = new Set(table.decimalMarks.values());
  const [only] = marks;
  return table.form.kind === 'xlsx' || only === undefined || marks.size > 1 ? 'auto' : only;
}

/** Months in English, French and Spanish, by their first letters: `nov`, `novembre`, `November`, `noviembre`. */
const MONTH =
  '(?:jan|ene|f[eé]v|feb|mar[sz]|march|avr|apr|abr|mai|may|juin|juil|jun|jul|ao[uû]t|aug|ago|sep|oct|nov|d[eé]c|dic)\\p{L}*';
const CHANGING = new RegExp(`(?<!\\p{L})(?:\\d+|${MONTH})(?:[ ._-]*(?:\\d+|${MONTH}))*(?!\\p{L})`, 'giu');

/** `Sage fournisseurs *.csv` for `Sage fournisseurs 2026-11.csv`: what is a date or a number today is another one tomorrow. */
function patternOf(path: string): string {
  const name = ownName(path).replace(/[[\]{}()*?!+@\\]/g, '?');
  const stem = name.slice(0, name.length - extname(name).length);
  return stem.replace(CHANGING, '*') + extname(name);
}

/** Letters and hyphens, as a file is called on any system. */
function nameOf(path: string): string {
  const stem = basename(ownName(path), extname(path)).normalize('NFKD').toLowerCase();
  const name = stem
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'profile' : name;
}
