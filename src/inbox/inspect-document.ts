// A document that a row names is somebody's file on our disk and will be uploaded: it must lie where the spreadsheet lies, be a file and
// no link, and be what its bytes say, not its name.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';

import { fileTypeFromBuffer } from 'file-type';

/** Our own cap: the interface does not show the service's. */
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

/** Kinds that the interface takes and that payout desks read, each with what names of it end in. */
const NAME_ENDS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map([
  ['application/pdf', ['.pdf']],
  ['image/png', ['.png']],
  ['image/jpeg', ['.jpg', '.jpeg']],
]);

export const DOCUMENT_TYPES: readonly string[] = [...NAME_ENDS.keys()];

export const DOCUMENT_FAULTS = ['path', 'not_found', 'not_a_file', 'too_large', 'kind'] as const;

/** What the name of a document ends in, in the order in which documents of a spreadsheet's own name are looked for. */
export const DOCUMENT_EXTENSIONS: readonly string[] = [...NAME_ENDS.values()].flat();

/** What names of this kind of document end in. */
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
  | { readonly name: string; readonly fault: (typeof DOCUMENT_FAULTS)[number] };

/** Reads the document `name` below `folder` and says what it is, or what is wrong with it. */
export async function inspectDocument(folder: string, name: string): Promise<InspectedDocument> {
  if (!isPlainPath(name)) return { name, fault: 'path' };
  if (!DOCUMENT_EXTENSIONS.includes(extname(name).toLowerCase())) return { name, fault: 'kind' };
  const kind = await kindOf(folder, name);
  if (kind !== 'file') return { name, fault: kind };
  const bytes = await readBounded(join(folder, name)).catch(goneSince);
  if (bytes === 'gone') return { name, fault: 'not_found' };
  if (bytes === null) return { name, fault: 'too_large' };
  const type = await fileTypeFromBuffer(bytes);
  if (type === undefined || !NAME_ENDS.has(type.mime)) return { name, fault: 'kind' };
  return { name, sha256: createHash('sha256').update(bytes).digest('hex'), contentType: type.mime, bytes };
}

/** Taken away between the look and the reading. */
function goneSince(error: unknown): 'gone' {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'gone';
  throw error;
}

/** `invoice.pdf` or `march/invoice.pdf`: no way up, no absolute path, nothing that another system reads as one, and nothing that hides from people. */
function isPlainPath(name: string): boolean {
  const parts = name.split('/');
  return (
    name.length <= 255 &&
    !/[\\:\p{Cc}]|%2e|%2f/iu.test(name) &&
    parts.every((part) => part !== '' && !/^[.~]/.test(part)) &&
    posix.normalize(name) === name
  );
}

/** Looks at every part of the path, so that no folder on the way is a link either. */
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

async function readBounded(path: string): Promise<Uint8Array | null> {
  // A link or a pipe that was put there since we looked is not followed and does not block.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    return size > DOCUMENT_BYTES_MAX ? null : await file.readFile();
  } finally {
    await file.close();
  }
}
