// What a row becomes when nothing is wrong with it: a payout that is complete, and says exactly what the row said.
import { describe, expect, it } from 'vitest';

import { FileRefused } from '../../src/rows/file-refused.ts';
import { BANK, BANK_ROW, EURO, INVOICE, SENDER, validate, WALLET, WALLET_ROW, YEN } from './validation.ts';

describe('a row in which nothing is wrong', () => {
  it('is a payout with everything that the service is asked for', () => {
    expect(validate(WALLET_ROW)).toEqual({
      payout: {
        reference: 'A-1',
        payoutCorridorId: WALLET.id,
        transactionMode: 'B2C',
        deliveryMethod: 'alipay',
        sourceCurrency: 'XAF',
        targetCurrency: 'CNY',
        requested: { side: 'destination', amount: '1000.5' },
        bounds: { least: '10', most: '50000' },
        purposeOfRemittance: 'SALARY_PAYMENT',
        documentReferenceNumber: null,
        sendingParty: SENDER,
        receivingParty: { firstName: 'Wei', lastName: 'Li', countryIsoCode: 'CHN' },
        deliveryMethodInfo: { msisdn: '+8613800000007' },
        document: null,
      },
      rejections: [],
      stated: { amount: '1000.5', currency: 'CNY' },
      warnings: [],
      questions: [],
    });
  });

  it('takes its document along when it is a bank transfer', () => {
    expect(validate(BANK_ROW).payout).toMatchObject({ payoutCorridorId: BANK.id, document: INVOICE });
  });

  it('keeps account numbers as text, whatever they look like', () => {
    const row = { ...BANK_ROW, 'delivery.bankAccountNumber': '0062220212345678901234' };
    expect(validate(row).payout?.deliveryMethodInfo['bankAccountNumber']).toBe('0062220212345678901234');
  });

  it.each([
    ['12 Jihua West Road,\nChancheng', '12 Jihua West Road, Chancheng'],
    ['12 Jihua West Road\r\n\r\n Chancheng\r', '12 Jihua West Road, Chancheng'],
  ])('sends an address %j in one line', (address, sent) => {
    const { payout } = validate({ ...WALLET_ROW, 'receiver.address': address, 'sender.address': address });
    expect(payout).toMatchObject({ receivingParty: { address: sent }, sendingParty: { address: sent } });
  });

  it('passes fields on that the interface does not list', () => {
    const row = { ...WALLET_ROW, 'receiver.nationalId': '110101199003070000', 'delivery.walletName': 'Wei' };
    expect(validate(row).payout).toMatchObject({
      receivingParty: { nationalId: '110101199003070000' },
      deliveryMethodInfo: { walletName: 'Wei' },
    });
  });

  it.each([
    ['Salaire net', 'Did you mean "Salary"? Write one of'],
    ['Salair', 'Did you mean "Salary"? Write one of'],
    ['Achat de marchandises bois', 'Did you mean "Goods"? Write one of'],
    // Two purposes, or none: nothing is proposed.
    ['Salaire et scolarité', 'is not a purpose. Write one of'],
    ['Loyer du mois', 'is not a purpose. Write one of'],
    ['Mai 2026', 'is not a purpose. Write one of'],
  ])('a purpose %j that is not known is told with the one that it names', (purposeOfRemittance, told) => {
    const { rejections } = validate({ ...WALLET_ROW, purposeOfRemittance });
    expect(rejections.map(({ words }) => words.en)).toEqual([expect.stringContaining(told)]);
  });

  it('warns of a purpose that the interface does not list, and passes it on', () => {
    const { payout, warnings } = validate({ ...WALLET_ROW, purposeOfRemittance: 'TAX_REFUND' });
    expect(payout?.purposeOfRemittance).toBe('TAX_REFUND');
    expect(warnings.map(({ en }) => en)).toEqual([expect.stringContaining('"TAX_REFUND"')]);
  });
});

describe('a currency behind the name of the amount', () => {
  const row = { ...WALLET_ROW, sourceCurrency: '', destinationAmount: '', amount: '1000' };
  const requested = (header: string, currency = '') => {
    const { payout, rejections } = validate({ ...row, currency }, { headers: { amount: header } });
    return payout === null
      ? rejections.map(({ code }) => code)
      : `${payout.requested.side} ${payout.sourceCurrency}`;
  };

  it.each([
    ['Montant (FCFA)', '', 'source XAF'],
    ['Montant EUR', '', 'source EUR'],
    ['Montant [EUR]', 'EUR', 'source EUR'],
    ['Montant (FCFA)', 'EUR', ['amount_currency_contradicts']],
    ['Montant (USD)', '', ['amount_currency_unrelated']],
    ['Montant', '', ['amount_currency_missing']],
  ])('«%s» with currency «%s»: %j', (header, currency, expected) => {
    expect(requested(header, currency)).toEqual(expected);
  });
});

