// The ledger over PostgreSQL: one database for any number of processes on any number of machines. Writes to the chain of this run go through one
// connection, in shared commits; everything else goes through a few others.
import { randomUUID } from 'node:crypto';

import { dayOf, isoTime, type Clock } from '../../base/clock.ts';
import type { Payout } from '../../payouts/payout.ts';
import { type Stage, STAGES, type StageOrHeld } from '../../payouts/lifecycle.ts';
import type { RefusalCounts } from '../../payouts/limits.ts';
import type { Asked } from '../approval.ts';
import type { EventCursor, EventPage, HistoryReport } from '../history.ts';
import type {
  ClaimRequest,
  CrossCheck,
  FoundBatch,
  Ledger,
  RecordResult,
  RowChange,
  RowFilter,
  Schedule,
  SeenBatch,
  UnknownAmong,
  WhichBatches,
  WholeDecision,
} from '../ledger.ts';
import type { BatchRecord, LeasedBatch, NamedTransfer, NewRow, PaidBefore, RowRecord } from '../records.ts';
import type { Machine } from '../runs.ts';
import {
  batchesTable,
  type BatchesTable,
  bindAccount,
  boundAccount,
  refusalCounts,
  pausedAmong,
  uncoveredRows,
} from './batches-table.ts';
import { BatchWrites, type Registration } from './batch-writes.ts';
import { giveBack, makeDue, nextDueAt, RunClaims, schedule } from './claims-table.ts';
import { Connection, type PostgresPlace, type Query, schemaOf, toldFault } from './connect.ts';
import { duplicateOf } from './encounters-query.ts';
import { exchangeTables } from './exchange-tables.ts';
import { GroupCommit } from './group-commit.ts';
import { History, readEvents } from './history.ts';
import { noticesTable } from './notices-table.ts';
import type { RowReservation } from './reservations.ts';
import { type Recorded, rowWrites, type RowWrite, type RowWrites } from './row-writes.ts';
import { KnownLines, endOf, matchingRows, pageOf, paidTo, stageCounts } from './rows-table.ts';
import { RunsTable } from './runs-table.ts';
import { openSchema } from './schema.ts';
import { type LedgerWays, SharedConnections, writeOne } from './shared-connections.ts';
import { amountOf, leftToSend, sumOfDay, sumOfFile } from './spent-table.ts';
import { hintRow, transferNamed } from './transfers-table.ts';
import { verifyHistory } from './verify-history.ts';

/** Among the writes that share a commit, these are made first: a caller that asks for the rest of a limit holds no row yet for which another waits. */
const RESERVATIONS = 0;
const RECORDS = 1;
const REGISTRATIONS = 2;

/** Opens or creates the ledger in a schema of the database, for a run of its own. Throws `LedgerUnusable`, and `LedgerAway` where the database does not answer. */
export async function openPostgresLedger(
  place: PostgresPlace,
  clock: Clock,
  machine: Machine,
): Promise<PostgresLedger> {
  try {
    const connection = await Connection.open(place);
    const id = await openSchema(connection, schemaOf(place)).finally(() => connection.close());
    return new PostgresLedger(place, id, clock, machine);
  } catch (error) {
    throw toldFault(error);
  }
}

export class PostgresLedger implements Ledger {
  readonly id: string;
  readonly run = randomUUID();
  readonly runs: RunsTable;
  readonly notices: Ledger['notices'];
  readonly exchange: Ledger['exchange'];
  readonly #place: PostgresPlace;
  readonly #clock: Clock;
  readonly #shared: SharedConnections;
  readonly #ways: LedgerWays;
  readonly #commits: GroupCommit;
  readonly #batches: BatchesTable;
  readonly #rowWrites: RowWrites;
  readonly #batchWrites: BatchWrites;
  readonly #known = new KnownLines();
  readonly #claims: RunClaims;
  readonly #record: (write: RowWrite) => Promise<Recorded>;
  readonly #register: (registration: Registration) => Promise<void>;
  readonly #reserve: (wish: RowReservation) => ReturnType<Ledger['reserve']>;

