// The rows of an upload, a page at a time, as somebody scrolls through them; pages that were left are let go.
import { useEffect, useRef, useState } from 'preact/hooks';

import { ask, BACKGROUND, query } from './api.ts';
import type { Cell } from './grid.tsx';
import type { Fault, SheetPage, SheetRow } from './shapes.ts';

const PAGE_ROWS = 100;
/** A page takes some ten kilobytes. */
const PAGES_KEPT = 40;
/** A flight over the sheet asks for nothing on its way. */
const SETTLED_MS = 60;

export type Sheet = {
  readonly header: readonly string[];
  readonly rowAt: (index: number) => SheetRow | undefined;
  readonly onSeen: (from: number, to: number) => void;
};

/** @param known how many rows can be read by now: pages that were cut short are read again as it grows. */
export function useSheet(id: string, onlyFaulty: boolean, known: number): Sheet {
  const pages = useRef(new Map<number, readonly SheetRow[]>());
  const asked = useRef(new Set<number>());
  const seen = useRef<readonly [from: number, to: number]>([0, 0]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const turn = useRef(0);
  const [header, setHeader] = useState<readonly string[]>([]);
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
      setHeader((last) => (last.length > 0 ? last : list.header));
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
    header,
    rowAt: (index) => pages.current.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS],
    onSeen: (from, to) => {
      seen.current = [from, to];
      clearTimeout(timer.current);
      timer.current = setTimeout(look, pages.current.size === 0 ? 0 : SETTLED_MS);
    },
  };
}

/** The cell with the fault behind this one, or before it; null where there is none. */
export async function nextFault(id: string, { row, column }: Cell, step: 1 | -1): Promise<Cell | null> {
  const found = await ask<{ readonly fault: Fault | null }>(
    `/uploads/${id}/faults/next${query({ row, column, step })}`,
  );
  return found.fault === null ? null : { row: found.fault.position, column: found.fault.index ?? 0 };
}
