// The ledger over SQLite: one file, one machine, WAL with full synchronisation. Each method is a few statements.
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { isoTime, type Clock } from '../../base/clock.ts';
import { SETTLED, type Stage } from '../../payouts/lifecycle.ts';
import type { ClaimRequest, Ledger, RecordResult, RowChange } from '../ledger.ts';
import type { BatchChange, BatchRecord, Encounter, NewRow, RowRecord } from '../records.ts';
import { asLedgerUnusable } from '../ledger-unusable.ts';
import { ENCOUNTERS_QUERY } from './encounters-query.ts';
import { GroupCommit } from './group-commit.ts';
import { ROW_COLUMNS, stageOf, toEncounter, toRowRecord } from './rows-table.ts';

/** Stages in which funds are still to be reserved: the ones that a lack of funds stops. */
const BEFORE_CREATION: readonly Stage[] = ['ready', 'quoted'];

export class SqliteLedger implements Ledger {
  readonly run: string;
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #commits: GroupCommit;
  readonly #statements = new Map<string, StatementSync>();

  /** @param run unique to this process; it is the owner of its claims. */
  constructor(database: DatabaseSync, run: string, clock: Clock) {
    this.#database = database;
    this.run = run;
    this.#clock = clock;
    this.#commits = new GroupCommit(database);
  }

