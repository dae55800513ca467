// A file as a stream of bytes that is opened when its first byte is asked for: one opened at once would end the process when it fails before
// anybody listens.
import { createReadStream } from 'node:fs';

export async function* readBytes(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path) as AsyncIterable<Uint8Array>;
}
