// The rows of an upload, a page at a time, as somebody scrolls through them; pages that were left are let go. Its cells are corrected right here: typed one
// after the other, then checked together as a new file.
import { useEffect, useRef, useState } from 'preact/hooks';

import { ask, BACKGROUND, query } from './api.ts';
import { useOrder } from './data.ts';
import type { Cell } from './grid.tsx';
import { t } from './language.ts';
import { Button, Field, Note, Trouble } from './parts.tsx';
import { go } from './router.tsx';
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

/** Text for a cell, by the positions of its row in the file and of its column. */
type Typed = { readonly row: number; readonly column: number; readonly text: string };

export type Typing = {
  readonly typed: readonly Typed[];
  readonly type: (cell: Typed) => void;
  readonly clear: () => void;
  /** The row with what was typed into it. */
  readonly shown: (row: SheetRow | undefined) => SheetRow | undefined;
};

export function useTyping(): Typing {
  const [typed, setTyped] = useState<readonly Typed[]>([]);
  const type = (cell: Typed): void =>
    setTyped((before) => [
      ...before.filter(({ row, column }) => row !== cell.row || column !== cell.column),
      cell,
    ]);
  const shown: Typing['shown'] = (row) => {
    if (typed.length === 0) return row;
    const own = typed.filter((each) => each.row === row?.position);
    if (row === undefined || own.length === 0) return row;
    const textAt = (column: number) => own.find((each) => each.column === column)?.text;
    return {
      ...row,
      cells: row.cells.map((cell, column) => textAt(column) ?? cell),
      faults: row.faults.filter(({ index }) => index === null || textAt(index) === undefined),
      typed: own.map(({ column }) => column),
    };
  };
  return { typed, type, clear: () => setTyped([]), shown };
}

/** The way from fault to fault. */
export function FaultBar({
  onlyFaulty,
  onFilter,
  goToFault,
}: {
  readonly onlyFaulty: boolean;
  readonly onFilter: (isOn: boolean) => void;
  readonly goToFault: (step: 1 | -1) => void;
}) {
  return (
    <div class="filters">
      <label class="check">
        <input
          type="checkbox"
          checked={onlyFaulty}
          onChange={({ currentTarget }) => onFilter(currentTarget.checked)}
        />
        {t('check.onlyFaulty')}
      </label>
      <Button onClick={() => goToFault(-1)}>{t('check.previous')}</Button>
      <Button onClick={() => goToFault(1)}>{t('check.next')}</Button>
      <span class="soft">{t('check.keys')}</span>
    </div>
  );
}

/** The fault of the current cell, and a field to correct it. */
export function Explain({
  row,
  header,
  current: { column },
  fault,
  problem,
  onType,
  field,
}: {
  readonly row: SheetRow | undefined;
  readonly header: readonly string[];
  readonly current: Cell;
  readonly fault: Fault | undefined;
  readonly problem: string | null;
  /** Null where nothing can be corrected any more. */
  readonly onType: ((cell: Typed) => void) | null;
  readonly field: string;
}) {
  const place = `${String(row?.position)} ${String(column)}`;
  const [draft, setDraft] = useState<{ readonly place: string; readonly text: string } | null>(null);
  const text = row?.cells[column] ?? '';
  const value = draft?.place === place ? draft.text : text;
  return (
    <>
      <p class="explain" role="status">
        {fault === undefined ? (
          <span class="soft">{problem ?? text}</span>
        ) : (
          <>
            <b class="bad-text">{t('check.place', { row: fault.row, column: fault.column })}</b>{' '}
            {fault.message}
          </>
        )}
      </p>
      {row === undefined || onType === null ? null : (
        <form
          id={field}
          class="filters"
          onSubmit={(event) => {
            event.preventDefault();
            if (value !== text) onType({ row: row.position, column, text: value });
            setDraft(null);
            document.querySelector<HTMLElement>('[role=grid]')?.focus();
          }}
        >
          <Field
            label={t('correct.cell', { row: row.row, column: header[column] ?? '' })}
            value={value}
            onInput={(typed) => setDraft({ place, text: typed })}
          />
          <Button type="submit" disabled={value === text}>
            {t('correct.set')}
          </Button>
        </form>
      )}
    </>
  );
}

/** What was typed and not sent yet. */
export function Unsent({ id, typing: { typed, clear } }: { readonly id: string; readonly typing: Typing }) {
  const order = useOrder();
  if (typed.length === 0) return null;
  const send = (): void =>
    order.run(async () => {
      const made = await ask<{ readonly id: string }>(`/uploads/${id}/corrections`, {
        method: 'POST',
        body: { cells: typed },
      });
      clear();
      go(`/drop/${made.id}`, { replace: true });
    });
  return (
    <Note kind="warn">
      <p role="status">{t('correct.unsent', { n: typed.length })}</p>
      <span class="actions">
        <Button kind="main" busy={order.isBusy} onClick={send}>
          {t('correct.check')}
        </Button>
        <Button onClick={clear}>{t('correct.undo')}</Button>
      </span>
      <Trouble problem={order.problem} />
    </Note>
  );
}
