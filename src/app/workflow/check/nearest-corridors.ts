// The corridors that somebody may have meant who mistyped the id of one.
import { editDistance } from '../../../base/plain-text.ts';
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
      letters: editDistance(wanted, corridor.id.toLowerCase()),
    }))
    .sort((a, b) => b.shared - a.shared || a.letters - b.letters)
    .slice(0, most)
    .map((near) => near.id);
}

function wordsOf(id: string): readonly string[] {
  return id.split(/[^a-z0-9]+/).filter((word) => word !== '');
}
