// One event feed and running totals for all open pages, whatever their number. The sums are kept by small pieces of a file, so that a change costs reading
// its piece. The history, which is committed with each change, says what has changed; so the sums need no writes in any kind of ledger.
import { setImmediate as turn } from 'node:timers/promises';

import {
  type EventCursor,
  type EventPage,
  type EventRecord,
  FROM_END,
  type Told,
  toldOf,
} from '../../ledger/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { Tally } from '../../results/summary.ts';

const EVENTS_MOST = 1_000;

/** Some seconds of fast payments. Who is further behind reads the ledger alone. */
const PAGES_KEPT = 64;

export type TimelineEvent = Told & { readonly at: string; readonly row: string | null };

/** `told`: what its events changed, for programs. The same page is the same object for all. */
export type FeedPage = EventPage & { readonly told: readonly (TimelineEvent & { readonly batch: string })[] };

export class HistoryFeed {
  readonly #ledger: Pick<Ledger, 'history'>;
  /** By the place behind which they begin, the oldest first; null: nobody has read on from there. */
  readonly #pages = new Map<EventCursor, FeedPage | null>();

  constructor(ledger: Pick<Ledger, 'history'>) {
    this.#ledger = ledger;
  }

  /** What was committed behind a place. Without events: nothing more than that was committed before the call. */
  async after(place: EventCursor): Promise<FeedPage> {
    const known = this.#pages.get(place);
    if (known !== undefined && known !== null) return known;
    const read = this.#untilKnown(await this.#ledger.history.events(null, place, EVENTS_MOST));
    const page = {
      ...read,
      told: read.events.flatMap((event) => shown(event).map((each) => ({ ...each, batch: event.batch }))),
    };
    if (page.events.length > 0) this.#keep(place, page);
    return page;
  }

  /** A page ends where another one begins: from there on both readers read the same pages. */
  #untilKnown({ events, next }: EventPage): EventPage {
    const at = events.findIndex(({ cursor }) => this.#pages.has(cursor));
    return at < 0 ? { events, next } : { events: events.slice(0, at + 1), next: events[at]?.cursor ?? next };
  }

  #keep(place: EventCursor, page: FeedPage): void {
    this.#pages.delete(place);
    this.#pages.set(place, page);
    if (!this.#pages.has(page.next)) this.#pages.set(page.next, null);
    for (const oldest of this.#pages.keys()) if (this.#pages.size > PAGES_KEPT) this.#pages.delete(oldest);
  }
}

export function shown(event: EventPage['events'][number]): readonly TimelineEvent[] {
  return toldOf(event).map((told) => ({ at: event.at, row: event.row, ...told }));
}

// The sums.

/** Read together when a file is looked at for the first time, with no turn for others: some ten milliseconds, in which nothing is paid. */
const RANGE_ROWS = 1_000;
/** Read together when one of them has changed. */
const PIECE_ROWS = 50;
/** Sums that nobody has asked for during so many pages of events are made again, which costs less than the events. */
const PAGES_MOST = 100;

/** With these events rows go that no event names. */
const ROWS_GO: ReadonlySet<string> = new Set(['rows_removed', 'batch_forgotten']);

/** Sums over some places of a file, how many of them have a row, and whether none behind them had one. */
type Part = { readonly tally: Tally; rows: number; isEnd: boolean };

/** After a change `sum` is null, and the changed pieces are missing. */
type Range = {
  readonly pieces: Map<number, Part>;
  sum: Promise<Part> | null;
  read: Promise<unknown>;
};

export class RunningSums {
  readonly #ledger: Pick<Ledger, 'history' | 'rows'>;
  readonly #feed: HistoryFeed;
  readonly #rangeRows: number;
  readonly #pieceRows: number;
  readonly #batches = new Map<string, Map<number, Range>>();
  #cursor: EventCursor | null = null;
  #caughtUp: Promise<void> = Promise.resolve();
  /** Since others had a turn. */
  #rowsRead = 0;

  constructor(
    ledger: Pick<Ledger, 'history' | 'rows'>,
    feed: HistoryFeed,
    { rangeRows = RANGE_ROWS, pieceRows = PIECE_ROWS } = {},
  ) {
    this.#ledger = ledger;
    this.#feed = feed;
    this.#rangeRows = rangeRows;
    this.#pieceRows = pieceRows;
  }

