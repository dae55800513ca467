// Whether all that paydrop keeps beside the file of a batch can be read: asked before anything is done for the batch, and told by `status` and `doctor`.
import { BatchFolderFault, readNote } from '../../../inbox/batch-note.ts';
import { DOCUMENTS_NOTE } from '../../../inbox/documents.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { standingFolder, type Workspace } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { takenProfile } from './profile-for.ts';

/** What is wrong with the folder of a batch; null when nothing is, or there is none. */
export async function faultOfNotes(
  { workspace }: { readonly workspace: Workspace },
  batch: Pick<BatchRecord, 'id' | 'profileDigest'>,
): Promise<BatchFolderFault | null> {
  try {
    await readAll(workspace, batch);
    return null;
  } catch (error) {
    if (error instanceof BatchFolderFault) return error;
    throw error;
  }
}

async function readAll(
  workspace: Workspace,
  batch: Pick<BatchRecord, 'id' | 'profileDigest'>,
): Promise<void> {
  const folder = await standingFolder(workspace, batch.id);
  // Gone, or not there yet: what needs it says so.
  if (folder === null) return;
  await readManifest(folder);
  await readNote(folder, DOCUMENTS_NOTE);
  await takenProfile(workspace, batch);
}
