// The ledger over SQLite: one file, one machine, WAL with full synchronisation. Each method is one commit or one read of its tables.
import type { DatabaseSync } from 'node:sqlite';

import { isoTime, type Clock } from '../../base/clock.ts';
import { SETTLED, type Stage } from '../../payouts/lifecycle.ts';
import { CHECKED, type BatchState } from '../batch-states.ts';
import type { ClaimRequest, CrossCheck, Ledger, Met, RecordResult, RowChange, Schedule } from '../ledger.ts';
import type { BatchChange, BatchRecord, Encounter, NewRow, PaidBefore, RowRecord } from '../records.ts';
import { asLedgerUnusable } from '../ledger-unusable.ts';
import { batchesTable, type BatchesTable } from './batches-table.ts';
import { claimsTable, type ClaimsTable } from './claims-table.ts';
import { GroupCommit } from './group-commit.ts';
import { rowsTable, type RowsTable } from './rows-table.ts';
import { statements, type Sql } from './statements.ts';

/** Rows looked at in one go while a batch is held against the others. */
const PAGE_ROWS = 1_000;

export class SqliteLedger implements Ledger {
  readonly run: string;
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #commits: GroupCommit;
  readonly #sql: Sql;
  readonly #batches: BatchesTable;
  readonly #rows: RowsTable;
  readonly #claims: ClaimsTable;

  /** @param run unique to this process; it is the owner of its claims. */
  constructor(database: DatabaseSync, run: string, clock: Clock) {
    this.#database = database;
    this.run = run;
    this.#clock = clock;
    this.#commits = new GroupCommit(database);
    this.#sql = statements(database);
    this.#batches = batchesTable(this.#sql);
    this.#rows = rowsTable(this.#sql, run);
    this.#claims = claimsTable(this.#sql, run);
  }

