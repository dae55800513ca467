// The identity of a file: the hash of its bytes, read without ever holding it whole.
import { createHash } from 'node:crypto';

import { readBytes } from '../base/plain-file.ts';

/** SHA-256 in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readBytes(path)) hash.update(chunk);
  return hash.digest('hex');
}
