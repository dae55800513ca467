// What tests do to the manifest of a batch. Also makes an older copy of the ledger that nothing distinguishes from the latest, because it was
// taken in the middle of the last go and the heads are lost: then the doubts of the rows themselves have to hold.
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Gives each manifest the epoch that the ledger which was put back has of its batch; what else it keeps stays. The heads go, or tell all the same. */
export async function passForLatest(workspace: string, heads: 'lost' | 'there' = 'lost'): Promise<void> {
  const database = new DatabaseSync(join(workspace, 'ledger.sqlite'));
  try {
    for (const { id, epoch } of database
      .prepare("SELECT id, record ->> '$.epoch' AS epoch FROM batches")
      .all()) {
      const folder = join(workspace, 'processing', String(id));
      await nameFor(folder, Number(epoch));
      if (heads === 'lost') await rm(join(folder, 'head.json'), { force: true });
    }
  } finally {
    database.close();
  }
}

async function nameFor(folder: string, epoch: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    if (/^batch\.\d+\.json$/.test(name))
      await rename(join(folder, name), join(folder, `batch.${String(epoch)}.json`));
}

/** The manifest in the folder of a batch. */
export async function manifestPath(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((each) => /^batch\.\d+\.json$/.test(each));
  if (name === undefined) throw new Error(`There is no manifest in ${folder}.`);
  return join(folder, name);
}

/** As if somebody had written into it. */
export async function editManifest(folder: string, facts: Readonly<Record<string, unknown>>): Promise<void> {
  const path = await manifestPath(folder);
  const known = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...known, ...facts }));
}
