// Cells of a checked file that are corrected right here: typed one after the other, then checked together as a new file.
import { useState } from 'preact/hooks';

import { ask } from './api.ts';
import { useOrder } from './data.ts';
import type { Cell } from './grid.tsx';
import { t } from './language.ts';
import { Button, Field, Note, Trouble } from './parts.tsx';
import { go } from './router.tsx';
import type { Fault, SheetRow } from './shapes.ts';

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
