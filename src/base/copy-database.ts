// An online backup of a SQLite database: the copy is the database as it is at one moment, while other processes go on writing to it.
import { chmodSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';

const OWNER_ONLY = 0o600;

/** Writes the copy to a new file, durably; the database itself is only read, in one snapshot. Throws the errors of SQLite. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
  chmodSync(to, OWNER_ONLY);
  const copy = await open(to, 'r');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}
