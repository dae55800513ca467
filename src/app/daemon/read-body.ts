// The exact bytes of a notification, which are what is signed, within a limit that holds for what is announced and for what really comes.
import type { IncomingMessage } from 'node:http';

/** Pieces are joined this often, because a body that drips in byte by byte would cost a hundred times its size. */
const PIECES_MAX = 64;

/** The body; `too-large` at the first byte beyond the limit; `gone` when the sender went away before the end. */
export async function readBody(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | 'too-large' | 'gone'> {
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return 'too-large';
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    // The connection is kept for the answer.
    for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += piece.byteLength;
      if (bytes > bytesMax) return 'too-large';
      pieces.push(piece);
      if (pieces.length === PIECES_MAX) pieces.splice(0, PIECES_MAX, Buffer.concat(pieces));
    }
  } catch {
    // The only thing that fails here is the connection, and nobody is left to be told.
    return 'gone';
  }
  return Buffer.concat(pieces);
}
