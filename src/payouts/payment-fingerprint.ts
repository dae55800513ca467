// What makes two rows the same payment: receiver, account, amount and currency, whatever file they come from.
import { createHash } from 'node:crypto';

import { requestedCurrency, type Payout } from './payout.ts';

/** SHA-256 in hex. Each part stands behind its length, so that no two lists of parts read alike. */
export function paymentFingerprint(payout: Payout): string {
  const { receivingParty, deliveryMethodInfo, requested } = payout;
  const parts = [
    ...nameOf(receivingParty),
    ...sorted(withoutSpaces(deliveryMethodInfo)),
    requested.side,
    requested.amount,
    requestedCurrency(payout),
  ];
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${String(Buffer.byteLength(part))}:${part}`);
  return hash.digest('hex');
}

/** The name alone: an address that is written another way is still the same receiver. */
function nameOf(party: Payout['receivingParty']): readonly string[] {
  const names = Object.entries(party).filter(([field]) => /name$/i.test(field));
  return sorted(Object.fromEntries(names));
}

/** An account number is the same with or without the spaces between its groups. */
function withoutSpaces(fields: Payout['deliveryMethodInfo']): Payout['deliveryMethodInfo'] {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, value.replace(/\s+/g, '')]),
  );
}

function sorted(fields: Payout['receivingParty']): readonly string[] {
  return Object.entries(fields)
    .map(([field, value]) => `${field}=${value.replace(/\s+/g, ' ').toLowerCase()}`)
    .sort();
}
