// The zip that a workbook is: the list of its entries, judged before a byte is inflated (against zip bombs), and the bytes of each, never more than it has announced.
import { fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import {
  DIRECTORY_BYTES_MAX,
  ENTRIES_MAX,
  INFLATED_BYTES_MAX,
  NAME_CHARS_MAX,
  RATIO_FREE_BYTES,
  RATIO_MAX,
} from './limits.ts';

// One file inside the zip, as the zip's own directory describes it; nothing of this is believed until the bytes agree.

export type ZipEntry = {
  /** With `/` between folders and none in front. */
  readonly name: string;
  /** The name's bytes, which the entry's own header must repeat. */
  readonly nameBytes: Buffer;
  /** 0 for stored, 8 for deflated. */
  readonly method: 0 | 8;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly inflatedBytes: number;
  /** Where its own header starts, and where the next thing in the file does. */
  readonly start: number;
  readonly end: number;
};

// The bytes of an open file at any place. The file is handed over open, so that nobody can put another in its place while it is read.

const readAt = promisify(read);

export type FileBytes = { readonly descriptor: number; readonly size: number };

export function bytesOf(descriptor: number): FileBytes {
  return { descriptor, size: fstatSync(descriptor).size };
}

/** Exactly `length` bytes from `at`. Throws `FileRefused` where the file ends before. */
export async function readExactly(file: FileBytes, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await readAt(file.descriptor, buffer, done, length - done, at + done);
    if (bytesRead === 0) throw new FileRefused('workbook_damaged', sentence('fileBytes.readExactly'));
    done += bytesRead;
  }
  return buffer;
}

// The list of entries at the end of a zip. Anything that can be read in two ways is refused: what we read must be what the owner's program shows.

/** An entry as the directory lists it. */
type ListedEntry = {
  readonly name: string;
  readonly nameBytes: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly inflatedBytes: number;
  readonly start: number;
};

type ZipDirectory = { readonly entries: readonly ListedEntry[]; readonly start: number };

type Placed = { readonly count: number; readonly size: number; readonly start: number; readonly end: number };

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const END64_SIGNATURE = 0x06064b50;
const END64_BYTES = 56;
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const LISTED_SIGNATURE = 0x02014b50;
const LISTED_BYTES = 46;

/** Throws `FileRefused`. */
export async function readZipDirectory(file: FileBytes): Promise<ZipDirectory> {
  const placed = await findDirectory(file);
  if (placed.count > ENTRIES_MAX || placed.size > DIRECTORY_BYTES_MAX)
    throw new FileRefused(
      'workbook_bomb',
      sentence('zipDirectory.readZipDirectory.fileHoldsEntries', {
        count: placed.count,
        entriesMax: ENTRIES_MAX,
      }),
    );
  if (placed.start + placed.size !== placed.end)
    throw damaged(sentence('zipDirectory.readZipDirectory.listEntriesWhere'));
  const bytes = await readExactly(file, placed.start, placed.size);
  const entries: ListedEntry[] = [];
  let at = 0;
  for (let index = 0; index < placed.count; index += 1) {
    const { entry, next } = readListed(bytes, at);
    entries.push(entry);
    at = next;
  }
  if (at !== bytes.length) throw damaged(sentence('zipDirectory.readZipDirectory.listEntriesMore'));
  return { entries, start: placed.start };
}

async function findDirectory(file: FileBytes): Promise<Placed> {
  const length = Math.min(file.size, END_BYTES + COMMENT_BYTES_MAX + LOCATOR_BYTES);
  const tail = await readExactly(file, file.size - length, length);
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length) continue;
    return readEnd(file, tail, at);
  }
  throw damaged(sentence('zipDirectory.findDirectory'));
}

async function readEnd(file: FileBytes, tail: Buffer, at: number): Promise<Placed> {
  const endAt = file.size - tail.length + at;
  const locatorAt = at - LOCATOR_BYTES;
  if (locatorAt >= 0 && tail.readUInt32LE(locatorAt) === LOCATOR_SIGNATURE)
    return readEnd64(file, safe(tail.readBigUInt64LE(locatorAt + 8)), endAt - LOCATOR_BYTES);
  const [disk, startDisk] = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)];
  const count = tail.readUInt16LE(at + 10);
  if (disk !== 0 || startDisk !== 0 || tail.readUInt16LE(at + 8) !== count)
    throw damaged(sentence('zipDirectory.readEnd'));
  return { count, size: tail.readUInt32LE(at + 12), start: tail.readUInt32LE(at + 16), end: endAt };
}

/** The end of a large zip, which some programs write for small ones too. */
async function readEnd64(file: FileBytes, at: number, locatorAt: number): Promise<Placed> {
  if (at + END64_BYTES > locatorAt) throw damaged(sentence('zipDirectory.readEnd64.endPointsOutside'));
  const end = await readExactly(file, at, END64_BYTES);
  const count = safe(end.readBigUInt64LE(32));
  if (end.readUInt32LE(0) !== END64_SIGNATURE || safe(end.readBigUInt64LE(24)) !== count)
    throw damaged(sentence('zipDirectory.readEnd64.endReadable'));
  return { count, size: safe(end.readBigUInt64LE(40)), start: safe(end.readBigUInt64LE(48)), end: at };
}

