// A workbook is a zip of parts that refer to one another. A file that is not provably a plain workbook is refused here, by name.
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';

import { sameWords } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { CONTENT_TYPES, RELATIONSHIPS } from './limits.ts';
import { type Root, walkXml } from './walk-xml.ts';
import {
  checkEntries,
  type FileBytes,
  HEADER_BYTES,
  readExactly,
  readZipDirectory,
  type ZipEntry,
} from './zip.ts';

// Files named `.xlsx` that are something else: a workbook of the nineties, one with a password, a text file, or anything at all.

const ZIP = Buffer.from('PK');
/** Both old workbooks and encrypted new ones are containers of this kind. */
const CONTAINER = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
/** A container names its streams in UTF-16; only an encrypted workbook has one of this name. */
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');
const PIECE_BYTES = 1024 * 1024;

/** Throws `FileRefused` unless the file starts as a zip does. */
export async function refuseOtherFiles(file: FileBytes): Promise<void> {
  const head = await readExactly(file, 0, Math.min(file.size, CONTAINER.length));
  refuseOtherStarts(head);
  if (startsWith(head, ZIP)) return;
  if (await holds(file, ENCRYPTED))
    throw new FileRefused('workbook_encrypted', sentence('refuseOtherFiles.workbookEncryptedOpens'));
  throw oldFormat();
}

/** The same of its first bytes alone, which do not tell an encrypted workbook from one of the nineties. */
export function refuseOtherStarts(start: Buffer): void {
  if (!startsWith(start, ZIP) && !startsWith(start, CONTAINER))
    throw new FileRefused('not_workbook', sentence('refuseOtherFiles.fileXlsxWorkbook'));
}

function startsWith(start: Buffer, bytes: Buffer): boolean {
  return start.subarray(0, bytes.length).equals(bytes);
}

async function holds(file: FileBytes, wanted: Buffer): Promise<boolean> {
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    // Each piece reaches into the next, so that a name on the border is found.
    const piece = await readExactly(file, at, Math.min(PIECE_BYTES + wanted.length, file.size - at));
    if (piece.includes(wanted)) return true;
  }
  return false;
}

/** @param start of a file that is called `.xls`: many programs give that name to a page or to text, which Excel opens all the same. */
export function oldFormat(start: Buffer = CONTAINER): FileRefused {
  return new FileRefused('workbook_old_format', CALLED_OLD[kindOf(start)]);
}

const CALLED_OLD = {
  workbook: sentence('refuseOtherFiles.oldFormat.workbook'),
  zip: sentence('refuseOtherFiles.oldFormat.zip'),
  page: sentence('refuseOtherFiles.oldFormat.page'),
  text: sentence('refuseOtherFiles.oldFormat.text'),
};

const PAGE = /^[\s\ufeff]*<(?:!doctype|!--|\?xml|html|head|meta|style|table)\b/i;
const CONTROLS = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

function kindOf(start: Buffer): keyof typeof CALLED_OLD {
  if (startsWith(start, CONTAINER)) return 'workbook';
  if (startsWith(start, ZIP)) return 'zip';
  // UTF-16 has a zero beside each of these letters.
  const text = start.toString('latin1').replaceAll('\0', '');
  const shown = text.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '');
  if (PAGE.test(shown)) return 'page';
  return CONTROLS.test(shown) ? 'workbook' : 'text';
}

// The bytes of one entry, never more than the directory has announced: what was judged there is what is read here.

const HEADER_SIGNATURE = 0x04034b50;
const CHUNK_BYTES = 64 * 1024;

/** Throws `FileRefused` where the bytes are not those that the directory describes. */
async function* inflateEntry(file: FileBytes, entry: ZipEntry): AsyncGenerator<Buffer> {
  const at = await findData(file, entry);
  let bytes = 0;
  let sum = 0;
  for await (const chunk of unpacked(file, entry, at)) {
    bytes += chunk.length;
    sum = crc32(chunk, sum);
    if (bytes > entry.inflatedBytes)
      throw new FileRefused('workbook_bomb', sentence('inflateEntry.text', { name: entry.name }));
    yield chunk;
  }
  if (bytes !== entry.inflatedBytes || sum !== entry.crc32) throw damaged(entry);
}

/** Checks the entry's own header against the directory: two programs may each believe another of the two. */
async function findData(file: FileBytes, entry: ZipEntry): Promise<number> {
  const header = await readExactly(file, entry.start, HEADER_BYTES + entry.nameBytes.length);
  const isSame =
    header.readUInt32LE(0) === HEADER_SIGNATURE &&
    header.readUInt16LE(8) === entry.method &&
    header.readUInt16LE(26) === entry.nameBytes.length &&
    header.subarray(HEADER_BYTES).equals(entry.nameBytes);
  const at = entry.start + header.length + header.readUInt16LE(28);
  if (!isSame || at + entry.compressedBytes > entry.end) throw damaged(entry);
  return at;
}

