// The text of an answer in the encoding of its input.
import type { Encoding, EncodingName } from './csv-form.ts';
import { encode1252, replaceOutside1252 } from './windows-1252.ts';

const BYTE_ORDER_MARK = '\ufeff';

const ENCODERS: Readonly<Record<EncodingName, (text: string) => Uint8Array>> = {
  'utf-8': (text) => Buffer.from(text, 'utf8'),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': encode1252,
};

export function encodeText(text: string, encoding: EncodingName): Uint8Array {
  return ENCODERS[encoding](text);
}

/** The byte order mark, or nothing. */
export function startOfText(encoding: Encoding): Uint8Array {
  return encodeText(encoding.bom ? BYTE_ORDER_MARK : '', encoding.name);
}

/**
 * The cell with nothing in it that the encoding lacks. What came from the file is never touched, for it was read in the same encoding; of
 * our own words in a windows-1252 answer a letter may lose its accent or become `?`. Another encoding for the whole answer would break the
 * program that reads it, and a failure would leave no answer at all.
 */
export function writableIn(cell: string, encoding: EncodingName): string {
  return encoding === 'windows-1252' ? replaceOutside1252(cell) : cell;
}
