// Why a row is rejected: one row for each code, with the column that a person has to look at and the words that say what to write instead.
import { describe, expect, it } from 'vitest';

import type { CellKind } from '../../src/rows/form.ts';
import type { RejectionCode } from '../../src/payouts/rejection.ts';
import type { PayoutCorridor } from '../../src/service/wire.ts';
import {
  BANK,
  BANK_ROW,
  rejectionOf,
  SENDER,
  validate,
  WALLET,
  WALLET_ROW,
  type Cells,
  type Given,
} from './validation.ts';

/** Codes that only the whole file or the service can give (rejections-of-files.test.ts), and those that a message finds by itself (test/rows/pain001). */
type OfTheRow = Exclude<
  RejectionCode,
  'row_below_total' | 'reference_repeated' | 'refused_by_service' | OfMessages
>;
type OfMessages = 'element_unsupported' | 'iban_wrong' | 'country_contradicts' | 'person_name_undecided';

const codesOf = (cells: Cells, given: Given = {}) =>
  validate(cells, given).rejections.map(({ code }) => code);

type Example = {
  readonly row: Cells;
  readonly given?: Given;
  readonly column: string;
  /** What the message names, so that the row can be put right without asking anybody. */
  readonly says: readonly string[];
};

const CHOSEN: Cells = { ...WALLET_ROW, payoutCorridorId: '' };

