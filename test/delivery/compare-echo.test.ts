// What counts as a difference between the row and what the service says it made, and what does not.
import { describe, expect, it } from 'vitest';

import { quotationDifferences, transferDifferences } from '../../src/delivery/requests.ts';
import type { Quotation, Transfer } from '../../src/service/wire.ts';
import { PRICE, QUOTATION, TRANSFER, dueRow } from './due-row.ts';

const ofTransfer = (changes: Partial<Transfer>, asked: Parameters<typeof dueRow>[0] = {}) =>
  transferDifferences(dueRow(asked), { ...TRANSFER, ...changes }, PRICE, TRANSFER.externalId);
const ofQuotation = (changes: Partial<Quotation>) =>
  quotationDifferences(dueRow(), { ...QUOTATION, ...changes });

describe('a transfer', () => {
  it('that is what was asked has no differences', () => {
    expect(ofTransfer({})).toEqual([]);
  });

  it.each<readonly [Partial<Transfer>, string]>([
    [{ externalId: 'other' }, 'externalId'],
    [{ quotationId: 'q-2' }, 'quotationId'],
    [{ sourceCurrency: 'EUR' }, 'sourceCurrency'],
    [{ destinationCurrency: 'NGN' }, 'destinationCurrency'],
    [{ feeCurrency: 'EUR' }, 'feeCurrency'],
    [{ sendAmount: '85000.01' }, 'sendAmount'],
    [{ receiveAmount: '999.99' }, 'receiveAmount'],
    [{ feeAmount: '0' }, 'feeAmount'],
    [{ purposeOfRemittance: 'OTHER' }, 'purposeOfRemittance'],
    [{ documentReferenceNumber: 'INV-1' }, 'documentReferenceNumber'],
    [{ receiver: null }, 'receiver'],
    [{ receiver: { ...TRANSFER.receiver, lastName: 'Lu' } }, 'receiver.lastName'],
    [{ receiver: { ...TRANSFER.receiver, lastName: null } }, 'receiver.lastName'],
    [{ sendingBusiness: { ...TRANSFER.sendingBusiness, city: 'Yaoundé' } }, 'sendingBusiness.city'],
    [{ deliveryMethodInfo: {} }, 'deliveryMethodInfo.msisdn'],
    [{ deliveryMethodInfo: { msisdn: '8613800000007' } }, 'deliveryMethodInfo.msisdn'],
    [
      { deliveryMethodInfo: { ...TRANSFER.deliveryMethodInfo, cardNumber: '62' } },
      'deliveryMethodInfo.cardNumber',
    ],
  ])('that says %j differs in %s', (changes, field) => {
    expect(ofTransfer(changes)).toEqual([field]);
  });

  it.each<Partial<Transfer>>([
    { externalId: TRANSFER.externalId.toUpperCase() },
    { sendAmount: '85000.00', receiveAmount: '1000.0' },
    { receiver: { firstName: 'Wei' } },
    { receiver: { ...TRANSFER.receiver, riskScore: 'low' } },
    { deliveryMethodInfo: { ...TRANSFER.deliveryMethodInfo, walletLevel: 'gold', email: '' } },
    { callbackUrl: 'https://pay.example.com/hook' },
    { variableFeeAmount: '0', fixedFeeAmount: '1525' },
  ])('that says %j is still what was asked', (changes) => {
    expect(ofTransfer(changes)).toEqual([]);
  });
});

describe('a field of the delivery that the interface does not name', () => {
  const asked = { ...TRANSFER.deliveryMethodInfo, branchCode: '0042' };

  it.each<readonly [string, readonly string[] | undefined, string | undefined, readonly string[]]>([
    ['may be left out of the echo', undefined, undefined, []],
    ['may not come back as another', undefined, '0043', ['deliveryMethodInfo.branchCode']],
    [
      'must come back where the corridor asks for it',
      ['branchCode'],
      undefined,
      ['deliveryMethodInfo.branchCode'],
    ],
  ])('%s', (_what, corridorFields, branchCode, differences) => {
    const echoed = branchCode === undefined ? {} : { branchCode };
    const found = ofTransfer(
      { deliveryMethodInfo: { ...TRANSFER.deliveryMethodInfo, ...echoed } },
      { deliveryMethodInfo: asked, ...(corridorFields === undefined ? {} : { corridorFields }) },
    );
    expect(found).toEqual(differences);
  });
});

describe('a quotation', () => {
  it.each<readonly [Partial<Quotation>, readonly string[]]>([
    [{}, []],
    [{ destinationAmount: '1000.00' }, []],
    [{ sourceAmount: '1', feeAmount: '0' }, []],
    [{ destinationAmount: '1000.01' }, ['amount']],
    [{ sourceCurrency: 'EUR' }, ['sourceCurrency']],
    [{ targetCurrency: 'NGN' }, ['targetCurrency']],
    [{ payoutCorridorId: 'other' }, ['payoutCorridorId']],
    [{ transferType: 'C2C' }, ['transferType']],
    [{ mode: 'SOURCE_AMOUNT' }, ['mode']],
    [{ feeCurrency: 'CNY' }, ['feeCurrency']],
  ])('that says %j differs in %j', (changes, fields) => {
    expect(ofQuotation(changes)).toEqual(fields);
  });

  it('of a row that fixes what is sent is compared by what is sent', () => {
    const due = dueRow({ requested: { side: 'source', amount: '85000' } });
    const quotation = { ...QUOTATION, mode: 'SOURCE_AMOUNT' };
    expect(quotationDifferences(due, { ...quotation, destinationAmount: '999.87' })).toEqual([]);
    expect(quotationDifferences(due, { ...quotation, sourceAmount: '84999' })).toEqual(['amount']);
  });
});
