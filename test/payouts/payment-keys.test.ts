// What is the same receiver, the same account, the same payment and nearly the same reference, however it is written; and what is not.
import fc from 'fast-check';
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { describe, expect, it } from 'vitest';

import { accountKey, payeeKey, keysOf, referenceKey, telephone } from '../../src/payouts/payment-keys.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { PAYOUT } from '../delivery/due-row.ts';

type Fields = Readonly<Record<string, string>>;

const paymentFingerprint = (payout: Payout) => keysOf(payout).fingerprint;
const paymentKey = (payout: Payout) => keysOf(payout).payment;
const shortPayeeKey = (payout: Payout) => keysOf(payout).shortPayee;
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
    [{ firstName: 'Wei', lastName: 'Li' }, { firstName: 'Li', lastName: 'Wei' }, true],
    [{ firstName: 'Wei', lastName: 'Li' }, { firstName: 'Wеi', lastName: 'Li' }, true],
    [{ firstName: 'Wei', lastName: 'Li' }, { firstName: 'Wei', lastName: 'Lı' }, true],
    [{ firstName: 'Zoë', lastName: 'Sørensen' }, { firstName: 'Zoe', lastName: 'Sorensen' }, true],
    [{ firstName: 'Wei', lastName: 'Li' }, { firstName: 'Wei', lastName: 'Li', nickname: 'Bo' }, true],
    [{ firstName: 'Wei', lastName: 'Li' }, { firstName: 'Wei', lastName: 'Li', fullName: 'Bo Xu' }, true],
    [{ fullName: "N'Diaye Awa" }, { fullName: 'Awa NDiaye' }, true],
    [{ fullName: 'Mercier S.A.R.L.' }, { fullName: 'Mercier SARL' }, true],
    [{ fullName: 'J.Smith' }, { fullName: 'J. Smith' }, true],
    [{ fullName: 'Вера Ким' }, { fullName: 'ВЕРА КИМ' }, true],
  ])('%j and %j: %s', (a, b, isSame) => {
    expect(payee(a) === payee(b)).toBe(isSame);
  });

  it('is shown by its short name, whatever stands between', () => {
    const short = (firstName: string, lastName: string) =>
      shortPayeeKey({ ...PAYOUT, receivingParty: { firstName, lastName } });
    expect(short('Wei Ming', 'Li')).toBe(payee({ firstName: 'Wei', lastName: 'Li' }));
    expect(short('Wei Ming', 'Li')).toBe(short('Wei Bo', 'Li'));
    expect(short('Wei', 'Li')).toBeNull();
    expect(
      shortPayeeKey({
        ...PAYOUT,
        transactionMode: 'B2B',
        receivingParty: { registeredName: 'Yiwu Hengda Co' },
      }),
    ).toBeNull();
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
    ['its number with hyphens and an underscore behind', { bankAccountNumber: 'FR76-3000-4007_' }, true],
    ['its number in full-width digits', { bankAccountNumber: 'FR７６３０００４００７' }, true],
    ['its number in Arabic digits', { bankAccountNumber: 'FR٧٦٣٠٠٠٤٠٠٧' }, true],
    ['another SWIFT code beside it', { bankAccountSwiftCode: 'CMCIFR2A' }, true],
    ['no SWIFT code', { bankAccountSwiftCode: '' }, true],
    ['an address of e-mail beside it', { email: 'a@example.cn' }, true],
    ['a column beside it that no corridor asks for', { note: 'x' }, true],
  ])('with %s', (_, changes, isSame) => {
    const key = (deliveryMethodInfo: Fields) =>
      accountKey({ ...PAYOUT, deliveryMethod: 'bankTransfer', deliveryMethodInfo });
    expect(key(bank(changes)) === key(bank({}))).toBe(isSame);
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

  it('is another one by a field that the corridor asks for, and only by such a one', () => {
    const beside = (place: string, corridorFields: readonly string[]) =>
      accountKey({
        ...PAYOUT,
        deliveryMethodInfo: { msisdn: '+8613800138000', walletId: place },
        ...(corridorFields.length === 0 ? {} : { corridorFields }),
      });
    expect(beside('17', ['walletId'])).not.toBe(beside('18', ['walletId']));
    expect(beside('1 7', ['walletId'])).toBe(beside('17', ['walletId']));
    expect(beside('17', [])).toBe(beside('18', []));
  });

  it('that nothing names is none', () => {
    expect(account({})).toBeNull();
    expect(account({ bankAccountHolderFullName: 'Mercier' })).toBeNull();
  });
});

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
    ['the account is in another field', { deliveryMethodInfo: { email: 'li@example.cn' } }],
    ['the amount differs', { requested: { side: 'destination', amount: '1000.01' } }],
    ['the amount is of what is sent', { requested: { side: 'source', amount: '1000' } }],
    ['the currency differs', { targetCurrency: 'USD' }],
  ])('%s', (_, changes) => expect(isSame(changes)).toBe(false));
});

it('a fingerprint is the beginning of a SHA-256 and shows nobody’s account', () => {
  expect(paymentFingerprint(PAYOUT)).toMatch(/^[\w-]{22}$/);
});

