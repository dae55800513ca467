// Who is paid, and where: the two halves of a payment, each as one hash, so that names and accounts are compared without being searched for.
// The fingerprint of a payment is exact; the two keys overlook how a name or an account is written, because they only advise.
import { hash } from 'node:crypto';

import type { Payout } from './payout.ts';

type Fields = Payout['receivingParty'];

const isName = (field: string): boolean => /name$/i.test(field);

/** The receiver by the words of the name, whatever their order, case, accents and punctuation; null for a receiver without a name. */
export function payeeKey({ receivingParty }: Payout): string | null {
  const names = Object.entries(receivingParty).filter(([field]) => isName(field));
  return keyOf(names.flatMap(([, name]) => wordsOf(name)).sort());
}

/** What an account is found by (interface: deliveryMethodInfo fields), and by which fields beside it. */
const BANK = ['bankAccountNumber', 'bankAccountSwiftCode'];
const CARD = ['cardNumber'];
const TELEPHONE = ['msisdn'];
const EMAIL = ['email'];
const ANY = [BANK, CARD, TELEPHONE, EMAIL];
const NAMED: ReadonlySet<string> = new Set(ANY.flat());

const FOUND_BY: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['bankTransfer', [BANK]],
  ['alipay', [TELEPHONE, EMAIL]],
  ['wechat', [TELEPHONE]],
  ['unionpayCard', [CARD]],
]);

/**
 * The account, card, telephone or address that is paid to, whoever is said to hold it; null where nothing names one. What else the interface names, such
 * as an address of e-mail beside it, makes no other account of it: else every limit of an account could be passed by one more field. A field that it
 * does not name counts, because a corridor that asks for it may pay to it.
 */
export function accountKey({ deliveryMethod, deliveryMethodInfo }: Payout): string | null {
  const places = Object.entries(deliveryMethodInfo).filter(
    ([field, place]) => !isName(field) && place !== '',
  );
  const given = new Map(places);
  const finding = [...(FOUND_BY.get(deliveryMethod) ?? []), ...ANY].find(([field = '']) => given.has(field));
  const found =
    finding === undefined ? places : places.filter(([field]) => finding.includes(field) || !NAMED.has(field));
  return keyOf(found.map(([field, place]) => `${field}=${placeOf(field, place)}`).sort());
}

export function payeeParts(party: Fields): readonly string[] {
  return sorted(Object.entries(party).filter(([field]) => isName(field)));
}

/** An account number is the same with or without the spaces between its groups. */
export function accountParts(fields: Fields): readonly string[] {
  return sorted(Object.entries(fields).map(([field, value]) => [field, value.replace(/\s+/g, '')]));
}

/** SHA-256 in hex. Each part stands behind its length, so that no two lists of parts read alike. */
export function hashOf(parts: readonly string[]): string {
  let said = '';
  for (const part of parts) said += `${String(Buffer.byteLength(part))}:${part}`;
  return hash('sha256', said, 'hex');
}

function keyOf(parts: readonly string[]): string | null {
  return parts.length === 0 ? null : hashOf(parts);
}

function wordsOf(name: string): readonly string[] {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

/** The first eight letters of a SWIFT code name the bank; the branch behind them is written or left out. */
const SWIFT_BANK_CHARS = 8;

function placeOf(field: string, place: string): string {
  const bare = place.replace(/\s+/g, '').toLowerCase();
  if (/(swift|bic)(code)?$/i.test(field)) return bare.slice(0, SWIFT_BANK_CHARS);
  // In an address of e-mail every sign counts.
  return bare.includes('@') ? bare : bare.replace(/[-./()]/g, '');
}

function sorted(fields: readonly (readonly [string, string])[]): readonly string[] {
  return fields.map(([field, value]) => `${field}=${value.replace(/\s+/g, ' ').toLowerCase()}`).sort();
}
