// Countries as people write them in English, French and Spanish, and what is no country.
import { describe, expect, it } from 'vitest';

import { countryName, countryNames, toCountryCode } from '../../src/payouts/country.ts';

describe('a country', () => {
  it.each([
    ['CHN', 'CHN'],
    [' chn ', 'CHN'],
    ['CN', 'CHN'],
    ['China', 'CHN'],
    ['CHINE', 'CHN'],
    ['Cameroun', 'CMR'],
    ['Camerún', 'CMR'],
    ['cameroon', 'CMR'],
    ['Gabon', 'GAB'],
    ['Gabón', 'GAB'],
    ['Tchad', 'TCD'],
    ['Guinée équatoriale', 'GNQ'],
    ['Guinea Ecuatorial', 'GNQ'],
    ['République centrafricaine', 'CAF'],
    ['Allemagne', 'DEU'],
    ['Estados Unidos', 'USA'],
    ['Royaume-Uni', 'GBR'],
  ])('%j is %s', (text, code) => expect(toCountryCode(text)).toBe(code));

  it.each(['', ' ', 'X', 'XX', 'QQQ', 'Chinaa', 'Atlantis', 'toString', '__proto__', '86'])(
    '%j is none',
    (text) => expect(toCountryCode(text)).toBeNull(),
  );

  it('a name that two countries share is none: Congo may be either of two', () => {
    expect(toCountryCode('Congo')).toBeNull();
    expect(toCountryCode('Congo Brazzaville')).toBe('COG');
    expect(toCountryCode('RDC')).toBe('COD');
  });
});

describe('the name of a country', () => {
  it.each([
    ['CHN', 'China'],
    ['USA', 'United States'],
    ['CIV', 'Ivory Coast'],
    ['COG', 'Republic of the Congo'],
  ])('%s is the one that people know: %s', (code, name) => {
    expect(countryName(code, 'en')).toBe(name);
  });

  it('leads back to its code, so that whatever is chosen from the list is understood', () => {
    const names = countryNames('en');
    expect(names.length).toBeGreaterThan(240);
    expect(new Set(names.map(toCountryCode)).size).toBe(names.length);
    expect(names.map(toCountryCode)).not.toContain(null);
  });
});
