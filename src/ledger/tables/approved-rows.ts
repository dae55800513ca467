// Which rows of a batch its last question was about: a row that is released later is not paid on an answer that did not know of it.
import type { Asked } from '../approval.ts';
import { find, findOne, type Plan, send } from '../plan.ts';
import { digestOf } from '../seals.ts';

const SET =
  'INSERT INTO approved_rows (batch, position) SELECT $1::text, position FROM unnest($2::int[]) AS position';

/** Rows that may still be sent, and are in no question yet when they stand here and not in the table. */
const UNCOVERED = `
  SELECT count(*) AS rows FROM row_states r
   WHERE r.batch = $1 AND r.stage IN ('ready', 'quoted', 'created', 'confirming') AND r.held IS NULL
     AND NOT EXISTS (SELECT 1 FROM approved_rows a WHERE a.batch = r.batch AND a.position = r.position)`;

function* coverageOf(batch: string): Plan<string> {
  const found = yield* find('SELECT position FROM approved_rows WHERE batch = $1 ORDER BY position', [batch]);
  return digestOf(found.map(({ position }) => position));
}

/** Replaces them; gives their digest. */
export function* setApproved(batch: string, asked: readonly number[]): Plan<string> {
  yield* send('DELETE FROM approved_rows WHERE batch = $1', [batch]);
  yield* send(SET, [batch, asked]);
  return yield* coverageOf(batch);
}

/** How many rows that may be sent the question did not know; all of them when its own rows are not as it left them. */
export function* uncoveredRows(batch: string, { coverage }: Pick<Asked, 'coverage'>): Plan<number> {
  if ((yield* coverageOf(batch)) !== coverage) return Infinity;
  return Number((yield* findOne(UNCOVERED, [batch]))?.['rows']);
}
