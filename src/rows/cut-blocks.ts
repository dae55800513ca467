// Text is cut where a record ends, so that each block can be parsed alone and memory stays that of a block, however large the file is.

import { hasOddQuotes } from './split-lines.ts';

/** Far above any row of a spreadsheet (its cells hold 32,767 characters each), far below what hurts. */
export const RECORD_CHARS_MAX = 1024 * 1024;

/**
 * Blocks of whole records. A line end is taken for the end of a record when an even number of quotes stands before it; where a stray
 * quote makes that wrong, the parser meets the stray quote first. `tooLong` gives the error for a record beyond the limit.
 */
export async function* cutBlocks(
  texts: AsyncIterable<string>,
  tooLong: (start: string) => Error,
): AsyncGenerator<string> {
  let open = '';
  let isQuoted = false;
  let heldCr = '';
  for await (const piece of texts) {
    const arrived = heldCr + piece;
    // Whether a LF belongs to a CR at the very end is known only with the next piece.
    heldCr = arrived.endsWith('\r') ? '\r' : '';
    const text = heldCr === '' ? arrived : arrived.slice(0, -1);
    const endsQuoted: boolean = isQuoted !== hasOddQuotes(text);
    const cut = lastRecordEnd(text, endsQuoted);
    if (cut > 0) yield open + text.slice(0, cut);
    open = cut > 0 ? text.slice(cut) : open + text;
    isQuoted = endsQuoted;
    if (open.length > RECORD_CHARS_MAX) throw tooLong(open);
  }
  if (open + heldCr !== '') yield open + heldCr;
}

/** The index behind the last line end outside quotes, or 0; found from the end, where the state is known, and quotes passed over whole. */
function lastRecordEnd(text: string, endsQuoted: boolean): number {
  let isQuoted = endsQuoted;
  let end = text.length;
  while (end > 0) {
    const quote = text.lastIndexOf('"', end - 1);
    const outside = isQuoted ? '' : text.slice(quote + 1, end);
    const lineEnd = Math.max(outside.lastIndexOf('\n'), outside.lastIndexOf('\r'));
    if (lineEnd >= 0) return quote + 1 + lineEnd + 1;
    isQuoted = !isQuoted;
    end = quote;
  }
  return 0;
}
