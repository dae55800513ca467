// Line and column of a fault in the text of a file, as an editor counts them.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export type TextPlace = {
  readonly line: number;
  readonly column: number;
  /** A CR was the last character, so that a LF that follows ends the same line. */
  readonly afterCr: boolean;
};

export const TEXT_START: TextPlace = { line: 1, column: 1, afterCr: false };

/** The place after `text`, which may be any piece of the file. */
export function advance(place: TextPlace, text: string): TextPlace {
  if (text === '') return place;
  const rest = place.afterCr && text.startsWith('\n') ? text.slice(1) : text;
  const lines = rest.split(/\r\n|\n|\r/);
  const last = lines.at(-1) ?? '';
  return {
    line: place.line + lines.length - 1,
    column: (lines.length === 1 ? place.column : 1) + last.length,
    afterCr: text.endsWith('\r'),
  };
}

/** `line 3, column 17`. */
export function inWords({ line, column }: TextPlace): Words {
  return sentence('textPlace.in', { line, column });
}
