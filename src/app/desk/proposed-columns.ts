// What each column of a file is taken for, how sure that is, and three of its values for a person to judge by.
import { confirmColumn, guessColumn } from '../../payouts/recognize.ts';
import { findHeader, HEADER_WITHIN_ROWS } from '../../rows/find-header.ts';
import { foldHeader } from '../../rows/fold-header.ts';
import { canonicalOf } from '../../rows/known-columns.ts';
import { columnLetters } from '../../rows/name-cell.ts';
import type { ReadFile } from '../../rows/read-file.ts';
import type { Column } from '../../rows/row.ts';
import { isBlank } from '../../rows/table-shape.ts';

export type ProposedColumn = {
  readonly header: string;
  /** The letter over the column. */
  readonly letter: string;
  /** The canonical name, or null for a column that is ignored. */
  readonly column: string | null;
  /** 1: the header says so and every cell agrees; null where nothing is taken. */
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

export async function proposeColumns(file: ReadFile, aliases: Aliases): Promise<readonly ProposedColumn[]> {
  const { columns } = file.table;
  const cells = await cellsOf(file);
  const taken = new Set(columns.flatMap(({ canonical }) => canonical ?? []));
  return columns
    .filter(({ header }) => header.trim() !== '')
    .map((column) => propose(column, cells[column.index] ?? [], taken, aliases));
}

function propose(
  column: Column,
  cells: readonly string[],
  taken: Set<string>,
  { stated, guessed }: Aliases,
): ProposedColumn {
  const { index, header, canonical } = column;
  const folded = foldHeader(header);
  const shown = {
    header: header.trim(),
    letter: columnLetters(index),
    column: canonical,
    samples: samplesOf(cells),
  };
  const isStated = stated.has(folded);
  if (canonical === null && isStated) return { ...shown, confidence: null, from: 'stated' };
  if (canonical !== null && (isStated || !guessed.has(folded))) {
    const confidence = confirmColumn(cells, canonical);
    return { ...shown, confidence, from: isStated ? 'stated' : 'header' };
  }
  if (canonical !== null) {
    const guess = guessColumn(cells, new Set([...taken].filter((name) => name !== canonical)));
    return { ...shown, confidence: guess?.confidence ?? 0, from: 'cells' };
  }
  const guess = guessColumn(cells, taken);
  if (guess === null) return { ...shown, column: null, confidence: null, from: null };
  taken.add(guess.canonical);
  return { ...shown, column: guess.canonical, confidence: guess.confidence, from: 'cells' };
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

/** Headers taken for a column by what stands below them: the first row of texts with rows of the same width below. Null when no row looks like it. */
export function guessHeader(
  rows: readonly (readonly string[])[],
  stated: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string | null> | null {
  const at = headerRow(rows);
  const header = rows[at];
  if (header === undefined) return null;
  const below = rows.slice(at + 1).filter((row) => !isBlank(row));
  const known = findHeader([header], stated)?.columns ?? [];
  const taken = new Set(known.flatMap(({ canonical }) => canonical ?? []));
  const aliases = new Map(stated);
  for (const [index, name] of header.entries()) {
    const folded = foldHeader(name);
    if (folded === '' || aliases.has(folded) || (known[index]?.canonical ?? canonicalOf(name)) !== null)
      continue;
    const guess = guessColumn(filled(below, index), taken);
    if (guess === null) continue;
    taken.add(guess.canonical);
    aliases.set(folded, guess.canonical);
  }
  return aliases;
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
