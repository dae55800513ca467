// What every stored ledger does in the same way: batches, rows, notices and files of other houses. A store's own are its commits, its history, and the keys by which rows are
// found.
import { type Clock, dayOf } from '../../base/clock.ts';
import { type CountedAs, type Stage, STAGES } from '../../payouts/lifecycle.ts';
import type { RefusalCounts } from '../../payouts/limits.ts';
import type { Payout } from '../../payouts/payout.ts';
import type {
  DueRequest,
  CrossCheck,
  FoundBatch,
  Ledger,
  NextDue,
  RecordResult,
  Reservation,
  Rescheduled,
  RowChange,
  RowFilter,
  SeenBatch,
  CountedBy,
  UnknownAmong,
  WhichBatches,
  WhichRows,
  WholeDecision,
} from '../ledger.ts';
import { find, type Plan, type Ways } from '../plan.ts';
import type { BatchRecord, LeasedBatch, NamedTransfer, NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { Runs } from '../runs.ts';
import type { Tells } from '../seals.ts';
import type { Sharing } from '../sharing.ts';
import { uncoveredRows } from './approved-rows.ts';
import { BatchWrites } from './batch-writes.ts';
import { type BatchesTable, bindAccount, boundAccount } from './batches.ts';
import { dueRows, hintRow, makeDue, nextDueAt, reschedule } from './due-rows.ts';
import { duplicateOf, type KeysOfStore } from './encounters.ts';
import { holdsSeal } from './events.ts';
import { exchangeTables } from './exchange.ts';
import { noticesTable } from './notices.ts';
import { ordersTable } from './orders.ts';
import type { RowReservation } from './reservations.ts';
import type { Place, RowParts, RowWrite } from './row-lines.ts';
import { type Recorded, RowWrites } from './row-writes.ts';
import {
  leftToSend,
  matchingRows,
  pageOf,
  type Pieces,
  refusalCounts,
  stageCounts,
  toPaidBefore,
  transferNamed,
} from './rows.ts';
import type { RunsInPlans } from '../runs.ts';
import { standingsOf } from './standings.ts';
import { amountOf, sumOfDay, sumOfFile } from './sums.ts';
import { toRowRecord } from '../stored-rows.ts';

/** A caller that asks for the rest of a limit holds no row yet for which another waits. */
const RESERVATIONS: Sharing = { order: 0, isLazy: false };
const RECORDS: Sharing = { order: 1, isLazy: false };
const REGISTRATIONS: Sharing = { order: 2, isLazy: true };

/** Rows that one statement registers. */
const WRITTEN_ROWS = 1_000;

export type Store = {
  readonly id: string;
  readonly clock: Clock;
  readonly history: Omit<Ledger['history'], 'holds'>;
  readonly runs: Runs & RunsInPlans;
  readonly batches: BatchesTable;
  readonly rows: Omit<RowParts, 'run' | 'batches'>;
  readonly keys: KeysOfStore;
  readonly ways: Ways;
  /** One commit, which the history tells of. */
  readonly commit: <T>(plan: (tx: Tells) => Plan<T>) => Promise<T>;
  /** A way to write items: all that wait are made by one plan, and each has its own result. */
  readonly shares: <Item, Result>(
    how: Sharing,
    plan: (tx: Tells, items: readonly Item[]) => Plan<readonly Result[]>,
  ) => (item: Item) => Promise<Result>;
  /** What the history says of a row that is made due at once; null where nothing is said, and the chain of the run need not grow for it. */
  readonly toldOfHints: string | null;
  readonly pieces: Pieces;
};

/** New rows of a batch that is being read. */
type Registration = { readonly leased: LeasedBatch; readonly rows: readonly NewRow[] };

export abstract class StoredLedger implements Ledger {
  readonly id: string;
  readonly run: string;
  readonly runs: Runs;
  readonly notices: Ledger['notices'];
  readonly exchange: Ledger['exchange'];
  readonly account: Ledger['account'];
  readonly orders: Ledger['orders'];
  readonly history: Ledger['history'];
  protected readonly batchWrites: BatchWrites;
  protected readonly rowWrites: RowWrites;
  readonly #store: Store;
  readonly #record: (write: RowWrite) => Promise<Recorded>;
  readonly #register: (registration: Registration) => Promise<void>;
  readonly #reserve: (wish: RowReservation) => Promise<Reservation>;

  constructor(store: Store) {
    const { id, runs, ways, rows, keys, batches } = store;
    const { run } = ways;
    const rowWrites = new RowWrites({ ...rows, run, batches });
    this.#store = store;
    this.id = id;
    this.run = run;
    this.history = { ...store.history, holds: (batch, seal) => ways.read(() => holdsSeal(batch, seal)) };
    this.runs = runs;
    this.notices = noticesTable(ways);
    this.exchange = exchangeTables(runs, ways);
    this.rowWrites = rowWrites;
    this.batchWrites = new BatchWrites({ run, runs, batches, rows: rowWrites, keys });
    this.#record = store.shares(RECORDS, (tx, items: readonly RowWrite[]) => rowWrites.record(tx, items));
    this.#reserve = store.shares(RESERVATIONS, (tx, items: readonly RowReservation[]) =>
      rowWrites.reserve(tx, items),
    );
    this.#register = store.shares(REGISTRATIONS, (tx, items: readonly Registration[]) =>
      this.#registerAll(tx, items),
    );
    this.account = {
      bound: () => ways.read(() => boundAccount()),
      bind: (account, seen) => ways.write(() => bindAccount(account, seen)),
    };
    this.orders = ordersTable(ways, (leased) => this.batchWrites.assertLeased(leased));
  }

  addBatch(batch: BatchRecord, replaces?: BatchRecord): ReturnType<Ledger['addBatch']> {
    return this.#store.commit((tx) => this.batchWrites.announce(tx, batch, replaces));
  }

  revise(of: string | LeasedBatch, decide: Parameters<Ledger['revise']>[1]): Promise<BatchRecord | null> {
    return this.#store.commit((tx) => this.batchWrites.revise(tx, of, decide));
  }

  askApproval(...[leased, asked, positions]: Parameters<Ledger['askApproval']>): Promise<boolean> {
    return this.#store.commit((tx) => this.batchWrites.askApproval(tx, leased, asked, positions));
  }

  uncovered(id: string): Promise<number> {
    const { batches, ways } = this.#store;
    return ways.read(function* () {
      const approval = (yield* batches.where('id', id))?.approval;
      return approval?.kind === 'asked' ? yield* uncoveredRows(id, approval) : 0;
    });
  }

  takeOver(seen: SeenBatch): Promise<BatchRecord | null> {
    return this.#store.commit((tx) => this.batchWrites.takeOver(tx, seen));
  }

  giveBack(leased: LeasedBatch, left = false): Promise<boolean> {
    return this.#store.ways.write(() => this.batchWrites.giveBack(leased, left));
  }

  dropBatch(leased: LeasedBatch): Promise<void> {
    return this.#store.commit((tx) => this.batchWrites.drop(tx, leased));
  }

  batch(which: Parameters<Ledger['batch']>[0]): Promise<BatchRecord | null> {
    const { batches, ways } = this.#store;
    return ways.read(() =>
      typeof which === 'string' ? batches.where('id', which) : batches.where('file_id', which.fileId),
    );
  }

  batches<Which extends WhichBatches | UnknownAmong | CountedBy = WhichBatches>(
    which?: Which,
  ): Promise<readonly FoundBatch<Which>[]> {
    const { batches, ways } = this.#store;
    return ways.read(() => batches.find(which)) as Promise<readonly FoundBatch<Which>[]>;
  }

  clearRows(leased: LeasedBatch): Promise<void> {
    return this.#store.commit((tx) => this.batchWrites.clear(tx, leased));
  }

  rows(batch: string, from: number, limit: number, filter?: RowFilter): Promise<readonly RowRecord[]> {
    return this.#store.ways.read(() =>
      filter === undefined
        ? pageOf(batch, from, limit)
        : matchingRows(batch, from, filter, limit, this.#store.pieces),
    );
  }

  crossCheck(leased: LeasedBatch, check: CrossCheck): Promise<boolean> {
    return this.#store.commit((tx) => this.batchWrites.crossCheck(tx, leased, check));
  }

  decideWhole(leased: LeasedBatch, decision: WholeDecision): ReturnType<Ledger['decideWhole']> {
    return this.#store.commit((tx) => this.batchWrites.decideWhole(tx, leased, decision));
  }

  stageCounts(batch: string): Promise<ReadonlyMap<CountedAs, number>> {
    return this.#store.ways.read(() => stageCounts(batch, this.#store.pieces));
  }

  refusalCounts(batch: string): Promise<RefusalCounts> {
    return this.#store.ways.read(() => refusalCounts(batch));
  }

  leftToSend(batch: string, which: 'all' | 'open'): ReturnType<Ledger['leftToSend']> {
    return this.#store.ways.read(() => leftToSend(batch, which, this.#store.pieces));
  }

  transferOf(externalId: string): Promise<NamedTransfer | null> {
    return this.#store.ways.read(() => transferNamed(externalId));
  }

  nextDueAt(batch: string, stages: readonly Stage[], which: NextDue = {}): Promise<number | null> {
    return this.#store.ways.read(() => nextDueAt(batch, stages, which));
  }

  reschedule(leased: LeasedBatch, rows: readonly Rescheduled[]): Promise<void> {
    const { batchWrites } = this;
    return this.#store.ways.write(function* () {
      yield* batchWrites.assertLeased(leased);
      yield* reschedule(leased.id, rows);
    });
  }

  makeDue(batch: string, which: WhichRows, stages: readonly Stage[] = STAGES): Promise<void> {
    return makeDue(this.#store.ways, batch, which, stages, this.#store.pieces);
  }

  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void> {
    return this.#register({ leased, rows });
  }

  /** Those that wait for one batch are registered together. */
  *#registerAll(tx: Tells, items: readonly Registration[]): Plan<readonly undefined[]> {
    for (const of of Map.groupBy(items, ({ leased }) => `${leased.id} ${String(leased.token)}`).values()) {
      const [first] = of;
      if (first === undefined) continue;
      const batch = yield* this.batchWrites.registered(first.leased);
      const rows = of.flatMap((each) => each.rows);
      for (let from = 0; from < rows.length; from += WRITTEN_ROWS)
        yield* this.rowWrites.register(tx, batch, rows.slice(from, from + WRITTEN_ROWS));
      yield* this.#store.keys.registered(batch, rows);
    }
    return items.map(() => undefined);
  }

  hint(row: Place, event = this.#store.toldOfHints): Promise<boolean> {
    const { rowWrites } = this;
    const { commit, ways } = this.#store;
    if (event === null) return ways.write(() => hintRow(row));
    return commit(function* (tx) {
      const isDue = yield* hintRow(row);
      if (isDue) yield* rowWrites.note(tx, row, event);
      return isDue;
    });
  }

  async dueRows(leased: LeasedBatch, request: DueRequest): Promise<readonly RowRecord[]> {
    const { rows, ways } = this.#store;
    const lines = await ways.read(() => dueRows(this.run, leased, request));
    for (const line of lines) rows.memory.learn(line);
    return lines.map(toRowRecord);
  }

  async record(leased: LeasedBatch, row: RowRecord, change: RowChange): Promise<RecordResult> {
    const { written, standings } = await this.#record({ leased, row, change });
    const again = () => this.#store.ways.read(() => standingsOf(this.run, [leased.id]));
    const { halted } = await standings.catch(again);
    return { written, isHalted: halted.has(leased.id) };
  }

  reserve(
    ...[leased, row, amount, limits, day]: Parameters<Ledger['reserve']>
  ): ReturnType<Ledger['reserve']> {
    return this.#reserve({ leased, row, amount, limits, day: day ?? dayOf(this.#store.clock.now()) });
  }

  spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']> {
    return this.#store.ways.read(function* () {
      const file = yield* amountOf(sumOfFile(batch, currency));
      return { file, day: yield* amountOf(sumOfDay(day, currency)) };
    });
  }

  duplicateOf(payout: Payout | string, since: string): ReturnType<Ledger['duplicateOf']> {
    return this.#store.ways.read(() => duplicateOf(this.#store, payout, since));
  }

  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]> {
    const { keys, ways } = this.#store;
    return ways.read(function* () {
      return (yield* find(keys.paidTo, [payee, limit])).map(toPaidBefore);
    });
  }

  abstract close(): Promise<void>;
}
