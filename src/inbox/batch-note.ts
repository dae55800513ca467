// The notes that paydrop keeps beside the file of a batch, because they must outlive the ledger. One that cannot be read is a fault of its batch and
// of no other: it is named, that batch is left out, and the rest goes on.
import { basename, join } from 'node:path';

import { z } from 'zod';

import { publishFile } from '../base/atomic-file.ts';
import type { Words } from '../base/language.ts';
import { readPlainFile, type PlainFault } from '../base/plain-file.ts';
import { sentence } from '../messages/messages.ts';

/** What lies in the folder of a batch is not what paydrop put there. A person can put it back; nothing of the batch goes on before that. */
export class BatchFolderFault extends Error {
  override readonly name = 'BatchFolderFault';
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.words = words;
  }
}

export type Note<T> = {
  /** No document can be called so: those lie in a folder of their own. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** What is lost with it, to end a sentence. */
  readonly holds: Words;
};

/** Words as they stand in a note. */
export const wordsSchema = z.object({ en: z.string(), fr: z.string() });

/** What the note says; null where there is none. Throws `BatchFolderFault`. */
export async function readNote<T>(folder: string, note: Note<T>): Promise<T | null> {
  const text = await readNoteText(folder, note);
  return text === null ? null : parseNote(folder, note, text);
}

export function parseNote<T>(folder: string, note: Note<T>, text: string): T {
  try {
    return note.schema.parse(JSON.parse(text));
  } catch (error) {
    throw unreadableNote(folder, note, error);
  }
}

/** The same for one that is no JSON. */
export async function readNoteText(
  folder: string,
  note: Omit<Note<unknown>, 'schema'>,
): Promise<string | null> {
  let found: Uint8Array | PlainFault;
  try {
    found = await readPlainFile(join(folder, note.name));
  } catch (error) {
    if (isOfThisMoment(error)) throw error;
    throw unreadableNote(folder, note, error);
  }
  if (found === 'missing') return null;
  if (typeof found === 'string') throw unreadableNote(folder, note, found);
  return Buffer.from(found).toString('utf8');
}

/** Too many open files, or too little memory, say nothing of the note. */
function isOfThisMoment(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EMFILE', 'ENFILE', 'ENOMEM'].includes(String(error.code))
  );
}

/** Durable when it resolves. */
export async function writeNote<T>(folder: string, { name }: Note<T>, value: T): Promise<void> {
  await publishFile(join(folder, name), [JSON.stringify(value)]);
}

export function unreadableNote(
  folder: string,
  { name, holds }: Omit<Note<unknown>, 'schema'>,
  cause: unknown,
): BatchFolderFault {
  const batch = basename(folder);
  return new BatchFolderFault(sentence('batchNote.unreadableNote', { name, batch, holds }), { cause });
}
