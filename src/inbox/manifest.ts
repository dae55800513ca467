// The manifest of a batch: what has to outlive the ledger, in one file beside the batch's own. Its name carries the epoch, which grows with every
// go that may send and with every decision: so an older copy of the ledger is told from the latest while the batch is open.
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { publishNow } from '../base/atomic-file.ts';
import {
  BatchFolderFault,
  parseNote,
  readNoteText,
  unreadableNote,
  wordsSchema,
  type Note,
} from './batch-note.ts';
import { archiveFolder, processingFolder, standingFolder, type Workspace } from './workspace.ts';
import { sentence } from '../messages/messages.ts';

const closedUnpaid = z.object({
  /** The row identity. */
  row: z.string(),
  code: z.enum(['cancelled', 'declined']),
  /** The whole sentence, with the person's name. */
  reason: wordsSchema,
});
/** A row that a person cancelled: neither the file nor the service could tell it again. */
export type ClosedUnpaid = Readonly<z.output<typeof closedUnpaid>>;

const refusedRow = z.object({
  row: z.string(),
  why: z.object({ errorCode: z.string(), reason: wordsSchema }).nullable(),
});
/** A row that was refused before it had a transfer, and so is nothing that the service could show. */
export type RefusedRow = Readonly<z.output<typeof refusedRow>>;

const stop = z.object({
  /** The rows for which it was stopped, for people. */
  refused: wordsSchema,
  rows: z.array(refusedRow).readonly(),
});
/** That a file which is paid whole or not at all was stopped: the service does not tell it. */
export type KeptStop = Readonly<z.output<typeof stop>>;

/** What a closed batch last told of its rows. */
const answered = z.object({
  /** The number of the answers that told it, from 1. */
  version: z.int(),
  /** Of its rows: two that change against each other leave every sum as it was. */
  digest: z.string(),
  /** False until the last of these answers stands in the outbox. */
  isPublished: z.boolean(),
});
/** What the program that wrote a message was told of its payments. */
const statusTold = z.object({
  /** As the message calls itself, to the letter. */
  msgId: z.string(),
  /** Of the last status message, from 1. */
  number: z.int(),
  /** The status of each payment as it was told last, by their positions: a letter and how many there are of it, as `C12R1`. */
  statuses: z.string(),
  /** The same before that message. */
  before: z.string(),
  /** ISO. */
  at: z.string(),
  sha256: z.string(),
  /** False until the message stands in the outbox. */
  isPublished: z.boolean(),
  /** The number of the last answers of the closed batch that it told; absent while it was open. */
  closed: z.int().exactOptional(),
});
export type StatusTold = Readonly<z.output<typeof statusTold>>;

/** What the program that wrote a message was told of debits. */
const advised = z.object({
  /** Of the last advice, from 1. */
  number: z.int(),
  /** Which payments were told as debited, by their positions, as `statuses` has them: `C` those that were. */
  debited: z.string(),
  /** The same before that advice. */
  before: z.string(),
  sha256: z.string(),
  /** False until it stands in the outbox. */
  isPublished: z.boolean(),
});
export type Advised = Readonly<z.output<typeof advised>>;

const payAt = z.object({
  at: z.string(),
  timeZone: z.string(),
  missed: z.enum(['pay', 'hold']),
  standing: z
    .object({ series: z.string(), next: z.string(), withdrawn: z.boolean().exactOptional() })
    .exactOptional(),
});

const pause = z.object({
  about: z.literal('pause'),
  by: z.string(),
  reason: z.string().nullable(),
  at: z.string(),
  words: wordsSchema,
});

