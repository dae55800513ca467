// The rows of a file as a sheet: a hundred thousand or a million of them, of which only what is seen is on the page (a virtual list). Each has one height, so that a
// place in the sheet is a multiplication; a screen reader is told the true counts.
import { Component, type TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { TypedRow } from './typing.ts';
import { t } from './language.ts';
import { blockOf } from './typing.ts';

const ROW_PX = 32;
/** The reader's word for a column above the file's own. */
const HEAD_PX = 44;
/** Browsers cap the height of an element; above this a pixel of the scroll bar is more than a pixel of the sheet. */
const HEIGHT_MAX_PX = 15_000_000;
/** Drawn above and below what is seen. */
const AROUND = 4;

export type Cell = { readonly row: number; readonly column: number };

export type GridColumn = {
  /** Where it stands in the file. */
  readonly index: number;
  /** In the reader's words. */
  readonly title: string;
  /** As the file says it; null where that is the same. */
  readonly header: string | null;
  /** Stays in view, however far somebody scrolls. */
  readonly isFrozen: boolean;
};

export type GridProps = {
  readonly label: string;
  /** In the order in which they are shown, the frozen ones first. */
  readonly columns: readonly GridColumn[];
  readonly rowCount: number;
  /** Undefined while it is on its way. */
  readonly rowAt: (index: number) => TypedRow | undefined;
  readonly onSeen: (from: number, to: number) => void;
  /** Its column by its place in the file. */
  readonly current: Cell;
  readonly onMove: (cell: Cell) => void;
  /** Next (1) or previous (-1) fault. */
  readonly onFault: (step: 1 | -1) => void;
  /** What was typed into a cell, or a block that was pasted from there on; null where nothing can be corrected. */
  readonly onType: ((block: readonly (readonly string[])[], from: Cell) => void) | null;
  readonly onUndo: () => void;
};

type Edit = { readonly cell: Cell; readonly text: string };

export function Grid(props: GridProps) {
  const { label, columns, rowCount, rowAt, onSeen, current, onMove } = props;
  const { box, view, setView } = useView();
  const height = Math.min((rowCount + 1) * ROW_PX + HEAD_PX - ROW_PX, HEIGHT_MAX_PX);
  const scale = scaleOf(rowCount, height, view.height);
  const first = view.top * scale;
  const from = Math.max(0, Math.floor(first / ROW_PX) - AROUND);
  const to = Math.min(rowCount, Math.ceil((first + view.height) / ROW_PX) + AROUND);
  const widths = useWidths(columns, rowAt);
  const lefts = leftsOf(columns, widths);
  const at = columns.findIndex(({ index }) => index === current.column);
  const editing = useEditing(props, box, rowAt(current.row));

  useEffect(() => onSeen(from, to), [from, to, rowCount]);
  useInView(box, { row: current.row, at, isThere: current.row < rowCount }, scale, { columns, widths });

  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (editing.press(event)) return;
    const page = Math.max(1, Math.floor(view.height / ROW_PX) - 2);
    const next = moved(
      event,
      { row: current.row, column: at },
      { rows: rowCount, columns: columns.length, page },
    );
    if (next === null) return;
    event.preventDefault();
    onMove({ row: next.row, column: columns[next.column]?.index ?? 0 });
  };
  const pool = to - from + 2 * AROUND;
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={
        current.row >= from && current.row < to ? cellId(current.row, current.column) : undefined
      }
      onKeyDown={press}
      onPaste={editing.paste}
      onCopy={editing.copy}
      onScroll={({ currentTarget }) =>
        setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
    >
      <div class="grid-rows" role="presentation" style={{ height: `${height}px` }}>
        <Head {...{ columns, widths, lefts }} />
        {Array.from({ length: Math.max(0, to - from) }, (_, step) => {
          const index = from + step;
          return (
            <GridLine
              key={index % pool}
              index={index}
              top={HEAD_PX + view.top + index * ROW_PX - first}
              row={rowAt(index)}
              {...{ columns, widths, lefts }}
              current={current.row === index ? current.column : -1}
              edit={editing.edit?.cell.row === index ? editing.edit : null}
              onPick={(cell) => {
                editing.leave();
                onMove(cell);
              }}
              onEdit={editing.begin}
              onText={editing.change}
              onLeave={editing.leave}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Editing in the cell, as in any spreadsheet: a letter replaces its text, Enter and F2 open it, Tab goes to the next fault. */
function useEditing(
  { columns, current, onMove, onFault, onType, onUndo, rowCount }: GridProps,
  box: { readonly current: HTMLDivElement | null },
  row: TypedRow | undefined,
) {
  const [edit, draw] = useState<Edit | null>(null);
  // What is open now: the field also loses the focus because it was closed.
  const open = useRef<Edit | null>(null);
  const text = row?.cells[current.column] ?? '';
  const setEdit = (next: Edit | null): void => {
    open.current = next;
    draw(next);
  };
  const end = (): void => setEdit(null);
  const begin = (cell: Cell = current, first: string | null = null): void => {
    if (onType !== null && row !== undefined) setEdit({ cell, text: first ?? text });
  };
  /** A click elsewhere keeps what was typed, too. */
  const leave = (): void => {
    const { current: last } = open;
    end();
    if (last !== null && last.text !== text) onType?.([[last.text]], last.cell);
  };
  const keep = (): void => {
    leave();
    box.current?.focus({ preventScroll: true });
  };
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): boolean => {
    const act = keyAct(event, edit !== null);
    if (act === null) return edit !== null;
    event.preventDefault();
    switch (act.what) {
      case 'fault':
        if (edit !== null) keep();
        onFault(act.step);
        break;
      case 'keep':
        keep();
        if (!act.isStill) onMove({ row: Math.min(rowCount - 1, current.row + 1), column: current.column });
        break;
      case 'cancel':
        end();
        box.current?.focus({ preventScroll: true });
        break;
      case 'open':
        begin();
        break;
      case 'replace':
        begin(current, act.text);
        break;
      case 'empty':
        onType?.([['']], current);
        break;
      case 'undo':
        onUndo();
        break;
    }
    return true;
  };
  return {
    edit,
    begin,
    press,
    leave,
    change: (changed: string): void => setEdit(open.current && { ...open.current, text: changed }),
    paste: (event: ClipboardEvent): void => {
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      if (edit !== null || onType === null || pasted === '') return;
      event.preventDefault();
      onType(blockOf(pasted), current);
    },
    copy: (event: ClipboardEvent): void => {
      if (edit !== null || columns.length === 0) return;
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
    },
  };
}

type KeyAct =
  | { readonly what: 'fault'; readonly step: 1 | -1 }
  | { readonly what: 'keep'; readonly isStill: boolean }
  | { readonly what: 'replace'; readonly text: string }
  | { readonly what: 'open' | 'cancel' | 'empty' | 'undo' };

/** What a key means to the sheet; null for one that moves, or that the open cell takes itself. */
function keyAct(event: TargetedKeyboardEvent<HTMLDivElement>, isEditing: boolean): KeyAct | null {
  const { key, shiftKey, ctrlKey, metaKey, altKey, isComposing } = event;
  if (isComposing) return null;
  if (key === 'F8') return { what: 'fault', step: shiftKey ? -1 : 1 };
  if (isEditing) {
    // What was corrected is done: the next fault comes by itself.
    if (key === 'Enter') return shiftKey ? { what: 'keep', isStill: true } : { what: 'fault', step: 1 };
    if (key === 'Tab') return { what: 'fault', step: shiftKey ? -1 : 1 };
    return key === 'Escape' ? { what: 'cancel' } : null;
  }
  if (key === 'Enter' || key === 'F2') return { what: 'open' };
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'z') return { what: 'undo' };
  if (key === 'Delete' || key === 'Backspace') return { what: 'empty' };
  const isLetter = Array.from(key).length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
  return isLetter ? { what: 'replace', text: key } : null;
}

/** The current cell comes into view when it becomes another one, and once it is there to be seen; never because more has come below it. */
function useInView(
  box: { readonly current: HTMLDivElement | null },
  { row, at, isThere }: { readonly row: number; readonly at: number; readonly isThere: boolean },
  scale: number,
  laid: Pick<Laid, 'columns' | 'widths'>,
): void {
  const across = laid.widths.reduce((sum, width) => sum + width, 0);
  useLayoutEffect(() => {
    if (box.current !== null) bringIntoView(box.current, row, at, scale, laid);
  }, [row, at, isThere, across]);
}

/** The part of the sheet that is seen. */
function useView() {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 544 });
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return undefined;
    const measure = (): void => setView({ top: shown.scrollTop, height: shown.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  return { box, view, setView };
}

/** Rows of the sheet for a pixel of the scroll bar: so that its end is the end of the sheet. */
function scaleOf(rowCount: number, height: number, seen: number): number {
  const whole = (rowCount + 1) * ROW_PX;
  return whole <= HEIGHT_MAX_PX ? 1 : (whole - seen) / (height - seen);
}

const CHARACTER_PX = 8;
const WIDTH_PX = { least: 72, most: 300, place: 76 };
const SAMPLED_ROWS = 40;

/** By the header and the first rows that are seen, and the same from then on: columns that move under the eye cannot be read. */
function useWidths(columns: readonly GridColumn[], rowAt: GridProps['rowAt']): readonly number[] {
  const kept = useRef(new Map<number, number>());
  const rows = Array.from({ length: SAMPLED_ROWS }, (_, index) => rowAt(index)).filter(
    (row) => row !== undefined,
  );
  return columns.map(({ index, title, header }) => {
    const known = kept.current.get(index);
    if (known !== undefined) return known;
    const texts = [title, header ?? '', ...rows.map(({ cells }) => `${cells[index] ?? ''}  `)];
    const longest = Math.max(...texts.map(({ length }) => length));
    const width = Math.round(Math.min(WIDTH_PX.most, Math.max(WIDTH_PX.least, longest * CHARACTER_PX + 24)));
    if (rows.length > 0) kept.current.set(index, width);
    return width;
  });
}

/** Where each frozen column stands; null for the others. */
function leftsOf(columns: readonly GridColumn[], widths: readonly number[]): readonly (number | null)[] {
  let left = WIDTH_PX.place;
  return columns.map(({ isFrozen }, at) => {
    const own = left;
    left += widths[at] ?? 0;
    return isFrozen ? own : null;
  });
}

function cellId(row: number, column: number): string {
  return `cell-${String(row)}-${String(column)}`;
}

function bringIntoView(
  box: HTMLElement,
  row: number,
  at: number,
  scale: number,
  { columns, widths }: Pick<Laid, 'columns' | 'widths'>,
): void {
  const top = (row * ROW_PX) / scale;
  const seen = box.clientHeight - HEAD_PX - ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + seen)
    box.scrollTop = Math.ceil(scale === 1 ? top - seen : top - seen / scale);
  if (columns[at]?.isFrozen !== false) return;
  // What stays in view covers what lies under it.
  const covered = columns.reduce((sum, { isFrozen }, each) => sum + (isFrozen ? (widths[each] ?? 0) : 0), 0);
  const left = widths.slice(0, at).reduce((sum, width) => sum + width, 0) - covered;
  const right = left + covered + (widths[at] ?? 0) + WIDTH_PX.place;
  if (left < box.scrollLeft) box.scrollLeft = left;
  // Of a cell that is wider than the room beside them, the beginning.
  else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = Math.min(left, right - box.clientWidth);
}

function moved(
  { key, ctrlKey, metaKey }: KeyboardEvent,
  { row, column }: Cell,
  { rows, columns, page }: { readonly rows: number; readonly columns: number; readonly page: number },
): Cell | null {
  const isFar = ctrlKey || metaKey;
  const to = (nextRow: number, nextColumn: number): Cell => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(0, Math.min(columns - 1, nextColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(isFar ? rows : row + 1, column);
    case 'ArrowUp':
      return to(isFar ? 0 : row - 1, column);
    case 'ArrowRight':
      return to(row, isFar ? columns : column + 1);
    case 'ArrowLeft':
      return to(row, isFar ? 0 : column - 1);
    case 'PageDown':
      return to(row + page, column);
    case 'PageUp':
      return to(row - page, column);
    case 'Home':
      return to(isFar ? 0 : row, 0);
    case 'End':
      return to(isFar ? rows : row, columns);
    default:
      return null;
  }
}

type Laid = {
  readonly columns: readonly GridColumn[];
  readonly widths: readonly number[];
  readonly lefts: readonly (number | null)[];
};

function styleOf(at: number, { widths, lefts }: Laid): { readonly width: string; readonly left?: string } {
  const left = lefts[at] ?? null;
  return { width: `${widths[at] ?? WIDTH_PX.least}px`, ...(left === null ? {} : { left: `${left}px` }) };
}

function Head(laid: Laid) {
  return (
    <div class="grid-head" role="row" aria-rowindex={1}>
      <div
        class="grid-cell place"
        role="columnheader"
        aria-colindex={1}
        style={{ width: `${WIDTH_PX.place}px` }}
      >
        <span class="visually-hidden">#</span>
      </div>
      {laid.columns.map(({ index, title, header, isFrozen }, at) => (
        <div
          key={index}
          class={isFrozen ? 'grid-cell frozen' : 'grid-cell'}
          role="columnheader"
          aria-colindex={at + 2}
          title={header ?? title}
          style={styleOf(at, laid)}
        >
          <span class="grid-title">{title}</span>
          {header === null ? null : <small class="grid-own">{header}</small>}
        </div>
      ))}
    </div>
  );
}

type LineProps = Laid & {
  readonly index: number;
  readonly top: number;
  readonly row: TypedRow | undefined;
  readonly current: number;
  readonly edit: Edit | null;
  readonly onPick: (cell: Cell) => void;
  readonly onEdit: (cell: Cell) => void;
  readonly onText: (text: string) => void;
  readonly onLeave: () => void;
};

/** A row is drawn again only when it is another one, or the current cell comes or goes. */
class GridLine extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const { index, top, row, current, columns, edit } = this.props;
    return (
      next.index !== index ||
      next.top !== top ||
      next.row !== row ||
      next.current !== current ||
      next.edit !== edit ||
      next.columns !== columns ||
      edit !== null
    );
  }

  override render({ index, top, row, current, edit, ...props }: LineProps) {
    const faulty = new Map((row?.faults ?? []).map((fault) => [fault.index, fault]));
    return (
      <div
        class="grid-row"
        role="row"
        aria-rowindex={index + 2}
        style={{ transform: `translateY(${top}px)` }}
      >
        <div
          class="grid-cell place"
          role="rowheader"
          aria-colindex={1}
          style={{ width: `${WIDTH_PX.place}px` }}
        >
          {row?.row ?? ''}
        </div>
        {props.columns.map(({ index: column, isFrozen }, at) => {
          const fault = faulty.get(column);
          const isTyped = row?.typed?.includes(column) === true;
          const state = isTyped ? ' typed' : fault === undefined ? '' : ' faulty';
          const names = `grid-cell${isFrozen ? ' frozen' : ''}${state}${current === column ? ' current' : ''}`;
          return (
            <div
              key={column}
              id={cellId(index, column)}
              class={names}
              role="gridcell"
              aria-colindex={at + 2}
              aria-selected={current === column}
              aria-invalid={fault === undefined ? undefined : 'true'}
              title={fault?.message}
              style={styleOf(at, props)}
              onClick={() =>
                edit?.cell.column === column ? undefined : props.onPick({ row: index, column })
              }
              onDblClick={() => props.onEdit({ row: index, column })}
            >
              {edit?.cell.column === column ? (
                <CellInput text={edit.text} onText={props.onText} onLeave={props.onLeave} />
              ) : (
                <>
                  {isTyped ? <span aria-hidden="true">✎ </span> : null}
                  {fault === undefined ? null : <span aria-hidden="true">⚠ </span>}
                  {row?.cells[column] ?? ''}
                </>
              )}
            </div>
          );
        })}
      </div>
    );
  }
}

function CellInput({
  text,
  onText,
  onLeave,
}: {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onLeave: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true });
    // A first letter that replaced the text is written on from its end.
    if (text.length > 1) input.current?.select();
    else input.current?.setSelectionRange(text.length, text.length);
  }, []);
  return (
    <input
      ref={input}
      class="grid-input"
      value={text}
      aria-label={t('correct.field')}
      autoComplete="off"
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onBlur={onLeave}
    />
  );
}
