// The results of an upload's check, as a sheet that can be opened at any row while the check continues: a JSON line for each row with its faults,
// and two lists of line positions, one for all rows and one for the rows to correct.
import { type FileHandle, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Words } from '../../base/language.ts';
import type { CellFault, SheetPage as ShownSheet } from '../../contract/uploads.ts';
import type { CorrectedCell } from '../../inbox/manifest.ts';
import { correctedBytes } from '../../results/write-results.ts';
import type { ReadFile } from '../../rows/format.ts';
import { plainHeader } from '../../rows/known-columns.ts';
import { indexOfHeader, type Table } from '../../rows/row.ts';
import type { RowToFill } from '../search/payee-tables.ts';
import type { CheckedRow } from '../workflow/validate/validate-file.ts';

/** One fault of one cell. */
type FoundFault = Omit<CellFault, 'message'> & { readonly words: Words };

type UploadRow = Omit<ShownSheet['data'][number], 'faults'> & {
  readonly faults: readonly FoundFault[];
};

/** A heading of the file, and the column that it is taken for; null where nothing is known of it. */
type SheetColumn = { readonly header: string; readonly column: string | null };

type Part = 'header' | 'rows' | 'all' | 'faulty' | 'payees';

/** The results of one check. A check that begins again, with another document, writes its own files, so that readers of the old ones are not disturbed. */
export type SheetPlace = { readonly folder: string; readonly version: number };

function partOf({ folder, version }: SheetPlace, part: Part): string {
  return join(folder, `.sheet.${String(version)}.${part}`);
}

async function removeOlder({ folder, version }: SheetPlace): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, written] = /^\.sheet\.(\d+)\./.exec(name) ?? [];
    if (written !== undefined && Number(written) !== version) await rm(join(folder, name), { force: true });
  }
}

/** The start and end of a line, and its row: three numbers of eight bytes. */
const PLACE_BYTES = 24;

/** The size of one write, because a file may have a million rows. The first fault is written at once. */
const WRITTEN_CHARACTERS = 256 * 1024;

type Files = readonly [lines: FileHandle, all: FileHandle, faulty: FileHandle, payees: FileHandle];

/** Many more rows than anybody corrects at the page. */
const TO_FILL_MOST = 20_000;

export class SheetWriter {
  readonly #files: Files;
  readonly #table: Table;
  #text: string[] = [];
  #toFill: string[] = [];
  #toFillCount = 0;
  #characters = 0;
  #end = 0;
  #places: number[] = [];
  #faulty: number[] = [];
  #isFirstFault = true;
  /** The rows that can be read by now. */
  rows = 0;
  faulty = 0;

  private constructor(files: Files, table: Table) {
    this.#files = files;
    this.#table = table;
  }

  static async open(place: SheetPlace, table: Table): Promise<SheetWriter> {
    await removeOlder(place);
    const fresh = (part: Part) => open(partOf(place, part), 'w', 0o600);
    const [rows, all] = [await fresh('rows'), await fresh('all')];
    const files: Files = [rows, all, await fresh('faulty'), await fresh('payees')];
    const width = Math.max(0, ...table.columns.map(({ index }) => index + 1));
    const columns: SheetColumn[] = Array.from({ length: width }, () => ({ header: '', column: null }));
    for (const { index, header, canonical } of table.columns) columns[index] = { header, column: canonical };
    await writeFile(partOf(place, 'header'), JSON.stringify(columns), { mode: 0o600 });
    return new SheetWriter(files, table);
  }

