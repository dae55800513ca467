// Rows to and from their table.
import { STAGES, type Stage } from '../../payouts/lifecycle.ts';
import type { Encounter, RowRecord } from '../records.ts';
import type { SQLOutputValue } from 'node:sqlite';

export type RowsTableRow = Readonly<Record<string, SQLOutputValue>>;

export const ROW_COLUMNS =
  'batch, position, row, reference, fingerprint, payout, rejections, progress, version, written_by';

/** Our own JSON comes back as it was written; the schema version guards its shape. */
export function toRowRecord(row: RowsTableRow): RowRecord {
  return {
    batch: String(row['batch']),
    position: Number(row['position']),
    row: String(row['row']),
    reference: textOrNull(row['reference']),
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

/** One line of the encounters query. */
export function toEncounter(found: RowsTableRow): Encounter {
  return {
    position: Number(found['position']),
    kind: found['kind'] === 'same-reference' ? 'same-reference' : 'same-payment',
    other: {
      batch: String(found['batch']),
      row: String(found['row']),
      fingerprint: textOrNull(found['fingerprint']),
      stage: stageOf(found['stage']),
      acceptedAt: String(found['accepted_at']),
    },
  };
}

export function stageOf(value: SQLOutputValue | undefined): Stage {
  const stage = STAGES.find((known) => known === value);
  if (stage === undefined) throw new Error('The ledger holds a stage that this version does not know.');
  return stage;
}
