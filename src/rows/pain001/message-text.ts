// The bytes of a message become text in the encoding that they prove or that the message declares; where the two contradict each other, nobody
// guesses.
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';

/** The declaration stands at the very start, and is in plain ASCII in each encoding that is taken. */
const DECLARATION = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;
const DECLARATION_BYTES = 256;

type Decoder = (bytes?: Buffer) => string;

/** Takes the bytes piece by piece and gives their text; without an argument, what is left of it. Throws `FileRefused`. */
export function startMessageText(): Decoder {
  let decode: Decoder | null = null;
  let first = Buffer.alloc(0);
  return (bytes) => {
    if (decode !== null) return decode(bytes);
    first = Buffer.concat([first, bytes ?? Buffer.alloc(0)]);
    if (bytes !== undefined && first.length < DECLARATION_BYTES) return '';
    decode = decoderFor(first);
    return decode(first) + (bytes === undefined ? decode() : '');
  };
}

function decoderFor(first: Buffer): Decoder {
  const mark = first.readUIntBE(0, Math.min(2, first.length));
  const isUtf16 = first.length > 1 && (mark === 0xfeff || mark === 0xfffe);
  const declared = declaredIn(first, isUtf16, mark);
  if (isUtf16) {
    if (declared !== null && !declared.startsWith('utf-16')) throw uncertain(declared);
    return textDecoder(mark === 0xfeff ? 'utf-16be' : 'utf-16le');
  }
  if (declared === null || /^utf-?8$/.test(declared) || declared === 'us-ascii') return textDecoder('utf-8');
  const hasMark = first.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  if (hasMark) throw uncertain(declared);
  if (/^iso-?8859-1$|^latin-?1$/.test(declared)) return (bytes) => bytes?.toString('latin1') ?? '';
  if (/^(?:windows|cp)-?1252$/.test(declared)) return textDecoder('windows-1252');
  throw uncertain(declared);
}

function declaredIn(first: Buffer, isUtf16: boolean, mark: number): string | null {
  const start = first.subarray(0, 2 * DECLARATION_BYTES);
  const ascii = isUtf16
    ? new TextDecoder(mark === 0xfeff ? 'utf-16be' : 'utf-16le').decode(start)
    : start.toString('latin1');
  return DECLARATION.exec(ascii.replace(/^\u00ef\u00bb\u00bf/, ''))?.[1]?.toLowerCase() ?? null;
}

function textDecoder(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw new FileRefused('bytes_undecodable', sentence('messageText.undecodable', { encoding }), {
        cause: error,
      });
    }
  };
}

function uncertain(declared: string): FileRefused {
  return new FileRefused('encoding_uncertain', sentence('messageText.uncertain', { declared }));
}
