// Whether a transfer is the payment that a row asked for, in all that says who gets how much for what.
import { isDeepStrictEqual } from 'node:util';

import type { AskedRow } from './asked-row.ts';
import type { TransferFacts } from './journal.ts';

export function differences(asked: AskedRow, transfer: TransferFacts): readonly string[] {
  const fixed = asked.mode === 'SOURCE_AMOUNT' ? transfer.sendAmount : transfer.receiveAmount;
  const agrees = {
    amount: fixed === asked.amount,
    sourceCurrency: transfer.sourceCurrency === asked.sourceCurrency,
    destinationCurrency: transfer.destinationCurrency === asked.targetCurrency,
    purposeOfRemittance: transfer.purposeOfRemittance === asked.purposeOfRemittance,
    documentReferenceNumber: transfer.documentReferenceNumber === asked.documentReferenceNumber,
    deliveryMethodInfo: isDeepStrictEqual(
      { ...transfer.deliveryMethodInfo },
      { ...asked.deliveryMethodInfo },
    ),
    parties: isDeepStrictEqual({ ...transfer.parties }, { ...asked.parties }),
  };
  return Object.entries(agrees).flatMap(([name, isSame]) => (isSame ? [] : [name]));
}
