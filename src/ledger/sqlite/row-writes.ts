// Every write that changes what a row is: its record, what it counts for against the limits, and the event that tells of both, in one commit.
import type { DecimalText } from '../../base/decimal.ts';
import type { Limits } from '../../payouts/limits.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import type { BatchRecord, Counted, NewRow, RowRecord } from '../records.ts';
import type { Reservation, RowChange } from '../ledger.ts';
import { type NewEvent, REGISTERED, rowDigest } from '../seals.ts';
import { reservationOf } from '../row-rules.ts';
import { isApproved } from '../tables/approved-rows.ts';
import type { Carries } from './dialect.ts';
import type { KeysTable } from './keys-table.ts';
import { countedOf } from '../stored-rows.ts';
import type { RowsTable, RowsTableRow } from './rows-table.ts';
import { countedRow, type CountedRow, type SpentTable } from './spent-table.ts';

type Tables = {
  readonly batchOf: (id: string) => BatchRecord | null;
  readonly carry: Carries;
  readonly rows: RowsTable;
  readonly keys: Pick<KeysTable, 'remove'>;
  readonly spent: SpentTable;
};

export type RowWrites = ReturnType<typeof rowWrites>;

/** Each is called inside a write transaction. */
export function rowWrites(tables: Tables, tell: (event: NewEvent) => void) {
  const writes = {
    register: (batch: string, row: NewRow): void => {
      const digest = rowDigest(tables.rows.insert(batch, row));
      const { position, progress } = row;
      tell({ batch, position, event: REGISTERED, stage: stageOrHeld(progress), detail: row.row, digest });
    },
    /** False when the row is no longer as it was seen. */
    write: (row: RowRecord, change: RowChange): boolean => {
      const written = tables.rows.write(row, change);
      if (written === null) return false;
      const { batch, position } = row;
      const { before, after } = written;
      moveSums(tables, after, countedOf(before), countedOf(after));
      const stage = stageOrHeld(change.progress);
      tell({ batch, position, event: change.event, stage, digest: rowDigest(after) });
      return true;
    },
    /** Each row as it is judged; null leaves one as it is. */
    judgeEach: (
      rows: Iterable<RowRecord>,
      judge: (row: RowRecord) => Pick<RowChange, 'progress' | 'event'> | null,
    ): void => {
      for (const row of rows) {
        const mark = judge(row);
        if (mark !== null) writes.write(row, { ...mark, dueAt: null });
      }
    },
    clear: (batch: string): void => clear(tables, batch),
    /** An event that leaves the record as it was. */
    note: (place: Pick<RowRecord, 'batch' | 'position'>, event: string): void => {
      const found = tables.rows.at(place);
      if (found === null) return;
      const { batch, position } = place;
      tell({ batch, position, event, stage: stageIn(found), digest: rowDigest(found) });
    },
    /** @param day `yyyy-mm-dd`, UTC. */
    reserve: (row: RowRecord, amount: DecimalText, limits: Limits, day: string): Reservation => {
      const seen = tables.rows.seen(row);
      if (seen === null) return 'gone';
      const [counts, before, after] = [countedRow(seen), countedOf(seen), { day, amount }];
      const known = tables.batchOf(row.batch);
      const isCovered = (): boolean => tables.carry(isApproved(row));
      const wish = { row, currency: counts.currency, before, after, batch: known, limits, isCovered };
      const decided = reservationOf(wish, tables.spent.sumsFor(counts, day));
      if (decided === 'counts') return null;
      if (decided !== 'count') return decided;
      const { batch, position, progress } = row;
      const digest = rowDigest(count(tables, seen, after));
      const detail = `${amount} on ${day}`;
      tell({ batch, position, event: 'within the limits', stage: stageOrHeld(progress), detail, digest });
      return null;
    },
  };
  return writes;
}

/** As `stageOrHeld` has it. */
function stageIn({ stage, held }: RowsTableRow): string {
  return held === null ? String(stage) : 'held';
}

/** All rows of a batch go, and what they counted for goes with them. */
function clear(tables: Tables, batch: string): void {
  tables.keys.remove(batch);
  for (const found of tables.rows.clear(batch)) moveSums(tables, found, countedOf(found), null);
}

/** The record once it counts for so much. */
function count(tables: Tables, seen: RowsTableRow, after: Counted): RowsTableRow {
  const { batch } = moveSums(tables, seen, countedOf(seen), after);
  return tables.rows.count(batch, Number(seen['position']), after);
}

/** The sums follow what a row counts for. */
function moveSums(
  tables: Tables,
  found: RowsTableRow,
  before: Counted | null,
  after: Counted | null,
): CountedRow {
  const row = countedRow(found);
  if (before?.day !== after?.day || before?.amount !== after?.amount) tables.spent.move(row, before, after);
  return row;
}
