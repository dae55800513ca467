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

/** The account, card, telephone or address that is paid to, whoever is said to hold it; null where nothing names one. */
export function accountKey({ deliveryMethodInfo }: Payout): string | null {
  const places = Object.entries(deliveryMethodInfo).filter(([field]) => !isName(field));
  return keyOf(places.map(([field, place]) => `${field}=${placeOf(field, place)}`).sort());
}

export function payeeParts(party: Fields): readonly string[] {
  return sorted(Object.fromEntries(Object.entries(party).filter(([field]) => isName(field))));
}

/** An account number is the same with or without the spaces between its groups. */
export function accountParts(fields: Fields): readonly string[] {
  return sorted(
    Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, value.replace(/\s+/g, '')])),
  );
}

/** SHA-256 in hex. Each part stands behind its length, so that no two lists of parts read alike. */
export function hashOf(parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${String(Buffer.byteLength(part))}:${part}`).join(''));
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

function sorted(fields: Fields): readonly string[] {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replace(/\s+/g, ' ').toLowerCase()}`)
    .sort();
}
