// The entry to this folder, and the list of the accepted kinds of files. A further kind costs its own folder and a word here: a path goes in, a
// surveyed table and its rows come out, or a `FileRefused` that says why not.
import { basename, extname } from 'node:path';

import { sentence } from '../messages/messages.ts';
import { CSV } from './csv/csv-file.ts';
import { FileRefused, type FileRefusalCode } from './file-refused.ts';
import type { Format, Peek, ReadFile, ReadOptions, RefusedMessage, WrittenAs } from './format.ts';
import { PAIN001 } from './pain001/pain001-file.ts';
import type { Table } from './row.ts';
import { describeFile, startOf } from './source-file.ts';
import { WORKBOOK } from './xlsx/xlsx-file.ts';

const FORMATS: readonly Format[] = [CSV, WORKBOOK, PAIN001];

/** The extensions are those of the contract; nothing is guessed from content. */
const BY_EXTENSION: ReadonlyMap<string, Format> = new Map(
  FORMATS.flatMap((format) => [...format.readers.keys()].map((extension) => [extension, format])),
);

function formatOf(name: string): Format | undefined {
  return BY_EXTENSION.get(extensionIn(name));
}

function extensionIn(name: string): string {
  return extname(name).toLowerCase();
}

/** Whether a file of this name is one that holds payments. */
export function holdsPayments(name: string): boolean {
  return formatOf(name) !== undefined;
}

/** Whether a file of this name that starts so holds payments: some names are those of others too. */
export function beginsAsPayments(name: string, start: Buffer): boolean {
  const format = formatOf(name);
  return format !== undefined && (format.begins === undefined || format.begins(start));
}

/** Whether the name alone leaves open what kind of file it is. */
export function isNameOpen(name: string): boolean {
  return formatOf(name)?.begins !== undefined;
}

/** The name that a file bears inside, and that no second one may bear; null where it bears none. Throws `FileRefused`. */
export async function messageNameOf(path: string, options: ReadOptions): Promise<string | null> {
  return (await formatOf(path)?.messageName?.(path, options)) ?? null;
}

/** Whether files of this name are messages, whose programs are told what became of them. */
export function isMessage(name: string): boolean {
  return formatOf(name)?.refusedMessage !== undefined;
}

/** What the program that wrote a message may learn about its refusal; null where nothing may be reported. Throws `FileRefused`. */
export async function refusedMessageOf(path: string, options: ReadOptions): Promise<RefusedMessage | null> {
  return (await formatOf(path)?.refusedMessage?.(path, options)) ?? null;
}

/** The extension of the answers to a file of this name, without its dot. */
export function answersAs(name: string): string {
  return formatOf(name)?.answersAs ?? extensionIn(name).slice(1);
}

/** Surveys the whole file and gives its table and rows. Throws `FileRefused`. */
export async function readRows(path: string, options: ReadOptions): Promise<ReadFile> {
  const read = formatOf(path)?.readers.get(extensionIn(path));
  if (read === undefined) throw kindUnknown(path);
  const file = await read(path, options);
  return { ...file, table: { ...file.table, fileName: basename(path) } };
}

function kindUnknown(path: string): FileRefused {
  return new FileRefused('kind_unknown', sentence('readRows.text', { extension: extensionIn(path) }));
}

/** More than a text of a message may have, also in UTF-16: one without end is known by the start. */
const START_BYTES = 160 * 1024;

/** Up to this a file is hashed and copied in a moment, and its refusal names its hash; a longer one is judged by its start first. */
const HASHED_BYTES_MOST = 64_000_000;

/** The start of a file that is refused by it, or by its size, whatever follows; null for one that has to be read. */
export async function refusedByStart(
  path: string,
  options: ReadOptions,
): Promise<{ readonly refusal: FileRefused; readonly start: Buffer; readonly bytes: number } | null> {
  const { start, bytes } = await startOf(path, START_BYTES);
  if (bytes <= HASHED_BYTES_MOST) return null;
  try {
    await describeFile(path, options);
    const format = formatOf(path);
    if (format === undefined) throw kindUnknown(path);
    format.refuseByStart(start, options);
    return null;
  } catch (error) {
    if (error instanceof FileRefused) return { refusal: error, start, bytes };
    throw error;
  }
}

/** The first rows of a file as they stand. Throws `FileRefused` for a file that is no table at all. */
export function peekRows(path: string, options: ReadOptions): Promise<Peek> {
  return (formatOf(path) ?? CSV).peek(path, options);
}

/** What a profile for this file says about how it is written. */
export function writtenAs(path: string, { form }: Pick<Table, 'form'>): WrittenAs {
  return (formatOf(path) ?? CSV).writtenAs(form);
}

/** Of any kind: changed while it was read, or not begun. */
const CUT_OF_ANY_KIND: readonly FileRefusalCode[] = ['empty_file', 'file_changed'];

/** Whether a file that is refused so may only be cut off: an upload that was left lying may go on with it. */
export function mayBeCut(path: string, code: FileRefusalCode): boolean {
  return CUT_OF_ANY_KIND.includes(code) || formatOf(path)?.whenCut.includes(code) === true;
}
