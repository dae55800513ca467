// How many rows of a batch the service or the network has decided, read from the rows as they stand.
import type { Decisions } from '../../payouts/refusal-share.ts';
import type { Sql } from './statements.ts';

/** The service's codes are numbers; ours say nothing of the service. */
const DECISIONS = `
  SELECT count(*) AS decided, coalesce(sum(stage IN ('failed', 'rejected') OR (stage = 'confirmed' AND code IS NOT NULL)), 0) AS refused
    FROM (SELECT stage, json_extract(progress, '$.errorCode') AS code FROM rows
           WHERE batch = ? AND held IS NULL AND stage IN ('confirmed', 'paid', 'failed', 'rejected'))
   WHERE stage <> 'rejected' OR code GLOB '[0-9]*'`;

export function decisions(sql: Sql, batch: string): Decisions {
  const found = sql(DECISIONS).get(batch);
  return { decided: Number(found?.['decided']), refused: Number(found?.['refused']) };
}
