// The name of a row as its file's owner knows it, also of one that is there no more: the history has it from its registration.
import { REGISTERED } from './history.ts';
import { textOrNull } from './rows-table.ts';
import type { Sql } from './statements.ts';

const NAME =
  'SELECT detail FROM events WHERE batch = ? AND position = ? AND event = ? ORDER BY seq DESC LIMIT 1';

export function rowName(sql: Sql, batch: string, position: number): string {
  const standing = sql('SELECT row FROM rows WHERE batch = ? AND position = ?').get(batch, position);
  const known =
    textOrNull(standing?.['row']) ?? textOrNull(sql(NAME).get(batch, position, REGISTERED)?.['detail']);
  return known ?? `at position ${String(position)}`;
}
