// The rows of a schedule: payouts of every form that the delivery treats differently, each with an account of its own, and the same once more
// as the checker knows them.
import { createHash } from 'node:crypto';

import type { Payout } from '../../src/payouts/payout.ts';
import type { AskedRow } from '../invariants/asked-row.ts';
import { toMinor } from './model-wire.ts';
import type { Random } from './random.ts';

export const DOCUMENT = Buffer.from('%PDF-1.7 invoice');
const DOCUMENT_SHA256 = createHash('sha256').update(DOCUMENT).digest('hex');

export type MadeRow = { readonly row: string; readonly payout: Payout; readonly asked: AskedRow };

export const SENDER = {
  registeredName: 'Société Forestière du Littoral',
  registrationNumber: 'RC/DLA/2019/B/1234',
  city: 'Douala',
  countryIsoCode: 'CMR',
};

/** Beyond the digits that a float keeps, so that one that slips in shows. */
const LARGE_SHARE = 0.25;

/** @param isInMessage counted from 1, and with the digits that an amount of a message may have. */
export function makeRow(index: number, random: Random, isInMessage = false): MadeRow {
  const payout = makePayout(index, random, isInMessage ? '925' : '00719925');
  const row = String(index + (isInMessage ? 1 : 2));
  const { side, amount } = payout.requested;
  const currency = side === 'source' ? payout.sourceCurrency : payout.targetCurrency;
  return {
    row,
    payout,
    asked: {
      row,
      payoutCorridorId: payout.payoutCorridorId,
      sourceCurrency: payout.sourceCurrency,
      targetCurrency: payout.targetCurrency,
      mode: side === 'source' ? 'SOURCE_AMOUNT' : 'DESTINATION_AMOUNT',
      amount: toMinor(amount, currency) ?? 0n,
      purposeOfRemittance: payout.purposeOfRemittance,
      documentReferenceNumber: payout.documentReferenceNumber,
      parties: partiesOf(payout),
      deliveryMethodInfo: payout.deliveryMethodInfo,
      documentSha256: payout.document?.sha256 ?? null,
    },
  };
}

function partiesOf({ transactionMode, sendingParty, receivingParty }: Payout): AskedRow['parties'] {
  return transactionMode === 'B2B'
    ? { sendingBusiness: sendingParty, receivingBusiness: receivingParty }
    : { sendingBusiness: sendingParty, receiver: receivingParty };
}

function makePayout(index: number, random: Random, middle: string): Payout {
  const isBank = random.chance(0.35);
  const sourceCurrency = random.pick(['XAF', 'XAF', 'EUR', 'USD']);
  const side = random.pick(['source', 'destination'] as const);
  return {
    reference: `A-${String(index + 1)}`,
    payoutCorridorId: isBank ? 'chn-cny-b2b-bank' : 'chn-cny-b2c-alipay',
    transactionMode: isBank ? 'B2B' : 'B2C',
    deliveryMethod: isBank ? 'bankTransfer' : 'alipay',
    sourceCurrency,
    targetCurrency: 'CNY',
    requested: { side, amount: amountOf(side === 'source' ? sourceCurrency : 'CNY', random, middle) },
    bounds: { least: '0.01', most: '99999999999999999999' },
    purposeOfRemittance: random.pick(['SALARY_PAYMENT', 'EXPORTED_GOODS']),
    documentReferenceNumber: random.chance(0.5) ? `INV-${String(index)}` : null,
    sendingParty: SENDER,
    receivingParty: { ...receiver(isBank, index), countryIsoCode: 'CHN' },
    deliveryMethodInfo: isBank
      ? {
          bankAccountHolderFullName: `Holder ${String(index)}`,
          bankAccountNumber: `62220212345678901${String(index)}`,
        }
      : { msisdn: `+86138000000${String(10 + index)}` },
    document: isBank
      ? { name: 'invoice.pdf', sha256: DOCUMENT_SHA256, contentType: 'application/pdf' }
      : null,
  };
}

function receiver(isBank: boolean, index: number): Readonly<Record<string, string>> {
  return isBank
    ? { registeredName: `Company ${String(index)}` }
    : { firstName: 'Wei', lastName: `Li${String(index)}` };
}

function amountOf(currency: string, random: Random, middle: string): string {
  const whole = random.chance(LARGE_SHARE)
    ? `9${String(random.between(100_000_000, 999_999_999))}${middle}${String(random.between(1, 9))}`
    : String(random.between(500, 90_000));
  return currency === 'XAF' ? whole : `${whole}.${String(random.between(1, 99)).padStart(2, '0')}`;
}
