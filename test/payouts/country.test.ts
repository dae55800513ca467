// Countries as people write them in English, French and Spanish, and what is no country.
import countries from 'i18n-iso-countries';
import { describe, expect, it } from 'vitest';

import { countryName, countryNames, toCountryCode } from '../../src/payouts/read-parties.ts';
import { cpuMs } from '../cpu-time.ts';

describe('every name of every country', () => {
  const names = ['en', 'fr', 'es'].flatMap((language) =>
    Object.values(countries.getNames(language, { select: 'all' })).flat(),
  );
  const slow = (name: string) =>
    ['en', 'fr', 'es']
      .map((language) => countries.getSimpleAlpha3Code(name, language))
      .find((code) => code !== undefined);

  // A bare Congo stays ambiguous on purpose.
  it('is one that the data package finds, in the same country', () => {
    const written = names.flatMap((name) => [
      name,
      name.toUpperCase(),
      name.normalize('NFD'),
      name.toLowerCase(),
    ]);
    const other = written.filter(
      (name) =>
        name.length > 3 &&
        !/^congo$/i.test(name) &&
        slow(name) !== undefined &&
        toCountryCode(name) !== slow(name),
    );
    expect(other.map((name) => `${name}: ${String(toCountryCode(name))}, not ${String(slow(name))}`)).toEqual(
      [],
    );
  });
});

it('a cell of a million characters is no country, and costs nothing', () => {
  const before = cpuMs();
  for (let cell = 0; cell < 100; cell += 1) expect(toCountryCode('é'.repeat(1_000_000))).toBeNull();
  // A single one took half a minute.
  expect(cpuMs() - before).toBeLessThan(2_000);
});

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
    // The numbers of ISO 3166-1; the interface takes letters only.
    ['120', 'CMR'],
    ['156', 'CHN'],
  ])('%j is %s', (text, code) => expect(toCountryCode(text)).toBe(code));

  it.each(['', ' ', 'X', 'XX', 'QQQ', 'Chinaa', 'Atlantis', 'toString', '__proto__', '86', '999'])(
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
