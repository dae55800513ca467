// The text of a file, piece by piece, whatever bytes it is made of. What cannot be decoded was refused before; see `detect-encoding.ts`.
import { StringDecoder } from 'node:string_decoder';

import type { Encoding, EncodingName } from './csv-form.ts';
import { readBytes, type SourceFile } from './source-file.ts';
import { decode1252 } from './windows-1252.ts';

const BYTE_ORDER_MARK = '\ufeff';

type Decoder = { readonly write: (bytes: Buffer) => string; readonly end: () => string };

/** The text from first to last, without the byte order mark. */
export async function* readText(source: SourceFile, encoding: Encoding): AsyncGenerator<string> {
  const decoder = DECODERS[encoding.name]();
  let isFirst = true;
  for await (const bytes of readBytes(source)) {
    const text = decoder.write(bytes);
    yield isFirst && encoding.bom && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    isFirst = false;
  }
  yield decoder.end();
}

const DECODERS: Readonly<Record<EncodingName, () => Decoder>> = {
  'utf-8': () => new StringDecoder('utf8'),
  'utf-16le': () => new StringDecoder('utf16le'),
  'utf-16be': decodeUtf16be,
  'windows-1252': () => ({ write: decode1252, end: () => '' }),
};

/** Node decodes little-endian only, so the bytes of each pair change places first. */
function decodeUtf16be(): Decoder {
  const decoder = new StringDecoder('utf16le');
  let odd: Buffer = Buffer.alloc(0);
  return {
    write: (chunk) => {
      const bytes = Buffer.concat([odd, chunk]);
      const even = bytes.length - (bytes.length % 2);
      odd = bytes.subarray(even);
      return decoder.write(bytes.subarray(0, even).swap16());
    },
    end: () => decoder.end(),
  };
}