  addBatch(batch: BatchRecord, mayReplace: (earlier: BatchRecord) => boolean): Promise<BatchRecord | null> {
    return this.#commits.run(() => {
      const earlier = this.#batchWhere('file_id', batch.fileId) ?? this.#batchWhere('id', batch.id);
      if (earlier !== null && !mayReplace(earlier)) return earlier;
      if (earlier !== null) this.#deleteBatch(earlier.id);
      this.#sql(
        `INSERT INTO batches (id, file_id, content_fingerprint, paused, accepted_at, record) VALUES (?, ?, ?, ?, ?, ?)`,
      ).run(batch.id, batch.fileId, batch.contentFingerprint, 0, batch.acceptedAt, JSON.stringify(batch));
      this.#addEvent(batch.id, null, 'batch announced', null, null);
      return null;
    });
  }

  changeBatch(id: string, change: BatchChange): Promise<void> {
    return this.#commits.run(() => {
      const batch = this.#batchWhere('id', id);
      if (batch === null) throw new Error(`There is no batch ${id} to change.`);
      const changed = { ...batch, ...change };
      this.#sql('UPDATE batches SET content_fingerprint = ?, paused = ?, record = ? WHERE id = ?').run(
        changed.contentFingerprint,
        changed.paused ? 1 : 0,
        JSON.stringify(changed),
        id,
      );
      this.#addEvent(id, null, 'batch changed', null, JSON.stringify(change));
    });
  }

  dropBatch(id: string): Promise<void> {
    return this.#commits.run(() => {
      this.#deleteBatch(id);
      this.#addEvent(id, null, 'batch dropped', null, null);
    });
  }

  batch(id: string): Promise<BatchRecord | null> {
    return this.#read(() => this.#batchWhere('id', id));
  }

  batchOfFile(fileId: string): Promise<BatchRecord | null> {
    return this.#read(() => this.#batchWhere('file_id', fileId));
  }

  batchesWithContent(contentFingerprint: string, id: string): Promise<readonly BatchRecord[]> {
    return this.#read(() =>
      this.#sql('SELECT record FROM batches WHERE content_fingerprint = ? AND id <> ? ORDER BY accepted_at')
        .all(contentFingerprint, id)
        .map(toBatchRecord)
        .filter(({ state }) => state !== 'refused'),
    );
  }

  batches(): Promise<readonly BatchRecord[]> {
    return this.#read(() =>
      this.#sql('SELECT record FROM batches ORDER BY accepted_at, id').all().map(toBatchRecord),
    );
  }

  addRows(batch: string, rows: readonly NewRow[]): Promise<void> {
    return this.#commits.run(() => {
      for (const row of rows) this.#insertRow(batch, row);
    });
  }

  clearRows(batch: string): Promise<void> {
    return this.#commits.run(() => {
      this.#sql('DELETE FROM rows WHERE batch = ?').run(batch);
    });
  }

  rows(batch: string, from: number, limit: number): Promise<readonly RowRecord[]> {
    return this.#read(() =>
      this.#sql(`SELECT ${ROW_COLUMNS} FROM rows WHERE batch = ? AND position >= ? ORDER BY position LIMIT ?`)
        .all(batch, from, limit)
        .map(toRowRecord),
    );
  }

  encounters(batch: string, since: string): Promise<readonly Encounter[]> {
    return this.#read(() => this.#sql(ENCOUNTERS_QUERY).all(batch, since).map(toEncounter));
  }

  stageCounts(batch: string): Promise<ReadonlyMap<Stage, number>> {
    return this.#read(() => {
      const counts = this.#sql('SELECT stage, count(*) AS rows FROM rows WHERE batch = ? GROUP BY stage').all(
        batch,
      );
      return new Map(counts.map((count) => [stageOf(count['stage']), Number(count['rows'])]));
    });
  }

  claim(request: ClaimRequest): Promise<readonly RowRecord[]> {
    const { batch, now, leaseMs, limit, stages, withoutFunds } = request;
    return this.#commits.run(() =>
      this.#sql(
        `
        UPDATE rows SET lease_owner = ?, lease_until = ?
         WHERE batch = ?3 AND position IN (
           SELECT position FROM rows
            WHERE batch = ?3 AND due_at <= ?4 AND (lease_until IS NULL OR lease_until <= ?4)
              AND stage IN (SELECT value FROM json_each(?5))
              AND NOT (stage IN (SELECT value FROM json_each(?6)) AND source_currency IN (SELECT value FROM json_each(?7)))
              AND NOT EXISTS (SELECT 1 FROM batches WHERE id = ?3 AND paused = 1)
            ORDER BY due_at, position LIMIT ?8)
        RETURNING ${ROW_COLUMNS}`,
      )
        .all(
          this.run,
          now + leaseMs,
          batch,
          now,
          JSON.stringify(stages),
          JSON.stringify(BEFORE_CREATION),
          JSON.stringify(withoutFunds),
          limit,
        )
        .map(toRowRecord)
        .sort((a, b) => a.position - b.position),
    );
  }

  nextDueAt(batch: string, stages: readonly Stage[]): Promise<number | null> {
    return this.#read(() => {
      const found = this.#sql(
        `
        SELECT min(max(due_at, coalesce(lease_until, 0))) AS due FROM rows
         WHERE batch = ? AND due_at IS NOT NULL AND stage IN (SELECT value FROM json_each(?))`,
      ).get(batch, JSON.stringify(stages));
      const due = found?.['due'];
      return typeof due === 'number' ? due : null;
    });
  }

  record(row: RowRecord, change: RowChange): Promise<RecordResult> {
    return this.#commits.run(() => {
      const { stage } = change.progress;
      const { changes } = this.#sql(
        `
        UPDATE rows SET stage = ?, progress = ?, rejections = ?, due_at = ?, version = version + 1, written_by = ?,
               lease_owner = CASE WHEN ?6 THEN lease_owner END, lease_until = CASE WHEN ?6 THEN lease_until END
         WHERE batch = ?7 AND position = ?8 AND version = ?9`,
      ).run(
        stage,
        JSON.stringify(change.progress),
        JSON.stringify(change.rejections ?? row.rejections),
        change.dueAt,
        this.run,
        change.keepClaim ? 1 : 0,
        row.batch,
        row.position,
        row.version,
      );
      if (Number(changes) === 1) this.#addEvent(row.batch, row.position, change.event, stage, null);
      return { written: Number(changes) === 1, paused: this.#isPaused(row.batch) };
    });
  }

  unclaim(row: RowRecord): Promise<void> {
    return this.#commits.run(() => {
      this.#sql(
        'UPDATE rows SET lease_owner = NULL, lease_until = NULL WHERE batch = ? AND position = ? AND lease_owner = ?',
      ).run(row.batch, row.position, this.run);
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
    return this.#commits.run(() => {
      const owners = this.#sql(
        'SELECT DISTINCT lease_owner AS owner FROM rows WHERE lease_owner IS NOT NULL',
      ).all();
      for (const owner of owners.map((found) => String(found['owner'])).filter((owner) => !isAlive(owner))) {
        this.#sql('UPDATE rows SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?').run(owner);
      }
    });
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

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #batchWhere(column: 'id' | 'file_id', value: string): BatchRecord | null {
    const found = this.#sql(`SELECT record FROM batches WHERE ${column} = ?`).get(value);
    return found === undefined ? null : toBatchRecord(found);
  }

  #deleteBatch(id: string): void {
    this.#sql('DELETE FROM rows WHERE batch = ?').run(id);
    this.#sql('DELETE FROM batches WHERE id = ?').run(id);
  }

  #insertRow(batch: string, row: NewRow): void {
    this.#sql(
      `INSERT INTO rows (batch, position, row, stage, source_currency, reference, fingerprint, payout, rejections, progress, due_at, version, written_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
    ).run(
      batch,
      row.position,
      row.row,
      row.progress.stage,
      row.payout?.sourceCurrency ?? null,
      row.reference,
      row.fingerprint,
      row.payout === null ? null : JSON.stringify(row.payout),
      JSON.stringify(row.rejections),
      JSON.stringify(row.progress),
      row.isDue ? 0 : null,
      this.run,
    );
  }

  #isPaused(batch: string): boolean {
    return this.#sql('SELECT paused FROM batches WHERE id = ?').get(batch)?.['paused'] === 1;
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

function toBatchRecord(found: Readonly<Record<string, unknown>>): BatchRecord {
  return JSON.parse(String(found['record'])) as BatchRecord;
}
