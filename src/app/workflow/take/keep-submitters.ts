// Who brought a file, beside it: a ledger that is made anew before the file was acknowledged must not let them approve it.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { inPlace } from '../../../inbox/dropped-file.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { submittersOf } from './submitters.ts';

/** A dot file, so that no document can be called so. */
const NAME = '.submitted-by.json';

/** Durable when it resolves; of whom nobody is known, nothing is kept. */
export async function keepSubmitters(
  folder: string,
  { submittedBy }: Pick<BatchRecord, 'submittedBy'>,
): Promise<void> {
  if (submittedBy !== undefined) await publishFile(join(folder, NAME), [JSON.stringify(submittedBy)]);
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
  const text = await readFile(join(dirname(copy), NAME), 'utf8').catch(noneThere);
  if (text !== null) return JSON.parse(text) as readonly string[];
  const found = [copy, typed].map((path) => submittersOf(paydrop, inPlace(path)));
  return [...new Set((await Promise.all(found)).flat())];
}

function noneThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
