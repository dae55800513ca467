// What two rows have in common when they are the same payment: who is paid, on which account, how much, under which reference. Each is one hash,
// so that names and accounts are compared without being searched for. Limits, warnings and the search for duplicates all compare by these.
import { hash } from 'node:crypto';
import { createRequire } from 'node:module';

import type * as Telephones from 'libphonenumber-js/min';

import { plainSigns, remembering, plainText, plainWords } from '../base/plain-text.ts';
import { toAlpha2Code } from './read-parties.ts';
import { receivesAsBusiness, requestedCurrency, type Payout } from './payout.ts';

const isName = (field: string): boolean => /name$/i.test(field);

/** Fields that together are a whole name; the first that are all filled count, so that no column more makes another person. */
const NAMES_OF_BUSINESSES = [['registeredName']];
const NAMES_OF_INDIVIDUALS = [['firstName', 'lastName'], ['fullName'], ['name']];

type Keys = {
  readonly payee: string | null;
  readonly shortPayee: string | null;
  readonly account: string | null;
};

/** A payment that is checked and registered is asked for its keys a dozen times, and to make them costs more than all else that is checked of it. */
const keysKnown = new WeakMap<Payout, Keys>();

function keysOf(payout: Payout): Keys {
  const found = keysKnown.get(payout);
  if (found !== undefined) return found;
  const words = nameWords(payout);
  const keys = {
    payee: keyOf([...new Set(words)].sort()),
    shortPayee: shortKeyOf(words, payout),
    account: accountKeyOf(payout),
  };
  keysKnown.set(payout, keys);
  return keys;
}

/** The receiver by the words of the name, in whatever order they stand; null for a receiver without a name. */
export function payeeKey(payout: Payout): string | null {
  return keysOf(payout).payee;
}

/** An individual by the first and the last word of the name, where others stand between them: a middle name makes nobody another payee. */
export function shortPayeeKey(payout: Payout): string | null {
  return keysOf(payout).shortPayee;
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

/** What an account is found by (interface: deliveryMethodInfo fields), the likeliest first. */
const ANY = ['bankAccountNumber', 'cardNumber', 'msisdn', 'email'];

const FOUND_BY: ReadonlyMap<string, readonly string[]> = new Map([
  ['bankTransfer', ['bankAccountNumber']],
  ['alipay', ['msisdn', 'email']],
  ['wechat', ['msisdn']],
  ['unionpayCard', ['cardNumber']],
]);

/**
 * The account, card, telephone or address that is paid to, whoever is said to hold it and at whatever bank; null where nothing names one.
 * A field that the interface does not name counts only where the corridor asks for it, or where nothing else is there: else every limit
 * of an account could be passed by one more column.
 */
export function accountKey(payout: Payout): string | null {
  return keysOf(payout).account;
}

function accountKeyOf(payout: Payout): string | null {
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
  // In an address of e-mail every sign counts.
  if (written.includes('@') || written.includes('＠')) return plainText(written).replace(/\s/g, '');
  if (field !== 'msisdn') return plainSigns(written);
  return telephone(
    written,
    toAlpha2Code(receivingParty['countryIsoCode'] ?? '') ?? targetCurrency.slice(0, 2),
  );
}

/** Loaded with the first number: it takes longer than all else that a command like `status` loads. */
let telephones: typeof Telephones | null = null;

/** E.164 without its plus sign; what no country writes so, by its digits. A number without a country is one of the country given. */
export function telephone(written: string, country: string): string {
  telephones ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Telephones;
  const plain = plainText(written).trim().replace(/^00/, '+');
  if (isInternational(plain, telephones)) return plain.slice(1);
  const usual = telephones.isSupportedCountry(country) ? country : undefined;
  const found = telephones.parsePhoneNumberFromString(plain, usual);
  return (found?.number ?? plainSigns(plain)).replace('+', '');
}

/** The digits by which the numbers of a country begin abroad, `237` for `CM`; null for a country without any. */
export const callingCode = remembering((alpha2: string): string | null => {
  telephones ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof Telephones;
  return telephones.isSupportedCountry(alpha2) ? telephones.getCountryCallingCode(alpha2) : null;
});

/** Calling code → what is taken off the front of its national numbers; null where nothing is. */
const trunkPrefixes = new Map<string, RegExp | null>();

/** What the library has and its types leave out. */
type NumberingPlans = {
  readonly hasCallingCode: (code: string) => boolean;
  readonly selectNumberingPlan: (code: string) => void;
  readonly numberingPlan: { readonly nationalPrefixForParsing: () => string | undefined };
};

/** Whether a number stands in E.164 as it is, as most do: the library would give it back, and take as long for it as the rest of a row takes. */
function isInternational(plain: string, { Metadata }: typeof Telephones): boolean {
  if (!/^\+[1-9]\d{7,14}$/.test(plain)) return false;
  for (let digits = 1; digits <= CODE_DIGITS_MOST; digits += 1) {
    const code = plain.slice(1, 1 + digits);
    let prefix = trunkPrefixes.get(code);
    if (prefix === undefined) {
      const plans = new Metadata() as unknown as NumberingPlans;
      // No calling code is the beginning of another.
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

/** Account, amount and currency; the receiver's name where no account is named; null where neither is. */
export function paymentKey(payout: Payout): string | null {
  const to = accountKey(payout) ?? payeeKey(payout);
  const { side, amount } = payout.requested;
  return to === null ? null : hashOf([to, side, amount, requestedCurrency(payout)]);
}

/** Receiver, account, amount and currency. */
export function paymentFingerprint(payout: Payout): string {
  const { side, amount } = payout.requested;
  return hashOf([payeeKey(payout) ?? '', accountKey(payout) ?? '', side, amount, requestedCurrency(payout)]);
}

/**
 * What two writings of one reference have in common: a program between two exports may change their case, spaces, punctuation or leading
 * zeros. Empty when it holds neither letter nor digit. Two keys that agree are a suspicion, not a proof.
 */
export function referenceKey(reference: string): string {
  return (
    plainText(reference)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/\s+/gu, '')
      // What stands between two digits tells dates and sub-numbers apart: 1-11 is not 11-1. Elsewhere it is decoration.
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

/** The beginning of a SHA-256. Each part stands behind its length, so that no two lists of parts read alike. */
function hashOf(parts: readonly string[]): string {
  let said = '';
  for (const part of parts) said += `${String(Buffer.byteLength(part))}:${part}`;
  return hash('sha256', said, 'base64url').slice(0, KEY_SIGNS);
}
