// Rows that a person cancelled, kept beside the file: the one thing about a batch that neither the file nor the service could tell again.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Words } from '../base/language.ts';
import { publishFile } from '../base/atomic-file.ts';

/** `row` is the row identity, `reason` the whole sentence with the person's name. */
export type ClosedUnpaid = {
  readonly row: string;
  readonly code: 'cancelled' | 'declined';
  readonly reason: Words;
};

/** A dot file, so that no document can be called so. */
const LIST_NAME = '.closed-unpaid.json';

export async function readClosedUnpaid(folder: string): Promise<readonly ClosedUnpaid[]> {
  const text = await readFile(join(folder, LIST_NAME), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '[]';
    throw error;
  });
  return JSON.parse(text) as readonly ClosedUnpaid[];
}

/** Durable when it resolves; a row that was named before keeps its last reason. */
export async function addClosedUnpaid(folder: string, rows: readonly ClosedUnpaid[]): Promise<void> {
  const all = new Map((await readClosedUnpaid(folder)).map((closed) => [closed.row, closed]));
  for (const closed of rows) all.set(closed.row, closed);
  await publishFile(join(folder, LIST_NAME), [JSON.stringify([...all.values()])]);
}
