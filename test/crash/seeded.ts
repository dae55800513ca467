// Chance that can be had again: the same seed gives the same choices, as far as a machine repeats itself.

import { randomInt } from 'node:crypto';

export type Dice = {
  /** From 0 to 1, the end excluded. */
  readonly roll: () => number;
  /** A whole number from 0 to `below` - 1. */
  readonly below: (below: number) => number;
  readonly oneOf: <T>(things: readonly T[]) => T;
};

/** A seed that nobody chose, to be printed. A number of a process would be small, and come back. */
export function newSeed(): number {
  return randomInt(10_000_000);
}

/** A small generator (mulberry32). */
export function seeded(seed: number): Dice {
  let state = seed >>> 0;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (most: number): number => Math.floor(roll() * most);
  return {
    roll,
    below,
    oneOf: (things) => {
      const chosen = things[below(things.length)];
      if (chosen === undefined) throw new Error('there is nothing to choose from');
      return chosen;
    },
  };
}
