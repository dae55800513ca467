// The data of a screen (a query cache): each address is read once, however many parts of the page show it, and again when something of it changes. A list
// that has grown is read again as a whole, so that every entry on the screen is as true as the first.
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { List } from '../contract/schema.ts';
import { ask, BACKGROUND, Problem, wordsOf } from './api.ts';
import { time, t } from './language.ts';
import { type LiveEvent, onLive } from './live.ts';

export type Data<T> = {
  readonly data: T | null;
  /** Why it could not be read the last time; what was read before stays. */
  readonly problem: Problem | null;
  readonly reload: () => void;
  /** The reply to an order, which is newer than the last read. */
  readonly put: (data: T) => void;
};

/** The kinds of events, and of which batch, that change what is read. */
export type ChangedBy = { readonly kinds?: readonly string[]; readonly batch?: string };

/** Of a storm of events one look is taken this often; of a long list more seldom, as long as it takes to read it. */
const LOOK_MS = 400;
const LOOK_TIMES = 3;
/** What was read so recently is shown to one more part of the page as it is, unless something has changed since. */
const FRESH_MS = 1_000;
/** A failed read is repeated. */
const AGAIN_MS = 5_000;
/** What no screen shows any more is kept for the way back. */
const KEPT_MS = 5_000;

type PathReader = (before: unknown, headers: Readonly<Record<string, string>>) => Promise<unknown>;

/** One address, and what it said last. */
class CacheEntry {
  readonly #read: PathReader;
  readonly #viewers = new Map<() => void, ChangedBy>();
  readonly #keep: (isKept: boolean) => void;
  data: unknown = null;
  problem: Problem | null = null;
  /** When it was read last, in ms. */
  #at: number | null = null;
  #tookMs = 0;
  /** Something has changed somewhere since it was read. */
  #hasHeard = false;
  /** The read under way; a change meanwhile asks for another one after it. */
  #flight: Promise<void> | null = null;
  #isStale = false;
  /** A reply to an order is newer than a read that began before it. */
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** @param keep whether others who ask for the address are given this entry. */
  constructor(read: PathReader, keep: (entry: CacheEntry, isKept: boolean) => void) {
    this.#read = read;
    this.#keep = (isKept) => keep(this, isKept);
  }

