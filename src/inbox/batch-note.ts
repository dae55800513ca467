// The notes that paydrop keeps in a batch's folder, because they must outlive the ledger. If a note cannot be read, only its own batch is at fault:
// paydrop names it, leaves that batch out, and carries on with the others.
import { basename, join } from 'node:path';

import { z } from 'zod';

import { publishFile } from '../base/atomic-file.ts';
import { inEachLanguage, inEveryLanguage, type Words } from '../base/language.ts';
import { readPlainFile, type PlainFault } from '../base/plain-file.ts';
import { sentence } from '../messages/messages.ts';

/** The batch's folder does not hold what paydrop put there. Nothing of the batch goes on until a person has restored it. */
export class BatchFolderFault extends Error {
  override readonly name = 'BatchFolderFault';
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.words = words;
  }
}

export type Note<T> = {
  /** No document can have this name: documents lie in their own folder. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** What is lost with the note, as the end of a sentence. */
  readonly holds: Words;
};

const texts = z
  .object({ ...inEachLanguage(() => z.string().exactOptional()), en: z.string() })
  .transform(inEveryLanguage);
const page = z.object({ page: texts.exactOptional() });
/** Words as a note stores them. */
export const wordsSchema = texts.and(page);

/** The content of the note; null where there is none. Throws `BatchFolderFault`. */
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

/** The text of a note that is not JSON. */
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

/** Too many open files, or too little memory, says nothing about the note. */
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
