// The rows of a file as a sheet: a hundred thousand or a million of them, of which only what is seen is on the page. Each has one height, so that a
// place in the sheet is a multiplication; a screen reader is told the true counts.
import { Component, type TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { SheetRow } from './shapes.ts';

const ROW_PX = 32;
/** Browsers cap the height of an element; above this a pixel of the scroll bar is more than a pixel of the sheet. */
const HEIGHT_MAX_PX = 15_000_000;
/** Drawn above and below what is seen. */
const AROUND = 4;

export type Cell = { readonly row: number; readonly column: number };

export type GridProps = {
  readonly label: string;
  readonly header: readonly string[];
  readonly rowCount: number;
  /** Undefined while it is on its way. */
  readonly rowAt: (index: number) => SheetRow | undefined;
  readonly onSeen: (from: number, to: number) => void;
  readonly current: Cell;
  readonly onMove: (cell: Cell) => void;
  /** Next (1) or previous (-1) fault. */
  readonly onFault: (step: 1 | -1) => void;
  /** Enter or F2 on the current cell. */
  readonly onEdit: () => void;
};

export function Grid(props: GridProps) {
  const { label, header, rowCount, rowAt, onSeen, current, onMove, onFault, onEdit } = props;
  const { box, view, setView } = useView();
  const height = Math.min((rowCount + 1) * ROW_PX, HEIGHT_MAX_PX);
  const scale = scaleOf(rowCount, height, view.height);
  const first = view.top * scale;
  const from = Math.max(0, Math.floor(first / ROW_PX) - AROUND);
  const to = Math.min(rowCount, Math.ceil((first + view.height) / ROW_PX) + AROUND);
  const widths = useWidths(header, rowAt);

  useEffect(() => onSeen(from, to), [from, to, rowCount]);
  // Also once it is there to be seen; never because more has come below it.
  const isThere = current.row < rowCount;
  const across = widths.reduce((sum, width) => sum + width, 0);
  useLayoutEffect(() => {
    if (box.current !== null) bringIntoView(box.current, current, scale, widths);
  }, [current.row, current.column, isThere, across]);

  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key === 'F8') {
      event.preventDefault();
      onFault(event.shiftKey ? -1 : 1);
      return;
    }
    if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      onEdit();
      return;
    }
    const page = Math.max(1, Math.floor(view.height / ROW_PX) - 2);
    const next = moved(event, current, { rows: rowCount, columns: header.length, page });
    if (next === null) return;
    event.preventDefault();
    onMove(next);
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
      aria-colcount={header.length + 1}
      aria-activedescendant={
        current.row >= from && current.row < to ? cellId(current.row, current.column) : undefined
      }
      onKeyDown={press}
      onScroll={({ currentTarget }) =>
        setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
    >
      <div class="grid-rows" role="presentation" style={{ height: `${height}px` }}>
        <Head header={header} widths={widths} />
        {Array.from({ length: Math.max(0, to - from) }, (_, at) => {
          const index = from + at;
          return (
            <Line
              key={index % pool}
              index={index}
              top={ROW_PX + view.top + index * ROW_PX - first}
              row={rowAt(index)}
              widths={widths}
              current={current.row === index ? current.column : -1}
              onPick={onMove}
            />
          );
        })}
      </div>
    </div>
  );
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
function useWidths(header: readonly string[], rowAt: GridProps['rowAt']): readonly number[] {
  const kept = useRef<readonly number[]>([]);
  if (kept.current.length === header.length && header.length > 0) return kept.current;
  const rows = Array.from({ length: SAMPLED_ROWS }, (_, index) => rowAt(index)).filter(
    (row) => row !== undefined,
  );
  const widths = header.map((name, at) => {
    const longest = Math.max(name.length, ...rows.map(({ cells }) => (cells[at] ?? '').length + 2));
    return Math.round(Math.min(WIDTH_PX.most, Math.max(WIDTH_PX.least, longest * CHARACTER_PX + 24)));
  });
  if (rows.length > 0) kept.current = widths;
  return widths;
}

function cellId(row: number, column: number): string {
  return `cell-${String(row)}-${String(column)}`;
}

function bringIntoView(
  box: HTMLElement,
  { row, column }: Cell,
  scale: number,
  widths: readonly number[],
): void {
  const top = (row * ROW_PX) / scale;
  const seen = box.clientHeight - 2 * ROW_PX;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + seen)
    box.scrollTop = Math.ceil(scale === 1 ? top - seen : top - seen / scale);
  const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
  const right = left + (widths[column] ?? 0) + WIDTH_PX.place;
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
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

function Head({
  header,
  widths,
}: {
  readonly header: readonly string[];
  readonly widths: readonly number[];
}) {
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
      {header.map((name, at) => (
        <div
          key={at}
          class="grid-cell"
          role="columnheader"
          aria-colindex={at + 2}
          title={name}
          style={{ width: `${widths[at] ?? WIDTH_PX.least}px` }}
        >
          {name}
        </div>
      ))}
    </div>
  );
}

type LineProps = {
  readonly index: number;
  readonly top: number;
  readonly row: SheetRow | undefined;
  readonly widths: readonly number[];
  readonly current: number;
  readonly onPick: (cell: Cell) => void;
};

/** A row is drawn again only when it is another one, or the current cell comes or goes. */
class Line extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps): boolean {
    const { index, top, row, current, widths } = this.props;
    return (
      next.index !== index ||
      next.top !== top ||
      next.row !== row ||
      next.current !== current ||
      next.widths.length !== widths.length
    );
  }

  override render({ index, top, row, widths, current, onPick }: LineProps) {
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
        {widths.map((width, column) => {
          const fault = faulty.get(column);
          const isTyped = row?.typed?.includes(column) === true;
          const state = isTyped ? ' typed' : fault === undefined ? '' : ' faulty';
          const names = `grid-cell${state}${current === column ? ' current' : ''}`;
          return (
            <div
              key={column}
              id={cellId(index, column)}
              class={names}
              role="gridcell"
              aria-colindex={column + 2}
              aria-selected={current === column}
              aria-invalid={fault === undefined ? undefined : 'true'}
              title={fault?.message}
              style={{ width: `${width}px` }}
              onClick={() => onPick({ row: index, column })}
            >
              {isTyped ? <span aria-hidden="true">✎ </span> : null}
              {fault === undefined ? null : <span aria-hidden="true">⚠ </span>}
              {row?.cells[column] ?? ''}
            </div>
          );
        })}
      </div>
    );
  }
}
