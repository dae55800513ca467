// A document that a row names is a stranger's file on our disk and will be uploaded. It must lie in the spreadsheet's folder or below, and be a
// plain file and no link. Its bytes, not its name, decide its kind.
import { createHash } from 'node:crypto';
import { closeSync, fstatSync } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';

import { openPlainFile, pathOf, readAtMost } from '../base/plain-file.ts';

/** Our own cap: the interface does not show the service's. */
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

/** The kinds that the interface takes and that payout desks read, each with its extensions. */
const NAME_ENDS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map([
  ['application/pdf', ['.pdf']],
  ['image/png', ['.png']],
  ['image/jpeg', ['.jpg', '.jpeg']],
]);

export const DOCUMENT_TYPES: readonly string[] = [...NAME_ENDS.keys()];

export const DOCUMENT_FAULTS = ['path', 'not_found', 'not_a_file', 'too_large', 'kind'] as const;
type DocumentFault = (typeof DOCUMENT_FAULTS)[number];

/** The extensions of documents, in the order in which documents with the spreadsheet's name are looked for. */
export const DOCUMENT_EXTENSIONS: readonly string[] = [...NAME_ENDS.values()].flat();

/** Whether any file of the folder is called as a document is. */
export async function holdsDocuments(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => DOCUMENT_EXTENSIONS.includes(extname(name).toLowerCase()));
}

/** The extension for documents of this kind. */
export function extensionFor(contentType: string): string {
  return NAME_ENDS.get(contentType)?.[0] ?? '';
}

export type InspectedDocument =
  | {
      readonly name: string;
      readonly sha256: string;
      readonly contentType: string;
      readonly bytes: Uint8Array;
    }
  | { readonly name: string; readonly fault: DocumentFault };

/** Reads the document `name` below `folder` and gives its kind, or what is wrong with it. */
export function inspectDocument(folder: string, name: string): Promise<InspectedDocument> {
  return documentsIn(folder)(name);
}

/** The same for many documents of a folder. */
export function documentsIn(folder: string): (name: string) => Promise<InspectedDocument> {
  let real: Promise<string | null> | null = null;
  return (name) => inspectIn((real ??= realpath(folder).catch(() => null)), name);
}

async function inspectIn(folder: Promise<string | null>, name: string): Promise<InspectedDocument> {
  const path = withSlashes(name);
  const fault = faultOfName(path);
  if (fault !== null) return { name, fault };
  const real = await folder;
  const below = real === null ? null : await nameOnDisk(real, path);
  if (real === null || below === null) return { name, fault: 'not_found' };
  const bytes = await readBelow(real, below);
  if (typeof bytes === 'string') return { name, fault: bytes };
  // Loaded with the first document: most files name none.
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(bytes);
  if (type === undefined || !NAME_ENDS.has(type.mime)) return { name, fault: 'kind' };
  return { name, sha256: createHash('sha256').update(bytes).digest('hex'), contentType: type.mime, bytes };
}

/** A path below the folder as Windows writes it: `factures\\mars.pdf`, `.\\mars.pdf`. */
export function withSlashes(name: string): string {
  return name.includes('\\') ? name.replaceAll('\\', '/').replace(/^\.\//, '') : name;
}

/** Why no document can ever have this name; null when one can. */
export function faultOfName(name: string): 'path' | 'kind' | null {
  if (!isPlainPath(name)) return 'path';
  return DOCUMENT_EXTENSIONS.includes(extname(name).toLowerCase()) ? null : 'kind';
}

/** `invoice.pdf` or `march/invoice.pdf`: no `..`, no absolute path, nothing that another system reads as one, and nothing that is invisible to people. */
function isPlainPath(name: string): boolean {
  const parts = name.split('/');
  return (
    name.length <= 255 &&
    !/[\\:\p{Cc}]|%2e|%2f/iu.test(name) &&
    parts.every((part) => part !== '' && !/^[.~]/.test(part)) &&
    posix.normalize(name) === name
  );
}

/**
 * The name on the disk of the file that a row names: a Mac writes an accent as a separate character, and a spreadsheet does not. Null when no
 * file has a name with accents, or several do.
 */
async function nameOnDisk(folder: string, name: string): Promise<string | null> {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    const found = await partOnDisk(join(folder, ...parts), part);
    if (found === null) return null;
    parts.push(found);
  }
  return parts.join('/');
}

async function partOnDisk(folder: string, part: string): Promise<string | null> {
  // Plain letters have only one form, and whoever opens it sees whether it is there.
  if (/^[\x20-\x7e]*$/.test(part)) return part;
  if ((await lstat(join(folder, part)).catch(() => null)) !== null) return part;
  const wanted = part.normalize('NFC');
  const names = await readdir(folder).catch(() => []);
  const [found = null, ...others] = names.filter((each) => each.normalize('NFC') === wanted);
  return others.length === 0 ? found : null;
}

/** The path is checked after the file is opened: a folder on the way may have become a link since. */
async function readBelow(folder: string, name: string): Promise<Uint8Array | DocumentFault> {
  const path = join(folder, name);
  const before = await kindOf(folder, name);
  if (before !== 'file') return before;
  const file = await openPlainFile(path);
  if (typeof file === 'string') return file === 'missing' ? 'not_found' : 'not_a_file';
  try {
    if (!(await liesAt(file, path))) return 'not_a_file';
    const bytes = await readAtMost(file, DOCUMENT_BYTES_MAX);
    return bytes === 'too-large' ? 'too_large' : bytes;
  } finally {
    closeSync(file);
  }
}

/** Where the system does not say where an open file lies, the file of that name must be the same one. */
async function liesAt(file: number, path: string): Promise<boolean> {
  const at = pathOf(file);
  if (at !== null) return at === path;
  const [opened, named] = [fstatSync(file), await lstat(path).catch(() => null)];
  return named !== null && opened.ino === named.ino && opened.dev === named.dev;
}

/** Checks every part of the path, so that no folder on the way is a link. */
async function kindOf(folder: string, name: string): Promise<'file' | 'not_found' | 'not_a_file'> {
  let path = folder;
  const parts = name.split('/');
  for (const [index, part] of parts.entries()) {
    path = join(path, part);
    const stats = await lstat(path).catch(() => null);
    if (stats === null) return 'not_found';
    const isLast = index === parts.length - 1;
    if (isLast ? !stats.isFile() || stats.nlink > 1 : !stats.isDirectory()) return 'not_a_file';
  }
  return 'file';
}
