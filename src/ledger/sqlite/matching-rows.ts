// Rows of a batch by a filter: looked for some thousand at a time, with a turn for everybody else between them, because no index serves them. An index
// on what every step changes would cost each payment more than the few who look are worth.
import { setImmediate as turn } from 'node:timers/promises';

import { isMatch, wordsOf } from '../batch-rows.ts';
import type { RowFilter } from '../ledger.ts';
import type { RowRecord } from '../records.ts';
import { type PositionRange, positionRanges, type Sql } from './group-commit.ts';
import { toRowRecord } from '../stored-rows.ts';
import { ROW_COLUMNS, STAGE_OR_HELD } from './rows-table.ts';

/** Some ten milliseconds. */
const SEARCHED_ROWS = 5_000;

/** @param end the position behind the last row of the batch. */
export async function matchingRows(
  sql: Sql,
  batch: string,
  { from, to: end }: PositionRange,
  filter: RowFilter,
  limit: number,
): Promise<readonly RowRecord[]> {
  const found: RowRecord[] = [];
  for (const { from: start, to } of positionRanges(end, SEARCHED_ROWS)) {
    if (to <= from) continue;
    if (start > from) await turn();
    found.push(...matchingIn(sql, batch, { from: Math.max(from, start), to }, filter, limit - found.length));
    if (found.length === limit) break;
  }
  return found;
}

/** Whatever may fit by the text of its columns; whether it does is asked of the record, so that every ledger finds the same. */
const MATCHING = `
  SELECT ${ROW_COLUMNS} FROM whole_rows
   WHERE batch = ?1 AND position >= ?2 AND position < ?3
     AND (?4 IS NULL OR ${STAGE_OR_HELD} IN (SELECT value FROM json_each(?4)))
     AND (?5 IS NULL OR instr(progress, ?5) > 0 OR instr(rejections, ?5) > 0)
     AND NOT EXISTS (SELECT 1 FROM json_each(?6)
                      WHERE row || ' ' || coalesce(reference, '') || ' ' || coalesce(payout, '') NOT LIKE value)
   ORDER BY position`;

function matchingIn(
  sql: Sql,
  batch: string,
  { from, to }: PositionRange,
  filter: RowFilter,
  limit: number,
): readonly RowRecord[] {
  const stages = filter.stages === undefined ? null : JSON.stringify(filter.stages);
  const code = filter.code === undefined ? null : JSON.stringify(filter.code);
  // Of capitals SQLite knows those of English alone, and JSON writes some characters otherwise: any may stand there.
  const likes = wordsOf(filter).map((word) => `%${word.replace(/[^a-z0-9]+/g, '%')}%`);
  const found: RowRecord[] = [];
  for (const each of sql(MATCHING).iterate(batch, from, to, stages, code, JSON.stringify(likes))) {
    if (found.length === limit) break;
    const row = toRowRecord(each);
    if (isMatch(row, filter)) found.push(row);
  }
  return found;
}
