// The proposed meaning of each column of a file, how sure it is, and three of its values for a person to judge by.
import type { Hint, ProposedColumn, SplitSamples } from '../../contract/columns.ts';
import { NAME_ORDERS, SPLIT_RULES, type SplitRule } from '../../contract/words.ts';
import { confirmColumn, guessColumns } from '../../payouts/recognize.ts';
import { HEADER_WITHIN_ROWS, type HeaderKind, isBlank, mapHeader } from '../../rows/header.ts';
import { isForeign, plainWords } from '../../rows/header-aliases.ts';
import { withFileName } from '../../rows/file-refused.ts';
import { foldHeader, namedHeader, plainHeader } from '../../rows/known-columns.ts';
import { decidedMeaning } from '../../rows/layouts.ts';
import { unitOfHeader } from '../../rows/units.ts';
import { columnLetters, splitName } from '../../rows/cell.ts';
import type { ReadFile } from '../../rows/format.ts';
import type { Profile } from '../../rows/profile.ts';
import type { Column } from '../../rows/row.ts';
import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { IGNORE } from '../config/profile-file.ts';
import type { AskedOnce } from './asked-once.ts';
import { sentence } from '../../messages/messages.ts';

/** Enough cells to tell a habit from an accident, and few enough to be quick. */
const LOOKED_AT_MOST = 1_000;

const SAMPLES_MOST = 3;

/** Folded header → canonical name: those from a person, and separately those guessed to make the file readable. */
type Aliases = {
  readonly stated: ReadonlyMap<string, string | null>;
  readonly guessed: ReadonlyMap<string, string | null>;
};

/** What only a person can say. `answers`: what the columns may be taken for, where one of these is all there is to say. */
export type ColumnQuestion = {
  readonly words: Words;
  readonly answers: readonly { readonly header: string; readonly column: string }[];
};

type Proposed = {
  readonly columns: readonly ProposedColumn[];
  /** Questions about the columns. */
  readonly questions: readonly ColumnQuestion[];
};

/** Each column of the file. `aliases.guessed` made the file readable, and is judged again by all cells of the column. */
export async function proposeColumns(file: ReadFile, aliases: Aliases): Promise<Proposed> {
  const named = file.table.columns.filter(({ header }) => header.trim() !== '');
  const cells = await cellsOf(file);
  const filledIn = ({ index }: Column) => cells[index] ?? [];
  const isOpen = ({ index, header, canonical }: Column) => {
    const folded = foldHeader(header);
    if (aliases.stated.has(folded) || isOfLayout(header, file.table)) return false;
    return canonical === null || aliases.guessed.has(folded) || holdsCodes(canonical, cells[index] ?? []);
  };
  const open = named.filter(isOpen);
  const taken = new Set(named.flatMap((column) => (isOpen(column) ? [] : (column.canonical ?? []))));
  const { guesses, questions } = guessColumns(
    open.map((column) => ({ header: plainWords(column.header), cells: filledIn(column) })),
    taken,
    isForeign(named.map(({ header }) => header)),
  );
  return {
    columns: named.map((column) => {
      const shown = shownColumn(column, filledIn(column));
      const position = open.indexOf(column);
      if (position < 0) return { ...shown, ...certain(column, filledIn(column), aliases) };
      const guess = guesses.get(position);
      if (guess === undefined) return { ...shown, column: null, confidence: null, from: null };
      return { ...shown, column: guess.canonical, confidence: guess.confidence, from: 'cells' };
    }),
    questions: questions.map((question) =>
      questionWords(
        question.canonical,
        question.columns.flatMap((position) => open[position] ?? []),
        filledIn,
      ),
    ),
  };
}

/** A market layout's entry for a column, also one that ignores it, is no guess. */
function isOfLayout(header: string, { layout }: ReadFile['table']): boolean {
  return decidedMeaning(header, { layout }) !== undefined;
}

/** `Supplier Name` over numbers alone: the names are in another column. */
function holdsCodes(canonical: string, cells: readonly string[]): boolean {
  return canonical === 'receiver.name' && cells.length > 0 && cells.every((cell) => !/\p{L}/u.test(cell));
}

