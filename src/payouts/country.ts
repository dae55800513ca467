// Countries as people write them, turned into the ISO 3166-1 alpha-3 codes of the interface.
import countries from 'i18n-iso-countries';
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import spanish from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import french from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };

import type { Language } from '../base/language.ts';

const LOCALES = [english, french, spanish] as const;
for (const locale of LOCALES) countries.registerLocale(locale);

/** Names that people write and the data package does not have; a bare `Congo` stays ambiguous on purpose. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['viet nam', 'VNM'],
  ['centrafrique', 'CAF'],
  ['republique centrafricaine', 'CAF'],
  ['congo brazzaville', 'COG'],
  ['congo kinshasa', 'COD'],
  ['rdc', 'COD'],
  ['cote d ivoire', 'CIV'],
  ['emirats arabes unis', 'ARE'],
  ['etats unis', 'USA'],
  ['usa', 'USA'],
]);

/** No name of a country is longer. */
const CHARACTERS_MOST = 100;

/** Every name of the data package as it is compared, made once: of names that several countries have, the first counts. */
const CODES_BY_NAME: ReadonlyMap<string, string> = new Map(
  LOCALES.flatMap(({ locale }) =>
    Object.entries(countries.getNames(locale, { select: 'all' })).flatMap(([alpha2, names]) =>
      names.map((name): [string, string] => [plain(name), countries.alpha2ToAlpha3(alpha2) ?? '']),
    ),
  ).toReversed(),
);

/** Case and accents make no difference. */
function plain(name: string): string {
  return name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('’', "'");
}

/** `CHN` for `CHN`, `chn`, `CN`, `China`, `Chine`; null for anything that names no country, or more than one. */
export function toCountryCode(text: string): string | null {
  if (text.length > CHARACTERS_MOST) return null;
  const code = text.trim().toUpperCase();
  if (code.length === 3 && countries.isValid(code)) return code;
  if (code.length === 2) return countries.alpha2ToAlpha3(code) ?? null;
  // Two countries are called so; the data package knows only one of them.
  if (fold(text) === 'congo') return null;
  return CODES_BY_NAME.get(plain(text.trim())) ?? OTHER_NAMES.get(fold(text)) ?? null;
}

/** `CN` for `CHN`; null for what is no code of a country. */
export function toAlpha2Code(alpha3: string): string | null {
  return countries.alpha3ToAlpha2(alpha3) ?? null;
}

function fold(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z]+/g, ' ').trim();
}

/** Every country by the name that `countryName` gives it, in the order of the alphabet. */
export function countryNames(language: Language): readonly string[] {
  return Object.keys(countries.getAlpha3Codes())
    .flatMap((code) => countryName(code, language) ?? [])
    .sort((a, b) => a.localeCompare(b, language));
}

/** A name has a word of four letters; `USA` and `U.S.` are abbreviations. */
const HAS_WORD = /\p{L}{4}/u;

/** `China` or `Chine` for `CHN`: the shortest name that leads back to the code; null when there is none. */
export function countryName(code: string, language: Language): string | null {
  const names = countries.getName(code, language, { select: 'all' }) ?? [];
  const [shortest] = names
    .filter((name) => HAS_WORD.test(name) && toCountryCode(name) === code)
    .sort((a, b) => a.length - b.length);
  return shortest ?? null;
}
