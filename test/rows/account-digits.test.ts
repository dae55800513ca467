// Digits of an account that a workbook kept as a number never become digits of a text file.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { validate, BANK_ROW } from '../payouts/validation.ts';
import { answerCell, isAccountColumn } from '../../src/rows/cell.ts';

const ACCOUNT = 'delivery.bankAccountNumber';

describe('in an answer', () => {
  it.each([
    ['6221230000000000000', 'number', ACCOUNT, '6.22123E+18'],
    ['00123', 'number', 'receiver.msisdn', '1.23E+2'],
    ['0', 'number', ACCOUNT, '0E+0'],
    ['12.5', 'number', ACCOUNT, ''],
    ['2026-03-04', 'date', ACCOUNT, ''],
    ['6221230000000000000', 'text', ACCOUNT, '6221230000000000000'],
    ['1250.5', 'number', 'amount', '1250.5'],
    ['1250', 'number', null, '1250'],
  ] as const)('%s (%s, %s) is %j', (cell, kind, canonical, written) => {
    expect(answerCell(cell, kind, canonical)).toBe(written);
  });

  it('any number of an account is rejected again when it comes back as text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 21n }), (digits) => {
        const back = answerCell(String(digits), 'number', ACCOUNT);
        const { rejections, payout } = validate({ ...BANK_ROW, [ACCOUNT]: back });
        expect(payout).toBeNull();
        expect(rejections.map(({ code }) => code)).toEqual(['number_destroyed']);
      }),
    );
  });
});

describe('an account column', () => {
  it.each([
    'delivery.bankAccountNumber',
    'delivery.walletId',
    'receiver.msisdn',
    'receiver.phoneNumber',
    'sender.iban',
  ])('is %s', (name) => expect(isAccountColumn(name)).toBe(true));
  it.each(['amount', 'reference', 'receiver.registeredName', 'receiver.city', null])('is not %s', (name) =>
    expect(isAccountColumn(name)).toBe(false),
  );
});
