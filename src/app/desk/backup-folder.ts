// What a backup is: a folder laid out as a workspace is, with a note of when it was made and where the history of its ledger ended.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { publishFile } from '../../base/atomic-file.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import { verifyHistory } from '../../ledger/sqlite/verify-history.ts';
import { sentence } from '../../messages/messages.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';

const schema = z.object({
  format: z.literal(1),
  paydrop: z.string(),
  /** ISO: what happened later is not in it. */
  at: z.string(),
  workspace: z.string(),
  ledger: z.object({
    id: z.string(),
    /** The end of the history, and whether it was sound; null where a database keeps the ledger, and its own dump has it. */
    history: z.object({ events: z.int(), lastHash: z.string(), isSound: z.boolean() }).nullable(),
  }),
});
export type BackupNote = Readonly<z.output<typeof schema>>;

/** Of a ledger in a file: where its history ends, and whether all of it is as it was written. */
export async function endOfHistory(path: string): Promise<NonNullable<BackupNote['ledger']['history']>> {
  const { events, lastHash, ...faults } = await verifyHistory(path);
  return { events, lastHash, isSound: Object.values(faults).every((fault) => fault === null) };
}

/** Beside the folders, which have the names of a workspace, as have the files that paydrop keeps in its root. */
const NOTE = 'backup.json';
export const LEDGER = 'ledger.sqlite';
export const PEOPLE = 'people.sqlite';
/** The account, the key of the addresses for notifications, and what the embedded sandbox remembers. */
export const KEPT_FILES: readonly string[] = ['service.json', 'callback.key', 'sandbox.state'];
/** Files that somebody brought and that are no batch yet. */
export const UPLOADS = 'uploads';

/** The names of the folders with files that were claimed and are no batch yet. */
export async function claimsIn({ processing }: Pick<Workspace, 'processing'>): Promise<readonly string[]> {
  return (await readdir(processing)).filter((name) => name.startsWith('.'));
}

export async function writeNote(folder: string, note: BackupNote): Promise<void> {
  await publishFile(join(folder, NOTE), [`${JSON.stringify(note, null, 2)}\n`]);
}

/** Throws `ConfigUnusable` for a folder that is no backup, or one that was not finished. */
export async function readNote(folder: string): Promise<BackupNote> {
  const text = await readFile(join(folder, NOTE), 'utf8').catch(() => null);
  const read = schema.safeParse(text === null ? null : orNull(text));
  if (!read.success) throw new ConfigUnusable(sentence('backup.noBackup', { folder }));
  return read.data;
}

function orNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
