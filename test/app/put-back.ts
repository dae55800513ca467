// An older copy of the ledger that no manifest tells from the latest, because it was taken in the middle of the last go: then the doubts of the rows
// themselves have to hold.
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Gives each manifest the epoch that the ledger which was put back has of its batch; what else it keeps stays. */
export async function passForLatest(workspace: string): Promise<void> {
  const database = new DatabaseSync(join(workspace, 'ledger.sqlite'));
  try {
    for (const { id, epoch } of database
      .prepare("SELECT id, record ->> '$.epoch' AS epoch FROM batches")
      .all())
      await nameFor(join(workspace, 'processing', String(id)), Number(epoch));
  } finally {
    database.close();
  }
}

async function nameFor(folder: string, epoch: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (/^batch\.\d+\.json$/.test(name))
      await rename(join(folder, name), join(folder, `batch.${String(epoch)}.json`));
}
