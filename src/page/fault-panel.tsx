// Beside the sheet, always in view: what is wrong with the current cell, how it may be corrected, and what was typed and is not checked yet.
import { useEffect, useState } from 'preact/hooks';

import type { CellFault } from '../contract/uploads.ts';
import { TYPED_MOST } from '../contract/words.ts';
import { useOrder, type Order } from './data.ts';
import type { Cell, GridColumn } from './grid.tsx';
import { t } from './language.ts';
import { Button, Trouble } from './parts.tsx';
import { FromPayees } from './payee-cells.tsx';
import { alikeCells, suggestions } from './sheet.tsx';
import type { TypedRow, Typing } from './typing.ts';

type PanelProps = {
  readonly id: string;
  /** The row with what was typed into it, and as it is in the file. */
  readonly row: TypedRow | undefined;
  readonly own: TypedRow | undefined;
  readonly current: Cell;
  readonly columns: readonly GridColumn[];
  readonly loaded: readonly TypedRow[];
  readonly typing: Typing;
  /** False where nothing can be corrected any more. */
  readonly isOpen: boolean;
  readonly faulty: number;
  /** How many cells were corrected before. */
  readonly corrected: number;
  readonly onlyFaulty: boolean;
  readonly onFilter: (isOn: boolean) => void;
  readonly goToFault: (step: 1 | -1) => void;
  readonly finder: Order;
  readonly checking: Order & { readonly send: () => void };
};

export function FaultPanel(props: PanelProps) {
  const { row, current, columns, finder, faulty, onlyFaulty, onFilter, goToFault } = props;
  const title = columns.find(({ index }) => index === current.column)?.title ?? '';
  const fault = faultAt(row, current);
  const wasFault = faultAt(props.own, current);
  return (
    <aside class="fault-panel" aria-label={t('check.panel')}>
      {faulty === 0 ? null : (
        <div class="fault-ways">
          <Button onClick={() => goToFault(-1)}>{t('check.previous')}</Button>
          <Button onClick={() => goToFault(1)}>{t('check.next')}</Button>
          <label class="check">
            <input
              type="checkbox"
              checked={onlyFaulty}
              onChange={({ currentTarget }) => onFilter(currentTarget.checked)}
            />
            {t('check.onlyFaulty')}
          </label>
        </div>
      )}
      <div class="explain" role="status">
        {fault === undefined ? (
          <>
            <p class="soft">{row === undefined ? '' : t('check.at', { row: row.row, column: title })}</p>
            <p>{finder.problem?.message ?? row?.cells[current.column] ?? ''}</p>
          </>
        ) : (
          <>
            <p class="soft">
              {t('check.at', { row: fault.row, column: title === '' ? fault.column : title })}
            </p>
            <p>
              <b class="bad-text">{fault.message}</b>
            </p>
          </>
        )}
      </div>
      {props.isOpen && fault !== undefined ? <Suggestions {...props} fault={fault} /> : null}
      {props.isOpen && wasFault !== undefined ? <Alike {...props} fault={wasFault} /> : null}
      {props.isOpen && faulty > 0 ? <FromPayees {...props} /> : null}
      {props.isOpen ? <p class="hint">{t('check.keys')}</p> : null}
      <Unsent {...props} />
    </aside>
  );
}

function faultAt(row: TypedRow | undefined, { column }: Cell): CellFault | undefined {
  return row?.faults.find(({ index }) => index === column) ?? row?.faults.find(({ index }) => index === null);
}

function Suggestions({ row, current, loaded, typing, fault }: PanelProps & { readonly fault: CellFault }) {
  const text = row?.cells[current.column] ?? '';
  const said = fault.index === null ? [] : suggestions(loaded, current.column, text);
  if (row === undefined || said.length === 0) return null;
  return (
    <div class="suggestions">
      <p class="soft">{t('check.suggested')}</p>
      {said.map((each) => (
        <Button
          key={each}
          onClick={() => typing.type({ row: row.position, column: current.column, text: each })}
        >
          {each}
        </Button>
      ))}
    </div>
  );
}

/** The same text with the same fault in other rows: one correction is for all of them. */
function Alike({ id, row, own, current, typing, fault, faulty }: PanelProps & { readonly fault: CellFault }) {
  const [cells, setCells] = useState<readonly Cell[]>([]);
  const order = useOrder();
  const wrong = own?.cells[current.column] ?? '';
  const typed = typing.typed.find(({ row: at, column }) => at === row?.position && column === current.column);
  const isWanted = typed !== undefined && fault.index !== null && faulty > 1;
  useEffect(() => {
    setCells([]);
    if (isWanted) order.run(async () => setCells(await alikeCells(id, fault, wrong)));
  }, [id, isWanted, fault.position, fault.index, wrong]);
  const isTyped = (cell: Cell): boolean =>
    typing.typed.some(({ row: at, column }) => at === cell.row && column === cell.column);
  const left = cells.filter((cell) => !isTyped(cell)).slice(0, TYPED_MOST - typing.typed.length);
  if (typed === undefined || left.length === 0) return null;
  return (
    <div class="note">
      <p>{t('check.alike', { n: left.length, text: wrong })}</p>
      <Button
        kind="main"
        onClick={() =>
          typing.type(...left.map(({ row: at, column }) => ({ row: at, column, text: typed.text })))
        }
      >
        {t('check.correctAlike', { n: left.length, text: typed.text })}
      </Button>
    </div>
  );
}

/** What was typed and is not checked yet. */
function Unsent({ typing: { typed, restored, undo, clear }, checking }: PanelProps) {
  if (typed.length === 0) return null;
  return (
    <div class="note warn">
      <p role="status">
        {t(restored === typed.length ? 'correct.restored' : 'correct.unsent', { n: typed.length })}
      </p>
      <span class="actions">
        <Button kind="main" busy={checking.isBusy} onClick={checking.send}>
          {t('correct.check')}
        </Button>
        <Button onClick={undo}>{t('correct.undo')}</Button>
        <Button kind="quiet" onClick={clear}>
          {t('correct.undoAll')}
        </Button>
      </span>
      <Trouble problem={checking.problem} />
    </div>
  );
}