describe('a currency that the number format of an amount shows', () => {
  const shown = (currency: string, header = 'Montant', amount = '1000.5') => {
    const row = { ...WALLET_ROW, destinationAmount: amount };
    const currencies = { destinationAmount: currency, 'receiver.city': 'EUR' };
    return validate(row, { headers: { destinationAmount: header }, currencies });
  };

  it.each(['CNY', '¥', 'CN¥', '元'])('«%s» may stand beside yuans', (currency) => {
    expect(shown(currency).payout?.requested).toEqual({ side: 'destination', amount: '1000.5' });
  });

  it.each(['EUR', '€', 'FCFA', '$', 'HKD', 'F CFA'])('«%s» contradicts yuans, as text does', (currency) => {
    const { payout, rejections, stated } = shown(currency, 'Montant (CNY)', '1000');
    expect(payout).toBeNull();
    expect(rejections.map(({ code, words }) => [code, words.en])).toEqual([
      ['amount_currency_contradicts', expect.stringContaining(`"1000 ${currency}" names a currency`)],
    ]);
    expect(stated).toEqual(validate({ ...WALLET_ROW, destinationAmount: `1000 ${currency}` }).stated);
  });
});

describe('the corridor of a row', () => {
  const chosen = { ...WALLET_ROW, payoutCorridorId: '' };

  it('is the one that its properties leave, in whatever words and case they are written', () => {
    const row = { ...chosen, destinationCountryIsoCode: 'chine', deliveryMethod: 'ALIPAY' };
    expect(validate(row).payout?.payoutCorridorId).toBe(WALLET.id);
  });

  it('is chosen among the enabled ones only', () => {
    const row = { ...chosen, targetCurrency: 'EUR', deliveryMethod: 'wechat' };
    expect(validate(row).payout?.payoutCorridorId).toBe(EURO.id);
  });
});

describe('the amount of a row', () => {
  const bare = { ...WALLET_ROW, destinationAmount: '' };

  it('is a destination amount in the currency that the corridor pays', () => {
    expect(validate({ ...bare, amount: '500', currency: 'cny' }).payout).toMatchObject({
      requested: { side: 'destination', amount: '500' },
      sourceCurrency: 'XAF',
    });
  });

  it('is a source amount in a currency that the corridor takes, which is then the one that pays', () => {
    const row = { ...bare, sourceCurrency: '', amount: '500', currency: 'EUR' };
    expect(validate(row).payout).toMatchObject({
      requested: { side: 'source', amount: '500' },
      sourceCurrency: 'EUR',
    });
  });

  it.each([
    ['target', 'destination'],
    ['source', 'source'],
  ] as const)(
    '%s in the place of a currency says which amount is fixed, also where both are in one',
    (currency, side) => {
      const row = { ...bare, payoutCorridorId: EURO.id, sourceCurrency: 'EUR', amount: '500', currency };
      expect(validate(row).payout).toMatchObject({
        requested: { side, amount: '500' },
        sourceCurrency: 'EUR',
      });
    },
  );

  it('refuses the file where it could be both, and names the columns to choose from', () => {
    const row = { ...bare, payoutCorridorId: EURO.id, amount: '500', currency: 'EUR' };
    for (const sourceCurrency of ['', 'EUR']) {
      expect(() => validate({ ...row, sourceCurrency })).toThrow(FileRefused);
      expect(() => validate({ ...row, sourceCurrency })).toThrow(
        /Row 2.*"sourceAmount".*"destinationAmount"/,
      );
    }
  });

  it('is what arrives where the row says that it is paid from another balance', () => {
    const row = { ...bare, payoutCorridorId: EURO.id, amount: '500', currency: 'EUR', sourceCurrency: 'XAF' };
    expect(validate(row).payout).toMatchObject({
      requested: { side: 'destination', amount: '500' },
      sourceCurrency: 'XAF',
    });
  });

  it('is read with the decimal mark of its column', () => {
    const row = { ...WALLET_ROW, destinationAmount: '1.000,50' };
    expect(validate(row, { decimalMark: ',' }).payout?.requested.amount).toBe('1000.5');
  });

  it.each([
    ['the least', '10'],
    ['the most', '50000.00'],
  ])('may be %s that the corridor pays', (_, destinationAmount) => {
    expect(validate({ ...WALLET_ROW, destinationAmount }).rejections).toEqual([]);
  });

  it('has no decimals where its currency has none', () => {
    const row = { ...WALLET_ROW, payoutCorridorId: YEN.id };
    expect(validate({ ...row, destinationAmount: '1000.5' }).rejections).toMatchObject([
      { code: 'amount_too_many_decimals', words: { en: expect.stringContaining('no decimals') as string } },
    ]);
    expect(validate({ ...row, destinationAmount: '1000.00' }).payout?.requested.amount).toBe('1000');
  });

  it('of what is sent is not held against the bounds, which are in what arrives', () => {
    const row = { ...bare, sourceAmount: '9000000' };
    expect(validate(row).payout?.requested).toEqual({ side: 'source', amount: '9000000' });
  });

  it.each(['0', '0.00'])('is never %s', (destinationAmount) => {
    expect(validate({ ...WALLET_ROW, destinationAmount }).rejections).toMatchObject([
      { code: 'amount_not_positive' },
    ]);
  });
});

