// The time at which a batch is to be paid, beside its file: a ledger that is made anew must not pay a salary a month early.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import { standingFolder, type Workspace } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';

/** A dot file, so that no document can be called so. */
const NAME = '.pay-at.json';

type Timed = Pick<BatchRecord, 'payAt'>;

/** Durable when it resolves. */
export async function keepPayAt(folder: string, { payAt }: Timed): Promise<void> {
  if (payAt !== undefined) await publishFile(join(folder, NAME), [JSON.stringify({ payAt })]);
}

/** What its folder says of the time of a batch; nothing for one that was paid as soon as it could be. */
export async function keptPayAt(workspace: Workspace, batch: string): Promise<Timed> {
  const folder = await standingFolder(workspace, batch);
  const text = folder === null ? '{}' : await readFile(join(folder, NAME), 'utf8').catch(noneThere);
  return JSON.parse(text) as Timed;
}

function noneThere(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '{}';
  throw error;
}
