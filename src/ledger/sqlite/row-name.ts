// The name of a row as its file's owner knows it, also of one that is there no more: the history has it from its registration.
import { REGISTERED, TAKEN_OVER } from './history.ts';
import { textOrNull } from './rows-table.ts';
import type { Sql } from './statements.ts';

/** Events whose detail is the row's name. */
const NAMES_ROW = JSON.stringify([REGISTERED, TAKEN_OVER]);

const NAME =
  'SELECT detail FROM events WHERE batch = ? AND position = ? AND event IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT 1';

export function rowName(sql: Sql, batch: string, position: number): string {
  const standing = sql('SELECT row FROM rows WHERE batch = ? AND position = ?').get(batch, position);
  const known =
    textOrNull(standing?.['row']) ?? textOrNull(sql(NAME).get(batch, position, NAMES_ROW)?.['detail']);
  return known ?? `at position ${String(position)}`;
}