  /** The present sums over its rows, also while they come. */
  async of({ id, rows }: Pick<BatchRecord, 'id' | 'rows'>): Promise<Tally> {
    // Every caller reads what happened before it asked, one after the other: none may miss the changes that another has read.
    const caughtUp = this.#caughtUp.then(() => this.#catchUp());
    this.#caughtUp = caughtUp.catch(() => undefined);
    await caughtUp;
    const ranges = known(this.#batches, id, () => new Map<number, Range>());
    const whole = new Tally();
    for (let number = 0; ; number += 1) {
      const range = known(ranges, number, newRange);
      const sum = await (range.sum ??= this.#sumOf(id, number, range));
      whole.addAll(sum.tally);
      if (sum.isEnd) {
        // Rows may come here, and behind: the next caller looks again.
        ranges.delete(number);
        return whole;
      }
      if (sum.rows < this.#rangeRows && (number + 1) * this.#rangeRows >= rows) return whole;
    }
  }

  /** Call it when nobody will ask about the batch again. */
  forget(batch: string): void {
    this.#batches.delete(batch);
  }

  /** Of two readings of one range the later begins when the earlier has ended, and finds what that has read. */
  #sumOf(batch: string, number: number, range: Range): Promise<Part> {
    const sum = range.read.then(() => this.#read(batch, number * this.#rangeRows, range));
    range.read = sum.catch(() => (range.sum = null));
    return sum;
  }

  async #read(batch: string, start: number, { pieces }: Range): Promise<Part> {
    const count = Math.ceil(this.#rangeRows / this.#pieceRows);
    const missing = Array.from({ length: count }, (_, at) => at).filter((at) => !pieces.has(at));
    // They are kept before they are read: a change that is told meanwhile drops them.
    for (const at of missing) pieces.set(at, newPart());
    const parts = [...pieces.values()];
    const sum = newPart();
    try {
      sum.isEnd = await this.#fill(
        batch,
        start,
        new Map(missing.map((at) => [at, pieces.get(at) ?? newPart()])),
      );
    } catch (error) {
      for (const at of missing) pieces.delete(at);
      throw error;
    }
    for (const { tally, rows } of parts) {
      sum.tally.addAll(tally);
      sum.rows += rows;
    }
    return sum;
  }

  /** Reads the rows of these pieces, by their numbers. True where none stands there or behind. */
  async #fill(batch: string, start: number, parts: ReadonlyMap<number, Part>): Promise<boolean> {
    if (parts.size === 0) return false;
    const from = start + Math.min(...parts.keys()) * this.#pieceRows;
    const behind = start + (Math.max(...parts.keys()) + 1) * this.#pieceRows;
    const found = await this.#ledger.rows(batch, from, behind - from);
    for (const row of found) {
      const part = parts.get(Math.floor((row.position - start) / this.#pieceRows));
      if (part === undefined || row.position >= behind) continue;
      part.tally.add(row);
      part.rows += 1;
    }
    // Reading waits for nothing: without this, all ranges of a large file together would hold up the payments.
    this.#rowsRead += found.length;
    if (this.#rowsRead >= this.#rangeRows) {
      this.#rowsRead = 0;
      await turn();
    }
    return from === start && found.length === 0;
  }

  /** Read before any row, so that a later commit is seen the next time. */
  async #catchUp(): Promise<void> {
    for (let page = 0; this.#cursor !== null && page < PAGES_MOST; page += 1) {
      const { events, next } = await this.#feed.after(this.#cursor);
      this.#cursor = next;
      events.forEach(this.#leave);
      if (events.length === 0) return;
    }
    this.#cursor = (await this.#ledger.history.events(null, FROM_END, 1)).next;
    this.#batches.clear();
  }

  readonly #leave = (event: EventRecord): void => {
    const ranges = this.#batches.get(event.batch);
    if (ranges === undefined) return;
    const { position } = event;
    if (position === null) {
      if (toldOf(event).some(({ code }) => ROWS_GO.has(code))) this.#batches.delete(event.batch);
      return;
    }
    const range = ranges.get(Math.floor(position / this.#rangeRows));
    if (range === undefined) return;
    range.sum = null;
    range.pieces.delete(Math.floor((position % this.#rangeRows) / this.#pieceRows));
  };
}

function newPart(): Part {
  return { tally: new Tally(), rows: 0, isEnd: false };
}

function newRange(): Range {
  return { pieces: new Map(), sum: null, read: Promise.resolve() };
}

function known<Key, T>(map: Map<Key, T>, key: Key, make: () => T): T {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
