// How far one word is from another, to guess what a misspelt name was meant to be.

/** The word that a misspelt one was probably meant to be, upper and lower case being the same; null when none is near. */
export function nearestWord(written: string, words: readonly string[]): string | null {
  const [best] = words
    .map((word) => ({ word, distance: editDistance(written.toLowerCase(), word.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(written.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return best?.word ?? null;
}

/** Letters to insert, delete or change, from one word to the other (Levenshtein). */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const change = (row[j] ?? 0) + (to[j] === from[i] ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
