// Takes a file into the workspace: from here on nobody else writes to it, and the hashed bytes are the bytes that are paid.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';

import { discardUnfinished, publishFile, syncFolder } from '../base/atomic-file.ts';
import { readBytes } from '../base/plain-file.ts';
import { keepListed } from './documents.ts';
import { signatureAt } from './inbox-entries.ts';
import { type CorrectedCell, discardManifests } from './manifest.ts';
import {
  type Workspace,
  archiveFolder,
  createFolder,
  documentsFolder,
  isFolder,
  processingFolder,
  standingFolder,
  takingFolder,
} from './workspace.ts';

/** A file that was taken: where its copy lies, and the hash that was checked against the copy. */
export type InboxFile = {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  readonly sha256: string;
};

/** Copies a file to a new folder; null when it changed during the copy, because somebody still writes it. */
export async function takeFile(path: string, sha256: string, folder: string): Promise<InboxFile | null> {
  await createFolder(folder);
  const name = basename(path);
  const target = join(folder, name);
  await publishFile(target, readBytes(path));
  if ((await hashFile(target)) === sha256) return { name, path: target, folder, sha256 };
  await rm(folder, { recursive: true, force: true });
  return null;
}

/** Finds a taken file again, in processing or in the archive. Null when it is in neither. */
export async function findTakenFile(
  name: string,
  sha256: string,
  batch: string,
  workspace: Workspace,
): Promise<InboxFile | null> {
  const folder = await standingFolder(workspace, batch);
  if (folder === null) return null;
  const path = join(folder, name);
  return (await stat(path).catch(() => null))?.isFile() === true ? { name, path, folder, sha256 } : null;
}

/** The folder for the files of a batch that begins to be taken: what an interrupted taking has put there is gone. */
export async function beginTaking(batch: string, workspace: Workspace): Promise<string> {
  const folder = takingFolder(workspace, batch);
  await rm(folder, { recursive: true, force: true });
  return folder;
}

/** Gives a batch its folder once every file of it is there, in place of one that an interrupted taking has left. */
export async function endTaking(batch: string, workspace: Workspace): Promise<void> {
  const folder = processingFolder(workspace, batch);
  await rm(folder, { recursive: true, force: true });
  await rename(takingFolder(workspace, batch), folder);
  await syncFolder(dirname(folder));
}

/** Removes the copies of a batch that was never fully taken. */
export async function discardTaken(batch: string, workspace: Workspace): Promise<void> {
  for (const folder of [takingFolder(workspace, batch), processingFolder(workspace, batch)])
    await rm(folder, { recursive: true, force: true });
}

/** Removes what a taking has left that no ledger knows. It is renamed first: whoever takes the same bytes at this moment fails as a whole, or not at all. */
export async function discardTaking(batch: string, workspace: Workspace): Promise<void> {
  const folder = takingFolder(workspace, batch);
  // After a kill in between, the next look finds it under this name.
  const leaving = takingFolder(workspace, basename(folder));
  await rm(leaving, { recursive: true, force: true });
  if (await isFolder(folder)) await rename(folder, leaving);
  await rm(leaving, { recursive: true, force: true });
}

/** Moves a closed batch to the archive. Doing it again is harmless. */
export async function archiveBatch(batch: string, workspace: Workspace): Promise<string> {
  const from = processingFolder(workspace, batch);
  const to = archiveFolder(workspace, batch);
  await createFolder(dirname(to));
  if (await isFolder(from)) {
    await move(from, to);
    for (const folder of [to, documentsFolder(to)])
      if (await isFolder(folder)) await discardUnfinished(folder);
  }
  await rm(leftOf(from), { recursive: true, force: true });
  return to;
}

/** Moves the folder of a refused batch to the other refused ones. It overwrites what an earlier refusal of the same bytes wrote there, and keeps the rest. Repeating it is harmless. */
export async function refuseBatch(batch: string, workspace: Workspace): Promise<void> {
  const from = processingFolder(workspace, batch);
  if (!(await isFolder(from))) return;
  const to = join(workspace.refused, batch);
  // The documents of an earlier refusal may be the only copies, and its owner may be correcting a file in that folder.
  await keepListed(from, to);
  await discardManifests(to);
  await move(from, to);
}

/** Puts a copy of a file that was refused before it was taken, if it can be read, into a folder for its reason. Returns the folder, also where no file is to be copied. */
export async function keepRefused(path: string | null, batch: string, workspace: Workspace): Promise<string> {
  const folder = join(workspace.refused, batch);
  // An existing file stays: it may be this very file, or one that its owner is correcting.
  await createFolder(folder);
  if (path === null) return folder;
  const target = join(folder, basename(path));
  const copy = publishFile(target, readBytes(path));
  // The reason is what counts; a file that cannot be read cannot be kept.
  await copy.catch((error: unknown) => {
    if (!isUnreadable(error)) throw error;
  });
  return folder;
}

