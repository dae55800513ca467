// A ledger that has been lost must not look like a fresh start: what it has forgotten could be paid a second time under other ids.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { BATCH_NAME } from '../inbox/batch-name.ts';
import type { Paydrop } from './compose.ts';

/** The ledger has forgotten batches; nothing may be sent before it is rebuilt. */
export class LedgerForgetful extends Error {
  override readonly name = 'LedgerForgetful';
}

/** Throws when `processing/` or the archive holds a batch that the ledger does not know. */
export async function assertLedgerKnowsAll({ workspace, ledger }: Paydrop): Promise<void> {
  const folders = [
    ...(await batchFolders(workspace.processing)),
    ...(await archivedFolders(workspace.archive)),
  ];
  const known = new Set((await ledger.batches()).map(({ id }) => id));
  const unknown = folders.filter(({ batch }) => !known.has(batch));
  if (unknown.length === 0) return;
  const files = await Promise.all(unknown.slice(0, 5).map(({ path }) => spreadsheetIn(path)));
  throw new LedgerForgetful(
    `The ledger does not know ${unknown.length === 1 ? 'a batch' : `${String(unknown.length)} batches`} that this workspace holds, so it may have been lost, and paying now could pay twice. First run: paydrop rebuild ${files.join(' ')}`,
  );
}

type BatchFolder = { readonly batch: string; readonly path: string };

async function batchFolders(folder: string): Promise<readonly BatchFolder[]> {
  const names = await readdir(folder);
  return names.filter((name) => BATCH_NAME.test(name)).map((batch) => ({ batch, path: join(folder, batch) }));
}

async function archivedFolders(archive: string): Promise<readonly BatchFolder[]> {
  const found: BatchFolder[] = [];
  for (const year of await namesOf(archive, /^\d{4}$/)) {
    for (const month of await namesOf(join(archive, year), /^\d{2}$/)) {
      found.push(...(await batchFolders(join(archive, year, month))));
    }
  }
  return found;
}

async function namesOf(folder: string, form: RegExp): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => form.test(name));
}

/** The original among the answers and documents of a batch folder, as a path to type. */
async function spreadsheetIn(folder: string): Promise<string> {
  const batch = folder.slice(folder.lastIndexOf('/') + 1);
  const names = (await readdir(folder)).filter(
    (name) => /\.(csv|txt|tsv|xlsx)$/i.test(name) && !name.includes(`.${batch}.`),
  );
  return JSON.stringify(join(folder, names[0] ?? ''));
}
