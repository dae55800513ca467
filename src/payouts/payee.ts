// Who is paid, and where: the two halves of a payment by which it is recognised, each as one hash, so that names and accounts are compared
// without being searched for.
import { createHash } from 'node:crypto';

import type { Payout } from './payout.ts';

/** The receiver by name alone: an address that is written another way is still the same receiver. */
export function payeeKey({ receivingParty }: Payout): string {
  return hashOf(payeeParts(receivingParty));
}

/** The account, card or telephone that is paid to. */
export function accountKey({ deliveryMethodInfo }: Payout): string {
  return hashOf(accountParts(deliveryMethodInfo));
}

export function payeeParts(party: Payout['receivingParty']): readonly string[] {
  const names = Object.entries(party).filter(([field]) => /name$/i.test(field));
  return sorted(Object.fromEntries(names));
}

/** An account number is the same with or without the spaces between its groups. */
export function accountParts(fields: Payout['deliveryMethodInfo']): readonly string[] {
  return sorted(
    Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, value.replace(/\s+/g, '')])),
  );
}

/** SHA-256 in hex. Each part stands behind its length, so that no two lists of parts read alike. */
export function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(Buffer.byteLength(part))}:${part}`);
  return hash.digest('hex');
}

function sorted(fields: Payout['receivingParty']): readonly string[] {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replace(/\s+/g, ' ').toLowerCase()}`)
    .sort();
}
