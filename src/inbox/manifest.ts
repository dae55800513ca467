// The manifest of a batch: what has to outlive the ledger, in one file beside the batch's own. Its name carries the epoch, which grows with every
// go that may send and with every decision: so an older copy of the ledger is told from the latest while the batch is open.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { publishNow } from '../base/atomic-file.ts';
import { parseNote, readNoteText, unreadableNote, type Note } from './batch-note.ts';
import { archiveFolder, processingFolder, standingFolder, type Workspace } from './workspace.ts';
import { sentence } from '../messages/messages.ts';

const schema = z.object({
  /** The higher of two counts. */
  epoch: z.int(),
  batch: z.string(),
  file: z.object({ name: z.string(), sha256: z.string() }),
  /** A person has paused it. */
  paused: z.boolean().exactOptional(),
  /** The claim that it was taken from; absent for a file that was not claimed. */
  claim: z.string().exactOptional(),
});
export type Manifest = Readonly<z.output<typeof schema>>;

/** What a manifest keeps beside its head; a fact that is not named stays as it was. */
export type KeptFacts = Partial<Omit<Manifest, 'epoch' | 'batch' | 'file'>>;

const FORM = /^batch\.(\d{1,15})\.json$/;

function nameAt(epoch: number): string {
  return `batch.${String(epoch)}.json`;
}

function noteAt(epoch: number): Note<Manifest> {
  return { name: nameAt(epoch), schema, holds: sentence('manifest.holds') };
}

/** The highest epoch that is written in a folder; 0 where there is none. */
function highest(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => Number(FORM.exec(name)?.[1] ?? 0)));
}

/** The manifest of a folder; null where there is none. Throws `BatchFolderFault`. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  for (;;) {
    const epoch = highest(await namesIn(folder));
    if (epoch === 0) return null;
    const text = await readNoteText(folder, noteAt(epoch));
    // The next one may have taken its place under our eyes.
    if (text !== null) return parseNote(folder, noteAt(epoch), text);
  }
}

/** The same for a batch that was not refused; null where it has no folder. */
export async function standingManifest(workspace: Workspace, batch: string): Promise<Manifest | null> {
  for (;;) {
    const folder = await standingFolder(workspace, batch);
    const manifest = folder === null ? null : await readManifest(folder);
    // Another process may have archived it under our eyes.
    if (manifest !== null || (await standingFolder(workspace, batch)) === folder) return manifest;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(noneThere);
}

function noneThere(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** The folder of a batch that is being processed or was archived, at this very moment; null where it lies in neither. */
export function folderNow(workspace: Workspace, batch: string): string | null {
  return (
    [processingFolder(workspace, batch), archiveFolder(workspace, batch)].find((path) => existsSync(path)) ??
    null
  );
}

/** The epoch of the manifest of a batch; 0 where there is none. */
export function manifestEpoch(workspace: Workspace, batch: string): number {
  const folder = folderNow(workspace, batch);
  return folder === null ? 0 : highest(readdirSync(folder));
}

/**
 * Writes the manifest of a batch over the one that stands, whose facts it keeps but for those of `change`; durable when it returns. To be called while
 * the ledger is locked: so it has one writer at a time. Nothing is written for a batch that has no folder.
 */
export function writeManifest(
  workspace: Workspace,
  head: Pick<Manifest, 'epoch' | 'batch' | 'file'>,
  change: KeptFacts = {},
): void {
  const folder = folderNow(workspace, head.batch);
  if (folder === null) return;
  const known = highest(readdirSync(folder));
  const before = known === 0 ? {} : readNow(folder, known);
  const epoch = Math.max(known, head.epoch);
  publishNow(join(folder, nameAt(epoch)), JSON.stringify({ ...before, ...change, ...head, epoch }));
  for (const name of readdirSync(folder))
    if (FORM.test(name) && name !== nameAt(epoch)) rmSync(join(folder, name), { force: true });
}

/** The manifest of a batch as it stands at this very moment; null where there is none. Throws `BatchFolderFault`. */
export function manifestNow(workspace: Workspace, batch: string): Manifest | null {
  const folder = folderNow(workspace, batch);
  const epoch = folder === null ? 0 : highest(readdirSync(folder));
  return folder === null || epoch === 0 ? null : readNow(folder, epoch);
}

function readNow(folder: string, epoch: number): Manifest {
  const note = noteAt(epoch);
  const path = join(folder, note.name);
  // A link or a pipe in its place was not put there by paydrop, and opening a pipe would wait.
  if (!lstatSync(path).isFile()) throw unreadableNote(folder, note, 'not-a-file');
  return parseNote(folder, note, readFileSync(path, 'utf8'));
}