  addBatch(batch: BatchRecord, mayReplace: (earlier: BatchRecord) => boolean): Promise<BatchRecord | null> {
    return this.#commits.run(() => {
      const earlier = this.#batches.where('file_id', batch.fileId) ?? this.#batches.where('id', batch.id);
      if (earlier !== null && !mayReplace(earlier)) return earlier;
      if (earlier !== null) this.#deleteBatch(earlier.id);
      this.#batches.insert(batch);
      this.#addEvent(batch.id, null, 'batch announced', null, null);
      return null;
    });
  }

  changeBatch(id: string, change: BatchChange): Promise<void> {
    return this.#commits.run(() => this.#change(id, change));
  }

  takeOver(
    id: string,
    seen: { readonly state: BatchState; readonly takenBy: string },
  ): Promise<BatchRecord | null> {
    return this.#commits.run(() => {
      const batch = this.#batches.where('id', id);
      if (batch?.state !== seen.state || batch.takenBy !== seen.takenBy) return null;
      this.#change(id, { paused: false, takenBy: this.run });
      return this.#batches.where('id', id);
    });
  }

  refuseBatch(id: string, finishedAt: string): Promise<boolean> {
    return this.#commits.run(() => {
      if (this.#batches.where('id', id)?.takenBy !== this.run) return false;
      this.#change(id, { state: 'refused', finishedAt, waitingFor: null, waitingWords: null });
      this.#rows.clear(id);
      return true;
    });
  }

  dropBatch(id: string): Promise<void> {
    return this.#commits.run(() => {
      const batch = this.#batches.where('id', id);
      if (batch?.state !== 'taking' || batch.takenBy !== this.run)
        throw new Error(`Batch ${id} is not this run's to forget.`);
      this.#deleteBatch(id);
      this.#addEvent(id, null, 'batch dropped', null, null);
    });
  }

  batch(id: string): Promise<BatchRecord | null> {
    return this.#read(() => this.#batches.where('id', id));
  }

  batchOfFile(fileId: string): Promise<BatchRecord | null> {
    return this.#read(() => this.#batches.where('file_id', fileId));
  }

  batches(): Promise<readonly BatchRecord[]> {
    return this.#read(() => this.#batches.all());
  }

  addRows(batch: string, rows: readonly NewRow[]): Promise<void> {
    return this.#commits.run(() => {
      this.#batches.assertRegisteredBy(batch, this.run);
      for (const row of rows) this.#rows.insert(batch, row);
    });
  }

  clearRows(batch: string): Promise<void> {
    return this.#commits.run(() => {
      this.#batches.assertRegisteredBy(batch, this.run);
      this.#rows.clear(batch);
    });
  }

  rows(batch: string, from: number, limit: number): Promise<readonly RowRecord[]> {
    return this.#read(() => this.#rows.page(batch, from, limit));
  }

  crossCheck(batch: string, check: CrossCheck): Promise<void> {
    return this.#commits.run(() => {
      const own = this.#ofSameBytes(batch);
      const sameContent = this.#sameContent(batch, own);
      const encounters = this.#rows.encounters(batch, check.since);
      const met = byPosition(
        encounters.filter(({ other }) => !own.has(other.batch) || other.batch === batch),
      );
      if (check.everyRow || sameContent !== null || met.size > 0)
        this.#judgeRows(batch, check, (position) => ({ encounters: met.get(position) ?? [], sameContent }));
      this.#change(batch, check.change);
    });
  }

  standing(reference: string): Promise<Encounter['other'] | null> {
    return this.#read(() => this.#rows.standing(reference));
  }

  paidTo(payee: string, limit: number): Promise<readonly PaidBefore[]> {
    return this.#read(() => this.#rows.paidTo(payee, limit));
  }

  stageCounts(batch: string): Promise<ReadonlyMap<Stage, number>> {
    return this.#read(() => this.#rows.stageCounts(batch));
  }

  claim(request: ClaimRequest): Promise<readonly RowRecord[]> {
    return this.#commits.run(() => this.#claims.claim(request));
  }

  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null> {
    return this.#read(() => this.#claims.nextDueAt(batch, stages));
  }

  record(row: RowRecord, change: RowChange): Promise<RecordResult> {
    return this.#commits.run(() => {
      const written = this.#write(row, change);
      return { written, paused: this.#batches.isPaused(row.batch) };
    });
  }

  unclaim(row: RowRecord): Promise<void> {
    return this.#commits.run(() => {
      this.#claims.giveBack(row);
    });
  }

  schedule(row: RowRecord, { now, dueAt, event }: Schedule): Promise<boolean> {
    return this.#commits.run(() => {
      const isDone = this.#claims.schedule(row, dueAt, now);
      if (isDone && event !== null) this.#addEvent(row.batch, row.position, event, row.progress.stage, null);
      return isDone;
    });
  }

  makeDue(batch: string): Promise<void> {
    const settled = JSON.stringify([...SETTLED]);
    return this.#commits.run(() => {
      this.#sql(
        'UPDATE rows SET due_at = 0 WHERE batch = ? AND stage NOT IN (SELECT value FROM json_each(?))',
      ).run(batch, settled);
    });
  }

  endClaims(isAlive: (owner: string) => boolean): Promise<void> {
    return this.#commits.run(() => this.#claims.end(isAlive));
  }

  bindTo(service: string): Promise<string> {
    return this.#commits.run(() => {
      this.#sql(`INSERT INTO meta (name, value) VALUES ('service', ?) ON CONFLICT (name) DO NOTHING`).run(
        service,
      );
      return String(this.#sql(`SELECT value FROM meta WHERE name = 'service'`).get()?.['value']);
    });
  }

  async close(): Promise<void> {
    // One empty commit lets everything that waits go first.
    await this.#commits.run(() => undefined);
    this.#database.close();
  }

  /** A read, whose fault is told like a write's. */
  async #read<T>(work: () => T): Promise<T> {
    try {
      return await Promise.resolve(work());
    } catch (error) {
      throw asLedgerUnusable(error);
    }
  }

  #change(id: string, change: BatchChange): void {
    this.#batches.change(id, change);
    this.#addEvent(id, null, 'batch changed', null, JSON.stringify(change));
  }

  #deleteBatch(id: string): void {
    this.#rows.clear(id);
    this.#batches.delete(id);
  }

  #write(row: RowRecord, change: RowChange): boolean {
    const written = this.#rows.write(row, change);
    if (written) this.#addEvent(row.batch, row.position, change.event, change.progress.stage, null);
    return written;
  }

  /** The batches of the same bytes: they are paid again on purpose, or not at all. */
  #ofSameBytes(id: string): ReadonlySet<string> {
    const sha256 = this.#batches.where('id', id)?.sha256;
    return new Set(
      this.#batches
        .all()
        .filter((batch) => batch.sha256 === sha256)
        .map((batch) => batch.id),
    );
  }

  /** Null when the content is new, or its batch not held against the others yet: then that one will see ours. */
  #sameContent(id: string, own: ReadonlySet<string>): BatchRecord | null {
    const fingerprint = this.#batches.where('id', id)?.contentFingerprint ?? null;
    if (fingerprint === null) return null;
    const others = this.#batches.withContent(fingerprint, id);
    return others.find((other) => CHECKED.includes(other.state) && !own.has(other.id)) ?? null;
  }

  #judgeRows(batch: string, { judge }: CrossCheck, metAt: (position: number) => Met): void {
    for (let from = 0; ;) {
      const page = this.#rows.page(batch, from, PAGE_ROWS);
      for (const row of page) {
        const mark = judge(row, metAt(row.position));
        if (mark !== null) this.#write(row, { ...mark, dueAt: null, keepClaim: false });
      }
      const last = page.at(-1);
      if (last === undefined) return;
      from = last.position + 1;
    }
  }

  #addEvent(
    batch: string,
    position: number | null,
    event: string,
    stage: Stage | null,
    detail: string | null,
  ): void {
    this.#sql('INSERT INTO events (at, batch, position, event, stage, detail) VALUES (?, ?, ?, ?, ?, ?)').run(
      isoTime(this.#clock.now()),
      batch,
      position,
      event,
      stage,
      detail,
    );
  }
}

function byPosition(encounters: readonly Encounter[]): ReadonlyMap<number, readonly Encounter[]> {
  const groups = new Map<number, Encounter[]>();
  for (const encounter of encounters) {
    const group = groups.get(encounter.position);
    if (group === undefined) groups.set(encounter.position, [encounter]);
    else group.push(encounter);
  }
  return groups;
}
