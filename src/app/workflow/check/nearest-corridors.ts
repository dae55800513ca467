// The corridors that somebody may have meant who mistyped the id of one.
import type { PayoutCorridor } from '../../../service/wire.ts';

/** Ids, the nearest first: by the words that they share, then by the letters to change. */
export function nearestCorridors(
  id: string,
  corridors: readonly PayoutCorridor[],
  most: number,
): readonly string[] {
  const wanted = id.toLowerCase();
  const words = new Set(wordsOf(wanted));
  return corridors
    .map((corridor) => ({
      id: corridor.id,
      shared: wordsOf(corridor.id.toLowerCase()).filter((word) => words.has(word)).length,
      letters: distance(wanted, corridor.id.toLowerCase()),
    }))
    .sort((a, b) => b.shared - a.shared || a.letters - b.letters)
    .slice(0, most)
    .map((near) => near.id);
}

function wordsOf(id: string): readonly string[] {
  return id.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** How many letters must be added, removed or changed. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let index = 0; index < a.length; index++) {
    const next = [index + 1];
    for (let at = 1; at <= b.length; at++) {
      const changed = (row[at - 1] ?? 0) + (b[at - 1] === a[index] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