async function* unpacked(file: FileBytes, entry: ZipEntry, at: number): AsyncGenerator<Buffer> {
  const packed = packedBytes(file, at, entry.compressedBytes);
  if (entry.method === 0) {
    yield* packed;
    return;
  }
  const source = Readable.from(packed);
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  source.on('error', (error) => inflate.destroy(error));
  try {
    for await (const chunk of source.pipe(inflate)) yield chunk as Buffer;
    if (inflate.bytesWritten !== entry.compressedBytes) throw damaged(entry);
  } catch (error) {
    throw error instanceof FileRefused ? error : damaged(entry, error);
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

async function* packedBytes(file: FileBytes, start: number, length: number): AsyncGenerator<Buffer> {
  for (let at = start; at < start + length; at += CHUNK_BYTES)
    yield await readExactly(file, at, Math.min(CHUNK_BYTES, start + length - at));
}

function damaged(entry: ZipEntry, cause?: unknown): FileRefused {
  const words = sentence('inflateEntry.damaged', { name: entry.name });
  return new FileRefused('workbook_damaged', words, { cause });
}

/** One reference of a part to another. */
export type Relationship = {
  readonly id: string;
  /** The last word of its type: `worksheet`, `styles`. */
  readonly type: string;
  /** The name of the part that it leads to, or null when that is outside of the file. */
  readonly target: string | null;
};

export type PackageParts = {
  readonly has: (name: string) => boolean;
  /** The bytes of a part. Throws `FileRefused` where there is none. */
  readonly open: (name: string) => AsyncGenerator<Buffer>;
  /** Walks a whole part. */
  readonly walk: (name: string, root: Root) => Promise<void>;
};

/** `onBytes` hears of each piece, so that a long reading shows a sign of life. Throws `FileRefused`. */
export async function openParts(file: FileBytes, onBytes: (count: number) => void): Promise<PackageParts> {
  const entries = checkEntries(await readZipDirectory(file));
  refuseByName([...entries.keys()]);
  async function* open(name: string): AsyncGenerator<Buffer> {
    const entry = entries.get(name.toLowerCase());
    if (entry === undefined)
      throw new FileRefused('workbook_damaged', sentence('packageParts.open', { name }));
    for await (const chunk of inflateEntry(file, entry)) {
      onBytes(chunk.length);
      yield chunk;
    }
  }
  const parts: PackageParts = {
    has: (name) => entries.has(name.toLowerCase()),
    open,
    walk: async (name, root) => {
      const xml = walkXml(sameWords(name), root);
      for await (const chunk of open(name)) xml.write(chunk);
      xml.end();
    },
  };
  await refuseByType(parts, [...entries.keys()]);
  return parts;
}

const MACRO_PART = /(?:^|\/)(?:vbaproject[^/]*\.bin|macrosheets\/|vbadata\.xml)/;
const LINK_PART = /(?:^|\/)externallinks?\//;

/** Names are in lower case. */
function refuseByName(names: readonly string[]): void {
  if (names.some((name) => MACRO_PART.test(name))) throw macros();
  if (names.some((name) => LINK_PART.test(name))) throw externalLinks();
}

async function refuseByType(parts: PackageParts, names: readonly string[]): Promise<void> {
  if (!parts.has('[Content_Types].xml'))
    throw new FileRefused('not_workbook', sentence('packageParts.refuseByType'));
  const types: string[] = [];
  // The type of an extension counts only where a part has that extension: some libraries declare types that their workbooks do not use.
  const byExtension = ({ Extension = '', ContentType = '' }) => {
    if (names.some((name) => name.endsWith(`.${Extension.toLowerCase()}`))) types.push(ContentType);
  };
  const Override = { open: ({ ContentType = '' }) => void types.push(ContentType) };
  const shape = { children: { Default: { open: byExtension }, Override } };
  await parts.walk('[Content_Types].xml', { name: 'Types', namespaces: CONTENT_TYPES, shape });
  if (types.some((type) => /macroEnabled|vbaProject/i.test(type))) throw macros();
}

export function macros(): FileRefused {
  return new FileRefused('workbook_macros', sentence('packageParts.macros'));
}

export function externalLinks(): FileRefused {
  return new FileRefused('workbook_external_links', sentence('packageParts.externalLinks'));
}

/** The references of a part; of the whole file for the empty name. */
export async function relationshipsOf(parts: PackageParts, part: string): Promise<readonly Relationship[]> {
  const name = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`);
  if (!parts.has(name)) return [];
  const found: Relationship[] = [];
  const Relationship = {
    open: ({ Id = '', Type = '', Target = '', TargetMode = 'Internal' }) => {
      const target =
        TargetMode === 'Internal' ? posix.resolve('/', posix.dirname(part), Target).slice(1) : null;
      found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target });
    },
  };
  await parts.walk(name, {
    name: 'Relationships',
    namespaces: RELATIONSHIPS,
    shape: { children: { Relationship } },
  });
  return found;
}
