// The keys under which two rows are the same payment: the payee, the account, the amount, the reference. Each is one hash, so that names and
// accounts are compared without being searchable. Limits, warnings and the search for duplicates all compare by these keys.
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';

import type * as Telephones from 'libphonenumber-js/min';

import { plainSigns, remembering, plainText, plainWords } from '../base/plain-text.ts';
import { toAlpha2Code } from './read-parties.ts';
import { receivesAsBusiness, requestedCurrency, type Payout } from './payout.ts';

const isName = (field: string): boolean => /name$/i.test(field);

/** Fields that together are a whole name. The first complete group counts, so that an extra column does not make another person. */
const NAMES_OF_BUSINESSES = [['registeredName']];
const NAMES_OF_INDIVIDUALS = [['firstName', 'lastName'], ['fullName'], ['name']];

/** By which a row of a ledger is found. */
export type PaymentKeys = {
  readonly payee: string | null;
  /** An individual by the first and last word of the name, if others stand between them: a middle name does not make another payee. */
  readonly shortPayee: string | null;
  readonly account: string | null;
  /** Account, amount and currency; the receiver's name where no account is named; null where neither is there. */
  readonly payment: string | null;
  /** Receiver, account, amount and currency. */
  readonly fingerprint: string | null;
};

/** All keys of a payment at once: each rests on the name or the account, and reading those costs more than all other checks of a row. */
export function keysOf(payout: Payout): PaymentKeys {
  const words = nameWords(payout);
  const [payee, account] = [payeeKeyOf(words), accountKey(payout)];
  const { side, amount } = payout.requested;
  const sum = [side, amount, requestedCurrency(payout)];
  const to = account ?? payee;
  return {
    payee,
    shortPayee: shortKeyOf(words, payout),
    account,
    payment: to === null ? null : hashOf([to, ...sum]),
    fingerprint: hashOf([payee ?? '', account ?? '', ...sum]),
  };
}

/** The receiver by the words of the name in any order; null for a receiver without a name. */
export function payeeKey(payout: Payout): string | null {
  return payeeKeyOf(nameWords(payout));
}

function payeeKeyOf(words: readonly string[]): string | null {
  return keyOf([...new Set(words)].sort());
}

function shortKeyOf(words: readonly string[], { transactionMode }: Payout): string | null {
  if (receivesAsBusiness(transactionMode) || words.length <= 2) return null;
  return keyOf([words[0] ?? '', words.at(-1) ?? ''].sort());
}

function nameWords({ receivingParty, transactionMode }: Payout): readonly string[] {
  const forms = receivesAsBusiness(transactionMode) ? NAMES_OF_BUSINESSES : NAMES_OF_INDIVIDUALS;
  const wordsOf = (fields: readonly string[]) =>
    fields.map((field) => plainWords(receivingParty[field] ?? ''));
  for (const fields of forms) {
    const words = wordsOf(fields);
    if (words.every(({ length }) => length > 0)) return words.flat();
  }
  return wordsOf(Object.keys(receivingParty).filter(isName).sort()).flat();
}

/** The fields that identify an account (interface: deliveryMethodInfo fields), the likeliest first. */
const ANY = ['bankAccountNumber', 'cardNumber', 'msisdn', 'email'];

const FOUND_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ['bankTransfer', ['bankAccountNumber']],
  ['alipay', ['msisdn', 'email']],
  ['wechat', ['msisdn']],
  ['unionpayCard', ['cardNumber']],
]);

/**
 * The account, card, telephone or address that is paid to, regardless of its holder and bank; null where no field names one. A field that the
 * interface does not name counts only if the corridor asks for it, or if there is no other: else one more column would evade every limit of an
 * account.
 */
export function accountKey(payout: Payout): string | null {
  const { deliveryMethod, deliveryMethodInfo, corridorFields = [] } = payout;
  const given = Object.keys(deliveryMethodInfo)
    .filter((field) => !isName(field))
    .map((field) => ({ field, place: placeOf(payout, field) }))
    .filter(({ place }) => place !== '');
  const isGiven = (name: string): boolean => given.some(({ field }) => field === name);
  const finding = [...(FOUND_BY.get(deliveryMethod) ?? []), ...ANY].find(isGiven);
  const found = given.filter(
    ({ field }) => finding === undefined || field === finding || corridorFields.includes(field),
  );
  return keyOf(found.map(({ field, place }) => `${field}=${place}`).sort());
}

function placeOf({ deliveryMethodInfo, receivingParty, targetCurrency }: Payout, field: string): string {
  const written = deliveryMethodInfo[field] ?? '';
  // In an e-mail address every sign counts.
  if (written.includes('@') || written.includes('＠')) return plainText(written).replace(/\s/g, '');
  if (field !== 'msisdn') return plainSigns(written);
  return telephone(
    written,
    toAlpha2Code(receivingParty['countryIsoCode'] ?? '') ?? targetCurrency.slice(0, 2),
  );
}

/** Loaded with the first number: it takes longer than everything else that a command like `status` loads. */
let telephones: typeof Telephones | null = null;

