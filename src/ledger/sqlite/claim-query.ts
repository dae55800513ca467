// The one statement by which rows are claimed: what is due, unclaimed, in the stages asked for, and not stopped by a lack of funds.
import { ROW_COLUMNS } from './rows-table.ts';

/** `?1` the run, `?2` when the lease ends, `?3` the batch, `?4` now, `?5` the stages, `?6` stages in which funds are still to be reserved, `?7` currencies without funds, `?8` how many at most. */
export const CLAIM_QUERY = `
  UPDATE rows SET lease_owner = ?1, lease_until = ?2
   WHERE batch = ?3 AND position IN (
     SELECT position FROM rows
      WHERE batch = ?3 AND due_at <= ?4 AND (lease_until IS NULL OR lease_until <= ?4)
        AND stage IN (SELECT value FROM json_each(?5))
        AND NOT (stage IN (SELECT value FROM json_each(?6)) AND source_currency IN (SELECT value FROM json_each(?7)))
        AND NOT EXISTS (SELECT 1 FROM batches WHERE id = ?3 AND paused = 1)
      ORDER BY due_at, position LIMIT ?8)
  RETURNING ${ROW_COLUMNS}`;
