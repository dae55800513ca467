// What every stored ledger does in the same way: batches, rows as they are read, notices and files of other houses. What is written with every step of a row
// is the store's own.
import { type Stage, type StageOrHeld, STAGES } from '../../payouts/lifecycle.ts';
import type { RefusalCounts } from '../../payouts/limits.ts';
import type { Payout } from '../../payouts/payout.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type {
  DueRequest,
  CrossCheck,
  FoundBatch,
  Ledger,
  RecordResult,
  Rescheduled,
  RowChange,
  RowFilter,
  SeenBatch,
  CountedBy,
  UnknownAmong,
  WhichBatches,
  WholeDecision,
} from '../ledger.ts';
import type { Plan, Ways } from '../plan.ts';
import type { BatchRecord, LeasedBatch, NamedTransfer, NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { Runs } from '../runs.ts';
import { uncoveredRows } from './approved-rows.ts';
import { BatchWrites, type RowsOfStore, type Tells } from './batch-writes.ts';
import { type BatchesTable, bindAccount, boundAccount } from './batches.ts';
import { makeDue, nextDueAt, reschedule } from './due-rows.ts';
import { exchangeTables } from './exchange.ts';
import { noticesTable } from './notices.ts';
import { ordersTable } from './orders.ts';
import {
  leftToSend,
  matchingRows,
  pageOf,
  type Pieces,
  refusalCounts,
  stageCounts,
  transferNamed,
} from './rows.ts';
import type { RunsInPlans } from './runs-in-plans.ts';

export type Store<Tx extends Tells> = {
  readonly id: string;
  readonly runs: Runs & RunsInPlans;
  readonly batches: BatchesTable;
  readonly rows: RowsOfStore<Tx>;
  readonly ways: Ways;
  /** One commit, which the history tells of. */
  readonly commit: <T>(plan: (tx: Tx) => Plan<T>) => Promise<T>;
  readonly pieces: Pieces;
};

export abstract class StoredLedger<Tx extends Tells> implements Ledger {
  readonly id: string;
  readonly run: string;
  readonly runs: Runs;
  readonly notices: Ledger['notices'];
  readonly exchange: Ledger['exchange'];
  readonly account: Ledger['account'];
  readonly orders: Ledger['orders'];
  protected readonly batchWrites: BatchWrites<Tx>;
  readonly #store: Store<Tx>;

  constructor(store: Store<Tx>) {
    const { id, runs, ways, rows, batches } = store;
    const { run } = ways;
    this.#store = store;
    this.id = id;
    this.run = run;
    this.runs = runs;
    this.notices = noticesTable(ways);
    this.exchange = exchangeTables(runs, ways);
    this.batchWrites = new BatchWrites({ run, runs, batches, rows });
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

  stageCounts(batch: string): Promise<ReadonlyMap<StageOrHeld, number>> {
    return this.#store.ways.read(() => stageCounts(batch, this.#store.pieces));
  }

  refusalCounts(batch: string): Promise<RefusalCounts> {
    return this.#store.ways.read(() => refusalCounts(batch));
  }

  leftToSend(batch: string): ReturnType<Ledger['leftToSend']> {
    return this.#store.ways.read(() => leftToSend(batch, this.#store.pieces));
  }

  transferOf(externalId: string): Promise<NamedTransfer | null> {
    return this.#store.ways.read(() => transferNamed(externalId));
  }

  nextDueAt(batch: string, stages: readonly Stage[], except: readonly number[] = []): Promise<number | null> {
    return this.#store.ways.read(() => nextDueAt(batch, stages, except));
  }

  reschedule(leased: LeasedBatch, rows: readonly Rescheduled[]): Promise<void> {
    const { batchWrites } = this;
    return this.#store.ways.write(function* () {
      yield* batchWrites.assertLeased(leased);
      yield* reschedule(leased.id, rows);
    });
  }

  makeDue(batch: string, which: 'all' | 'waiting', stages: readonly Stage[] = STAGES): Promise<void> {
    return makeDue(this.#store.ways, batch, which, stages, this.#store.pieces);
  }

  abstract addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void>;
  abstract duplicateOf(payout: Payout | string, since: string): ReturnType<Ledger['duplicateOf']>;
  abstract paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]>;
  abstract dueRows(leased: LeasedBatch, request: DueRequest): Promise<readonly RowRecord[]>;
  abstract record(leased: LeasedBatch, row: RowRecord, change: RowChange): Promise<RecordResult>;
  abstract reserve(...wish: Parameters<Ledger['reserve']>): ReturnType<Ledger['reserve']>;
  abstract spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']>;
  abstract hint(row: Pick<RowRecord, 'batch' | 'position'>, event?: string): Promise<boolean>;
  abstract events(of: Parameters<Ledger['events']>[0], after: EventCursor, limit: number): Promise<EventPage>;
  abstract verifyHistory(): Promise<HistoryReport>;
  abstract close(): Promise<void>;
}
