// A planted bug: one replacement in a copy of the sources. The checker has to notice it, or it would not notice the same bug in earnest.

export type Mutant = {
  readonly name: string;
  /** Below src/. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The first seed to try, where the way to the bug is a rare one. */
  readonly from?: number;
  /** The test that fails with it, where so many mishaps have to meet that no schedule has come that way. */
  readonly shownBy?: string;
  /** The door of `npm run trial -- fuzz` at which it shows. */
  readonly door?: string;
  /** The attack of `npm run trial -- attack` that breaks with it. */
  readonly attack?: string;
};
