// The data of a screen: read when it opens, again when something of it changes, and kept on the screen while it is read again.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { ask, BACKGROUND, Problem, wordsOf } from './api.ts';
import { useLive } from './live.ts';

export type Data<T> = {
  readonly data: T | null;
  /** Why it could not be read the last time; what was read before stays. */
  readonly problem: Problem | null;
  readonly reload: () => void;
  /** The reply to an order, which is newer than the last read. */
  readonly put: (data: T) => void;
};

/** Of a storm of events one look is taken this often. */
const LOOK_MS = 400;
/** A failed read is repeated. */
const AGAIN_MS = 5_000;

/** @param path null for nothing to read. @param on the kinds of events, and of which batch, that change it. */
export function useData<T>(
  path: string | null,
  on: { readonly kinds?: readonly string[]; readonly batch?: string } = {},
): Data<T> {
  const [data, setData] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const shown = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const turn = useRef(0);
  // Of an address the first look is somebody's; those that follow come by themselves, or after an order.
  const looked = useRef<string | null>(null);

  const read = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (path === null) return;
    const mine = ++turn.current;
    const headers = looked.current === path ? BACKGROUND : {};
    looked.current = path;
    ask<T>(path, { headers }).then(
      (next) => {
        if (mine !== turn.current) return;
        setData(next);
        setProblem(null);
      },
      (error: unknown) => {
        if (mine !== turn.current) return;
        const told = error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error));
        setProblem(told);
        if (told.status === 0 || told.status >= 500) timer.current ??= setTimeout(read, AGAIN_MS);
      },
    );
  }, [path]);

  useEffect(() => {
    if (shown.current !== path) setData(null);
    shown.current = path;
    setProblem(null);
    read();
    return () => {
      turn.current += 1;
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [path, read]);

  useLive(({ kind, data: told }) => {
    const concerns =
      kind === 'again' ||
      (on.kinds?.includes(kind) === true && (on.batch === undefined || told['batch'] === on.batch));
    if (concerns) timer.current ??= setTimeout(read, LOOK_MS);
  });

  return { data, problem, reload: read, put: setData };
}

/** An order in progress: its button waits, and its reply or its failure is shown next to it. */
export function useOrder(): {
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly run: (order: () => Promise<void>) => void;
  readonly clear: () => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = (order: () => Promise<void>): void => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    order()
      .catch((error: unknown) => {
        setProblem(error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error)));
      })
      .finally(() => setBusy(false));
  };
  return { isBusy, problem, run, clear: () => setProblem(null) };
}

/** The present time, told again every so often while a screen shows how long ago something was. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