  view(draw: () => void, by: ChangedBy): () => void {
    clearTimeout(this.#leaving);
    this.#keep(true);
    const isFresh = this.#viewers.size > 0 && !this.#hasHeard && Date.now() - (this.#at ?? 0) < FRESH_MS;
    this.#viewers.set(draw, by);
    if (this.#flight === null && !isFresh) void this.read(this.data !== null);
    return () => {
      this.#viewers.delete(draw);
      if (this.#viewers.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      // What changes from now on is not heard, and somebody may be back before the read under way has ended.
      if (this.#flight !== null) this.#isStale = true;
      this.#leaving = setTimeout(() => this.#keep(false), KEPT_MS);
    };
  }

  hear({ kind, data }: LiveEvent): void {
    this.#hasHeard = true;
    const isMeant = ({ kinds, batch }: ChangedBy): boolean =>
      kinds?.includes(kind) === true && (batch === undefined || data['batch'] === batch);
    if (kind === 'again' || [...this.#viewers.values()].some(isMeant)) this.#soon();
  }

  #soon(): void {
    if (this.#viewers.size === 0) return;
    this.#timer ??= setTimeout(() => void this.read(true), Math.max(LOOK_MS, LOOK_TIMES * this.#tookMs));
  }

  put(data: unknown): void {
    this.#turn += 1;
    this.#at = Date.now();
    this.#show(data, null);
  }

  /** @param isBackground nobody asked for it at the keyboard. */
  async read(isBackground: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#flight !== null) {
      this.#isStale = true;
      return this.#flight;
    }
    this.#flight = this.#readOnce(isBackground);
    await this.#flight;
    this.#flight = null;
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#soon();
  }

  async #readOnce(isBackground: boolean): Promise<void> {
    const [mine, began] = [this.#turn, Date.now()];
    this.#hasHeard = false;
    try {
      const data = await this.#read(this.data, isBackground ? BACKGROUND : {});
      this.#tookMs = Date.now() - began;
      this.#at = Date.now();
      if (mine === this.#turn) this.#show(data, null);
      else this.#isStale = true;
    } catch (error) {
      const told = error instanceof Problem ? error : new Problem(0, 'page', wordsOf(error));
      this.#show(this.data, told.code === 'unreachable' ? this.#unreadable() : told);
      if (told.status === 0 || told.status >= 500)
        this.#timer ??= setTimeout(() => void this.read(true), AGAIN_MS);
    }
  }

  #unreadable(): Problem {
    if (this.#at === null) return new Problem(0, 'unreachable', t('problem.unread'));
    return new Problem(0, 'unreachable', t('problem.asOf', { time: time(this.#at) }));
  }

  #show(data: unknown, problem: Problem | null): void {
    this.data = data;
    this.problem = problem;
    for (const draw of this.#viewers.keys()) draw();
  }
}

const entries = new Map<string, CacheEntry>();

onLive((told) => {
  for (const entry of entries.values()) entry.hear(told);
});

function entryOf(name: string, read: PathReader): CacheEntry {
  const known = entries.get(name);
  if (known !== undefined) return known;
  const entry = new CacheEntry(read, (kept, isKept) => {
    if (isKept) entries.set(name, kept);
    else if (entries.get(name) === kept) entries.delete(name);
  });
  entries.set(name, entry);
  return entry;
}

/** What another person has read is not shown to this one. */
export function forgetAll(): void {
  entries.clear();
}

function useEntry<T>(
  name: string | null,
  reader: PathReader,
  on: ChangedBy,
): Data<T> & { readonly entry: CacheEntry | null } {
  const [, setDrawn] = useState(0);
  const entry = name === null ? null : entryOf(name, reader);
  const { kinds, batch } = on;
  // At once with what is drawn: nothing can come between the two and be on no screen.
  useLayoutEffect(() => entry?.view(() => setDrawn((n) => n + 1), on), [entry, kinds?.join(), batch]);
  const reload = useCallback(() => void entry?.read(true), [entry]);
  const put = useCallback((data: T) => entry?.put(data), [entry]);
  return { data: (entry?.data ?? null) as T | null, problem: entry?.problem ?? null, reload, put, entry };
}

/** @param path null for nothing to read. */
export function useData<T>(path: string | null, on: ChangedBy = {}): Data<T> {
  const { data, problem, reload, put } = useEntry<T>(path, (_, headers) => ask(path ?? '', { headers }), on);
  return { data, problem, reload, put };
}

// Lists, a page at a time.

type Pages<T> = {
  readonly first: List<T>;
  readonly rows: readonly T[];
  readonly pages: number;
  readonly next: string | null;
};

export type Listing<T> = {
  /** Null before the first page is there. */
  readonly rows: readonly T[] | null;
  /** The first page as it came, with what stands beside its entries. */
  readonly first: List<T> | null;
  readonly problem: Problem | null;
  readonly hasMore: boolean;
  /** Reads one more page. */
  readonly more: () => Promise<void>;
  readonly reload: () => void;
};

/**
 * Every page that is shown is read again, in order, when something of the list changes: while entries come and go, no cursor of an earlier read is true.
 * @param keyOf what tells one entry from all others.
 */
export function useListing<T>(path: string, keyOf: (entry: T) => string, on: ChangedBy = {}): Listing<T> {
  const read: PathReader = (before, headers) =>
    readPages(path, (before as Pages<T> | null)?.pages ?? 1, keyOf, headers);
  const { data, problem, reload, entry } = useEntry<Pages<T>>(`pages of ${path}`, read, on);
  const more = async (): Promise<void> => {
    const now = entry?.data as Pages<T> | null | undefined;
    if (entry === null || now?.next === null || now === null || now === undefined) return;
    const list = await ask<List<T>>(pathAfter(path, now.next));
    entry.put({
      ...now,
      rows: onceEach([...now.rows, ...list.data], keyOf),
      pages: now.pages + 1,
      next: list.next,
    });
    // Whatever changed since the pages before were read.
    void entry.read(true);
  };
  const hasMore = (data?.next ?? null) !== null;
  return { rows: data?.rows ?? null, first: data?.first ?? null, problem, hasMore, more, reload };
}

async function readPages<T>(
  path: string,
  most: number,
  keyOf: (entry: T) => string,
  headers: Readonly<Record<string, string>>,
): Promise<Pages<T>> {
  const first = await ask<List<T>>(path, { headers });
  const rows = [...first.data];
  let { next } = first;
  for (let pages = 1; next !== null && pages < most; pages += 1) {
    const list: List<T> = await ask(pathAfter(path, next), { headers });
    rows.push(...list.data);
    next = list.next;
  }
  return { first, rows: onceEach(rows, keyOf), pages: most, next };
}

/** An entry that moved while the pages were read is shown once, as it was told last. */
function onceEach<T>(rows: readonly T[], keyOf: (entry: T) => string): readonly T[] {
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

function pathAfter(path: string, next: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(next)}`;
}

// Orders.

export type Order = {
  readonly isBusy: boolean;
  readonly problem: Problem | null;
  readonly run: (order: () => Promise<void>) => void;
  readonly clear: () => void;
};

/** An order in progress: its button waits, and its reply or its failure is shown next to it. */
export function useOrder(): Order {
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
