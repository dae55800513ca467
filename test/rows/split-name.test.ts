// A name is split only where the rule leaves no doubt, and nothing of it is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { SPLIT_RULES, type SplitRule } from '../../src/contract/words.ts';
import { splitName } from '../../src/rows/cell.ts';

describe('a name', () => {
  it.each<[string, SplitRule, readonly [string, string] | null]>([
    ['NGO BIKOÏ Clarisse', 'capitals', ['NGO BIKOÏ', 'Clarisse']],
    ['Jean-Paul MBARGA', 'capitals', ['MBARGA', 'Jean-Paul']],
    ["N'DIAYE Awa Marie", 'capitals', ["N'DIAYE", 'Awa Marie']],
    ['MBARGA JEAN', 'capitals', null],
    ['Mbarga Jean', 'capitals', null],
    ['Marie NGO Claire', 'capitals', null],
    ['MBARGA J.', 'capitals', null],
    ['MBARGA', 'capitals', null],
    ['Mbarga, Jean-Paul', 'comma', ['Mbarga', 'Jean-Paul']],
    ['Mbarga, Jean, Jr', 'comma', null],
    ['Mbarga Jean', 'comma', null],
    ['Li Wei Min', 'first-word', ['Li', 'Wei Min']],
    ['Wei Min Li', 'last-word', ['Wei Min', 'Li']],
    ['Li', 'first-word', null],
    ['', 'last-word', null],
  ])('%j by %s: %j', (text, by, parts) => expect(splitName(text, by)).toEqual(parts));

  it('keeps every letter, and neither part is empty', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...SPLIT_RULES), (text, by) => {
        const parts = splitName(text, by);
        if (parts === null) return;
        const letters = (all: string) => Array.from(all.replace(/[\s,]/gu, '')).sort().join('');
        expect(letters(parts.join(''))).toBe(letters(text));
        expect(parts.every((part) => part.trim() !== '')).toBe(true);
      }),
    );
  });
});
