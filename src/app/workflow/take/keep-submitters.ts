// Who brought a file, beside it: a ledger that is made anew before the file was acknowledged must not let them approve it.
import { dirname } from 'node:path';

import { z } from 'zod';

import { readNote, writeNote, type Note } from '../../../inbox/batch-note.ts';
import { inPlace } from '../../../inbox/dropped-file.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { submittersOf } from './submitters.ts';
import { sentence } from '../../../messages/messages.ts';

export const SUBMITTERS_NOTE: Note<readonly string[]> = {
  name: '.submitted-by.json',
  schema: z.array(z.string()),
  holds: sentence('keepSubmitters.holds'),
};

/** Durable when it resolves; of whom nobody is known, nothing is kept. */
export async function keepSubmitters(
  folder: string,
  { submittedBy }: Pick<BatchRecord, 'submittedBy'>,
): Promise<void> {
  if (submittedBy !== undefined) await writeNote(folder, SUBMITTERS_NOTE, submittedBy);
}

/**
 * As its folder keeps them; where it does not, as the control files say beside the copy and beside the file that was typed.
 * @param copy the path of the file in the folder of its batch.
 */
export async function keptSubmitters(
  paydrop: Paydrop,
  copy: string,
  typed: string,
): Promise<readonly string[]> {
  const kept = await readNote(dirname(copy), SUBMITTERS_NOTE);
  if (kept !== null) return kept;
  const found = [copy, typed].map((path) => submittersOf(paydrop, inPlace(path)));
  return [...new Set((await Promise.all(found)).flat())];
}