function readListed(bytes: Buffer, at: number): { readonly entry: ListedEntry; readonly next: number } {
  if (at + LISTED_BYTES > bytes.length || bytes.readUInt32LE(at) !== LISTED_SIGNATURE)
    throw damaged(sentence('zipDirectory.readListed.listEntriesReadable'));
  const nameEnd = at + LISTED_BYTES + bytes.readUInt16LE(at + 28);
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
  const next = extraEnd + bytes.readUInt16LE(at + 32);
  if (next > bytes.length) throw damaged(sentence('zipDirectory.readListed.listEntriesCut'));
  if (nameEnd - at - LISTED_BYTES > NAME_CHARS_MAX)
    throw damaged(sentence('zipDirectory.readListed.nameEntryToo'));
  const nameBytes = bytes.subarray(at + LISTED_BYTES, nameEnd);
  const sizes = readSizes(bytes, at, bytes.subarray(nameEnd, extraEnd));
  return {
    entry: {
      // A program for Windows once wrote `\`; parts have plain names, so any encoding of them reads the same.
      name: nameBytes.toString('utf8').replaceAll('\\', '/').replace(/^\/+/, ''),
      nameBytes,
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      crc32: bytes.readUInt32LE(at + 16),
      ...sizes,
    },
    next,
  };
}

type Sizes = Pick<ListedEntry, 'compressedBytes' | 'inflatedBytes' | 'start'>;

/** A field that is full of ones stands in the extra field instead. */
const IN_EXTRA = 0xffffffff;
const EXTRA_64 = 1;

function readSizes(bytes: Buffer, at: number, extra: Buffer): Sizes {
  const long = extra64(extra);
  let used = 0;
  const field = (offset: number): number => {
    const short = bytes.readUInt32LE(at + offset);
    if (short !== IN_EXTRA) return short;
    if (used + 8 > long.length) throw damaged(sentence('zipDirectory.field'));
    used += 8;
    return safe(long.readBigUInt64LE(used - 8));
  };
  // In the order in which the extra field has them.
  const inflatedBytes = field(24);
  const compressedBytes = field(20);
  return { inflatedBytes, compressedBytes, start: field(42) };
}

function extra64(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === EXTRA_64) return extra.subarray(at + 4, Math.min(end, extra.length));
    at = end;
  }
  return Buffer.alloc(0);
}

function safe(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged(sentence('zipDirectory.safe'));
  return Number(value);
}

function damaged(what: Words): FileRefused {
  return new FileRefused('workbook_damaged', sentence('zipDirectory.damaged', { what }));
}

// Decides from the directory alone, before a byte is inflated, whether the entries of a zip can be what they say and may be read.

type ZipEntries = ReadonlyMap<string, ZipEntry>;

const ENCRYPTED = 0b1;
/** The fixed part of an entry's own header. */
export const HEADER_BYTES = 30;

/** Entries by lower-case name, because names of parts are compared so. Throws `FileRefused`. */
export function checkEntries({ entries, start: directoryAt }: ZipDirectory): ZipEntries {
  checkSizes(entries);
  const byStart = entries.toSorted((a, b) => a.start - b.start);
  const checked = byStart.map((entry, index) => checkEntry(entry, byStart[index + 1]?.start ?? directoryAt));
  const byName = new Map(checked.map((entry) => [entry.name.toLowerCase(), entry]));
  if (byName.size !== entries.length)
    throw new FileRefused('workbook_damaged', sentence('checkEntries.text'));
  return byName;
}

function checkSizes(entries: readonly ListedEntry[]): void {
  const total = entries.reduce((sum, { inflatedBytes }) => sum + inflatedBytes, 0);
  if (total > INFLATED_BYTES_MAX)
    throw bomb(sentence('checkEntries.checkSizes.fileWouldGrow', { megabytes: megabytes(total) }));
  const dense = entries.find(
    ({ inflatedBytes, compressedBytes }) =>
      inflatedBytes > RATIO_FREE_BYTES && inflatedBytes > compressedBytes * RATIO_MAX,
  );
  if (dense !== undefined)
    throw bomb(
      sentence('checkEntries.checkSizes.entryWouldGrow', {
        name: dense.name,
        megabytes: megabytes(dense.compressedBytes),
        megabytes2: megabytes(dense.inflatedBytes),
      }),
    );
}

function checkEntry(entry: ListedEntry, next: number): ZipEntry {
  if ((entry.flags & ENCRYPTED) !== 0)
    throw new FileRefused(
      'workbook_encrypted',
      sentence('checkEntries.checkEntry.entryFileEncrypted', { name: entry.name }),
    );
  const { method } = entry;
  if (method !== 0 && method !== 8)
    throw new FileRefused(
      'workbook_damaged',
      sentence('checkEntries.checkEntry.entryPackedUnknown', { name: entry.name, method }),
    );
  // Small zips that unpack to petabytes let all their entries share the same bytes.
  if (entry.start + HEADER_BYTES + entry.nameBytes.length + entry.compressedBytes > next)
    throw bomb(sentence('checkEntries.checkEntry.entryLiesOver', { name: entry.name }));
  return { ...entry, method, end: next };
}

function bomb(what: Words): FileRefused {
  return new FileRefused('workbook_bomb', sentence('checkEntries.bomb', { what }));
}

/** For people: rounded up, so that nothing is 0 MB. */
function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