const schema = z.object({
  /** The higher of two counts. */
  epoch: z.int(),
  /** The ledger that wrote it, by its id. */
  ledger: z.string(),
  batch: z.string(),
  file: z.object({ name: z.string(), sha256: z.string() }),
  /** Who has paused it, and why; null once it was resumed. */
  pause: pause.nullable().exactOptional(),
  /** The claim that it was taken from; absent for a file that was not claimed. */
  claim: z.string().exactOptional(),
  /** Who is known to have brought it: they must not approve it. */
  submittedBy: z.array(z.string()).readonly().exactOptional(),
  /** When it is to be paid; absent for one that is paid as soon as it can be. */
  payAt: payAt.exactOptional(),
  /** The profile that it is read by, as text under its name, and the policy of its folder, as JSON: nothing that is edited later changes what was read. */
  profile: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  /** The answer that its owner was given once it was accepted, as it stands there; absent before. */
  acknowledged: z.record(z.string(), z.unknown()).readonly().exactOptional(),
  closed: z.array(closedUnpaid).readonly().exactOptional(),
  stop: stop.exactOptional(),
  answered: answered.exactOptional(),
  /** When the ledger was last made anew; ISO. What a program had been told before may be forgotten. */
  rebuiltAt: z.string().exactOptional(),
  /** Of a payment message. */
  statusTold: statusTold.exactOptional(),
  advised: advised.exactOptional(),
});
export type Manifest = Readonly<z.output<typeof schema>>;

export type ManifestHead = Pick<Manifest, 'epoch' | 'ledger' | 'batch' | 'file'>;

/** What a manifest keeps beside its head; a fact that is not named stays as it was. */
export type KeptFacts = Partial<Omit<Manifest, keyof ManifestHead>>;

/** Facts to keep, where they depend on those that stand. */
export type FactsAfter = (before: KeptFacts) => KeptFacts;

/** Adds rows that a person cancelled; one that was named before keeps its last reason. */
export function addClosed(rows: readonly ClosedUnpaid[]): FactsAfter {
  return ({ closed = [] }) => ({
    closed: [...new Map([...closed, ...rows].map((each) => [each.row, each])).values()],
  });
}

const FORM = /^batch\.(\d{1,15})\.json$/;

function nameAt(epoch: number): string {
  return `batch.${String(epoch)}.json`;
}

function noteAt(epoch: number): Note<Manifest> {
  return { name: nameAt(epoch), schema, holds: sentence('manifest.holds') };
}

/** What is told where the facts of a manifest cannot be read. */
export function unreadableManifest(
  folder: string,
  { epoch }: Pick<Manifest, 'epoch'>,
  cause: unknown,
): Error {
  return unreadableNote(folder, noteAt(epoch), cause);
}

/** Takes away those of a folder into which another one is moved. */
export async function discardManifests(folder: string): Promise<void> {
  for (const name of await namesIn(folder))
    if (FORM.test(name)) await rm(join(folder, name), { force: true });
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
 * Writes the manifest of a batch over the one that stands, whose facts it keeps but for those that are given; durable when it returns. To be called while
 * the ledger is locked: so it has one writer at a time. Nothing is written for a batch that has no folder.
 */
export function writeManifest(
  workspace: Workspace,
  head: ManifestHead,
  facts: KeptFacts | FactsAfter = {},
): void {
  const folder = folderNow(workspace, head.batch);
  if (folder === null) return;
  const known = highest(readdirSync(folder));
  const before: KeptFacts = known === 0 ? {} : readNow(folder, known);
  const change = typeof facts === 'function' ? facts(before) : facts;
  const epoch = Math.max(known, head.epoch);
  const text = JSON.stringify({ ...before, ...change, ...head, epoch });
  try {
    publishNow(join(folder, nameAt(epoch)), text);
  } catch (error) {
    throw asUnwritable(head.batch, error);
  }
  for (const name of readdirSync(folder))
    if (FORM.test(name) && name !== nameAt(epoch)) rmSync(join(folder, name), { force: true });
}

/** The disk does not take the manifest of a batch, which waits until it does: what is sent then would be known to the ledger alone. */
export class ManifestUnwritable extends BatchFolderFault {}

function asUnwritable(batch: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  return new ManifestUnwritable(sentence('manifest.unwritable', { batch, code }), { cause: error });
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
