// The taken file of a batch, read again: after a kill, or when what became of its rows has to be answered once more.
import type { Records } from '../../parts.ts';
import { fileGone } from '../../parts/describe-error.ts';
import { takenProfile } from './profile-for.ts';
import { readTakenFile } from './read-batch-file.ts';
import { BatchFolderFault, readNote } from '../../../inbox/batch-note.ts';
import { DOCUMENTS_NOTE } from '../../../inbox/documents.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { type InboxFile, findTakenFile, hashFile } from '../../../inbox/take-file.ts';
import { type Workspace, standingFolder } from '../../../inbox/workspace.ts';
import { isBeingRead } from '../../../ledger/batch-states.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';

export type OpenedFile = { readonly file: InboxFile; readonly read: ReadFile };

type Known = Pick<Records, 'workspace' | 'config'>;

/** Throws where it lies in none of its places, or is no longer what was taken; `FileRefused` where it cannot be read for the first time. */
export async function reopenBatch({ workspace, config }: Known, batch: BatchRecord): Promise<OpenedFile> {
  const file = await findTakenFile(batch.fileName, batch.sha256, batch.id, workspace);
  // What was hashed is what is paid: the ids of its payments are made of that hash.
  if (file === null || !(await isOriginal(file))) throw fileGone(batch.id, batch.fileName);
  try {
    const profile = await takenProfile(workspace, batch);
    return { file, read: await readTakenFile(file.path, config, profile?.profile ?? null) };
  } catch (error) {
    if (!(error instanceof FileRefused) || isBeingRead(batch)) throw error;
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

/** Read when it is first asked for, once a go. */
export class TakenFile {
  readonly #known: Known;
  readonly #batch: BatchRecord;
  #opened: OpenedFile | null = null;

  constructor(known: Known, batch: BatchRecord) {
    this.#known = known;
    this.#batch = batch;
  }

  async open(): Promise<OpenedFile> {
    return (this.#opened ??= await reopenBatch(this.#known, this.#batch));
  }

  /** Null where nobody has read it yet. */
  get table(): ReadFile['table'] | null {
    return this.#opened?.read.table ?? null;
  }
}

// Whether all that paydrop keeps beside the file of a batch can be read: asked before anything is done for the batch, and told by `status` and `doctor`.

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
