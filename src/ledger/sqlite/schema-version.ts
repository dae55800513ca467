// The number of the schema that this release reads and writes.
import type { DatabaseSync } from 'node:sqlite';

import { sentence } from '../../messages/messages.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';

/** Kept in the file as `user_version`. Raise it with every change of a table, or of the meaning of a record in it, and write the step that leads there. */
export const SCHEMA_VERSION = 48;

/** 0 where there are no tables. */
export function versionOf(database: Pick<DatabaseSync, 'prepare'>): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Also to be called in the first commit of a run: the ledger may have been upgraded since it was opened. */
export function assertOwnVersion(database: Pick<DatabaseSync, 'prepare'>): void {
  const version = versionOf(database);
  if (version === SCHEMA_VERSION) return;
  const [written, read] = [String(version), String(SCHEMA_VERSION)];
  throw new LedgerUnusable(sentence('ledger.otherFileSchema', { written, read }));
}
