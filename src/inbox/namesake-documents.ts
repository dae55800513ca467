// The document that serves a spreadsheet by bearing its name has to bear its new one when the spreadsheet gets another. It stays in the inbox
// while the spreadsheet is claimed, and so may be another file's by then.
import { copyFile, lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { stemDocuments, stemOf } from './documents.ts';
import { signatureAt, signatureOf } from './signature.ts';

/** Signatures by names. */
export type Namesakes = Readonly<Record<string, string>>;

/** The documents that bear the name of the file, as they are now. */
export async function namesakeDocuments(path: string): Promise<Namesakes> {
  const found: Record<string, string> = {};
  for (const name of stemDocuments(stemOf(path))) {
    const file = await lstat(join(dirname(path), name)).catch(() => null);
    // What a link leads to is not ours to copy.
    if (file?.isFile() !== true) continue;
    found[name] = signatureOf({ bytes: file.size, modifiedMs: file.mtimeMs, inode: file.ino });
  }
  return found;
}

/** Gives each of them that is still what it was the new name too; a file that has come under the old name of the spreadsheet keeps it as well. */
export async function keepDocuments(folder: string, lead: string, documents: Namesakes): Promise<void> {
  for (const [name, signature] of Object.entries(documents)) {
    if ((await signatureAt(join(folder, name))) !== signature) continue;
    await copyFile(join(folder, name), join(folder, lead + name));
  }
}
