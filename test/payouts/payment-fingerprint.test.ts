// What makes two rows the same payment, and what does not.
import { describe, expect, it } from 'vitest';

import type { Payout } from '../../src/payouts/payout.ts';
import { paymentFingerprint } from '../../src/payouts/payment-fingerprint.ts';
import { PAYOUT } from '../delivery/due-row.ts';

function isSame(changes: Partial<Payout>): boolean {
  return paymentFingerprint({ ...PAYOUT, ...changes }) === paymentFingerprint(PAYOUT);
}

describe('two rows are the same payment when', () => {
  it.each<readonly [string, Partial<Payout>]>([
    ['they carry different references', { reference: 'A-2' }],
    [
      'the receiver’s address is written another way',
      { receivingParty: { ...PAYOUT.receivingParty, address: 'x' } },
    ],
    ['names differ by case and spaces', { receivingParty: { ...PAYOUT.receivingParty, lastName: 'LI' } }],
    ['fields stand in another order', { receivingParty: { lastName: 'Li', firstName: 'Wei' } }],
    ['purposes, documents and senders differ', { purposeOfRemittance: 'OTHER', sendingParty: {} }],
    ['another balance pays the same amount to arrive', { sourceCurrency: 'EUR' }],
  ])('%s', (_, changes) => expect(isSame(changes)).toBe(true));
});

describe('two rows are two payments when', () => {
  it.each<readonly [string, Partial<Payout>]>([
    ['the receiver’s name differs', { receivingParty: { ...PAYOUT.receivingParty, firstName: 'Wen' } }],
    ['the account differs', { deliveryMethodInfo: { msisdn: '+8613800000008' } }],
    ['the account is in another field', { deliveryMethodInfo: { email: '+8613800000007' } }],
    ['the amount differs', { requested: { side: 'destination', amount: '1000.01' } }],
    ['the amount is of what is sent', { requested: { side: 'source', amount: '1000' } }],
    ['the currency differs', { targetCurrency: 'USD' }],
  ])('%s', (_, changes) => expect(isSame(changes)).toBe(false));

  it('names that only run together alike are different', () => {
    const of = (receivingParty: Payout['receivingParty']) =>
      paymentFingerprint({ ...PAYOUT, receivingParty });
    expect(of({ firstName: 'a', name: 'b' })).not.toBe(of({ firstName: 'aname=b' }));
  });
});

it('a fingerprint is a SHA-256 in hex and shows nobody’s account', () => {
  expect(paymentFingerprint(PAYOUT)).toMatch(/^[0-9a-f]{64}$/);
});
