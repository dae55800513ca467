// The sums of batches in progress, for their observers. They are kept by ranges of rows, so that a change costs reading its range and not the whole file. The
// history, which is committed with each change, says what has changed; so the sums need no writes in any kind of ledger.
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
  /** By batch, then by the number of the range; a changed range is missing. */
  readonly #batches = new Map<string, Map<number, Tally>>();
  #cursor: EventCursor | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ledger: Pick<Ledger, 'events' | 'rows'>, rangeRows = RANGE_ROWS) {
    this.#ledger = ledger;
    this.#rangeRows = rangeRows;
  }

  /** The present sums over its rows. One call at a time: none may miss the changes that another has read. */
  of(batch: Pick<BatchRecord, 'id' | 'rows'>): Promise<Tally> {
    const sums = this.#turn.then(() => this.#sum(batch));
    this.#turn = sums.catch(() => undefined);
    return sums;
  }

  /** Call it when nobody will ask about the batch again. */
  forget(batch: string): void {
    this.#batches.delete(batch);
  }

  async #sum({ id, rows }: Pick<BatchRecord, 'id' | 'rows'>): Promise<Tally> {
    await this.#catchUp();
    const ranges = this.#batches.get(id) ?? new Map<number, Tally>();
    this.#batches.set(id, ranges);
    const whole = new Tally();
    for (let range = 0; range * this.#rangeRows < rows; range += 1) {
      const tally = ranges.get(range) ?? (await this.#read(id, range));
      ranges.set(range, tally);
      whole.addAll(tally);
    }
    return whole;
  }

  async #read(batch: string, range: number): Promise<Tally> {
    const [from, behind] = [range * this.#rangeRows, (range + 1) * this.#rangeRows];
    const tally = new Tally();
    for (const row of await this.#ledger.rows(batch, from, this.#rangeRows))
      if (row.position < behind) tally.add(row);
    return tally;
  }

  /** Read before any row, so that a later commit is seen the next time. */
  async #catchUp(): Promise<void> {
    for (let page = 0; this.#cursor !== null && page < PAGES_MOST; page += 1) {
      const { events, next } = await this.#ledger.events(null, this.#cursor, EVENTS_MOST);
      this.#cursor = next;
      events.forEach(this.#leave);
      if (events.length < EVENTS_MOST) return;
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
