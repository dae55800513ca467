// Several processes may create the same ledger at the same moment. SQLite waits for locks, but not for this one, so we do.
import type { DatabaseSync } from 'node:sqlite';

/** Between two tries; another process holds the file for less than this. */
const PAUSE_MS = 20;

/** SQLITE_BUSY. */
const BUSY = 5;

/** Sets the journal mode to WAL, the wait for it bounded. Nothing else runs in this process meanwhile: without a ledger it has nothing to do. */
export function enterWal(database: DatabaseSync, waitMs: number): void {
  for (let waitedMs = 0; ; waitedMs += PAUSE_MS) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= waitMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
