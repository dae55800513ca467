// The manifest of a batch: the facts that must outlive the ledger, in one file beside the batch's own. Its name carries the epoch, which grows
// with every go that may send, with every decision and before a rejection is reported; so an older copy of the ledger is recognised while the batch is open.
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
import { endVouchingOfOthers } from './vouched-archive.ts';
import { archiveFolder, processingFolder, standingFolder, type Workspace } from './workspace.ts';
import { sentence } from '../messages/messages.ts';

const closedUnpaid = z.object({
  /** The row identity. */
  row: z.string(),
  code: z.enum(['cancelled', 'declined']),
  /** The whole sentence, with the person's name. */
  reason: wordsSchema,
});
/** A row that a person cancelled: neither the file nor the service could tell that later. */
export type ClosedUnpaid = Readonly<z.output<typeof closedUnpaid>>;

const refusedRow = z.object({
  row: z.string(),
  why: z.object({ errorCode: z.string(), reason: wordsSchema }).nullable(),
});
/** A row that was refused before it had a transfer, so that the service cannot show it. */
export type RefusedRow = Readonly<z.output<typeof refusedRow>>;

const stop = z.object({
  /** The rows because of which it was stopped, for people. */
  refused: wordsSchema,
  rows: z.array(refusedRow).readonly(),
  /** Which of its days (`yyyy-mm-dd`) were stopped; absent where it has no days. */
  days: z.array(z.string()).readonly().exactOptional(),
});
/** Records that an all-or-nothing batch was stopped: the service cannot tell that. */
export type KeptStop = Readonly<z.output<typeof stop>>;

/** What the last answers of a closed batch said about its rows. */
const answered = z.object({
  /** The number of those answers, from 1. */
  version: z.int(),
  /** Over the batch's rows, because two changes that cancel out leave every sum as it was. */
  digest: z.string(),
  /** False until the last of these answers is in the outbox. */
  isPublished: z.boolean(),
});
/** What the sender of a payment message was told about its payments. */
const statusTold = z.object({
  /** The message's own id, unchanged. */
  msgId: z.string(),
  /** Of the last status message, from 1. */
  number: z.int(),
  /** The status that was last told for each payment, by position: a letter and a count, as `C12R1`. */
  statuses: z.string(),
  /** The same before that message. */
  before: z.string(),
  /** ISO. */
  at: z.string(),
  sha256: z.string(),
  /** False until the message is in the outbox. */
  isPublished: z.boolean(),
  /** The number of the closed batch's answers that it reported; absent while the batch was open. */
  closed: z.int().exactOptional(),
});
export type StatusTold = Readonly<z.output<typeof statusTold>>;

/** What the sender of a payment message was told about debits. */
const advised = z.object({
  /** Of the last advice, from 1. */
  number: z.int(),
  /** Which payments were reported as debited, by position, in the form of `statuses`: `C` for debited. */
  debited: z.string(),
  /** The same before that advice. */
  before: z.string(),
  sha256: z.string(),
  /** False until it is in the outbox. */
  isPublished: z.boolean(),
});
export type Advised = Readonly<z.output<typeof advised>>;

const payAt = z.object({
  folder: z.string().exactOptional(),
  at: z.string(),
  timeZone: z.string(),
  missed: z.enum(['pay', 'hold']),
  standing: z.object({ series: z.string(), next: z.string() }).exactOptional(),
  days: z
    .array(z.object({ day: z.string(), at: z.string() }))
    .readonly()
    .exactOptional(),
});

/** A cell that its sender has corrected on the page before submitting the file. */
export const correctedCell = z.object({
  /** From 0, among the rows of the file. */
  position: z.int(),
  /** The header of its column. */
  column: z.string(),
  /** The text in the file as it was sent, and the text that is paid by. */
  before: z.string(),
  after: z.string(),
});
export type CorrectedCell = Readonly<z.output<typeof correctedCell>>;

const pause = z.object({
  about: z.literal('pause'),
  by: z.string(),
  reason: z.string().nullable(),
  at: z.string(),
  words: wordsSchema,
});

const schema = z.object({
  /** The higher of the ledger's and the manifest's count. */
  epoch: z.int(),
  /** The id of the ledger that wrote it. */
  ledger: z.string(),
  batch: z.string(),
  file: z.object({ name: z.string(), sha256: z.string() }),
  /** Who paused the batch, and why; null after it was resumed. */
  pause: pause.nullable().exactOptional(),
  /** The claim that the file was taken from; absent for a file that was not claimed. */
  claim: z.string().exactOptional(),
  /** The folder of the inbox that it came from; absent for a file that lay in the inbox itself, or came another way. */
  folder: z.string().exactOptional(),
  /** The people known to have brought it: they must not approve it. */
  submittedBy: z.array(z.string()).readonly().exactOptional(),
  /** The cells that they have corrected: whoever approves the file must see them. */
  corrected: z.array(correctedCell).readonly().exactOptional(),
  /** Its bytes were paid before, and nobody who may decide so has said that they are meant again. */
  asksAgain: z.literal(true).exactOptional(),
  /** When it is to be paid; absent for one that is paid as soon as possible. */
  payAt: payAt.exactOptional(),
  /** The profile as text under its name, and the policy of its folder, as JSON: later edits do not change how the file was read. */
  profile: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  /** The answer that the owner got on acceptance, exactly as published; absent before. */
  acknowledged: z.record(z.string(), z.unknown()).readonly().exactOptional(),
  closed: z.array(closedUnpaid).readonly().exactOptional(),
  /** Positions of the rows that an answer reported as rejected, as `0 4-9`, by the error code of each: its owner may have made the payment again. */
  rejected: z.record(z.string(), z.string()).readonly().exactOptional(),
  stop: stop.exactOptional(),
  answered: answered.exactOptional(),
  /** When the ledger was last rebuilt; ISO. What a program had been told before may be forgotten. */
  rebuiltAt: z.string().exactOptional(),
  /** Of a payment message. */
  statusTold: statusTold.exactOptional(),
  advised: advised.exactOptional(),
});
export type Manifest = Readonly<z.output<typeof schema>>;