function shownColumn({ index, header }: Column, cells: readonly string[]) {
  return { header: header.trim(), letter: columnLetters(index), samples: samplesOf(cells) };
}

/** The meaning from a person or the header. */
function certain(
  { header, canonical }: Column,
  cells: readonly string[],
  { stated }: Aliases,
): Pick<ProposedColumn, 'column' | 'confidence' | 'from'> {
  const from = stated.has(foldHeader(header)) ? 'stated' : 'header';
  if (canonical === null) return { column: null, confidence: null, from };
  // A person's word needs no support from cells.
  return { column: canonical, confidence: from === 'stated' ? null : confirmColumn(cells, canonical), from };
}

function questionWords(
  canonical: string,
  asked: readonly Column[],
  filledIn: (column: Column) => readonly string[],
): ColumnQuestion {
  const [first] = asked;
  if (first === undefined) return { words: sameWords(''), answers: [] };
  const names = asked.map(({ header, index }) => `«${header.trim()}» (${columnLetters(index)})`).join(', ');
  if (canonical === 'amount') return amountQuestion(asked, filledIn);
  if (canonical === 'receiver.name')
    return {
      words: sentence('profile.ask.name', { names, option: columnOption(first, canonical) }),
      answers: answersOf(asked, canonical),
    };
  const [yes, no] = [columnOption(first, canonical), columnOption(first, IGNORE)];
  return {
    words: sentence('profile.ask.account', { names, canonical, yes, no }),
    answers: [...answersOf(asked, canonical), ...answersOf(asked, IGNORE)],
  };
}

/** Which of several amounts is paid, with what stands in them. */
export function amountQuestion(
  asked: readonly Column[],
  filledIn: (column: Column) => readonly string[],
): ColumnQuestion {
  const shown = asked.map((column) => {
    const samples = samplesOf(filledIn(column)).join(' | ');
    return `«${column.header.trim()}» (${columnLetters(column.index)}: ${samples})`;
  });
  const [first] = asked;
  const option = first === undefined ? '' : columnOption(first, 'amount');
  return {
    words: sentence('profile.ask.amount', { names: shown.join(', '), option }),
    answers: answersOf(asked, 'amount'),
  };
}

export function answersOf(asked: readonly Column[], column: string): ColumnQuestion['answers'] {
  return asked.map(({ header }) => ({ header: header.trim(), column }));
}

function columnOption({ header }: Column, column: string): string {
  const unit = column === 'amount' ? unitOfHeader(header) : null;
  const scale = unit === null ? '' : ` --scale ${unit.scale}`;
  return `--column ${JSON.stringify(`${header.trim()}=${column}`)}${scale}`;
}

/** The filled cells of each column, by its index. */
export async function cellsOf(file: ReadFile): Promise<readonly (readonly string[])[]> {
  const cells: string[][] = file.table.columns.map(() => []);
  for await (const row of file.rows()) {
    for (const [index, cell] of row.cells.entries()) if (cell.trim() !== '') cells[index]?.push(cell);
    if (row.position + 1 >= LOOKED_AT_MOST) break;
  }
  return cells;
}

function samplesOf(cells: readonly string[]): readonly string[] {
  return [...new Set(cells.map((cell) => cell.trim()))].slice(0, SAMPLES_MOST);
}

/** How a file can be read of which no header is known. */
type GuessedHeader = {
  readonly kind: HeaderKind;
  readonly aliases: ReadonlyMap<string, string | null>;
};

/**
 * Headers, or letters of columns, taken for a column by what stands below them: the first row of texts with rows of the same width below; letters where a
 * row of data comes first. Of several columns that may be the amount the first is taken, for the file has to be read before anything can be asked.
 */
