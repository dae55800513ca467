// Reading the body of a request within a limit. What is too long is read to its end and thrown away, because a client that is still writing
// would otherwise see a broken connection instead of the answer.
import type { IncomingMessage } from 'node:http';

/** A client that goes on far beyond any limit is not listening. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;

/** The whole body, `too-large`, or `gone` when the client went away before its end. */
export async function readBody(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array | 'too-large' | 'gone'> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      bytes += chunk.byteLength;
      if (bytes > DISCARD_BYTES_MAX) return 'gone';
      if (bytes <= bytesMax) chunks.push(chunk);
      else chunks.length = 0;
    }
  } catch {
    // The only thing that fails here is the connection, and nobody is left to be told.
    return 'gone';
  }
  if (bytes > bytesMax) return 'too-large';
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