type ManifestHead = Pick<Manifest, 'epoch' | 'ledger' | 'batch' | 'file'>;

/** The facts of a manifest besides its head; a fact that is not named stays as it was. */
export type KeptFacts = Partial<Omit<Manifest, keyof ManifestHead>>;

/** Facts to keep that depend on the present ones. */
export type FactsAfter = (before: KeptFacts) => KeptFacts;

/** Adds rows that a person cancelled; a row that is already there gets the new reason. */
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

/** The words for a manifest whose facts cannot be read. */
export function unreadableManifest(
  folder: string,
  { epoch }: Pick<Manifest, 'epoch'>,
  cause: unknown,
): Error {
  return unreadableNote(folder, noteAt(epoch), cause);
}

/** Removes the manifests of a folder that another one is about to be moved over. */
export async function discardManifests(folder: string): Promise<void> {
  for (const name of await namesIn(folder))
    if (FORM.test(name)) await rm(join(folder, name), { force: true });
}

/** The highest epoch among the names of a folder; 0 where there is none. */
function highest(names: readonly string[]): number {
  return Math.max(0, ...names.map(epochOf));
}

/** 0 for a name that is none of a manifest. */
function epochOf(name: string): number {
  return Number(FORM.exec(name)?.[1] ?? 0);
}

/** The manifest of a folder; null where there is none. Throws `BatchFolderFault`. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  for (;;) {
    const epoch = highest(await namesIn(folder));
    if (epoch === 0) return null;
    const text = await readNoteText(folder, noteAt(epoch));
    // A newer manifest may have replaced it while we read.
    if (text !== null) return parseNote(folder, noteAt(epoch), text);
  }
}

/** The same for a batch that was not refused; null where it has no folder. */
export async function standingManifest(workspace: Workspace, batch: string): Promise<Manifest | null> {
  for (;;) {
    const folder = await standingFolder(workspace, batch);
    const manifest = folder === null ? null : await readManifest(folder);
    // Another process may have archived it while we read.
    if (manifest !== null || (await standingFolder(workspace, batch)) === folder) return manifest;
  }
}

/** The folder that the file of a batch came from; empty for the inbox itself. Whoever needs the facts of a manifest says what is wrong with it. */
export async function folderOfBatch(workspace: Workspace, batch: string): Promise<string> {
  const manifest = await standingManifest(workspace, batch).catch(() => null);
  return manifest?.folder ?? '';
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(noneThere);
}

function noneThere(error: NodeJS.ErrnoException): readonly string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

/** The folder, at this moment, of a batch that is in processing or archived; null where it is in neither. */
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
 * Writes the manifest of a batch over the present one and keeps every fact that is not given; durable when it returns. The caller must hold the ledger's
 * lock, so that there is one writer at a time. A batch without a folder gets no manifest.
 * @param folder that of the batch; the first manifest is written where its files are put together.
 */
export function writeManifest(
  workspace: Workspace,
  head: ManifestHead,
  facts: KeptFacts | FactsAfter = {},
  folder: string | null = folderNow(workspace, head.batch),
): void {
  if (folder === null) return;
  endVouchingOfOthers(workspace, head.ledger);
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
  // A higher one is that of another machine, which has taken over while this one was held up.
  for (const name of readdirSync(folder)) {
    const of = epochOf(name);
    if (of > 0 && of < epoch) rmSync(join(folder, name), { force: true });
  }
}

/** The disk does not take the manifest of a batch. The batch waits until it does: only the ledger would know what is sent meanwhile. */
export class ManifestUnwritable extends BatchFolderFault {}

function asUnwritable(batch: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  return new ManifestUnwritable(sentence('manifest.unwritable', { batch, code }), { cause: error });
}

/** The manifest of a batch at this moment; null where there is none. Throws `BatchFolderFault`. */
export function manifestNow(workspace: Workspace, batch: string): Manifest | null {
  const folder = folderNow(workspace, batch);
  const epoch = folder === null ? 0 : highest(readdirSync(folder));
  return folder === null || epoch === 0 ? null : readNow(folder, epoch);
}

function readNow(folder: string, epoch: number): Manifest {
  const note = noteAt(epoch);
  const path = join(folder, note.name);
  // paydrop puts no link or pipe there, and opening a pipe would wait.
  if (!lstatSync(path).isFile()) throw unreadableNote(folder, note, 'not-a-file');
  return parseNote(folder, note, readFileSync(path, 'utf8'));
}
