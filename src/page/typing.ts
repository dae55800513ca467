// Corrections that somebody types into a sheet before they are checked: kept on the server as they are typed, so that neither the end of a session, nor
// Back, nor another browser loses them.
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Draft, SheetPage, TypedCell } from '../contract/uploads.ts';
import { TYPED_MOST } from '../contract/words.ts';
import { ask } from './api.ts';

/** A row of a file as it was dropped; `faults` by the index of the column. */
export type TypedRow = SheetPage['data'][number] & {
  /** Columns into which somebody has typed here, and that the server does not know. */
  readonly typed?: readonly number[];
};

export type Typing = {
  readonly typed: readonly TypedCell[];
  /** Of them, those that an earlier visit had left. */
  readonly restored: number;
  readonly type: (...cells: readonly TypedCell[]) => void;
  readonly undo: () => void;
  readonly clear: () => void;
  /** The row with what was typed into it. */
  readonly withTyped: (row: TypedRow | undefined) => TypedRow | undefined;
};

/** Each keeps the server busy for a moment: a pause of typing is waited for. */
const KEEP_MS = 400;

const isSame = (one: TypedCell, other: TypedCell): boolean =>
  one.row === other.row && one.column === other.column;

/** @param isOpen false once nothing can be corrected any more. */
export function useTyping(id: string, isOpen: boolean): Typing {
  // Each step is the whole of what was typed, so that a step back is the one before.
  const [steps, setSteps] = useState<readonly (readonly TypedCell[])[]>([[]]);
  const [restored, setRestored] = useState(0);
  const typed = steps.at(-1) ?? [];
  const latest = useRef(typed);
  latest.current = typed;

  useEffect(() => {
    if (!isOpen) return undefined;
    let isStill = true;
    void draftOf(id).then((cells) => {
      if (!isStill || cells.length === 0) return;
      setRestored(cells.length);
      setSteps((now) => (now.length > 1 ? now : [[], cells]));
    });
    return () => {
      isStill = false;
      // Who leaves the screen has typed it all the same.
      keepDraft(id, latest.current);
    };
  }, [id, isOpen]);

  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setTimeout(() => keepDraft(id, typed), KEEP_MS);
    return () => clearTimeout(timer);
  }, [id, isOpen, typed]);

  const type: Typing['type'] = (...cells) =>
    setSteps((before) => {
      const last = before.at(-1) ?? [];
      const others = last.filter((each) => !cells.some((cell) => isSame(cell, each)));
      return [...before, [...others, ...cells].slice(0, TYPED_MOST)];
    });
  const undo = (): void => setSteps((before) => (before.length > 1 ? before.slice(0, -1) : before));
  const clear = (): void => {
    setRestored(0);
    setSteps([[]]);
  };
  const withTyped: Typing['withTyped'] = (row) => {
    const own = row === undefined ? [] : typed.filter((each) => each.row === row.position);
    if (row === undefined || own.length === 0) return row;
    const textAt = (column: number) => own.find((each) => each.column === column)?.text;
    return {
      ...row,
      cells: row.cells.map((cell, column) => textAt(column) ?? cell),
      faults: row.faults.filter(({ index }) => index === null || textAt(index) === undefined),
      typed: own.map(({ column }) => column),
    };
  };
  return { typed, restored, type, undo, clear, withTyped };
}

// What the server has, or is about to have: the screen may be left and opened again before it has answered.

const drafts = new Map<string, readonly TypedCell[]>();
let sending: Promise<unknown> = Promise.resolve();

async function draftOf(id: string): Promise<readonly TypedCell[]> {
  const known = drafts.get(id);
  if (known !== undefined) return known;
  const draft = await ask<Draft>(`/uploads/${id}/draft`).catch(() => null);
  if (draft !== null && !drafts.has(id)) drafts.set(id, draft.cells);
  return drafts.get(id) ?? [];
}

/** One after the other, so that the last is the one that stays. */
function keepDraft(id: string, cells: readonly TypedCell[]): void {
  const known = drafts.get(id) ?? [];
  if (known === cells || (known.length === 0 && cells.length === 0)) return;
  drafts.set(id, cells);
  sending = sending
    .then(() => ask(`/uploads/${id}/draft`, { method: 'PUT', body: { cells } }))
    // The next step, or the next visit of this screen, keeps it.
    .catch(() => drafts.set(id, [...cells]));
}

/** A block of a spreadsheet, as it lies in the clipboard. */
export function blockOf(text: string): readonly (readonly string[])[] {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n');
  return lines.map((line) => line.split('\t').map((cell) => cell.replace(/\p{Cc}/gu, ' ').trim()));
}
