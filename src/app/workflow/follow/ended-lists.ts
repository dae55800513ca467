// Reversals are looked for by the day and not by the batch: what ended within a week stands in one list, however many small batches it is of, and a page of it
// shows a hundred payouts.
import { type EndedRows, listEnded, TOGETHER_ROWS } from '../../../delivery/poll-by-list.ts';
import { ENDED } from '../../../delivery/time-left.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../send/pay-batch.ts';

/** Bounds what is kept at a time. */
const ROWS_MOST = 5_000;

/** The lists of a round over closed batches, which asks for them in the order of these. */
export class EndedLists {
  readonly #paydrop: Paydrop;
  #left: readonly BatchRecord[];
  #read: ReadonlyMap<string, EndedRows> = new Map();

  constructor(paydrop: Paydrop, batches: readonly BatchRecord[]) {
    this.#paydrop = paydrop;
    this.#left = batches.filter(({ state }) => state === 'closed');
  }

  /** The ended rows of a batch that is due, and what the list shows of them; null for a large batch, which has lists of its own. */
  async of({ id }: BatchRecord): Promise<EndedRows | null> {
    if (!this.#read.has(id)) this.#read = await this.#readFrom(id);
    return this.#read.get(id) ?? null;
  }

  /** For this batch, and for as many behind it as there is room for. */
  async #readFrom(id: string): Promise<ReadonlyMap<string, EndedRows>> {
    const from = this.#left.findIndex((batch) => batch.id === id);
    const [first, ...behind] = from === -1 ? [] : this.#left.slice(from);
    if (first === undefined) return new Map();
    const rows = new Map<string, readonly RowRecord[]>();
    let [read, count] = [0, 0];
    for (const batch of [first, ...behind]) {
      if (count >= ROWS_MOST) break;
      const ended = await this.#endedRows(batch);
      if (ended.length < TOGETHER_ROWS) rows.set(batch.id, ended);
      read += 1;
      count += ended.length;
    }
    this.#left = this.#left.slice(from + read);
    const listed = await listEnded(deliveryTools(this.#paydrop, first), [...rows.values()].flat());
    return new Map([...rows].map(([batch, ended]) => [batch, { rows: ended, listed }]));
  }

  /** The first of them; none where none is due. */
  async #endedRows({ id }: BatchRecord): Promise<readonly RowRecord[]> {
    const { ledger, clock } = this.#paydrop;
    const dueAt = await ledger.nextDueAt(id, ENDED);
    if (dueAt === null || dueAt > clock.now()) return [];
    return ledger.rows(id, 0, TOGETHER_ROWS, { stages: ENDED });
  }
}
