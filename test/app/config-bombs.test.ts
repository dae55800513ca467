// A config or a profile of a few lines that expands to millions of values is refused in words, like any other that cannot be used.
import { describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/app/config/config.ts';
import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { parseProfile } from '../../src/app/config/profile-file.ts';
import { sameWords } from '../../src/base/language.ts';

/** Each list holds the one before it ten times: a billion values. */
const LISTS = Array.from({ length: 9 }, (_, at) => {
  const item = at === 0 ? 'x' : `*l${String(at - 1)}`;
  return `l${String(at)}: &l${String(at)} [${Array.from({ length: 10 }, () => item).join(', ')}]`;
}).join('\n');

const profile = (text: string) => parseProfile(text, 'lohn', sameWords('the profile lohn.yaml'));

describe('YAML whose aliases swell', () => {
  it.each([
    ['config', () => parseConfig(LISTS, 'paydrop.yaml')],
    ['profile', () => profile(LISTS)],
  ])('is refused in a %s as a config that cannot be used', (_, read) => {
    expect(read).toThrow(ConfigUnusable);
    expect(read).toThrow(/(?:paydrop|lohn)\.yaml: .*alias/i);
  });

  it('is told as such where an alias stands for nothing, too', () => {
    expect(() => parseConfig('policy: *nowhere', 'paydrop.yaml')).toThrow(ConfigUnusable);
  });

  it('a few aliases are taken', () => {
    expect(profile('files: &own ["a.csv"]\nlayout: *own').profile.layout).toEqual(['a.csv']);
  });
});

describe('a pattern of file names', () => {
  const account = (pattern: string) =>
    parseConfig(
      `sftp: [{ name: a, host: h, user: u, hostKey: "SHA256:${'a'.repeat(43)}", passwordEnv: P, pull: /out, files: "${pattern}" }]`,
      'paydrop.yaml',
    );

  it.each([
    ['braces after braces', '{a,b}'.repeat(20)],
    ['a long series', '{1..9999999}.csv'],
    ['a text without end', `${'a'.repeat(1000)}*`],
  ])('is refused with %s', (_, pattern) => {
    for (const read of [() => profile(`files: "${pattern}"`), () => account(pattern)]) {
      expect(read).toThrow(ConfigUnusable);
      expect(read).toThrow('write a shorter pattern, or several');
    }
    expect(() => profile(`files: ["*.csv", "${pattern}"]`)).toThrow('write a shorter pattern, or several');
  });

  it('is taken with some braces', () => {
    const pattern = '{lohn,salaries}-*.{csv,xlsx}';
    expect(profile(`files: "${pattern}"`).files).toEqual([pattern]);
    expect(account(pattern).sftp).toMatchObject([{ files: [pattern] }]);
  });
});
