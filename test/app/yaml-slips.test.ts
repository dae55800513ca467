// The usual slips of a hand in a config or a profile: the line, what is wrong and what to write, in both languages.
import { describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/app/config/config.ts';
import { parseProfile } from '../../src/app/config/profile-file.ts';
import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { sameWords, type Words } from '../../src/base/language.ts';

function slip(read: () => unknown): Words {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigUnusable) return error.words;
    throw error;
  }
  throw new Error('It was read.');
}

describe('a slip in a config', () => {
  it.each([
    ['policy: { approval: required\nlimits: 3\n', 1, '}', 'never closed'],
    ['language: fr\nfolders: { inbox: a, outbox: b\n', 2, '}', 'never closed'],
    ['approvers: [Ada, Bo\nlanguage: fr\n', 1, ']', 'never closed'],
    ['policy:\n\tapproval: required\n', 2, 'spaces', 'tab'],
    ['language: "fr\n', 1, 'Close it', 'quote'],
    ["sender: { city: 'Douala }\n", 1, '', 'closed'],
    ['language: fr\nlanguage: en\n', 2, 'Keep one', 'twice'],
    ['policy: approval: required\n', 1, 'quotes', 'second key'],
    ['policy:\n  approval: required\n   limits: 3\n', 3, '', ''],
    ['sender:\n  city: @Douala\n', 2, 'quotes', 'begins with @'],
  ])('%j is told with line %i', (text, line, remedy, fault) => {
    const { en, fr } = slip(() => parseConfig(text, 'paydrop.yaml'));
    expect(en).toMatch(new RegExp(`^paydrop\\.yaml, line ${String(line)}, column \\d+: `));
    expect(en).toContain(remedy);
    expect(en).toContain(fault);
    expect(fr).not.toBe(en);
    // Not the parser's own words, with a caret under the line.
    expect(en).not.toMatch(/\^|implicit|flow|compact/i);
  });

  it('of a pattern without quotes is told in a profile', () => {
    const { en } = slip(() => parseProfile('files: *.csv\n', 'a', sameWords('a.yaml')));
    expect(en).toBe('a.yaml, line 1, column 8: a value begins with *. Put it in quotes.');
  });

  it('in quotes and comments is none', () => {
    expect(() => parseConfig('language: fr # { not closed\nsender: { city: "a { b" }\n', 'x')).not.toThrow();
  });
});
