// Which names may sign, and which cannot be the second pair of eyes: the same person under any spelling of the name.
import { describe, expect, it } from 'vitest';

import { asSystemUser, isSamePerson, readPersonName } from '../../src/base/person-name.ts';

describe('may be one person', () => {
  it.each([
    ['Marie Ngo', 'Ngo Marie'],
    ['Marie Ngo', 'MARIE  ngo'],
    ['Marie Ngo', 'M. Ngo'],
    ['Marie Ngo', 'M.Ngo'],
    ['Marie Ngo', 'Marie Ngo 2'],
    ['Marie Ngo', 'Mаrie Ngo'],
    ['Marie Ngo', 'Marıe Ngo'],
    ['Marie Ngo', 'Marie Claire Ngo'],
    ['Marie Ngo', 'Marie-Claire Ngo'],
    ['Marie Ngo', 'MarieNgo'],
    ['Marie Ngo', 'NgoMarie'],
    ['Marie Ngo', 'Ngo'],
    ['Zoë Sørensen', 'Zoe Sorensen'],
    ["Awa N'Diaye", 'NDiaye Awa'],
    ['李伟', '李伟'],
    ['Agent 47', '47 Agent'],
  ])('%s and %s', (one, other) => {
    expect(isSamePerson(one, other)).toBe(true);
    expect(isSamePerson(other, one)).toBe(true);
  });
});

describe('are two', () => {
  it.each([
    ['Marie Ngo', 'Paul Ngo'],
    ['Marie Ngo', 'Marie Biya'],
    ['Amy Li', 'May Li'],
    ['Jean Paul Mbarga', 'Jean Paul Ngono'],
    ['Marie Ngo', 'P. Ngo'],
    ['李伟', '李娜'],
    ['李', '李伟'],
    ['Li Li', 'Li Wei'],
    ['7', '8'],
  ])('%s and %s', (one, other) => {
    expect(isSamePerson(one, other)).toBe(false);
    expect(isSamePerson(other, one)).toBe(false);
  });
});

describe('a name', () => {
  it.each(['Marie Ngo', 'Вера Ким', 'Li Wei 李伟', 'Αννα', 'Jean-Paul N’Diaye', 'São', '7'])(
    '%s is one',
    (name) => {
      expect(readPersonName(name)).toBe(name);
    },
  );

  it.each(['', ' - ', 'M\u200Barie', 'Mar\u0007ie', 'Mаrie Ngo', 'Νgo', 'x'.repeat(101)])(
    '%j is none',
    (name) => {
      expect(readPersonName(name)).toBeNull();
    },
  );

  it.each([asSystemUser('marie'), 'System User marie', 'SYSTEM-USER 7', ' system  user x'])(
    '%j is none: nobody types to be known by the machine',
    (name) => {
      expect(readPersonName(name)).toBeNull();
    },
  );
});