const EXAMPLES: Readonly<Record<OfTheRow, Example>> = {
  row_is_total: {
    row: { reference: 'Sous-total', destinationAmount: '5000' },
    column: 'reference',
    says: ['«Sous-total»', 'Delete it'],
  },
  corridor_missing: {
    row: CHOSEN,
    column: 'payoutCorridorId',
    says: ['Country (', 'China', 'Employee (B2C)', 'Alipay', 'paydrop corridors'],
  },
  corridor_unknown: {
    row: { ...WALLET_ROW, payoutCorridorId: 'chn-alipay' },
    column: 'payoutCorridorId',
    says: ['"chn-alipay"', 'paydrop corridors'],
  },
  corridor_none: {
    row: { ...CHOSEN, destinationCountryIsoCode: 'Brazil' },
    column: 'destinationCountryIsoCode',
    says: ['Country BRA', 'paydrop corridors'],
  },
  corridor_ambiguous: {
    row: { ...CHOSEN, destinationCountryIsoCode: 'Chine', targetCurrency: 'cny' },
    column: 'destinationCountryIsoCode',
    says: [
      '2 ways to pay',
      WALLET.id,
      '(transactionMode): Employee (B2C)',
      '(deliveryMethod): Alipay',
      '(bankName)',
    ],
  },
  corridor_disabled: {
    row: { ...WALLET_ROW, payoutCorridorId: 'gha-ghs-b2c-wechat' },
    column: 'payoutCorridorId',
    says: ['"gha-ghs-b2c-wechat"', 'switched off'],
  },
  value_not_listed: {
    row: { ...CHOSEN, deliveryMethod: 'pigeon' },
    column: 'deliveryMethod',
    says: ['"pigeon"', 'bankTransfer, alipay, wechat, unionpayCard', 'Write one of these'],
  },
  source_currency_missing: {
    row: { ...WALLET_ROW, sourceCurrency: '' },
    column: 'sourceCurrency',
    says: ['XAF, EUR'],
  },
  source_currency_not_in_corridor: {
    row: { ...WALLET_ROW, sourceCurrency: 'usd' },
    column: 'sourceCurrency',
    says: ['USD', 'only from XAF, EUR'],
  },
  amount_missing: {
    row: { ...WALLET_ROW, destinationAmount: '' },
    column: 'sourceAmount',
    says: ['no amount', 'Write one'],
  },
  amount_twice: {
    row: { ...WALLET_ROW, sourceAmount: '5000' },
    column: 'destinationAmount',
    says: ['"sourceAmount"', 'empty the other'],
  },
  amount_currency_missing: {
    row: { ...WALLET_ROW, destinationAmount: '', amount: '1000' },
    column: 'currency',
    says: ['CNY', 'XAF or EUR'],
  },
  amount_currency_unrelated: {
    row: { ...WALLET_ROW, destinationAmount: '', amount: '1000', currency: 'GBP' },
    column: 'currency',
    says: ['GBP', 'pays CNY', 'takes XAF, EUR'],
  },
  amount_not_a_number: {
    row: { ...WALLET_ROW, destinationAmount: 'thousand' },
    column: 'destinationAmount',
    says: ['"thousand"', 'Write digits, for example 1500.50'],
  },
  amount_not_positive: {
    row: { ...WALLET_ROW, destinationAmount: '-5' },
    column: 'destinationAmount',
    says: ['"-5"', 'above zero'],
  },
  amount_too_many_decimals: {
    row: { ...WALLET_ROW, destinationAmount: '1000.505' },
    column: 'destinationAmount',
    says: ['CNY', 'at most 2 decimals', '1000.505', 'write the exact amount'],
  },
  amount_outside_bounds: {
    row: { ...WALLET_ROW, destinationAmount: '50000.01' },
    column: 'destinationAmount',
    says: ['50,000.01 CNY', 'from 10.00 CNY to 50,000.00 CNY', 'split'],
  },
  amount_currency_contradicts: {
    row: { ...WALLET_ROW, destinationAmount: '1000 EUR' },
    column: 'destinationAmount',
    says: ['"1000 EUR"', 'in CNY', 'Correct one'],
  },
  purpose_missing: {
    row: { ...WALLET_ROW, purposeOfRemittance: '' },
    column: 'purposeOfRemittance',
    says: ['Goods, Services, Salary, Family, Education, Other.'],
  },
  purpose_malformed: {
    row: { ...WALLET_ROW, purposeOfRemittance: 'salaries of staff' },
    column: 'purposeOfRemittance',
    says: ['"salaries of staff"', 'SALARY_PAYMENT'],
  },
  sender_missing: {
    row: WALLET_ROW,
    given: { sender: { countryIsoCode: 'GAB' } },
    column: 'sender.registeredName',
    says: ['registeredName', '"sender" in the config'],
  },
  sender_outside_cemac: {
    row: WALLET_ROW,
    given: { sender: { ...SENDER, countryIsoCode: 'France' } },
    column: 'sender.countryIsoCode',
    says: ['FRA', 'CMR, GAB, TCD, COG, GNQ, CAF'],
  },
  receiver_field_missing: {
    row: { ...WALLET_ROW, 'receiver.lastName': '' },
    column: 'receiver.lastName',
    says: ['lastName', 'Fill it in'],
  },
  delivery_field_missing: {
    row: { ...BANK_ROW, 'delivery.bankAccountSwiftCode': '' },
    column: 'delivery.bankAccountSwiftCode',
    says: ['bankAccountSwiftCode', 'Fill it in'],
  },
  text_unprintable: {
    row: { ...WALLET_ROW, 'receiver.lastName': 'Li\u200b' },
    column: 'receiver.lastName',
    says: ['cannot be seen', 'Type it again'],
  },
  text_too_long: {
    row: { ...WALLET_ROW, 'receiver.lastName': 'L'.repeat(501) },
    column: 'receiver.lastName',
    says: ['501 characters', 'at most 500'],
  },
  number_destroyed: {
    row: { ...BANK_ROW, 'delivery.bankAccountNumber': '6.22202E+18' },
    column: 'delivery.bankAccountNumber',
    says: ['"6.22202E+18"', 'Format this column as text', 'again'],
  },
  number_not_text: {
    row: { ...BANK_ROW, 'delivery.bankAccountNumber': '62212300001' },
    given: { kinds: { 'delivery.bankAccountNumber': 'number' } },
    column: 'delivery.bankAccountNumber',
    says: ['"62212300001"', 'Format the column as text'],
  },
  telephone_malformed: {
    row: { ...WALLET_ROW, 'delivery.msisdn': 'invalid-phone' },
    column: 'delivery.msisdn',
    says: ['"invalid-phone"', 'country code'],
  },
  account_malformed: {
    row: { ...BANK_ROW, 'delivery.bankAccountNumber': 'idem' },
    column: 'delivery.bankAccountNumber',
    says: ['"idem"', 'Write the number alone'],
  },
  name_without_letters: {
    row: { ...BANK_ROW, 'receiver.registeredName': '204632' },
    column: 'receiver.registeredName',
    says: ['"204632"', 'no letters'],
  },
  attachment_missing: {
    row: { ...BANK_ROW, attachment: '' },
    column: 'attachment',
    says: ['invoice or contract', 'in the folder of the spreadsheet'],
  },
  attachment_path: {
    row: { ...BANK_ROW, attachment: '../invoice.pdf' },
    given: { document: { name: '../invoice.pdf', fault: 'path' } },
    column: 'attachment',
    says: [
      '"../invoice.pdf"',
      'to the folder of this file or below it',
      'write its name alone: "invoice.pdf"',
    ],
  },
  attachment_not_found: {
    row: { ...BANK_ROW, attachment: 'Invoice.PDF' },
    given: { document: { name: 'Invoice.PDF', fault: 'not_found' } },
    column: 'attachment',
    says: ['"Invoice.PDF"', 'not found', 'correct the name', 'case count'],
  },
  attachment_not_a_file: {
    row: BANK_ROW,
    given: { document: { name: 'invoice.pdf', fault: 'not_a_file' } },
    column: 'attachment',
    says: ['"invoice.pdf"', 'link or a folder', 'Put the document itself there'],
  },
  attachment_too_large: {
    row: BANK_ROW,
    given: { document: { name: 'invoice.pdf', fault: 'too_large' } },
    column: 'attachment',
    says: ['larger than 10 MB', 'smaller'],
  },
  attachment_kind: {
    row: BANK_ROW,
    given: { document: { name: 'invoice.pdf', fault: 'kind' } },
    column: 'attachment',
    says: ['not a PDF or an image', 'Save the document as PDF'],
  },
};

