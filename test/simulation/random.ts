// Chance that can be repeated: every draw of a schedule comes from its seed, so that a failing one can be run again as it was.

export type Random = {
  /** From 0 (included) to 1 (excluded). */
  next(): number;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  pick<T>(choices: readonly T[]): T;
  /** An independent stream, so that one more draw in one part does not change the others. */
  fork(name: string): Random;
};

export function randomOf(seed: string): Random {
  const draw = stream(hashOf(seed));
  const between = (least: number, most: number) => least + Math.floor(draw() * (most - least + 1));
  return {
    next: draw,
    chance: (probability) => draw() < probability,
    between,
    pick: <T>(choices: readonly T[]): T => {
      const choice = choices[between(0, choices.length - 1)];
      if (choice === undefined) throw new Error('Nothing to choose from.');
      return choice;
    },
    fork: (name) => randomOf(`${seed}/${name}`),
  };
}

/** FNV-1a over 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32: small, fast, and good enough to spread faults. */
function stream(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
