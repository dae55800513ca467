// Reversals are looked for by the day and not by the batch: what ended within a week stands in one list, however many small batches it is of, and a page of it
// shows a hundred payouts.
import { type EndedRows, listEnded, TOGETHER_ROWS } from '../../../delivery/poll-by-list.ts';
import { ENDED } from '../../../delivery/time-left.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../carry/pay-batch.ts';

/** Bounds what is kept at a time. */
const ROWS_MOST = 5_000;

type RowsOfBatches = ReadonlyMap<string, EndedRows>;

/** The lists of a round over closed batches, which asks for them in the order of these. */
export class EndedLists {
  readonly #paydrop: Paydrop;
  #left: readonly BatchRecord[];
  #read: RowsOfBatches = new Map();

  constructor(paydrop: Paydrop, batches: readonly BatchRecord[]) {
    this.#paydrop = paydrop;
    this.#left = batches.filter(({ state, rows }) => state === 'closed' && rows < TOGETHER_ROWS);
  }

  /** The ended rows of a batch that is due, and what the list shows of them; null for a batch that has lists of its own: a large one, and one that has come due since. */
  async of(batch: BatchRecord): Promise<EndedRows | null> {
    const place = this.#left.findIndex(({ id }) => id === batch.id);
    if (place !== -1) this.#read = await this.#readFrom(batch, this.#left.slice(place + 1));
    const read = this.#read.get(batch.id) ?? null;
    return read?.rows.length === 0 ? null : read;
  }

  /** For a batch, and for as many behind it as there is room for. */
  async #readFrom(first: BatchRecord, behind: readonly BatchRecord[]): Promise<RowsOfBatches> {
    const rows = new Map<string, readonly RowRecord[]>();
    let count = 0;
    for (const batch of [first, ...behind]) {
      if (count >= ROWS_MOST) break;
      const ended = await this.#endedRows(batch);
      rows.set(batch.id, ended);
      count += ended.length;
    }
    this.#left = behind.slice(rows.size - 1);
    const listed = await listEnded(deliveryTools(this.#paydrop, first), [...rows.values()].flat());
    return new Map([...rows].map(([batch, ended]) => [batch, { rows: ended, listed }]));
  }

  /** None where none is due. */
  async #endedRows({ id }: BatchRecord): Promise<readonly RowRecord[]> {
    const { ledger, clock } = this.#paydrop;
    const dueAt = await ledger.nextDueAt(id, ENDED);
    if (dueAt === null || dueAt > clock.now()) return [];
    return ledger.rows(id, 0, TOGETHER_ROWS, { stages: ENDED });
  }
}
