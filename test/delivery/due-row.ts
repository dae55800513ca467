// A row in progress, its payout and its transfer, all valid, so that a test names only what it changes.
import type { DueRow } from '../../src/delivery/tools.ts';
import { externalId, type Payout } from '../../src/payouts/payout.ts';
import {
  type DeadAttempt,
  begunBy,
  type KnownTransfer,
  type Progress,
  type QuotedPrice,
} from '../../src/payouts/progress.ts';
import type { Quotation, Transfer } from '../../src/service/wire.ts';

/** The run that asks. */
export const RUN = 'run-1';

export const FILE_ID = '79c1bde8'.repeat(8);

/** The moment at which the quotation of these fixtures is made, and at which it runs out. */
export const CREATED_AT = '2026-11-20T08:30:00.000Z';
export const EXPIRED_AT = '2026-11-20T08:45:00.000Z';
export const EXPIRY_MS = Date.parse(EXPIRED_AT);

export const PAYOUT: Payout = {
  reference: 'A-1',
  payoutCorridorId: 'chn-cny-b2c-alipay',
  transactionMode: 'B2C',
  deliveryMethod: 'alipay',
  sourceCurrency: 'XAF',
  targetCurrency: 'CNY',
  requested: { side: 'destination', amount: '1000' },
  bounds: { least: '10', most: '50000' },
  purposeOfRemittance: 'SALARY_PAYMENT',
  documentReferenceNumber: null,
  sendingParty: {
    registeredName: 'Société Forestière du Littoral',
    registrationNumber: 'RC/DLA/2019/B/1234',
    address: '12 Rue Joss',
    city: 'Douala',
    countryIsoCode: 'CMR',
  },
  receivingParty: { firstName: 'Wei', lastName: 'Li', countryIsoCode: 'CHN' },
  deliveryMethodInfo: { msisdn: '+8613800000007' },
  document: null,
};

export const PRICE: QuotedPrice = {
  quotationId: 'q-1',
  sendAmount: '85000',
  feeAmount: '1525',
  receiveAmount: '1000',
  createdAt: CREATED_AT,
  expiredAt: EXPIRED_AT,
};

export const QUOTATION: Quotation = {
  id: 'q-1',
  externalId: externalId(FILE_ID, '2', 'quotation', 1),
  sourceCurrency: 'XAF',
  targetCurrency: 'CNY',
  payoutCorridorId: 'chn-cny-b2c-alipay',
  sourceAmount: '85000',
  destinationAmount: '1000',
  feeCurrency: 'XAF',
  feeAmount: '1525',
  variableFeeAmount: '1275',
  fixedFeeAmount: '250',
  transferType: 'B2C',
  mode: 'DESTINATION_AMOUNT',
  createdAt: CREATED_AT,
  expiredAt: EXPIRED_AT,
};

export const TRANSFER: Transfer = {
  id: 't-1',
  externalId: externalId(FILE_ID, '2', 'transfer', 1),
  quotationId: 'q-1',
  callbackUrl: null,
  status: 'created',
  statusCode: '10000',
  createdAt: CREATED_AT,
  expiredAt: EXPIRED_AT,
  sendAmount: '85000',
  sourceCurrency: 'XAF',
  receiveAmount: '1000',
  destinationCurrency: 'CNY',
  feeCurrency: 'XAF',
  feeAmount: '1525',
  variableFeeAmount: '1275',
  fixedFeeAmount: '250',
  purposeOfRemittance: 'SALARY_PAYMENT',
  documentReferenceNumber: null,
  sender: null,
  sendingBusiness: PAYOUT.sendingParty,
  receiver: PAYOUT.receivingParty,
  receivingBusiness: null,
  deliveryMethodInfo: { msisdn: '+8613800000007', email: null, cardNumber: null },
};

export const KNOWN: KnownTransfer = {
  transferId: 't-1',
  externalId: TRANSFER.externalId,
  quotationId: 'q-1',
  status: 'created',
  statusCode: '10000',
  sendAmount: '85000',
  feeAmount: '1525',
  receiveAmount: '1000',
  createdAt: CREATED_AT,
  expiredAt: EXPIRED_AT,
};

export function progress(changes: Partial<Progress> = {}): Progress {
  return { ...begunBy(RUN), stage: 'created', price: PRICE, transfer: KNOWN, ...changes };
}

export function dueRow(payout: Partial<Payout> = {}, changes: Partial<Progress> = {}): DueRow {
  return {
    fileId: FILE_ID,
    row: {
      batch: 'b-1',
      position: 1,
      row: '2',
      payout: { ...PAYOUT, ...payout },
      rejections: [],
      reference: 'A-1',
      lineage: null,
      fingerprint: null,
      progress: progress(changes),
      version: 1,
      hints: 0,
    },
  };
}

/** What was given up before an attempt, so that a row stands at it. */
export function deadBefore(attempt: number): readonly DeadAttempt[] {
  return Array.from({ length: attempt - 1 }, (_, index) => ({
    attempt: index + 1,
    transfer: { ...KNOWN, transferId: `t-dead-${String(index + 1)}` },
    proof: 'expired-unconfirmed',
  }));
}
