// The service that a ledger belongs to: the first that asks is the one for ever.
import type { Sql } from './statements.ts';

export function bindService(sql: Sql, service: string): string {
  sql(`INSERT INTO meta (name, value) VALUES ('service', ?) ON CONFLICT (name) DO NOTHING`).run(service);
  return String(sql(`SELECT value FROM meta WHERE name = 'service'`).get()?.['value']);
}
