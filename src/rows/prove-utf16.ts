// UTF-16 is proved like UTF-8: no half characters, no lone surrogates, no NUL.
import type { Encoding } from './csv-form.ts';
import { readText } from './decode-text.ts';
import { FileRefused } from './file-refused.ts';
import { nulAt } from './refuse-byte.ts';
import type { SourceFile } from './source-file.ts';
import { advance, inWords, TEXT_START, type TextPlace } from './text-place.ts';
import { sentence } from '../messages/messages.ts';

export async function proveUtf16(source: SourceFile, encoding: Encoding): Promise<void> {
  let place = TEXT_START;
  for await (const text of readText(source, encoding)) {
    refuseFaults(place, text);
    place = advance(place, text);
  }
  if (source.bytes % 2 !== 0) throw halfCharacter(place);
}

function refuseFaults(place: TextPlace, text: string): void {
  const nul = text.indexOf('\0');
  if (nul >= 0) {
    throw nulAt(inWords(advance(place, text.slice(0, nul))));
  }
  if (!text.isWellFormed()) throw halfCharacter(advance(place, text.slice(0, loneSurrogate(text))));
}

function loneSurrogate(text: string): number {
  const mended = text.toWellFormed();
  return Array.from(text, (_, index) => index).find((index) => mended[index] !== text[index]) ?? 0;
}

function halfCharacter(place: TextPlace): FileRefused {
  const where = inWords(place);
  return new FileRefused('bytes_undecodable', sentence('proveUtf16.halfCharacter', { where }));
}
