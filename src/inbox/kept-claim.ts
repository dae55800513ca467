// Which claim a batch was taken from, beside its file. A claim that a kill left behind is so known to be that of the batch, or to hold the same
// bytes dropped once more: then their owner is still to be told.
import { z } from 'zod';

import { readNote, writeNote, type Note } from './batch-note.ts';
import type { DroppedFile } from './dropped-file.ts';
import { standingFolder, type Workspace } from './workspace.ts';
import { sentence } from '../messages/messages.ts';

export const CLAIM_NOTE: Note<{ readonly claim: string }> = {
  name: '.taken-from.json',
  schema: z.object({ claim: z.string() }),
  holds: sentence('keptClaim.holds'),
};

/** Durable when it resolves; a file that was not claimed leaves nothing. */
export async function keepClaim(folder: string, { claim }: DroppedFile): Promise<void> {
  if (claim !== undefined) await writeNote(folder, CLAIM_NOTE, { claim });
}

/** The claim that the batch was taken from; null when it was none, or is not known. */
export async function keptClaim(workspace: Workspace, batch: string): Promise<string | null> {
  for (;;) {
    const folder = await standingFolder(workspace, batch);
    const note = folder === null ? null : await readNote(folder, CLAIM_NOTE);
    if (note !== null) return note.claim;
    // Another process may have archived it under our eyes.
    if ((await standingFolder(workspace, batch)) === folder) return null;
  }
}
