// Which rows of a batch its last question was about: a row that is released later is not paid on an answer that did not know of it.
import type { Asked } from '../approval.ts';
import { digestOf } from './digest.ts';
import type { Sql } from './statements.ts';

/** Rows that may still be sent, and are in no question yet when they stand here and not in the table. */
const UNCOVERED = `
  SELECT count(*) AS rows FROM rows r
   WHERE r.batch = ? AND r.stage IN ('ready', 'quoted', 'created', 'confirming') AND r.held IS NULL
     AND NOT EXISTS (SELECT 1 FROM approved_rows a WHERE a.batch = r.batch AND a.position = r.position)`;

export type ApprovedRows = ReturnType<typeof approvedRows>;

export function approvedRows(sql: Sql) {
  const positions = (batch: string): readonly number[] =>
    sql('SELECT position FROM approved_rows WHERE batch = ? ORDER BY position')
      .all(batch)
      .map((found) => Number(found['position']));
  return {
    has: ({ batch, position }: { readonly batch: string; readonly position: number }): boolean =>
      sql('SELECT 1 FROM approved_rows WHERE batch = ? AND position = ?').get(batch, position) !== undefined,
    /** Replaces them; gives their digest. */
    set: (batch: string, asked: readonly number[]): string => {
      sql('DELETE FROM approved_rows WHERE batch = ?').run(batch);
      const insert = sql('INSERT INTO approved_rows (batch, position) VALUES (?, ?)');
      for (const position of asked) insert.run(batch, position);
      return digestOf(positions(batch));
    },
    /** How many rows that may be sent the question did not know; all of them when its own rows are not as it left them. */
    uncovered: (batch: string, { coverage }: Pick<Asked, 'coverage'>): number => {
      if (digestOf(positions(batch)) !== coverage) return Infinity;
      return Number(sql(UNCOVERED).get(batch)?.['rows']);
    },
  };
}
