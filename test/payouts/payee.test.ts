// When two payments go to one receiver, and when to one account: how they are written makes no difference, who is said to hold the account neither.
import { describe, expect, it } from 'vitest';

import { accountKey, payeeKey } from '../../src/payouts/payee.ts';
import { PAYOUT } from '../delivery/due-row.ts';

type Fields = Readonly<Record<string, string>>;

const payee = (receivingParty: Fields) => payeeKey({ ...PAYOUT, receivingParty });
const account = (deliveryMethodInfo: Fields) => accountKey({ ...PAYOUT, deliveryMethodInfo });

describe('one receiver', () => {
  it.each([
    [
      { registeredName: 'Établissements Mercier & Fils' },
      { registeredName: 'ETABLISSEMENTS MERCIER ET FILS' },
      false,
    ],
    [
      { registeredName: 'Établissements Mercier & Fils' },
      { registeredName: 'etablissements  mercier, fils' },
      true,
    ],
    [{ registeredName: 'Yiwu Hengda Co., Ltd' }, { registeredName: 'YIWU HENGDA CO LTD' }, true],
    [{ firstName: 'Wei', lastName: 'Li' }, { fullName: 'LI Wei' }, true],
    [
      { firstName: 'Wei', lastName: 'Li', city: 'Yiwu' },
      { firstName: 'Wei', lastName: 'Li', city: 'Canton' },
      true,
    ],
    [{ firstName: 'Wei', lastName: 'Li' }, { firstName: 'Na', lastName: 'Li' }, false],
    [{ fullName: '李伟' }, { fullName: '李娜' }, false],
  ])('%j and %j: %s', (a, b, isSame) => {
    expect(payee(a) === payee(b)).toBe(isSame);
  });

  it('without a name is nobody', () => {
    expect(payee({ city: 'Yiwu' })).toBeNull();
    expect(payee({ registeredName: ' - ' })).toBeNull();
  });
});

describe('one account', () => {
  const bank = (changes: Fields) => ({
    bankAccountHolderFullName: 'Mercier',
    bankAccountNumber: 'FR76 3000 4007',
    bankAccountSwiftCode: 'BNPAFRPP',
    ...changes,
  });

  it.each([
    ['another holder', { bankAccountHolderFullName: 'Somebody Else' }, true],
    ['its number without spaces', { bankAccountNumber: 'fr7630004007' }, true],
    ['the branch of its bank', { bankAccountSwiftCode: 'BNPAFRPPXXX' }, true],
    ['another number', { bankAccountNumber: 'FR76 3000 4008' }, false],
    ['another bank', { bankAccountSwiftCode: 'CMCIFR2A' }, false],
  ])('with %s', (_, changes, isSame) => {
    expect(account(bank(changes)) === account(bank({}))).toBe(isSame);
  });

  it('is a telephone however it is grouped, and an address of e-mail sign by sign', () => {
    expect(account({ msisdn: '+86 138-0013-8000' })).toBe(account({ msisdn: '+8613800138000' }));
    expect(account({ email: 'Li.Wei@example.cn' })).toBe(account({ email: 'li.wei@example.cn' }));
    expect(account({ email: 'li.wei@example.cn' })).not.toBe(account({ email: 'liwei@example.cn' }));
  });

  it.each([
    ['wechat', { msisdn: '+8613800138000' }, { email: 'li@example.cn', cardNumber: '6222021234567890' }],
    ['alipay', { msisdn: '+8613800138000' }, { email: 'li@example.cn' }],
    ['alipay', { email: 'li@example.cn' }, { cardNumber: '6222021234567890' }],
    ['unionpayCard', { cardNumber: '6222021234567890' }, { msisdn: '+8613800138000' }],
    [
      'bankTransfer',
      { bankAccountNumber: 'FR76 3000 4007', bankAccountSwiftCode: 'BNPAFRPP' },
      { msisdn: '+33612345678' },
    ],
    ['momo', { msisdn: '+237612345678' }, { email: 'li@example.cn' }],
  ])(
    'by %s is found by what is paid to, whatever else stands beside it',
    (deliveryMethod, fields, others) => {
      const key = (deliveryMethodInfo: Fields) =>
        accountKey({ ...PAYOUT, deliveryMethod, deliveryMethodInfo });
      expect(key({ ...others, ...fields })).toBe(key(fields));
      expect(key(others)).not.toBe(key(fields));
    },
  );

  it('of fields that the interface does not name is found by all of them', () => {
    expect(account({ walletId: '17', walletName: 'Li' })).toBe(account({ walletId: '17' }));
    expect(account({ walletId: '17' })).not.toBe(account({ walletId: '18' }));
  });

  it.each(['walletId', 'iban'])(
    'is another one by another %s beside a telephone, which may be what is paid to',
    (field) => {
      const beside = (place: string) => account({ msisdn: '+8613800138000', [field]: place });
      expect(beside('17')).not.toBe(beside('18'));
      expect(beside('1 7')).toBe(beside('17'));
    },
  );

  it('is known again by what the ledger kept of it', () => {
    expect(account({ msisdn: '+8613800138000' })).toBe(
      '6622e41c6e1a33009784a8941869f4cd83703707693e696dc402842a0d22463f',
    );
    expect(account(bank({}))).toBe('4ca17bb79778a4378b93f00af9f4799a23f34672785f80cce568e0324fd8f9d0');
  });

  it('that nothing names is none', () => {
    expect(account({})).toBeNull();
    expect(account({ bankAccountHolderFullName: 'Mercier' })).toBeNull();
  });
});
