// Names that strangers choose, made fit for a subject and a sentence: a line end in the name of a file must not start a header, and a mark that
// turns the direction of reading must not make it look like another name.

/** Controls, line ends, direction marks, unassigned and private characters. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** As much as a mail program shows of a subject. */
const SHOWN_MOST = 80;

/** The end of a long name tells what it is. */
const END_SHOWN = 16;

/** One visible line; what cannot be seen shows as a replacement character, and a long name loses its middle. */
export function oneLine(name: string): string {
  const shown = name.normalize('NFC').replace(UNSEEN, '\uFFFD').replace(/\s+/gu, ' ').trim();
  const points = Array.from(shown);
  if (points.length <= SHOWN_MOST) return shown;
  return [...points.slice(0, SHOWN_MOST - END_SHOWN - 1), '…', ...points.slice(-END_SHOWN)].join('');
}
