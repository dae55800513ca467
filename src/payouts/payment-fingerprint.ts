// What makes two rows the same payment: receiver, account, amount and currency, whatever file they come from.
import { accountParts, hashOf, payeeParts } from './payee.ts';
import { requestedCurrency, type Payout } from './payout.ts';

/** SHA-256 in hex. */
export function paymentFingerprint(payout: Payout): string {
  const { receivingParty, deliveryMethodInfo, requested } = payout;
  return hashOf([
    ...payeeParts(receivingParty),
    ...accountParts(deliveryMethodInfo),
    requested.side,
    requested.amount,
    requestedCurrency(payout),
  ]);
}
