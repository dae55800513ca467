// Claiming a dropped file: a rename, of which of several processes exactly one succeeds. From then on nobody else takes it, and after a kill the
// next process finds it where the claim left it.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { publishFile } from '../base/atomic-file.ts';
import { moveAcross, nameBetween } from './move-across.ts';
import { createFolder, type Workspace } from './workspace.ts';

export type Claim = {
  /** The folder of the claim, in `processing/`. */
  readonly folder: string;
  /** Where the file lies now, and where it was dropped. */
  readonly path: string;
  readonly origin: string;
  /** The process that claimed it. */
  readonly run: string;
};

const PREFIX = '.claim-';

/** What the claim says of itself; a dot file, so that no file can be called so. */
const NOTE = '.claim.json';

type Note = { readonly run: string; readonly origin: string; readonly beside: readonly string[] };

/**
 * Moves the file, and what belongs beside it, out of the inbox. Null when somebody else was faster, or the file has gone.
 * @param run the process that claims.
 * @param beside names of files that go with it, such as its control file: they go first, so that the file is never taken without them.
 */
export async function claimFile(
  workspace: Workspace,
  origin: string,
  run: string,
  beside: readonly string[],
): Promise<Claim | null> {
  const folder = join(workspace.processing, `${PREFIX}${randomUUID()}`);
  await createFolder(folder);
  const note: Note = { run, origin, beside };
  await publishFile(join(folder, NOTE), [JSON.stringify(note)]);
  const from = dirname(origin);
  const path = join(folder, basename(origin));
  let isOurs = true;
  for (const name of beside) isOurs &&= await moveIfThere(join(from, name), join(folder, name));
  // Whoever has one of them already has the file next.
  if (isOurs && (await moveIfThere(origin, path))) return { folder, path, origin, run };
  await putBack(folder, note);
  return null;
}

/** Claims of processes that are no more, each with its file; what a kill left half done is put back. */
export async function orphanedClaims(
  workspace: Workspace,
  isAlive: (run: string) => boolean,
): Promise<readonly Claim[]> {
  const claims: Claim[] = [];
  for (const name of await readdir(workspace.processing)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(workspace.processing, name);
    const note = await noteIn(folder);
    if (note === null || isAlive(note.run)) continue;
    const file = basename(note.origin);
    if ((await readdir(folder)).includes(file))
      claims.push({ folder, path: join(folder, file), origin: note.origin, run: note.run });
    else await putBack(folder, note);
  }
  return claims;
}

/** Ends a claim whose file is safe elsewhere, or whose owner has been told. */
export async function endClaim({ folder }: Claim): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Gives the file back to the inbox, unless another of its name has come meanwhile. */
export async function giveBack(claim: Claim): Promise<void> {
  const note = await noteIn(claim.folder);
  if (note === null) return;
  await moveIfThere(claim.path, await freeName(claim.origin));
  await putBack(claim.folder, note);
}

/** Another file of the same name may have come meanwhile; neither may be lost. */
async function freeName(origin: string): Promise<string> {
  const isTaken = (await stat(origin).catch(() => null)) !== null;
  return isTaken ? join(dirname(origin), `${randomUUID().slice(0, 8)}.${basename(origin)}`) : origin;
}

async function putBack(folder: string, { origin, beside }: Note): Promise<void> {
  const inbox = dirname(origin);
  for (const name of beside) await moveIfThere(join(folder, name), join(inbox, name));
  // Killed between the two halves of a move to another disk.
  for (const name of [basename(origin), ...beside])
    await moveIfThere(join(inbox, nameBetween(basename(folder), name)), join(inbox, name));
  await rm(folder, { recursive: true, force: true });
}

async function noteIn(folder: string): Promise<Note | null> {
  try {
    return JSON.parse(await readFile(join(folder, NOTE), 'utf8')) as Note;
  } catch (error) {
    // A claim is noted before anything is moved: one without a note holds nothing.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return false;
    if (code === 'EXDEV') return moveAcross(from, to);
    throw error;
  }
}