/** Faults of the file that is read, not of the disk that is written to. */
function isUnreadable(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EACCES', 'ENOENT', 'EISDIR', 'EIO'].includes(String(error.code))
  );
}

/** The name of the remains of a folder that was copied. */
function leftOf(from: string): string {
  return `${from}.moved`;
}

/** Another disk; and, in the words of two systems, a folder that already exists. */
const COPIED: ReadonlySet<string> = new Set(['EXDEV', 'ENOTEMPTY', 'EEXIST']);

/** Moves a file or a folder, also to another disk. It replaces a file of the same name; other entries of an existing folder stay. */
export async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // To another disk it copies, and removes the original last; it overwrites what an interrupted copy left there.
    if (!(error instanceof Error && 'code' in error && COPIED.has(String(error.code)))) throw error;
    await cp(from, to, { recursive: true, preserveTimestamps: true });
    // The original is renamed before it is removed: half a folder would pass for a batch without its file. Remains of an earlier, killed move go first.
    await rm(leftOf(from), { recursive: true, force: true });
    await rename(from, leftOf(from));
    await rm(leftOf(from), { recursive: true, force: true });
  }
  await syncFolder(dirname(to));
}

/** Moves a file into a folder, under a name of its own: one of the same name there may be the only copy of another file. */
export async function moveBeside(from: string, folder: string): Promise<void> {
  const { base, name, ext } = parse(from);
  let to = join(folder, base);
  for (let count = 2; existsSync(to); count += 1) to = join(folder, `${name}.${String(count)}${ext}`);
  await move(from, to);
}

// The inbox may lie on another disk, where a rename does not reach. Then the claim is a rename within the inbox, followed by a copy.

/** The name of a file between the two: a dot file, which nobody takes for a dropped one. `claim` tells it from others; the file's own name may be as long as names can be. */
export function nameBetween(claim: string, name: string): string {
  return `.paydrop${claim}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/**
 * False when the file is gone, or no longer as it was seen; then it lies in its place again. Throws, with the file back in its place, when the
 * copy differs from the original.
 * @param seen its signature; null where nobody looked.
 */
export async function moveAcross(from: string, to: string, seen: string | null): Promise<boolean> {
  const claimed = join(dirname(from), nameBetween(basename(dirname(to)), basename(from)));
  try {
    await rename(from, claimed);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  try {
    if (await copyWhole(claimed, to, seen)) {
      await rm(claimed);
      return true;
    }
  } catch (error) {
    await undo(claimed, from, to);
    throw error;
  }
  await undo(claimed, from, to);
  return false;
}

/** False when somebody has written to the original since it was seen. */
async function copyWhole(claimed: string, to: string, seen: string | null): Promise<boolean> {
  await publishFile(to, readBytes(claimed));
  const isSame = (await hashFile(to)) === (await hashFile(claimed));
  if (seen !== null && (await signatureAt(claimed)) !== seen) return false;
  if (!isSame) throw new Error('The file changed while it was moved.');
  return true;
}

/** Half a file in a claim would pass for the whole one. */
async function undo(claimed: string, from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  // Another file of its name may have arrived. Then it stays for the end of the claim, which puts it back with the files that belong to it.
  if ((await signatureAt(from)) === null) await rename(claimed, from);
}

// The identity of a file: the hash of its bytes, read in pieces.

/** SHA-256 in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readBytes(path)) hash.update(chunk);
  return hash.digest('hex');
}

// A dropped file: where its bytes lie now, and where its owner put it, with its documents.

export type DroppedFile = {
  readonly path: string;
  /** Its name and folder decide which profile it has and where its documents are looked for. */
  readonly origin: string;
  /** Who brought it, as far as its way here shows. */
  readonly submittedBy?: readonly string[];
  /** The cells that they have corrected in it on the page. */
  readonly corrected?: readonly CorrectedCell[];
  /** The name of the claim by which it left the inbox. */
  readonly claim?: string;
  /** It comes from a program, which decides nothing. */
  readonly isProgram?: boolean;
  /** Its bytes were paid before, and somebody else has to say that they are meant again. */
  readonly asksAgain?: boolean;
  /** The person who uploaded it at the page, signed in: profiles that this person has proposed read it. */
  readonly reader?: string;
  /** Its sender has said that wrong rows are left out, whatever the policy says. */
  readonly skipRows?: boolean;
  /** False once it, or a file that belongs to it, differs from what had settled. */
  readonly isStill?: () => Promise<boolean>;
};

/** A file that stays where it is. */
export function inPlace(path: string, submittedBy: readonly string[] = []): DroppedFile {
  return { path, origin: path, submittedBy };
}