/** They start with a capital, with what the cell says, or with the name of a column. */
const FULL_SENTENCES = /^([A-Z"]|[a-z]+[A-Z]).*\S\.$/;

describe('a row is rejected with', () => {
  it.each([
    ['C:\\invoices\\a.pdf', 'a.pdf'],
    ['\\\\server\\share\\Facture mars.PDF', 'Facture mars.PDF'],
    ['/srv/paie/fiche.png', 'fiche.png'],
    ['C:scan.jpeg', 'scan.jpeg'],
    ['https://example.com/2026/a.jpg', 'a.jpg'],
    ['../reçu.pdf', 'reçu.pdf'],
  ])('attachment_path, and what to write instead of %j', (name, alone) => {
    const { words } = rejectionOf({ ...BANK_ROW, attachment: name }, { document: { name, fault: 'path' } });
    expect(words.en).toMatch(new RegExp(`write its name alone: "${RegExp.escape(alone)}"\\.$`));
    expect(words.fr).toContain(`son nom seul : « ${alone} »`);
  });

  it.each(['~root/.invoice.pdf', 'a/..', '%2e%2e%2finvoice.pdf', 'C:\\'])(
    'attachment_path, and an example where %j ends with no name of a document',
    (name) => {
      const { words } = rejectionOf({ ...BANK_ROW, attachment: name }, { document: { name, fault: 'path' } });
      expect(words.en).toContain('such as invoice.pdf.');
    },
  );

  it.each(Object.entries(EXAMPLES))('%s', (code, { row, given, column, says }) => {
    const rejection = rejectionOf(row, given);
    expect(rejection).toMatchObject({ code, column });
    for (const words of says) expect(rejection.words.en).toContain(words);
  });

  it.each(Object.entries(EXAMPLES))('%s, in full sentences', (_, { row, given }) => {
    expect(rejectionOf(row, given).words.en).toMatch(FULL_SENTENCES);
  });
});

describe('a line break', () => {
  const said = (column: string, text: string) =>
    validate({ ...WALLET_ROW, [column]: text }).rejections.map(({ code, words }) => [code, words.en]);

  it.each(['Li\nWei', 'Li\r\nWei', 'Li\rWei'])('in a name (%j) is called so, with what to do', (text) => {
    const words = 'The text holds a line break. Write it in one line.';
    expect(said('receiver.lastName', text)).toEqual([['text_unprintable', words]]);
  });

  it('hides no character that cannot be seen', () => {
    for (const column of ['receiver.lastName', 'receiver.address'])
      expect(said(column, 'Li\nWei\u200b')).toEqual([
        ['text_unprintable', expect.stringContaining('cannot be seen')],
      ]);
  });

  it('is no fault in an address', () => {
    expect(said('receiver.address', '12 Jihua West Road,\nChancheng')).toEqual([]);
  });
});

describe('a cell of a workbook that is kept as a number', () => {
  const codes = (column: string, text: string, kind: CellKind = 'number') =>
    validate({ ...BANK_ROW, [column]: text }, { kinds: { [column]: kind } }).rejections.map(
      ({ code }) => code,
    );

  it.each([
    ['delivery.bankAccountNumber', '123456', 'number'],
    ['delivery.bankAccountNumber', '2026-03-04', 'date'],
    ['delivery.walletId', '123456', 'number'],
    ['receiver.msisdn', '8613800138000', 'number'],
    ['receiver.mobileNumber', '8613800138000', 'number'],
    ['reference', '123456789012345', 'number'],
    ['reference', '6.2E+18', 'number'],
  ] as const)('is rejected: %s %s (%s)', (column, text, kind) => {
    expect(codes(column, text, kind)).toEqual(['number_not_text']);
  });

  it.each([
    ['delivery.bankAccountNumber', '62212300000000000001', 'text'],
    ['reference', '12345678901234', 'number'],
    ['reference', '123456789012345678', 'text'],
    ['destinationAmount', '1000.5', 'number'],
    ['receiver.registrationNumber', '12345', 'number'],
  ] as const)('is taken: %s %s (%s)', (column, text, kind) => {
    expect(codes(column, text, kind)).toEqual([]);
  });
});

describe('a telephone number', () => {
  const codes = (text: string) => codesOf({ ...WALLET_ROW, 'delivery.msisdn': text });

  it.each([
    ...['+8613800138000', '008613800138000', '86 138 0013 8000', '+86 138-0013-8000'],
    ...['+237 6 50 12 34 56', '＋8613800138000'],
  ])('is taken: %s', (text) => {
    expect(codes(text)).toEqual([]);
  });

  it.each(['138 0013 8000', '(0)6 50-12-34-56', '650123456', '112.233.445'])(
    'without a country code is one of the receiver, and no wallet: %s',
    (text) => {
      expect(codesOf({ ...WALLET_ROW, 'receiver.msisdn': text })).toEqual([]);
      expect(codes(text)).toEqual(['telephone_malformed']);
    },
  );

  it.each([
    ...['invalid-phone', '12345', '0x71C7656EC7ab88b0', 'none', '+86 138, 139'],
    ...['8614289754301.0', '+86 (0) 14289754301', '13800138000 / 13900139000'],
  ])('is rejected: %s', (text) => {
    expect(codes(text)).toEqual(['telephone_malformed']);
  });
});

describe('what names the payee', () => {
  const codes = (more: Cells) => codesOf({ ...WALLET_ROW, ...more });

  it.each(['ZoÃ© Ã‘uÃ±ez', 'BikoÃ¯'])('puts the whole file in doubt where it was read twice: %s', (name) =>
    expect(() => codes({ 'receiver.lastName': name })).toThrow(
      'The other names of the file may be damaged too',
    ),
  );
  it.each(['³Â ÎÄ½Ü', 'Ng“ Zo‚', 'Ng? Zo?'])('is a row to fix where its letters are damaged: %s', (name) =>
    expect(codes({ 'receiver.lastName': name })).toEqual(['text_unprintable']),
  );
  it.each(['Ñuñez', 'N’Guessan', 'Ngô Bikoï', '陈', "O'Brien", 'Müller (“Junior”)'])('may be %s', (name) =>
    expect(codes({ 'receiver.lastName': name })).toEqual([]),
  );
  it.each(['n/a', 'wenjie@qq', 'wenjie@qq.com; a@b.cn'])('is no address of e-mail as %s', (email) =>
    expect(codes({ 'delivery.msisdn': '', 'delivery.email': email })).toEqual(['account_malformed']),
  );
  it('is an address of e-mail', () =>
    expect(codes({ 'delivery.msisdn': '', 'delivery.email': 'li.wei@qq.com' })).toEqual([]));
  it.each([
    ['620000******9359', ['account_malformed']],
    ['voir RIB', ['account_malformed']],
    ['6200 0096 5565 5089 359', []],
  ])('a card is %s: %j', (cardNumber, expected) =>
    expect(codes({ 'delivery.cardNumber': cardNumber })).toEqual(expected),
  );
  it.each(['Congo', 'Gabonais'])('lives in no country called %s', (country) =>
    expect(codes({ 'receiver.countryIsoCode': country })).toEqual(['value_not_listed']),
  );
});

describe('a letter that was lost on the way (U+FFFD)', () => {
  it.each(['reference', 'receiver.lastName', 'receiver.city', 'documentReferenceNumber'])(
    'in %s is a fault of the row',
    (column) => {
      expect(codesOf({ ...WALLET_ROW, [column]: 'Yaound\ufffd' })).toEqual(['text_unprintable']);
    },
  );
});

it('a column of telephones that another corridor does not use says nothing of its rows', () => {
  expect(codesOf({ ...BANK_ROW, 'delivery.msisdn': '6222021234567890123' })).toEqual([]);
});

describe('the bank of an account', () => {
  const SAME = {
    ...BANK_ROW,
    payoutCorridorId: '',
    destinationCountryIsoCode: 'CHN',
    deliveryMethod: 'bankTransfer',
  };
  const found = (bankName: string, corridors: readonly PayoutCorridor[]) =>
    codesOf({ ...SAME, bankName }, { corridors });

  it('chooses among corridors that have banks, and is for information where none has', () => {
    expect(found('ICBC', [{ ...BANK, bankName: null }])).toEqual([]);
    expect(found('ICBC', [BANK])).toEqual(['corridor_none']);
    expect(found('Bank of China', [BANK])).toEqual([]);
  });

  it('never hides a corridor that takes any bank, chosen already or not', () => {
    const any = { ...BANK, id: 'any-bank', bankName: null };
    expect(found('ICBC', [BANK, any])).toEqual([]);
    const open = { ...SAME, bankName: 'ICBC', transactionMode: '' };
    const persons = { ...any, id: 'any-bank-persons', transactionMode: 'B2C' } as const;
    const told = validate(open, { corridors: [BANK, any, persons] }).rejections;
    expect(told.map(({ code }) => code)).not.toContain('corridor_none');
    expect(told[0]?.words.en).toContain('Employee (B2C)');
  });

  it('that no corridor names decides neither who is paid nor how: the row is asked, or told which banks there are', () => {
    const suppliers = { ...BANK, id: 'suppliers', bankName: null };
    const employees = { ...BANK, id: 'employees', transactionMode: 'B2C' } as const;
    const wallets = { ...BANK, id: 'wallets', deliveryMethod: 'wechat' } as const;
    const told = (cells: object, corridors: readonly PayoutCorridor[]) =>
      validate({ ...SAME, bankName: 'ICBC', ...cells }, { corridors }).rejections.map(({ code, words }) => [
        code,
        words.en,
      ]);
    for (const other of [employees, wallets])
      expect(told({ transactionMode: '', deliveryMethod: '' }, [suppliers, other])).toEqual([
        ['corridor_ambiguous', expect.stringContaining('that leaves 2 ways to pay')],
      ]);
    expect(told({ transactionMode: 'B2C' }, [suppliers, employees])).toEqual([
      ['corridor_none', expect.stringMatching(/there is only .*Bank of China/)],
    ]);
    expect(told({ transactionMode: 'B2B' }, [suppliers, employees])).toEqual([]);
  });
});

describe('an amount with three digits behind its mark', () => {
  const codes = (destinationAmount: string) => codesOf({ ...WALLET_ROW, destinationAmount });

  it.each(['12.500', '250.000', '1.234', 'CNY 12.500'])(
    '%s may be thousands: the row is to be fixed',
    (cell) => {
      expect(codes(cell)).toEqual(['amount_too_many_decimals']);
    },
  );

  it.each(['12.50', '12.5000', '1000.500', '1,250.000', '12500'])('%s can mean one number only', (cell) => {
    expect(codes(cell)).toEqual([]);
  });
});

describe('what stands in a column of accounts', () => {
  const codes = (account: string, swift = 'ICBKCNBJ') =>
    validate({
      ...BANK_ROW,
      ...{ 'delivery.bankAccountNumber': account, 'delivery.bankAccountSwiftCode': swift },
    }).rejections.map(({ code }) => code);

  it.each(['idem', 'n/c', '0', '****4873', "'1208020109200614873", '1208020109200614873.0'])(
    '%s is no account',
    (account) => expect(codes(account)).toEqual(['account_malformed']),
  );
  it.each([
    ...['1208020109200614873 ICBC Yiwu', 'IBAN: TR730001100000000000000001', '６２２２０２123456'],
    ...['1208020109200614873 / 6222020109200614873', 'ICBC 1208020109200614873', '-1208020109200614873'],
  ])('%s is no account either', (account) => expect(codes(account)).toEqual(['account_malformed']));
  it.each([
    '6222 0212 3456 7890 123',
    '10002-00030-02779763150-09',
    '19-2000145399/0800',
    'CM21 10002 00030',
  ])('%s may be one', (account) => expect(codes(account)).toEqual([]));
  it.each(['XXXX', 'ICBK', 'n/a'])('%s is no SWIFT code', (swift) => {
    expect(codes('6222021234567890123', swift)).toEqual(['account_malformed']);
  });
  it.each(['#N/A', '#REF!', '#VALEUR!', '#¡VALOR!', '#NOM?'])('%s is an error of a workbook', (cell) => {
    expect(codes(cell)).toContain('number_destroyed');
    const named = validate({ ...WALLET_ROW, 'receiver.lastName': cell });
    expect(named.rejections.map(({ code }) => code)).toContain('number_destroyed');
  });
  it('#Bonus! December is a text, and no error of a workbook', () => {
    const { rejections } = validate({ ...WALLET_ROW, documentReferenceNumber: '#Bonus! December' });
    expect(rejections).toEqual([]);
  });
  it('may be of another country than the row', () => {
    expect(codes('GB29 NWBK 6016 1331 9268 19')).toEqual(['country_contradicts']);
  });
});

describe('an account that is meant as an IBAN', () => {
  const codes = (text: string, header: string) =>
    validate(
      { ...BANK_ROW, 'delivery.bankAccountNumber': text },
      { headers: { 'delivery.bankAccountNumber': header } },
    )
      // The corridor leads to China.
      .rejections.flatMap(({ code }) => (code === 'country_contradicts' ? [] : [code]));

  it.each([
    ['GB29 NWBK 6016 1331 9268 19', 'IBAN', []],
    ['GB29 NWBK 6016 1331 9268 18', 'IBAN', ['iban_wrong']],
    ['gb29nwbk60161331926818', 'RIB/IBAN', ['iban_wrong']],
    ['6222021234567890123', 'IBAN or account number', []],
    // The form and the length of its country, below any header.
    ['GB29 NWBK 6016 1331 9268 18', 'Account number', ['iban_wrong']],
    ['GB29 NWBK 6016 1331 9268 19', 'Account number', []],
    ['GB29NWBK60161331926', 'Account number', []],
    ['CM2110002000300277976315009', 'Account number', []],
  ])('%s below «%s»: %j', (text, header, expected) => {
    expect(codes(text, header)).toEqual(expected);
  });
});

describe('rejections', () => {
  it('all faults of a row are told at once, each at its column', () => {
    const row = {
      ...BANK_ROW,
      destinationAmount: 'abc',
      purposeOfRemittance: '',
      attachment: '',
      'receiver.registeredName': '',
      'delivery.bankAccountNumber': '',
      'delivery.bankAccountSwiftCode': '',
    };
    const { payout, rejections } = validate(row, { sender: {} });
    expect(payout).toBeNull();
    expect(rejections.map(({ code, column }) => `${code} ${column}`)).toEqual([
      'purpose_missing purposeOfRemittance',
      'amount_not_a_number destinationAmount',
      'sender_outside_cemac sender.countryIsoCode',
      'sender_missing sender.registeredName',
      'receiver_field_missing receiver.registeredName',
      'delivery_field_missing delivery.bankAccountNumber',
      'delivery_field_missing delivery.bankAccountSwiftCode',
      'attachment_missing attachment',
    ]);
  });

  it('a line where an account belongs is no account', () => {
    const { column } = rejectionOf({ ...BANK_ROW, 'delivery.bankAccountNumber': ' — ' });
    expect(column).toBe('delivery.bankAccountNumber');
  });

  it.each([
    ['mille', 'amount_not_a_number'],
    ['-5', 'amount_not_positive'],
    ['', 'amount_missing'],
  ])('an amount of %j is told also where the corridor is not known yet', (destinationAmount, code) => {
    const { rejections, payout } = validate({ ...CHOSEN, destinationAmount });
    expect([rejections.map((each) => each.code), payout]).toEqual([['corridor_missing', code], null]);
  });

  it('the column at fault is named by the header that the person wrote', () => {
    const row = { ...WALLET_ROW, destinationAmount: 'mille' };
    const headers = { destinationAmount: ' Montant reçu ' };
    expect(rejectionOf(row, { headers }).column).toBe('Montant reçu');
  });

  it('a corridor that pays in another currency than the row says is told where the two differ', () => {
    const rejection = rejectionOf({ ...WALLET_ROW, targetCurrency: 'JPY' });
    expect(rejection.column).toBe('targetCurrency');
    for (const words of ['"CNY"', '"JPY"', 'Correct one of the two'])
      expect(rejection.words.en).toContain(words);
  });

  it('an amount in another currency than the balance that the row pays from is told as just that', () => {
    const row = {
      ...WALLET_ROW,
      destinationAmount: '',
      amount: '500',
      currency: 'EUR',
      sourceCurrency: 'XAF',
    };
    const { en: message } = rejectionOf(row).words;
    for (const words of ['EUR', 'XAF']) expect(message).toContain(words);
    // The corridor takes EUR: it is the row that says two things.
    expect(message).not.toContain('EUR is not a currency of the corridor');
  });
});

describe('a cell of a million characters', () => {
  it.each(Object.keys(CHOSEN))('in %s is not repeated whole in what is said of it', (column) => {
    const { rejections } = validate({ ...CHOSEN, [column]: '9é'.repeat(500_000) });
    expect(rejections.length).toBeGreaterThan(0);
    for (const { words } of rejections) expect(words.fr.length).toBeLessThan(2_000);
  });
});
