// Headers are compared as people read them: case, accents, spaces and punctuation make no difference.

/** Letters that Unicode does not take apart, although people write them both ways. */
const LIGATURES: readonly (readonly [string, string])[] = [
  ['œ', 'oe'],
  ['æ', 'ae'],
  ['ß', 'ss'],
];

/** `N° de compte` → `ndecompte`, `Net à payer` → `netapayer`. Folding twice changes nothing. */
export function foldHeader(header: string): string {
  const plain = header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return LIGATURES.reduce((text, [joined, apart]) => text.replaceAll(joined, apart), plain);
}
