// The sums of batches in progress, for their observers. They are kept by ranges of rows, so that a change costs reading its range and not the whole file. The
// history, which is committed with each change, says what has changed; so the sums need no writes in any kind of ledger.
import { setImmediate as turn } from 'node:timers/promises';

import { type EventCursor, type EventRecord, FROM_END, toldOf } from '../../ledger/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { Tally } from '../../results/summary.ts';

const RANGE_ROWS = 1_000;
const EVENTS_MOST = 1_000;
/** An observer who is more than this many pages of events behind reads the rows again, which costs less than the events. */
const PAGES_MOST = 20;

/** Events of a batch itself, not of its rows. */
const OF_NO_ROW: ReadonlySet<string> = new Set(['batch_changed', 'batch_waits', 'batch_announced']);

export class RunningSums {
  readonly #ledger: Pick<Ledger, 'events' | 'rows'>;
  readonly #rangeRows: number;
  /** By batch, then by the number of the range; a changed range is missing, also while it is still being read. */
  readonly #batches = new Map<string, Map<number, Promise<Tally>>>();
  #cursor: EventCursor | null = null;
  #caughtUp: Promise<void> = Promise.resolve();

  constructor(ledger: Pick<Ledger, 'events' | 'rows'>, rangeRows = RANGE_ROWS) {
    this.#ledger = ledger;
    this.#rangeRows = rangeRows;
  }

  /** The present sums over its rows. */
  async of({ id, rows }: Pick<BatchRecord, 'id' | 'rows'>): Promise<Tally> {
    // Every caller reads what happened before it asked, one after the other: none may miss the changes that another has read.
    const caughtUp = this.#caughtUp.then(() => this.#catchUp());
    this.#caughtUp = caughtUp.catch(() => undefined);
    await caughtUp;
    const ranges = this.#batches.get(id) ?? new Map<number, Promise<Tally>>();
    this.#batches.set(id, ranges);
    const whole = new Tally();
    for (let range = 0; range * this.#rangeRows < rows; range += 1)
      whole.addAll(await (ranges.get(range) ?? this.#keep(ranges, range, this.#read(id, range))));
    return whole;
  }

  /** Call it when nobody will ask about the batch again. */
  forget(batch: string): void {
    this.#batches.delete(batch);
  }

  /** Kept from the moment that it is begun: a change that is told meanwhile drops it. */
  #keep(ranges: Map<number, Promise<Tally>>, range: number, tally: Promise<Tally>): Promise<Tally> {
    ranges.set(range, tally);
    tally.catch(() => ranges.delete(range));
    return tally;
  }

  async #read(batch: string, range: number): Promise<Tally> {
    const [from, behind] = [range * this.#rangeRows, (range + 1) * this.#rangeRows];
    const tally = new Tally();
    for (const row of await this.#ledger.rows(batch, from, this.#rangeRows))
      if (row.position < behind) tally.add(row);
    // Reading waits for nothing: without this, all ranges of a large file together would hold up the payments.
    await turn();
    return tally;
  }

  /** Read before any row, so that a later commit is seen the next time. */
  async #catchUp(): Promise<void> {
    for (let page = 0; this.#cursor !== null && page < PAGES_MOST; page += 1) {
      const { events, next } = await this.#ledger.events(null, this.#cursor, EVENTS_MOST);
      this.#cursor = next;
      events.forEach(this.#leave);
      if (events.length < EVENTS_MOST) return;
      await turn();
    }
    this.#cursor = (await this.#ledger.events(null, FROM_END, 1)).next;
    this.#batches.clear();
  }

  readonly #leave = (event: EventRecord): void => {
    const ranges = this.#batches.get(event.batch);
    if (event.position !== null) ranges?.delete(Math.floor(event.position / this.#rangeRows));
    else if (toldOf(event).some(({ code }) => !OF_NO_ROW.has(code))) ranges?.clear();
  };
}
