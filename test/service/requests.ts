// Requests that are right as they stand, so that a test names only what it changes.
import type { QuotationRequest, TransferRequest } from '../../src/service/payout-service.ts';

let references = 0;
/** A caller's reference that no other request of this process has. */
export function freshReference(): string {
  references += 1;
  return `client-${String(references)}`;
}

/** 1000 CNY to an Alipay wallet, paid in XAF. */
export function walletQuotation(externalId = freshReference()): QuotationRequest {
  return {
    externalId,
    sourceCurrency: 'XAF',
    targetCurrency: 'CNY',
    transactionMode: 'B2C',
    payoutCorridorId: 'chn-cny-b2c-alipay',
    mode: 'DESTINATION_AMOUNT',
    destinationAmount: '1000',
  };
}

/** So many euros to a supplier's bank account in France. */
export function bankQuotation(sourceAmount = '1250.5'): QuotationRequest {
  return {
    externalId: freshReference(),
    sourceCurrency: 'EUR',
    targetCurrency: 'EUR',
    transactionMode: 'B2B',
    payoutCorridorId: 'fra-eur-b2b-bank',
    mode: 'SOURCE_AMOUNT',
    sourceAmount,
  };
}

export const BUSINESS = {
  registeredName: 'Société Forestière du Littoral',
  registrationNumber: 'RC/DLA/2019/B/1234',
  address: '12 Rue Joss',
  city: 'Douala',
  countryIsoCode: 'CMR',
} as const;

export function walletTransfer(quotationId: string, externalId = freshReference()): TransferRequest {
  return {
    quotationId,
    externalId,
    purposeOfRemittance: 'SALARY_PAYMENT',
    sendingBusiness: BUSINESS,
    receiver: { firstName: 'Wei', lastName: 'Li', countryIsoCode: 'CHN' },
    deliveryMethodInfo: { msisdn: '+8613800000007' },
  };
}

export function bankTransfer(quotationId: string): TransferRequest {
  return {
    quotationId,
    externalId: freshReference(),
    purposeOfRemittance: 'SERVICE_CHARGES',
    documentReferenceNumber: 'INV-2026-118',
    sendingBusiness: BUSINESS,
    receivingBusiness: {
      registeredName: 'Machines du Rhône SARL',
      address: '8 quai Perrache',
      city: 'Lyon',
      countryIsoCode: 'FRA',
    },
    deliveryMethodInfo: {
      bankAccountHolderFullName: 'Machines du Rhône SARL',
      bankAccountNumber: 'FR7630006000011234567890189',
      bankAccountSwiftCode: 'AGRIFRPP',
    },
  };
}
