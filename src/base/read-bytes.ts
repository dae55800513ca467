// A file as a stream of bytes that is opened when its first byte is asked for: one opened at once would end the process when it fails before
// anybody listens.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Throws for what is no plain file: a pipe would be waited for, and a device may have no end. */
export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new NoPlainFile(path);
    yield* file.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await file.close();
  }
}

export class NoPlainFile extends Error {
  override readonly name = 'NoPlainFile';
  /** As the system says of a folder. */
  readonly code = 'EISDIR';

  constructor(path: string) {
    super(`${path} is no plain file.`);
  }
}
