// Which claim a batch was taken from, beside its file. A claim that a kill left behind is so known to be that of the batch, or to hold the same
// bytes dropped once more: then their owner is still to be told.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import type { DroppedFile } from './dropped-file.ts';
import { standingFolder, type Workspace } from './workspace.ts';

/** A dot file, so that no document can be called so. */
const NAME = '.taken-from.json';

/** Durable when it resolves; a file that was not claimed leaves nothing. */
export async function keepClaim(folder: string, { claim }: DroppedFile): Promise<void> {
  if (claim !== undefined) await publishFile(join(folder, NAME), [JSON.stringify({ claim })]);
}

/** The claim that the batch was taken from; null when it was none, or is not known. */
export async function keptClaim(workspace: Workspace, batch: string): Promise<string | null> {
  for (;;) {
    const folder = await standingFolder(workspace, batch);
    const text = folder === null ? null : await readFile(join(folder, NAME), 'utf8').catch(noneThere);
    if (text !== null) return (JSON.parse(text) as { readonly claim: string }).claim;
    // Another process may have archived it under our eyes.
    if ((await standingFolder(workspace, batch)) === folder) return null;
  }
}

function noneThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