describe('the key of a reference', () => {
  it.each([
    ['INV-0007', 'inv 7'],
    ['FACT/2026/11', 'fact-2026-11'],
    ['Avance é', 'AVANCE-E\u0301'],
    ['００４２', '42'],
    ['٤٢', '42'],
    ['12 345', '12345'],
    ['0', '000'],
    ['A-', 'a'],
  ])('%s and %s are nearly the same', (one, other) => {
    expect(referenceKey(one)).toBe(referenceKey(other));
  });

  it.each([
    ['2026-1-11', '2026-11-1'],
    ['INV-10', 'INV-1'],
    ['A-1', 'B-1'],
    ['A-1-2', 'A-12'],
    ['7', '70'],
  ])('%s and %s are two', (one, other) => {
    expect(referenceKey(one)).not.toBe(referenceKey(other));
  });

  it('a reference without letter or digit has none', () => {
    expect(referenceKey(' -/- ')).toBe('');
  });
});

describe('a telephone number', () => {
  const codes = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))];

  // Most numbers stand in E.164, and the library is not asked about those.
  it('is read as the library reads it, whatever country calls so', () => {
    const national = fc.stringMatching(/^[0-9]{2,14}$/);
    fc.assert(
      fc.property(fc.constantFrom(...codes, '999', '210'), national, (code, digits) => {
        const written = `+${code}${digits}`;
        const found = parsePhoneNumberFromString(written, 'CN')?.number ?? written;
        expect(telephone(written, 'CN')).toBe(found.replace('+', ''));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    '+8613800138000',
    '+86 138-0013-8000',
    '+86 (0)138 0013 8000',
    '0086 138 0013 8000',
    '８６13800138000',
    '8613800138000',
    '+٨٦١٣٨٠٠١٣٨٠٠٠',
    '138 0013 8000',
  ])('of China is the same as %s', (written) => {
    expect(telephone(written, 'CN')).toBe('8613800138000');
  });

  it('of one country is none of another', () => {
    expect(telephone('677123456', 'CM')).toBe('237677123456');
    expect(telephone('677123456', 'GA')).not.toBe('237677123456');
  });

  it('that no country has is known by its digits', () => {
    expect(telephone('+86 7', 'CN')).toBe('867');
    expect(telephone('00 86 7', 'ZZ')).toBe('867');
  });
});

describe('however a payment is written', () => {
  /** Nothing that a person changes between two exports of one payment. */
  const writings = (text: string): fc.Arbitrary<string> =>
    fc
      .record({
        full: fc.boolean(),
        case: fc.constantFrom('upper', 'lower', 'as it is'),
        gaps: fc.array(fc.tuple(fc.nat({ max: text.length }), fc.constantFrom(' ', '-', '  ')), {
          maxLength: 3,
        }),
      })
      .map((way) => {
        const cased =
          way.case === 'upper' ? text.toUpperCase() : way.case === 'lower' ? text.toLowerCase() : text;
        const spaced = way.gaps.reduce((done, [at, gap]) => done.slice(0, at) + gap + done.slice(at), cased);
        return way.full
          ? spaced.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
          : spaced;
      });

  const of = (bankAccountNumber: string, receivingParty: Fields): Payout => ({
    ...PAYOUT,
    deliveryMethod: 'bankTransfer',
    receivingParty,
    deliveryMethodInfo: { bankAccountNumber },
  });

  it('its key is the same', () => {
    fc.assert(
      fc.property(writings('FR7630004007'), fc.boolean(), (account, isSwapped) => {
        const names = isSwapped ? { firstName: 'LI', lastName: 'wei' } : { firstName: 'Wei', lastName: 'Li' };
        expect(paymentFingerprint(of(account, names))).toBe(
          paymentFingerprint(of('FR7630004007', { firstName: 'Wei', lastName: 'Li' })),
        );
      }),
    );
  });

  it('another digit of its account, or another amount, is another payment', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 11 }), fc.integer({ min: 1, max: 9 }), (at, by) => {
        const account = 'FR7630004007';
        const digit = (Number(account[at]) + by) % 10;
        const other = account.slice(0, at) + String(digit) + account.slice(at + 1);
        expect(paymentKey(of(other, {}))).not.toBe(paymentKey(of(account, {})));
        const more: Payout = {
          ...of(account, {}),
          requested: { side: 'destination', amount: `100${String(by)}` },
        };
        expect(paymentKey(more)).not.toBe(paymentKey(of(account, {})));
      }),
    );
  });

  it('who is said to receive it makes no other payment of it, unless no account is named', () => {
    expect(paymentKey(of('FR7630004007', { fullName: 'Wei Li' }))).toBe(paymentKey(of('FR7630004007', {})));
    expect(paymentKey(of('', { fullName: 'Wei Li' }))).toBe(paymentKey(of('', { fullName: 'LI Wei' })));
    expect(paymentKey(of('', { fullName: 'Wei Li' }))).not.toBe(paymentKey(of('', { fullName: 'Wei Xu' })));
    expect(paymentKey(of('', {}))).toBeNull();
  });
});
