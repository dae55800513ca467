// What each column of a file is taken for, how sure that is, and three of its values for a person to judge by.
import { confirmColumn, guessColumns, type Question } from '../../payouts/recognize.ts';
import { HEADER_WITHIN_ROWS, isBlank, mapHeader } from '../../rows/header.ts';
import { foldHeader } from '../../rows/known-columns.ts';
import { meaningIn } from '../../rows/layouts.ts';
import { columnLetters } from '../../rows/cell.ts';
import type { ReadFile } from '../../rows/format.ts';
import type { Column } from '../../rows/row.ts';
import { sameWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';

export type ProposedColumn = {
  readonly header: string;
  /** The letter over the column. */
  readonly letter: string;
  /** The canonical name, or null for a column that is ignored. */
  readonly column: string | null;
  /** 1: the header says so and every cell agrees; null where nothing is taken, or a person has said what it is. */
  readonly confidence: number | null;
  /** Where it is taken from: a person, the header, or only the cells. */
  readonly from: 'stated' | 'header' | 'cells' | null;
  readonly samples: readonly string[];
};

/** Enough cells to tell a habit from an accident, few enough to be quick. */
const LOOKED_AT_MOST = 1_000;

const SAMPLES_MOST = 3;

/** Folded header → canonical name: what a person has said, and beside that what was guessed to read the file at all. */
type Aliases = {
  readonly stated: ReadonlyMap<string, string | null>;
  readonly guessed: ReadonlyMap<string, string | null>;
};

export type Proposed = {
  readonly columns: readonly ProposedColumn[];
  /** What has to be asked about them. */
  readonly questions: readonly Words[];
};

/** Each column of the file; `aliases.guessed` served to read the file at all and is looked at again with all its cells. */
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
    open.map((column) => ({ header: foldWords(column.header), cells: filledIn(column) })),
    taken,
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
    questions: questions.map((question) => questionWords(question, open)),
  };
}

/** What the layout of the market says of a column, also that it is ignored, is no guess. */
function isOfLayout(header: string, { layout }: ReadFile['table']): boolean {
  return layout !== undefined && layout !== null && meaningIn(layout, header) !== undefined;
}

/** `Supplier Name` over numbers alone: the names stand in another column. */
function holdsCodes(canonical: string, cells: readonly string[]): boolean {
  return canonical === 'receiver.name' && cells.length > 0 && cells.every((cell) => !/\p{L}/u.test(cell));
}

function shownColumn({ index, header }: Column, cells: readonly string[]) {
  return { header: header.trim(), letter: columnLetters(index), samples: samplesOf(cells) };
}

/** What a person or the header says. */
function certain(
  { header, canonical }: Column,
  cells: readonly string[],
  { stated }: Aliases,
): Pick<ProposedColumn, 'column' | 'confidence' | 'from'> {
  const from = stated.has(foldHeader(header)) ? 'stated' : 'header';
  if (canonical === null) return { column: null, confidence: null, from };
  // A person's word needs no share of cells beside it.
  return { column: canonical, confidence: from === 'stated' ? null : confirmColumn(cells, canonical), from };
}

function questionWords({ canonical, columns }: Question, open: readonly Column[]): Words {
  const asked = columns.flatMap((position) => open[position] ?? []);
  const names = asked.map(({ header, index }) => `«${header.trim()}» (${columnLetters(index)})`);
  const say = (header: string, column: string) => `--column ${JSON.stringify(`${header.trim()}=${column}`)}`;
  const [first] = asked;
  if (first === undefined) return sameWords('');
  if (canonical === 'amount')
    return sentence('profile.ask.amount', { names: names.join(', '), option: say(first.header, 'amount') });
  return sentence('profile.ask.account', {
    names: names.join(', '),
    canonical,
    yes: say(first.header, canonical),
    no: say(first.header, 'ignore'),
  });
}

/** The filled cells of each column, by its index. */
async function cellsOf(file: ReadFile): Promise<readonly (readonly string[])[]> {
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

/**
 * Headers taken for a column by what stands below them: the first row of texts with rows of the same width below. Of several that may be the
 * amount the first is taken, for the file has to be read before anything can be asked. Null when no row looks like a header.
 */
export function guessHeader(
  rows: readonly (readonly string[])[],
  stated: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string | null> | null {
  const at = headerRow(rows);
  const header = rows[at];
  if (header === undefined) return null;
  const below = rows.slice(at + 1).filter((row) => !isBlank(row));
  const { columns } = mapHeader(header, stated);
  const aliases = new Map(stated);
  const open = columns.filter(
    ({ header: name, canonical }) =>
      canonical === null && foldHeader(name) !== '' && !aliases.has(foldHeader(name)),
  );
  const taken = new Set(columns.flatMap(({ canonical }) => canonical ?? []));
  const { guesses, questions } = guessColumns(
    open.map((column) => ({ header: foldWords(column.header), cells: filled(below, column.index) })),
    taken,
  );
  const amount = questions.find(({ canonical }) => canonical === 'amount')?.columns[0];
  for (const [position, column] of open.entries()) {
    const canonical = position === amount ? 'amount' : guesses.get(position)?.canonical;
    if (canonical !== undefined) aliases.set(foldHeader(column.header), canonical);
  }
  return aliases;
}

/** A header in plain small letters, a space between its words. */
function foldWords(header: string): string {
  const plain = header
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .normalize('NFKD')
    .toLowerCase();
  return plain
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The widest of the first rows in which every cell is a text of its own. */
function headerRow(rows: readonly (readonly string[])[]): number {
  let best = -1;
  let width = 1;
  for (const [index, row] of rows.slice(0, HEADER_WITHIN_ROWS).entries()) {
    const names = row.filter((cell) => cell.trim() !== '');
    const isHeader =
      names.every((cell) => /\p{L}/u.test(cell)) && new Set(names.map(foldHeader)).size === names.length;
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
