// Rows to and from their table.
import type { RowRecord } from '../records.ts';
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