export function guessHeader(
  rows: readonly (readonly string[])[],
  stated: ReadonlyMap<string, string | null>,
): GuessedHeader | null {
  const at = headerRow(rows);
  const header = rows[at];
  const first = rows.find((row) => !isBlank(row)) ?? [];
  if (header === undefined || (at > rows.indexOf(first) && isData(first))) {
    if (!isData(first)) return null;
    const letters = Array.from({ length: Math.max(...rows.map(({ length }) => length)) }, (_, index) =>
      columnLetters(index),
    );
    return { kind: 'none', aliases: guessUnder(letters, rows, stated, () => null) };
  }
  const { columns } = mapHeader(header, stated);
  const known = (index: number) => columns[index]?.canonical ?? null;
  return { kind: at + 1, aliases: guessUnder(header, rows.slice(at + 1), stated, known) };
}

/** A row in which numbers, or somebody's account, stand next to other cells. */
function isData(row: readonly string[]): boolean {
  const filled = row.map((cell) => cell.trim()).filter((cell) => cell !== '');
  return filled.length > 1 && filled.some((cell) => /^[+-]?\d[\d .,']*$/.test(cell));
}

function guessUnder(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  stated: ReadonlyMap<string, string | null>,
  known: (index: number) => string | null,
): ReadonlyMap<string, string | null> {
  const aliases = new Map(stated);
  const below = rows.filter((row) => !isBlank(row));
  const folded = headers.map(foldHeader);
  const open = headers.flatMap((header, index) => {
    const name = foldHeader(header);
    // Of two columns of one name neither can be named.
    const isNamed = name !== '' && folded.indexOf(name) === folded.lastIndexOf(name);
    const isOpen = known(index) === null && isNamed && !aliases.has(name);
    return isOpen ? [{ header, cells: filled(below, index) }] : [];
  });
  const said = [...stated.values(), ...headers.map((_, index) => known(index))];
  const { guesses, questions } = guessColumns(
    open.map(({ header, cells }) => ({ header: plainWords(header), cells })),
    new Set(said.filter((canonical) => canonical !== null)),
    isForeign(headers),
  );
  const amount = questions.find(({ canonical }) => canonical === 'amount')?.columns[0];
  for (const [position, { header }] of open.entries()) {
    const canonical = position === amount ? 'amount' : guesses.get(position)?.canonical;
    if (canonical !== undefined) aliases.set(foldHeader(header), canonical);
  }
  return aliases;
}

/** The widest of the first rows in which every cell is a text, one of them twice at most: some programs write a header so. */
function headerRow(rows: readonly (readonly string[])[]): number {
  let best = -1;
  let width = 1;
  for (const [index, row] of rows.slice(0, HEADER_WITHIN_ROWS).entries()) {
    const names = row.filter((cell) => cell.trim() !== '');
    const isHeader =
      names.every((cell) => /\p{L}/u.test(cell)) && new Set(names.map(foldHeader)).size >= names.length - 1;
    if (isHeader && names.length > width) {
      best = index;
      width = names.length;
    }
  }
  return best;
}

function filled(rows: readonly (readonly string[])[], index: number): readonly string[] {
  return rows.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== '');
}

/** What the rules that a person has stated make of the first cells. */
export async function splitSamples(
  file: ReadFile,
  { split }: Pick<Profile, 'split'>,
): Promise<readonly SplitSamples[]> {
  const found: SplitSamples[] = [];
  for (const [folded, { into, by }] of split) {
    const column = file.table.columns.find(({ header }) => foldHeader(header) === folded);
    const samples: { cell: string; parts: readonly [string, string] }[] = [];
    let whole = 0;
    for await (const { cells } of file.rows()) {
      const cell = (cells[column?.index ?? -1] ?? '').trim();
      const parts = splitName(cell, by);
      if (parts === null) whole += cell === '' ? 0 : 1;
      else if (samples.length < SPLIT_SAMPLES) samples.push({ cell, parts });
    }
    found.push({ header: column?.header.trim() ?? folded, into, samples, whole });
  }
  return found;
}

const SPLIT_SAMPLES = 3;

// What may fill the gaps of a trial.

/** All but what a word of the file means. */
export type GapHint = Exclude<Hint, { readonly kind: 'value' }>;

/** @param lacking by canonical name, also what rows lack whose corridor is still open. */
export function hintsOf(
  faults: readonly { readonly code: string; readonly column: string }[],
  lacking: ReadonlySet<string>,
  columns: readonly ProposedColumn[],
): readonly GapHint[] {
  const isMissing = (column: string) =>
    lacking.has(column) || faults.some((fault) => fault.column === column);
  const name = columns.find(({ column }) => column === 'receiver.name');
  const rule = name === undefined ? undefined : SPLIT_RULES.find((by) => splitsAll(name, by));
  const hints: GapHint[] = [];
  const isUndecided = faults.some(({ code }) => code === 'person_name_undecided');
  if (name !== undefined && rule !== undefined && !isUndecided && isMissing('receiver.lastName'))
    hints.push({ kind: 'split', header: name.header, into: partsOf(name, rule), by: rule });
  const whole = columns.find(
    ({ column }) => column === 'receiver.name' || column === 'receiver.registeredName',
  );
  if (isUndecided) hints.push(...NAME_ORDERS.map((order) => ({ kind: 'names', order }) as const));
  const telephone = columns.some(({ column }) => column === 'receiver.msisdn');
  if (telephone && isMissing(WALLET)) hints.push({ kind: 'same', column: WALLET, other: 'receiver.msisdn' });
  if (typeof whole?.column === 'string' && isMissing(HOLDER))
    hints.push({ kind: 'same', column: HOLDER, other: whole.column });
  return hints;
}

const HOLDER = 'delivery.bankAccountHolderFullName';
const WALLET = 'delivery.msisdn';

function splitsAll({ samples }: ProposedColumn, by: SplitRule): boolean {
  return samples.length > 0 && samples.every((cell) => splitName(cell, by) !== null);
}

/** Words in capitals are the family name, and so is the part before a comma; otherwise the header says which comes first. */
function partsOf({ header }: ProposedColumn, rule: SplitRule): readonly [string, string] {
  const isFirstNameFirst = rule.endsWith('word') && /^(?:pr[eé]nom|first|given)/i.test(header);
  return isFirstNameFirst
    ? ['receiver.firstName', 'receiver.lastName']
    : ['receiver.lastName', 'receiver.firstName'];
}

// The words for what a column is taken for, and for what its rows lack.

/** A column's plain name, with the interface's in parentheses. */
export const namedColumn = namedHeader;

/** The plain name alone, which is read back as the column. */
export const plainColumn = plainHeader;

type TrialFault = { readonly column: string; readonly rows: number; readonly words: Words };

/** The faults of a trial, a line for each reason, with commands ready to copy. */
export function trialWords(faults: readonly TrialFault[], fileName: string): readonly Words[] {
  const reasons = [...Map.groupBy(faults, ({ rows, words }) => `${String(rows)} ${words.en}`).values()];
  return reasons.map((group) => {
    const [{ rows, words } = { rows: 0, words: sameWords('') }] = group;
    const columns = group.map(({ column }) => namedColumn(column));
    const told = withFileName(words, fileName);
    return sentence('proposal.fault', { rows, column: joinWords(columns, ', '), words: told });
  });
}

/** More than this nobody reads. */
const CHOICES_MOST = 12;

/** What may be written, in words: `XOF: what the receivers get; EUR, XAF: what is sent`, or the choices alone. */
export function choiceWords({ choices, meanings }: Pick<AskedOnce, 'choices' | 'meanings'>): Words {
  const shown = choices.slice(0, CHOICES_MOST).map((choice, at) => ({ choice, meaning: meanings[at] }));
  const groups = [...Map.groupBy(shown, ({ meaning }) => meaning?.en)].map(([, each]) => {
    const label = joinWords(
      each.map(({ choice }) => choice),
      ', ',
    );
    const [{ meaning } = {}] = each;
    return meaning === undefined ? label : sentence('labelled', { label, words: meaning });
  });
  const more = choices.length > CHOICES_MOST ? [sameWords(', …')] : [];
  return joinWords([joinWords(groups, sentence('list.semicolon')), ...more], '');
}