/** E.164 without its plus sign; the digits alone for a number that fits no country. A number without a country code is taken as one of `country`. */
export function telephone(written: string, country: string): string {
  telephones ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Telephones;
  const plain = plainText(written).trim().replace(/^00/, '+');
  if (isInternational(plain, telephones)) return plain.slice(1);
  const usual = telephones.isSupportedCountry(country) ? country : undefined;
  const found = telephones.parsePhoneNumberFromString(plain, usual);
  return (found?.number ?? plainSigns(plain)).replace('+', '');
}

/** The calling code of a country, `237` for `CM`; null for a country without one. */
export const callingCode = remembering((alpha2: string): string | null => {
  telephones ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Telephones;
  return telephones.isSupportedCountry(alpha2) ? telephones.getCountryCallingCode(alpha2) : null;
});

/** The country of a number that is not one of `here`, alpha-2 or a calling code; null for one that may be. */
export function foreignCountryOf(written: string, here: string): string | null {
  telephones ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Telephones;
  const plain = plainText(written).trim().replace(/^00/, '+');
  const digits = plainSigns(plain);
  const found = telephones.parsePhoneNumberFromString(`+${digits}`);
  const there = found?.isValid() === true ? (found.country ?? `+${found.countryCallingCode}`) : null;
  if (plain.startsWith('+')) return there ?? plain.slice(0, 1 + CODE_DIGITS_MOST);
  // No mobile number has so many digits without a country code.
  if (digits.length >= WITH_COUNTRY_CODE) return there;
  const usual = telephones.isSupportedCountry(here) ? here : undefined;
  return telephones.parsePhoneNumberFromString(digits, usual)?.isValid() === true ? null : there;
}

const WITH_COUNTRY_CODE = 12;

/** `+8613900110011` for `13900110011` in `CN`: a national number with its country code; null for one that is none of that country. */
export function internationalOf(written: string, here: string): string | null {
  telephones ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Telephones;
  if (!telephones.isSupportedCountry(here)) return null;
  const found = telephones.parsePhoneNumberFromString(plainSigns(plainText(written)), here);
  return found?.isValid() === true && found.country === here ? found.number : null;
}

/** Calling code → the prefix to remove from its national numbers; null where there is none. */
const trunkPrefixes = new Map<string, RegExp | null>();

/** Members of the library that its types leave out. */
type NumberingPlans = {
  readonly hasCallingCode: (code: string) => boolean;
  readonly selectNumberingPlan: (code: string) => void;
  readonly numberingPlan: { readonly nationalPrefixForParsing: () => string | undefined };
};

/** Whether a number is already in E.164, as most are. The library would return it unchanged, after as much time as the rest of a row takes. */
function isInternational(plain: string, { Metadata }: typeof Telephones): boolean {
  if (!/^\+[1-9]\d{7,14}$/.test(plain)) return false;
  for (let digits = 1; digits <= CODE_DIGITS_MOST; digits += 1) {
    const code = plain.slice(1, 1 + digits);
    let prefix = trunkPrefixes.get(code);
    if (prefix === undefined) {
      const plans = new Metadata() as unknown as NumberingPlans;
      // No calling code is a prefix of another.
      if (!plans.hasCallingCode(code)) continue;
      plans.selectNumberingPlan(code);
      const taken = plans.numberingPlan.nationalPrefixForParsing();
      prefix = taken === undefined ? null : new RegExp(`^(?:${taken})`);
      trunkPrefixes.set(code, prefix);
    }
    return prefix === null || !prefix.test(plain.slice(1 + digits));
  }
  return false;
}

/** Calling codes have one to three digits. */
const CODE_DIGITS_MOST = 3;

/**
 * Equal for two writings of one reference: a program may change case, spaces, punctuation or leading zeros between two exports. Empty when it
 * has neither letter nor digit. Two equal keys are a suspicion, not a proof.
 */
export function referenceKey(reference: string): string {
  return (
    plainText(reference)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/\s+/gu, '')
      // The separator between two digits distinguishes dates and sub-numbers: 1-11 is not 11-1. Elsewhere it is decoration.
      .replace(/(?<=\p{Nd})[^\p{L}\p{Nd}]+(?=\p{Nd})/gu, '-')
      .replace(/[^\p{L}\p{Nd}-]|(?<!\p{Nd})-|-(?!\p{Nd})/gu, '')
      .replace(/(?<!\p{Nd})0+(?=\p{Nd})/gu, '')
  );
}

function keyOf(parts: readonly string[]): string | null {
  return parts.length === 0 ? null : hashOf(parts);
}

/** 132 bits: no two payments share them by chance, and the indexes of a million rows stay small. */
const KEY_SIGNS = 22;

/** The beginning of a SHA-256. The length precedes each part, so that no two lists of parts read alike. */
function hashOf(parts: readonly string[]): string {
  let said = '';
  for (const part of parts) said += `${String(Buffer.byteLength(part))}:${part}`;
  return hash('sha256', said, 'base64url').slice(0, KEY_SIGNS);
}
