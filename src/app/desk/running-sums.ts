// The sums of batches under way, for those who watch them: kept by ranges of rows, so that a change costs the reading of its range and not of the file. What has
// changed the history tells, which is committed together with it; so nothing is written for it, whatever the ledger lies in.
import { type EventCursor, type EventRecord, FROM_END, toldOf } from '../../ledger/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { Tally } from '../../results/summary.ts';

const RANGE_ROWS = 1_000;
const EVENTS_MOST = 1_000;
/** Who has not looked for longer than so many pages of events reads the rows again: that costs less than their story. */
const PAGES_MOST = 20;

/** Of a batch itself, and of none of its rows. */
const OF_NO_ROW: ReadonlySet<string> = new Set(['batch_changed', 'batch_waits', 'batch_announced']);

export class RunningSums {
  readonly #ledger: Pick<Ledger, 'events' | 'rows'>;
  readonly #rangeRows: number;
  /** By batch, then by the how-manieth range; a range that has changed is not there. */
  readonly #batches = new Map<string, Map<number, Tally>>();
  #cursor: EventCursor | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(ledger: Pick<Ledger, 'events' | 'rows'>, rangeRows = RANGE_ROWS) {
    this.#ledger = ledger;
    this.#rangeRows = rangeRows;
  }

  /** What its rows come to as they stand now. One after the other: what one has read another one's changes must not miss. */
  of(batch: Pick<BatchRecord, 'id' | 'rows'>): Promise<Tally> {
    const sums = this.#turn.then(() => this.#sum(batch));
    this.#turn = sums.catch(() => undefined);
    return sums;
  }

  /** Nobody will ask about it again. */
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

  /** Before any row is read: what is committed after that is told the next time. */
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