describe('the source currency of a row', () => {
  it('may be left out where the corridor takes only one', () => {
    expect(validate({ ...BANK_ROW, sourceCurrency: '' }).payout?.sourceCurrency).toBe('XAF');
  });
});

describe('the parties of a row', () => {
  it('the row’s own sender fields win over the usual sender', () => {
    const row = { ...WALLET_ROW, 'sender.registeredName': 'Filiale Nord', 'sender.countryIsoCode': 'Tchad' };
    expect(validate(row).payout?.sendingParty).toEqual({
      registeredName: 'Filiale Nord',
      countryIsoCode: 'TCD',
    });
  });

  it('where an individual sends, the usual sender’s business fields are left out', () => {
    const individual = { ...WALLET, transactionMode: 'C2C', requiredSendingEntityFields: ['firstName'] };
    const row = { ...WALLET_ROW, 'sender.firstName': 'Awa' };
    expect(validate(row, { corridors: [individual] }).payout?.sendingParty).toEqual({
      firstName: 'Awa',
      countryIsoCode: 'CMR',
    });
  });

  it('a name of whatever kind is the registered name of a business', () => {
    const { 'receiver.registeredName': name, ...row } = BANK_ROW;
    const receiver = validate({ ...row, 'receiver.name': name ?? '' }).payout?.receivingParty;
    expect(receiver).toMatchObject({ registeredName: 'Guangzhou Timber Co.' });
    expect(receiver).not.toHaveProperty('name');
  });

  it('any one of the alternative groups of delivery fields is enough', () => {
    const row = { ...WALLET_ROW, 'delivery.msisdn': '' };
    expect(validate({ ...row, 'delivery.email': 'wei@example.com' }).rejections).toEqual([]);
    expect(validate(row).rejections).toMatchObject([
      {
        code: 'delivery_field_missing',
        words: {
          en: expect.stringContaining('(delivery.msisdn), or Wallet email (delivery.email)') as string,
        },
      },
    ]);
  });

  it('letters of two Unicode forms become one', () => {
    const row = { ...WALLET_ROW, 'receiver.lastName': 'Le\u0301a' };
    expect(validate(row).payout?.receivingParty['lastName']).toBe('L\u00e9a');
  });
});

describe('a wallet', () => {
  const told = (text: string) =>
    validate({ ...WALLET_ROW, 'delivery.msisdn': text }).rejections.map(({ words }) => words.en);

  it.each(['+8613800138000', '8613800138000', '008613800138000', '+237650123456'])(
    'of a number with a country code is paid without a word: %s',
    (text) => {
      expect(told(text)).toEqual([]);
    },
  );

  it.each([
    ['13800138000', '+8613800138000'],
    ['0138 0013 8000', '+8613800138000'],
    // Of a number that is none of the country, its code alone is known.
    ['065-012', '+86…'],
  ])('of a number without one is told what to write: %s', (text, whole) => {
    expect(told(text)).toEqual([expect.stringContaining(`Write ${whole}`)]);
  });
});

it('an amount that Java wrote with an exponent is read in full and told; one that a spreadsheet program rounded is not read', () => {
  const amount = (text: string) => validate({ ...WALLET_ROW, destinationAmount: text });
  expect(amount('1.25E7').rejections.map(({ code }) => code)).toEqual(['amount_outside_bounds']);
  expect(amount('1.25E7').stated).toEqual({ currency: 'CNY', amount: '12500000' });
  expect(amount('1.25E7').warnings.map(({ en }) => en)).toEqual([
    expect.stringContaining('4.0E7 is 40,000,000'),
  ]);
  expect(amount('1.25E+07').rejections.map(({ code }) => code)).toEqual(['amount_not_a_number']);
});