  constructor(place: PostgresPlace, id: string, clock: Clock, machine: Machine) {
    this.#place = place;
    this.id = id;
    this.#clock = clock;
    this.#shared = new SharedConnections(place);
    const givenUp = new AbortController();
    const { run } = this;
    this.#ways = {
      run,
      read: (work) => this.#shared.read(work),
      write: async (work) => {
        await this.#enter();
        return this.#shared.write((query) => this.runs.fence(query), work);
      },
    };
    this.#claims = new RunClaims(this.#ways, this.#known);
    this.runs = new RunsTable({
      run,
      machine,
      place,
      ways: this.#ways,
      givenUp,
    });
    this.#commits = new GroupCommit({
      run,
      place,
      history: new History(run, givenUp),
      fence: (query) => this.runs.fence(query),
      enter: () => this.#enter(),
      now: () => isoTime(clock.now()),
    });
    this.#batches = batchesTable((owner, isOpen) => this.runs.learn(owner, isOpen));
    this.#rowWrites = rowWrites({ run, batches: this.#batches, known: this.#known });
    const { runs } = this;
    this.#batchWrites = new BatchWrites({ run, runs, batches: this.#batches, rowWrites: this.#rowWrites });
    this.#record = this.#commits.sharing(RECORDS, this.#rowWrites.record);
    this.#reserve = this.#commits.sharing(RESERVATIONS, this.#rowWrites.reserve);
    this.#register = this.#commits.sharing(REGISTRATIONS, (tx, items: readonly Registration[]) =>
      this.#batchWrites.addRows(tx, items),
    );
    this.notices = noticesTable(this.#ways);
    this.exchange = exchangeTables(runs, this.#ways);
  }

  async #enter(): Promise<void> {
    try {
      await this.runs.enter();
    } catch (error) {
      throw toldFault(error);
    }
  }

  addBatch(batch: BatchRecord, replaces?: BatchRecord): ReturnType<Ledger['addBatch']> {
    return this.#commits.run((tx) => this.#batchWrites.announce(tx, batch, replaces));
  }

  revise(of: string | LeasedBatch, decide: Parameters<Ledger['revise']>[1]): Promise<BatchRecord | null> {
    return this.#commits.run((tx) => this.#batchWrites.revise(tx, of, decide));
  }

  askApproval(
    leased: LeasedBatch,
    asked: Omit<Asked, 'coverage'>,
    positions: readonly number[],
  ): Promise<boolean> {
    return this.#commits.run((tx) => this.#batchWrites.askApproval(tx, leased, asked, positions));
  }

  uncovered(id: string): Promise<number> {
    return this.#read(async (query) => {
      const approval = (await this.#batches.where(query, 'id', id))?.approval;
      return approval?.kind === 'asked' ? uncoveredRows(query, id, approval) : 0;
    });
  }

  takeOver(seen: SeenBatch): Promise<BatchRecord | null> {
    return this.#commits.run((tx) => this.#batchWrites.takeOver(tx, seen));
  }

  dropBatch(leased: LeasedBatch): Promise<void> {
    return this.#commits.run((tx) => this.#batchWrites.drop(tx, leased));
  }

  batch(which: Parameters<Ledger['batch']>[0]): Promise<BatchRecord | null> {
    return this.#read((query) =>
      typeof which === 'string'
        ? this.#batches.where(query, 'id', which)
        : this.#batches.where(query, 'file_id', which.fileId),
    );
  }

  batches<Which extends WhichBatches | UnknownAmong = WhichBatches>(which?: Which) {
    const asked: WhichBatches | UnknownAmong | undefined = which;
    return this.#read(async (query) => {
      const found: readonly (BatchRecord | string)[] =
        asked !== undefined && 'unknownAmong' in asked
          ? await this.#batches.unknownAmong(query, asked.unknownAmong)
          : await this.#batches.which(query, asked);
      return found as readonly FoundBatch<Which>[];
    });
  }

  addRows(leased: LeasedBatch, rows: readonly NewRow[]): Promise<void> {
    return this.#register({ leased, rows });
  }

  clearRows(leased: LeasedBatch): Promise<void> {
    return this.#commits.run((tx) => this.#batchWrites.clear(tx, leased));
  }

  rows(batch: string, from: number, limit: number, filter?: RowFilter): Promise<readonly RowRecord[]> {
    return this.#read((query) =>
      filter === undefined
        ? pageOf(query, batch, from, limit)
        : matchingRows(query, batch, from, filter, limit),
    );
  }

  crossCheck(leased: LeasedBatch, check: CrossCheck): Promise<boolean> {
    return this.#commits.run((tx) => this.#batchWrites.crossCheck(tx, leased, check));
  }

  decideWhole(leased: LeasedBatch, decision: WholeDecision): ReturnType<Ledger['decideWhole']> {
    return this.#commits.run((tx) => this.#batchWrites.decideWhole(tx, leased, decision));
  }

  duplicateOf(payout: Payout | string, since: string): ReturnType<Ledger['duplicateOf']> {
    return this.#read((query) => duplicateOf(query, this.#batches, payout, since));
  }

  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]> {
    return this.#read((query) => paidTo(query, payee, limit));
  }

  stageCounts(batch: string): Promise<ReadonlyMap<StageOrHeld, number>> {
    return this.#read((query) => stageCounts(query, batch));
  }

  claim(request: ClaimRequest): Promise<readonly RowRecord[]> {
    return this.#claims.claim(request);
  }

  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null> {
    return this.#read((query) => nextDueAt(query, batch, stages));
  }

  async record(row: RowRecord, change: RowChange): Promise<RecordResult> {
    const { written, paused } = await this.#record({ row, change });
    const ofBatch = [row.batch];
    const among = await paused.catch(() => this.#read((query) => pausedAmong(query, ofBatch)));
    if (among.has(row.batch)) change.onPaused?.();
    return { written };
  }

  reserve(...[row, amount, limits, day]: Parameters<Ledger['reserve']>): ReturnType<Ledger['reserve']> {
    return this.#reserve({ row, amount, limits, day: day ?? dayOf(this.#clock.now()) });
  }

  spent(batch: string, currency: string, day: string): ReturnType<Ledger['spent']> {
    return this.#read(async (query) => ({
      file: await amountOf(query, sumOfFile(batch, currency)),
      day: await amountOf(query, sumOfDay(day, currency)),
    }));
  }

  refusalCounts(batch: string): Promise<RefusalCounts> {
    return this.#read((query) => refusalCounts(query, batch));
  }

  leftToSend(batch: string): ReturnType<Ledger['leftToSend']> {
    return this.#read((query) => leftToSend(query, batch));
  }

  async unclaim(row: RowRecord): Promise<void> {
    this.#known.forget(row);
    await writeOne(this.#ways, (query) => giveBack(query, this.run, row));
  }

  transferOf(id: string): Promise<NamedTransfer | null> {
    return this.#read((query) => transferNamed(query, id));
  }

  hint(row: Pick<RowRecord, 'batch' | 'position'>): Promise<boolean> {
    return writeOne(this.#ways, (query) => hintRow(query, row));
  }

  schedule(row: RowRecord, { now, dueAt, event }: Schedule): Promise<boolean> {
    this.#known.forget(row);
    if (event === null) return writeOne(this.#ways, (query) => schedule(query, this.run, row, dueAt, now));
    return this.#commits.run(async (tx) => {
      const isDone = await schedule(tx.query, this.run, row, dueAt, now);
      if (isDone) await this.#rowWrites.note(tx, row, event);
      return isDone;
    });
  }

  async makeDue(batch: string, which: 'all' | 'waiting', stages: readonly Stage[] = STAGES): Promise<void> {
    const end = await this.#read((query) => endOf(query, batch));
    await makeDue(this.#ways, batch, end, which, stages);
  }

  events(of: Parameters<Ledger['events']>[0], after: EventCursor, limit: number): Promise<EventPage> {
    return this.#read((query) => readEvents(query, of, after, limit));
  }

  async verifyHistory(): Promise<HistoryReport> {
    try {
      return await verifyHistory(this.#place);
    } catch (error) {
      throw toldFault(error);
    }
  }

  boundTo(): Promise<string | null> {
    return this.#ways.read((query) => boundAccount(query));
  }

  bindTo(account: string, seen: string | null): Promise<boolean> {
    return this.#ways.write((query) => bindAccount(query, account, seen));
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    try {
      await this.runs.close();
    } finally {
      await this.#commits.close();
      await this.#shared.close();
    }
  }

  #read<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#ways.read(work);
  }
}
