// The taken file of a batch, read again: after a kill, or when what became of its rows has to be answered anew.
import { findTakenFile, hashFile, type InboxFile } from '../../../inbox/take-file.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { fileGone } from '../../parts/describe-error.ts';
import type { Paydrop } from '../../parts.ts';
import { takenProfile } from './profile-for.ts';
import { readTakenFile } from './read-batch-file.ts';
import { isBeingRead } from '../../../ledger/batch-states.ts';

type Reopened = { readonly file: InboxFile; readonly read: ReadFile } | { readonly refusal: FileRefused };

/** The taken file of a batch, read again. Throws when it lies in none of its places. */
export async function reopenBatch({ workspace, config }: Paydrop, batch: BatchRecord): Promise<Reopened> {
  const file = await findTakenFile(batch.fileName, batch.sha256, batch.id, workspace);
  // What was hashed is what is paid: the ids of its payments are made of that hash.
  if (file === null || !(await isOriginal(file))) throw fileGone(batch.id, batch.fileName);
  try {
    const profile = await takenProfile(workspace, batch);
    return { file, read: await readTakenFile(file.path, config, profile?.profile ?? null) };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    if (isBeingRead(batch)) return { refusal: error };
    throw fileGone(batch.id, batch.fileName);
  }
}

/** False too for a copy that cannot be read at this moment. */
function isOriginal({ path, sha256 }: InboxFile): Promise<boolean> {
  return hashFile(path).then(
    (hash) => hash === sha256,
    () => false,
  );
}
