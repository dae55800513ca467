// One column that holds two names, as French pay programs write it: taken apart by the rule that a person has confirmed, or not at all.

export const SPLIT_RULES = ['capitals', 'comma', 'first-word', 'last-word'] as const;
export type SplitRule = (typeof SPLIT_RULES)[number];

/** What a profile says of a header: the columns that its two parts are, in this order. */
export type Split = { readonly into: readonly [string, string]; readonly by: SplitRule };

/** A part of the cells of a column. */
export type NamePart = { readonly index: number; readonly by: SplitRule; readonly part: 0 | 1 };

/** Two capitals at least: an initial may belong to either name. */
const CAPITALS = /^\p{Lu}[\p{Lu}'’.-]+$/u;

/**
 * The two parts: what is written in capitals and the rest, what stands before a comma and behind it, or one word and the others.
 * Null for a text that the rule does not take apart without doubt.
 */
export function splitName(text: string, by: SplitRule): readonly [string, string] | null {
  const words = text.trim().split(/\s+/u);
  switch (by) {
    case 'capitals':
      return byCapitals(words);
    case 'comma': {
      const [before = '', behind = '', ...more] = text.split(',').map((part) => part.trim());
      return more.length > 0 || before === '' || behind === '' ? null : [before, behind];
    }
    case 'first-word':
      return words.length < 2 ? null : [words.slice(0, 1).join(), words.slice(1).join(' ')];
    case 'last-word':
      return words.length < 2 ? null : [words.slice(0, -1).join(' '), words.slice(-1).join()];
  }
}

/** `NGO BIKOÏ Clarisse`, `Jean-Paul MBARGA`: the capitals stand together, before the other words or behind them. */
function byCapitals(words: readonly string[]): readonly [string, string] | null {
  const isCapital = words.map((word) => CAPITALS.test(word));
  const changes = isCapital.filter((is, index) => index > 0 && is !== isCapital[index - 1]).length;
  // A lone letter in the place of a name is in doubt.
  if (changes !== 1 || words.some((word) => /^\p{Lu}\.?$/u.test(word))) return null;
  const pick = (wanted: boolean) => words.filter((_, index) => isCapital[index] === wanted).join(' ');
  return [pick(true), pick(false)];
}
