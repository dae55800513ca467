// Whether a standing file is still in its folder as it was when its batch was made. A folder that cannot be read says nothing: a share that is
// away for a night has withdrawn no salary.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { hashFile } from '../../../inbox/hash-file.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import { decisionAbout, type BatchRecord } from '../../../ledger/records.ts';

/** Whether a batch stands and falls with its file. What a person has let go since is paid as it was then. */
export function mayBeWithdrawn(batch: Pick<BatchRecord, 'payAt' | 'decisions'>): boolean {
  return batch.payAt?.standing !== undefined && decisionAbout(batch, 'time') === null;
}

/** Null when the folder cannot be read. */
export async function stillStands(
  { inbox }: Pick<Workspace, 'inbox'>,
  { payAt, sha256 }: Pick<BatchRecord, 'payAt' | 'sha256'>,
): Promise<boolean | null> {
  const path = join(inbox, payAt?.standing?.series ?? '');
  const names = await readdir(dirname(path)).catch(() => null);
  if (names === null) return null;
  if (!names.includes(basename(path))) return false;
  return (await hashFile(path)) === sha256;
}
