// UTF-8 is proved, byte for byte, before a single name is read: a wrong letter in a name goes to the bank as it is.
import { isUtf8 } from 'node:buffer';

/** The length that the first byte of a sequence announces; 0 for a byte that starts none. */
export function sequenceLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/** True when a whole character stands at `at`. */
export function isSequenceAt(bytes: Uint8Array, at: number): boolean {
  const length = sequenceLength(bytes[at] ?? 0);
  return length > 0 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length));
}

/** Offset of the first byte that is not UTF-8, or null. */
export async function findInvalidUtf8(chunks: AsyncIterable<Buffer>): Promise<number | null> {
  let offset = 0;
  let cut: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk]);
    const whole = bytes.subarray(0, bytes.length - cutSequenceBytes(bytes));
    if (!isUtf8(whole)) return offset + firstInvalid(whole);
    offset += whole.length;
    cut = Buffer.from(bytes.subarray(whole.length));
  }
  return cut.length === 0 ? null : offset;
}

/** How many bytes at the end belong to a character that goes on in the next chunk. */
function cutSequenceBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    const isContinuation = byte >= 0x80 && byte < 0xc0;
    if (!isContinuation) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function firstInvalid(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length && isSequenceAt(bytes, at)) at += sequenceLength(bytes[at] ?? 0);
  return at;
}
