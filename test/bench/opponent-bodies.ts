// The two bodies of a payment as the opponents send them: the same fields that paydrop sends for the same row.
import type { Cells } from './opponent-arguments.ts';

const SENDER = { registeredName: 'Wouri SARL', countryIsoCode: 'CMR' };

export function quotationBody(row: Cells, externalId: string): object {
  return {
    externalId,
    sourceCurrency: row['sourceCurrency'],
    targetCurrency: 'CNY',
    transactionMode: 'B2C',
    payoutCorridorId: row['payoutCorridorId'],
    mode: 'DESTINATION_AMOUNT',
    destinationAmount: Number(row['destinationAmount']),
  };
}

export function transferBody(row: Cells, quotationId: string, externalId: string): object {
  return {
    quotationId,
    externalId,
    purposeOfRemittance: row['purposeOfRemittance'],
    documentReferenceNumber: row['documentReferenceNumber'],
    sendingBusiness: SENDER,
    receiver: {
      firstName: row['receiver.firstName'],
      lastName: row['receiver.lastName'],
      address: row['receiver.address'],
      city: row['receiver.city'],
      countryIsoCode: row['receiver.countryIsoCode'],
    },
    deliveryMethodInfo: { msisdn: row['delivery.msisdn'] },
  };
}
