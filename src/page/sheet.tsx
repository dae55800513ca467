// The rows of an upload, a page at a time, as somebody scrolls through them; pages that were left are let go.
import { useEffect, useRef, useState } from 'preact/hooks';

import type { CellFault, NextFault, SheetPage } from '../contract/uploads.ts';
import type { TypedRow } from './typing.ts';
import { ask, BACKGROUND, query } from './api.ts';
import type { Cell, GridColumn } from './grid.tsx';

const PAGE_ROWS = 100;
/** A page takes some ten kilobytes. */
const PAGES_KEPT = 40;
/** A flight over the sheet asks for nothing on its way. */
const SETTLED_MS = 60;

export type Sheet = Pick<SheetPage, 'header' | 'columns'> & {
  readonly rowAt: (index: number) => TypedRow | undefined;
  readonly onSeen: (from: number, to: number) => void;
  /** The rows that are at hand. */
  readonly loaded: () => readonly TypedRow[];
};

/** @param known how many rows can be read by now: pages that were cut short are read again as it grows. */
export function useSheet(id: string, onlyFaulty: boolean, known: number): Sheet {
  const pages = useRef(new Map<number, readonly TypedRow[]>());
  const asked = useRef(new Set<number>());
  const seen = useRef<readonly [from: number, to: number]>([0, 0]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const turn = useRef(0);
  const [head, setHead] = useState<Pick<SheetPage, 'header' | 'columns'>>({ header: [], columns: [] });
  const [, draw] = useState(0);

  const read = async (page: number): Promise<void> => {
    const mine = turn.current;
    asked.current.add(page);
    try {
      const at = page * PAGE_ROWS;
      const filter = query({ at, limit: PAGE_ROWS, faulty: onlyFaulty ? 'true' : null });
      const list = await ask<SheetPage>(`/uploads/${id}/rows${filter}`, { headers: BACKGROUND });
      if (mine !== turn.current) return;
      pages.current.set(page, list.data);
      setHead((last) => (last.header.length > 0 ? last : list));
      for (const old of [...pages.current.keys()].slice(0, -PAGES_KEPT)) pages.current.delete(old);
      draw((n) => n + 1);
    } catch {
      // It is asked for again as soon as it is looked at again.
      pages.current.delete(page);
    } finally {
      asked.current.delete(page);
    }
  };
  const look = (): void => {
    const [from, to] = seen.current;
    for (let page = Math.floor(from / PAGE_ROWS); page * PAGE_ROWS < to; page += 1) {
      const rows = pages.current.get(page);
      const isWhole =
        rows !== undefined && (rows.length === PAGE_ROWS || page * PAGE_ROWS + rows.length >= known);
      if (!isWhole && !asked.current.has(page)) void read(page);
    }
  };
  useEffect(() => {
    turn.current += 1;
    pages.current.clear();
    asked.current.clear();
    look();
    draw((n) => n + 1);
  }, [id, onlyFaulty]);
  useEffect(look, [known]);

  return {
    ...head,
    rowAt: (index) => pages.current.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS],
    loaded: () => [...pages.current.values()].flat(),
    onSeen: (from, to) => {
      seen.current = [from, to];
      clearTimeout(timer.current);
      timer.current = setTimeout(look, pages.current.size === 0 ? 0 : SETTLED_MS);
    },
  };
}

/** The cell with the fault behind this one, or before it; null where there is none. */
export async function nextFault(id: string, { row, column }: Cell, step: 1 | -1): Promise<Cell | null> {
  const found = await ask<NextFault>(`/uploads/${id}/faults/next${query({ row, column, step })}`);
  return found.fault === null ? null : { row: found.fault.position, column: found.fault.index ?? 0 };
}

// The order of the columns: what tells a payment from the others stays in view, and in a list of faults their columns come next.

const NAMES = ['receiver.registeredName', 'receiver.fullName', 'receiver.name', 'receiver.lastName'];

/** @param faulty columns with faults that are to stand beside the frozen ones. */
export function gridColumns(
  { header, columns }: Pick<Sheet, 'header' | 'columns'>,
  faulty: ReadonlySet<number>,
): readonly GridColumn[] {
  const indexOf = (name: string): number => columns.findIndex((known) => known?.column === name);
  const name = NAMES.map(indexOf).find((index) => index >= 0) ?? -1;
  const frozen = [indexOf('reference'), name].filter((index) => index >= 0);
  const rankOf = (index: number): number => (frozen.includes(index) ? 0 : faulty.has(index) ? 1 : 2);
  return header
    .map((own, index): GridColumn => {
      const title = columns[index]?.title ?? own;
      return { index, title, header: title === own ? null : own, isFrozen: frozen.includes(index) };
    })
    .toSorted((one, other) => rankOf(one.index) - rankOf(other.index));
}

// What is wrong in many rows is corrected once.

/** Rows to correct are read up to so many to find those of a kind. */
const KIND_PAGES = 5;
const KIND_PAGE_ROWS = 200;

/** The cells of other rows with the same text and the same fault in the same column. */
export async function alikeCells(id: string, fault: CellFault, text: string): Promise<readonly Cell[]> {
  const found: Cell[] = [];
  for (let page = 0; page < KIND_PAGES; page += 1) {
    const filter = query({ at: page * KIND_PAGE_ROWS, limit: KIND_PAGE_ROWS, faulty: 'true' });
    const { data } = await ask<SheetPage>(`/uploads/${id}/rows${filter}`, { headers: BACKGROUND });
    for (const { position, cells, faults } of data) {
      const isAlike = faults.some(({ index, code }) => index === fault.index && code === fault.code);
      if (isAlike && position !== fault.position && fault.index !== null && cells[fault.index] === text)
        found.push({ row: position, column: fault.index });
    }
    if (data.length < KIND_PAGE_ROWS) break;
  }
  return found;
}

const SUGGESTED_MOST = 4;

/** What other rows without a fault say in this column: the nearest spellings first, or all, where they are few. */
export function suggestions(rows: readonly TypedRow[], column: number, text: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const { cells, faults } of rows) {
    const said = cells[column] ?? '';
    if (said === '' || said === text || faults.some(({ index }) => index === column)) continue;
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  // What stands once may be as wrong as this; an amount is near to many.
  const repeated = [...counts].filter(([, times]) => times > 1).map(([said]) => said);
  const near = repeated.filter((said) => distance(said.toLowerCase(), text.toLowerCase()) <= 2);
  if (near.length > 0)
    return near.toSorted((a, b) => distance(a, text) - distance(b, text)).slice(0, SUGGESTED_MOST);
  const isClosed = counts.size <= SUGGESTED_MOST && repeated.length === counts.size;
  return isClosed ? repeated : [];
}

/** Levenshtein distance; beyond a few signs nobody asks how many. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let before = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, sign] of Array.from(one).entries()) {
    const line = [row + 1];
    for (const [at, with_] of Array.from(other).entries())
      line.push(
        Math.min(
          (line[at] ?? 0) + 1,
          (before[at + 1] ?? 0) + 1,
          (before[at] ?? 0) + (sign === with_ ? 0 : 1),
        ),
      );
    before = line;
  }
  return before.at(-1) ?? 0;
}
