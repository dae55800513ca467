// Brings a ledger of any earlier version to today's, in one transaction, and refuses one of a later version.
import type { DatabaseSync } from 'node:sqlite';

import { LedgerUnusable } from './ledger-unusable.ts';
import { MIGRATIONS } from './sqlite/schema.ts';

export function migrate(database: DatabaseSync): void {
  const version = versionOf(database);
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) {
    throw new LedgerUnusable('The ledger was written by a newer paydrop. Use that version, or a newer one.');
  }
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated while we waited for the lock.
    for (const migration of MIGRATIONS.slice(versionOf(database))) {
      if (typeof migration === 'string') database.exec(migration);
      else migration(database);
    }
    database.exec(`PRAGMA user_version = ${String(MIGRATIONS.length)}`);
    database.exec('COMMIT');
  } catch (error) {
    // A full disk has taken it back already; saying so again would be the error that is told.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
