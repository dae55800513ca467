// Rows to and from their table.
import type { SQLOutputValue } from 'node:sqlite';

import { STAGES, type Stage } from '../../payouts/lifecycle.ts';
import { accountKey, payeeKey } from '../../payouts/payee.ts';
import { CHECKED } from '../batch-states.ts';
import type { RowChange } from '../ledger.ts';
import { ENCOUNTER_KINDS, type Encounter, type NewRow, type PaidBefore, type RowRecord } from '../records.ts';
import { ENCOUNTERS_QUERY, STANDING_QUERY } from './encounters-query.ts';
import type { Sql } from './statements.ts';

export type RowsTableRow = Readonly<Record<string, SQLOutputValue>>;

export const ROW_COLUMNS =
  'batch, position, row, reference, lineage, fingerprint, payout, rejections, progress, version, written_by';

/** Stages in which a payout is never looked at by itself. */
export const WITHOUT_NEXT_CALL = `('failed', 'held', 'rejected', 'duplicate')`;

const PAID_TO_QUERY = `
  SELECT r.account, b.accepted_at, json_extract(r.payout, '$.targetCurrency') AS target_currency,
         json_extract(r.progress, '$.transfer.receiveAmount') AS receive_amount
    FROM rows r JOIN batches b ON b.id = r.batch
   WHERE r.payee = ? AND r.stage = 'paid' ORDER BY b.accepted_at DESC, r.batch, r.position DESC LIMIT ?`;

export type RowsTable = ReturnType<typeof rowsTable>;

export function rowsTable(sql: Sql, run: string) {
  return {
    insert: (batch: string, row: NewRow): void => insertRow(sql, run, batch, row),
    clear: (batch: string): void => {
      sql('DELETE FROM rows WHERE batch = ?').run(batch);
    },
    page: (batch: string, from: number, limit: number): readonly RowRecord[] =>
      sql(`SELECT ${ROW_COLUMNS} FROM rows WHERE batch = ? AND position >= ? ORDER BY position LIMIT ?`)
        .all(batch, from, limit)
        .map(toRowRecord),
    encounters: (batch: string, since: string): readonly Encounter[] =>
      sql(ENCOUNTERS_QUERY).all(batch, since, JSON.stringify(CHECKED)).map(toEncounter),
    standing: (reference: string): Encounter['other'] | null => {
      const found = sql(STANDING_QUERY).get(reference, null, JSON.stringify(CHECKED));
      return found === undefined ? null : toMet(found);
    },
    paidTo: (payee: string, limit: number): readonly PaidBefore[] =>
      sql(PAID_TO_QUERY).all(payee, limit).map(toPaidBefore),
    stageCounts: (batch: string): ReadonlyMap<Stage, number> => {
      const counts = sql('SELECT stage, count(*) AS rows FROM rows WHERE batch = ? GROUP BY stage').all(
        batch,
      );
      return new Map(counts.map((count) => [stageOf(count['stage']), Number(count['rows'])]));
    },
    /** False when the row is no longer as it was seen. */
    write: (row: RowRecord, change: RowChange): boolean => {
      const { changes } = sql(
        `
        UPDATE rows SET stage = ?1, progress = ?, rejections = ?, due_at = CASE WHEN hinted = 1 AND ?1 NOT IN ${WITHOUT_NEXT_CALL} THEN 0 ELSE ? END, version = version + 1, written_by = ?,
               lease_owner = CASE WHEN ?6 THEN lease_owner END, lease_until = CASE WHEN ?6 THEN lease_until END
         WHERE batch = ?7 AND position = ?8 AND version = ?9`,
      ).run(
        change.progress.stage,
        JSON.stringify(change.progress),
        JSON.stringify(change.rejections ?? row.rejections),
        change.dueAt,
        run,
        change.keepClaim ? 1 : 0,
        row.batch,
        row.position,
        row.version,
      );
      return Number(changes) === 1;
    },
  };
}

function insertRow(sql: Sql, run: string, batch: string, row: NewRow): void {
  sql(
    `INSERT INTO rows (batch, position, row, stage, source_currency, reference, reference_key, lineage, fingerprint, payee, account, payout, rejections, progress, due_at, version, written_by)
     VALUES (?, ?, ?, ?, ?, ?6, reference_key(?6), ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`,
  ).run(
    batch,
    row.position,
    row.row,
    row.progress.stage,
    row.payout?.sourceCurrency ?? null,
    row.reference,
    row.lineage,
    row.fingerprint,
    row.payout === null ? null : payeeKey(row.payout),
    row.payout === null ? null : accountKey(row.payout),
    row.payout === null ? null : JSON.stringify(row.payout),
    JSON.stringify(row.rejections),
    JSON.stringify(row.progress),
    row.isDue ? 0 : null,
    run,
  );
}

/** Our own JSON comes back as it was written; the schema version guards its shape. */
export function toRowRecord(row: RowsTableRow): RowRecord {
  return {
    batch: String(row['batch']),
    position: Number(row['position']),
    row: String(row['row']),
    reference: textOrNull(row['reference']),
    lineage: textOrNull(row['lineage']),
    fingerprint: textOrNull(row['fingerprint']),
    payout: JSON.parse(textOrNull(row['payout']) ?? 'null') as RowRecord['payout'],
    rejections: JSON.parse(String(row['rejections'])) as RowRecord['rejections'],
    progress: JSON.parse(String(row['progress'])) as RowRecord['progress'],
    version: Number(row['version']),
    writtenBy: String(row['written_by']),
  };
}

export function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function toPaidBefore(found: RowsTableRow): PaidBefore {
  return {
    receiveAmount: String(found['receive_amount']),
    targetCurrency: String(found['target_currency']),
    account: textOrNull(found['account']),
    acceptedAt: String(found['accepted_at']),
  };
}

/** One line of the encounters query. */
export function toEncounter(found: RowsTableRow): Encounter {
  return {
    position: Number(found['position']),
    kind: kindOf(found['kind']),
    other: toMet(found),
  };
}

function toMet(found: RowsTableRow): Encounter['other'] {
  return {
    batch: String(found['batch']),
    row: String(found['row']),
    fingerprint: textOrNull(found['fingerprint']),
    stage: stageOf(found['stage']),
    acceptedAt: String(found['accepted_at']),
  };
}

function kindOf(value: SQLOutputValue | undefined): Encounter['kind'] {
  const kind = ENCOUNTER_KINDS.find((known) => known === value);
  if (kind === undefined) throw new Error('The encounters query gave a kind that it does not have.');
  return kind;
}

export function stageOf(value: SQLOutputValue | undefined): Stage {
  const stage = STAGES.find((known) => known === value);
  if (stage === undefined) throw new Error('The ledger holds a stage that this version does not know.');
  return stage;
}
