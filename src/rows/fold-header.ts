// Headers are compared as people read them: case, accents, spaces and punctuation make no difference.

/** Letters that Unicode does not take apart, although people write them both ways. */
const LIGATURES: readonly (readonly [string, string])[] = [
  ['œ', 'oe'],
  ['æ', 'ae'],
  ['ß', 'ss'],
];

/** No header and no word of a column is longer: what is, is only compared with itself. */
const CHARACTERS_MOST = 100;

/** `N° de compte` → `ndecompte`, `Net à payer` → `netapayer`. Folding twice changes nothing. */
export function foldHeader(header: string): string {
  if (header.length > CHARACTERS_MOST) return header;
  const plain = header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return LIGATURES.reduce((text, [joined, apart]) => text.replaceAll(joined, apart), plain);
}