  /** True when more can be read than before. @param toFill what its payee lacks; null for nothing. */
  async take({ row, rejections }: CheckedRow, toFill: RowToFill | null = null): Promise<boolean> {
    const { position, place, cells } = row;
    const faults: readonly FoundFault[] = rejections.map(({ code, column, words }) => ({
      ...{ row: place, position, column, index: indexOfHeader(this.#table, column), code, words },
    }));
    const line = `${JSON.stringify({ row: place, position, cells, faults } satisfies UploadRow)}\n`;
    const begin = this.#end;
    this.#end += Buffer.byteLength(line);
    this.#text.push(line);
    this.#characters += line.length;
    this.#places.push(begin, this.#end, position);
    if (faults.length > 0) this.#faulty.push(begin, this.#end, position);
    if (toFill !== null && ++this.#toFillCount <= TO_FILL_MOST)
      this.#toFill.push(`${JSON.stringify(toFill)}\n`);
    const isAtOnce = this.#isFirstFault && faults.length > 0;
    if (!isAtOnce && this.#characters < WRITTEN_CHARACTERS) return false;
    this.#isFirstFault &&= faults.length === 0;
    await this.#flush();
    return true;
  }

  async close(): Promise<void> {
    await this.#flush();
    for (const file of this.#files) await file.close();
  }

  /** A line is written before its position is. */
  async #flush(): Promise<void> {
    const [lines, all, faulty, payees] = this.#files;
    await lines.appendFile(this.#text.join(''));
    await all.appendFile(bytesOf(this.#places));
    await faulty.appendFile(bytesOf(this.#faulty));
    await payees.appendFile(this.#toFill.join(''));
    this.rows += this.#places.length / NUMBERS;
    this.faulty += this.#faulty.length / NUMBERS;
    this.#text = [];
    this.#toFill = [];
    this.#characters = 0;
    this.#places = [];
    this.#faulty = [];
  }
}

const NUMBERS = 3;

function bytesOf(numbers: readonly number[]): Uint8Array {
  return new Uint8Array(Float64Array.from(numbers).buffer);
}

export type SheetPage = {
  readonly header: readonly string[];
  /** What each column is taken for, and how people call it; null for one that is not read. */
  readonly columns: readonly ({ readonly column: string; readonly words: Words } | null)[];
  readonly rows: readonly UploadRow[];
};

/** Rows from a position on, counted among all or among those to correct; fewer where no more can be read by now. */
export async function readSheet(
  sheetPlace: SheetPlace,
  onlyFaulty: boolean,
  at: number,
  limit: number,
): Promise<SheetPage> {
  const said = await readFile(partOf(sheetPlace, 'header'), 'utf8').catch(() => '[]');
  const columns = JSON.parse(said) as readonly SheetColumn[];
  const rows = await reading(sheetPlace, onlyFaulty ? 'faulty' : 'all', async (sheet) => {
    const places = await sheet.places(at, limit);
    return Promise.all(places.map((place) => sheet.row(place)));
  });
  return {
    header: columns.map(({ header }) => header),
    columns: columns.map(({ column }) => (column === null ? null : { column, words: plainHeader(column) })),
    rows: rows ?? [],
  };
}

/** Faults after a position, as far as they can be read by now; `next` is the position after the last of them. */
export async function readFaults(
  sheetPlace: SheetPlace,
  { entry, fault }: FaultPlace,
  limit: number,
): Promise<{ readonly faults: readonly FoundFault[]; readonly next: FaultPlace | null }> {
  const found = await reading(sheetPlace, 'faulty', async (sheet) => {
    const places = await sheet.places(entry, limit + 1);
    const rows = await Promise.all(places.slice(0, limit).map((place) => sheet.row(place)));
    const all = rows.flatMap(({ faults }, at) =>
      faults.map((each, index) => ({ each, place: { entry: entry + at, fault: index } })),
    );
    const from = all.slice(fault);
    const next = from[limit]?.place ?? (places.length > limit ? { entry: entry + limit, fault: 0 } : null);
    return { faults: from.slice(0, limit).map(({ each }) => each), next };
  });
  return found ?? { faults: [], next: null };
}

/** The index of the row among those to correct, and the index of the fault in that row. */
type FaultPlace = { readonly entry: number; readonly fault: number };

/** The fault after a cell, or before it; null where there is none. */
export async function findFault(
  sheetPlace: SheetPlace,
  { row, column }: { readonly row: number; readonly column: number },
  step: 1 | -1,
): Promise<FoundFault | null> {
  return reading(sheetPlace, 'faulty', async (sheet) => {
    const first = await sheet.firstFrom(row);
    const entries = step === 1 ? [first, first + 1] : [first, first - 1];
    for (const entry of entries.filter((each) => each >= 0)) {
      const [place] = await sheet.places(entry, 1);
      if (place === undefined) continue;
      const { position, faults } = await sheet.row(place);
      const sorted = faults.toSorted((one, other) => (one.index ?? -1) - (other.index ?? -1));
      const isBehind = ({ index }: FoundFault) =>
        step === 1
          ? position > row || (index ?? -1) > column
          : position < row || (position === row && (index ?? -1) < column);
      const found = step === 1 ? sorted.find(isBehind) : sorted.findLast(isBehind);
      if (found !== undefined) return found;
    }
    return null;
  });
}

/** Rows whose payee lacks something, as far as they can be read by now. */
export async function* readToFill(sheetPlace: SheetPlace): AsyncGenerator<readonly RowToFill[]> {
  const file = await open(partOf(sheetPlace, 'payees')).catch(() => null);
  if (file === null) return;
  let rest = '';
  for await (const piece of file.createReadStream({ encoding: 'utf8', highWaterMark: PIECE_BYTES })) {
    const lines = `${rest}${String(piece)}`.split('\n');
    // What stands behind the last end of a line is still being written, or in the next piece.
    rest = lines.pop() ?? '';
    yield lines.map((line) => JSON.parse(line) as RowToFill);
  }
}

/** About a hundred rows. */
const PIECE_BYTES = 64 * 1024;

type RowSpan = { readonly begin: number; readonly end: number; readonly position: number };

type OpenSheet = {
  readonly places: (from: number, limit: number) => Promise<readonly RowSpan[]>;
  readonly row: (place: RowSpan) => Promise<UploadRow>;
  /** The first entry of a row that is not above this one. */
  readonly firstFrom: (position: number) => Promise<number>;
};

/** Null where nothing has been checked yet. */
async function reading<T>(
  place: SheetPlace,
  which: 'all' | 'faulty',
  work: (sheet: OpenSheet) => Promise<T>,
): Promise<T | null> {
  const list = await open(partOf(place, which)).catch(() => null);
  if (list === null) return null;
  const lines = await open(partOf(place, 'rows')).catch(() => null);
  try {
    return lines === null ? null : await work(sheetOf(list, lines));
  } finally {
    await list.close();
    await lines?.close();
  }
}

function sheetOf(list: FileHandle, lines: FileHandle): OpenSheet {
  const places: OpenSheet['places'] = async (from, limit) => {
    const room = new Uint8Array(limit * PLACE_BYTES);
    const { bytesRead } = await list.read(room, 0, room.byteLength, from * PLACE_BYTES);
    const numbers = new Float64Array(room.buffer, 0, Math.floor(bytesRead / PLACE_BYTES) * NUMBERS);
    return Array.from({ length: numbers.length / NUMBERS }, (_, at) => {
      const [begin = 0, end = 0, position = 0] = numbers.subarray(at * NUMBERS);
      return { begin, end, position };
    });
  };
  const row: OpenSheet['row'] = async ({ begin, end }) => {
    const { buffer } = await lines.read(Buffer.alloc(end - begin), 0, end - begin, begin);
    return JSON.parse(buffer.toString('utf8')) as UploadRow;
  };
  const firstFrom: OpenSheet['firstFrom'] = async (position) => {
    let [low, high] = [0, Math.floor((await list.stat()).size / PLACE_BYTES)];
    while (low < high) {
      const middle = (low + high) >> 1;
      const [place] = await places(middle, 1);
      if ((place?.position ?? Infinity) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { places, row, firstFrom };
}

// Cells that a person corrects on the page: the file is written again with them, and what they said before stays known to whoever approves it.

/** Text for a cell, by the positions of its row and its column, from 0. */
export type CellText = { readonly row: number; readonly column: number; readonly text: string };

/** More than that is work for a spreadsheet program, and nobody who approves would read it. */
export const CORRECTED_MOST = 500;

/** Null where a cell is not in the sheet, or the file cannot be written again. @param earlier the cells that were corrected before. */
export async function correctCells(
  read: ReadFile,
  place: SheetPlace,
  cells: readonly CellText[],
  earlier: readonly CorrectedCell[],
): Promise<{
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly corrected: readonly CorrectedCell[];
} | null> {
  // A message is more than its rows, and columns that are called by their letters have no header to be written.
  if (read.table.message !== undefined || read.table.headerPlace === '0') return null;
  const corrections = new Map<number, Map<number, string>>();
  const sent = new Map<number, readonly string[]>();
  let corrected = earlier;
  for (const { row, column: at, text } of cells) {
    const { header, rows } = await readSheet(place, false, row, 1);
    const [column, before] = [header[at], rows[0]?.cells[at]];
    if (column === undefined || before === undefined) return null;
    const ofRow = corrections.get(row) ?? new Map<number, string>();
    corrections.set(row, ofRow.set(at, text));
    sent.set(row, rows[0]?.cells ?? []);
    corrected = withCell(corrected, { position: row, column, before, after: text });
  }
  // An empty row is none, and every later one would take its place in what the approver sees.
  for (const [row, cells] of sent)
    if (cells.every((cell, at) => (corrections.get(row)?.get(at) ?? cell).trim() === '')) return null;
  return corrected.length > CORRECTED_MOST ? null : { bytes: correctedBytes(read, corrections), corrected };
}

/** A cell that is corrected again keeps the text that was sent first; one that is back to it was not corrected. */
function withCell(corrected: readonly CorrectedCell[], cell: CorrectedCell): readonly CorrectedCell[] {
  const isSame = (each: CorrectedCell) => each.position === cell.position && each.column === cell.column;
  const { before } = corrected.find(isSame) ?? cell;
  const others = corrected.filter((each) => !isSame(each));
  return before === cell.after ? others : [...others, { ...cell, before }];
}
