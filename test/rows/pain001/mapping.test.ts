// What the elements of a payment become, rule by rule.
import { describe, expect, it } from 'vitest';

import { USUAL_MESSAGE } from '../../../src/rows/format.ts';
import { fileOf, readFileAt } from '../read-table.ts';
import { COMPANY, message, ownMessage, payment, type Ordered, type Paid } from './messages.ts';

type Cells = Readonly<Record<string, string>>;

async function rowsOf(
  content: string,
  rules = USUAL_MESSAGE,
): Promise<readonly { cells: Cells; place: string; faults: readonly string[] }[]> {
  const { table, read } = await readFileAt(fileOf(content, '.xml'), { isAnyDebtor: true, message: rules });
  return read.map(({ cells, place, faults = [] }) => ({
    place,
    faults: faults.map(({ code, column }) => `${code} ${column}`),
    cells: Object.fromEntries(
      table.columns
        .map(({ header, index }) => [header, cells[index] ?? ''])
        .filter(([, text]) => text !== ''),
    ) as Cells,
  }));
}

async function mapped(paid: Paid, ordered: Ordered = {}, rules = USUAL_MESSAGE) {
  const [row] = await rowsOf(message([payment(paid)], ordered), rules);
  if (row === undefined) throw new Error('There is a row.');
  return row;
}

const bank = (iban: string) => `<Id><IBAN>${iban}</IBAN></Id>`;
const agent = (inside: string) => `<CdtrAgt><FinInstnId>${inside}</FinInstnId></CdtrAgt>`;
const IBAN = 'FR7630006000011234567890189';

describe('a message of the same payments', () => {
  it('is the same table in each version', async () => {
    const [third, ninth, twelfth] = await Promise.all(
      ['03', '09', '12'].map(async (version) => rowsOf(ownMessage(version))),
    );
    expect(third).toHaveLength(7);
    expect(ninth).toEqual(third);
    expect(twelfth).toEqual(third);
  });

  it('gives its rows their numbers in the message, also over several blocks', async () => {
    const rows = await rowsOf(ownMessage('09'));
    expect(rows.map(({ place, cells }) => [place, cells['iso.pmtInfId'], cells['reference']])).toEqual([
      ['1', 'PAY/2026/11/0007-SUPP', 'FRN-26-0001'],
      ['2', 'PAY/2026/11/0007-SUPP', 'FRN-26-0002'],
      ['3', 'PAY/2026/11/0007-SUPP', 'FRN-26-0003'],
      ['4', 'PAY/2026/11/0007-SALA', 'SAL-2026-11-001'],
      ['5', 'PAY/2026/11/0007-SALA', 'SAL-2026-11-002'],
      ['6', 'PAY/2026/11/0007-SALA', 'SAL-2026-11-003'],
      ['7', 'PAY/2026/11/0007-SALA', 'SAL-2026-11-004'],
    ]);
  });

  it('is read whole into the columns of a spreadsheet', async () => {
    const rows = await rowsOf(ownMessage('09'));
    expect(rows[0]).toEqual({
      place: '1',
      faults: [],
      cells: {
        reference: 'FRN-26-0001',
        destinationCountryIsoCode: 'CN',
        transactionMode: 'B2B',
        deliveryMethod: 'bankTransfer',
        sourceCurrency: 'XAF',
        amount: '86400.00',
        currency: 'CNY',
        purposeOfRemittance: 'EXPORTED_GOODS',
        documentReferenceNumber: 'YHD-260914',
        attachment: 'YHD-260914.pdf',
        executionDate: '2026-11-28',
        'receiver.registeredName': 'Yiwu Hengda Houseware Co., Ltd',
        'receiver.registrationNumber': '91330782MA2',
        'receiver.address': 'Chouzhou North Road 388, 322000',
        'receiver.city': 'Yiwu',
        'receiver.countryIsoCode': 'CN',
        'delivery.bankAccountHolderFullName': 'Yiwu Hengda Houseware Co., Ltd',
        'delivery.bankAccountNumber': '1208020109200614873',
        'delivery.bankAccountSwiftCode': 'ICBKCNBJZJP',
        'iso.msgId': 'PAY/2026/11/0007',
        'iso.pmtInfId': 'PAY/2026/11/0007-SUPP',
        'iso.endToEndId': 'FRN-26-0001',
        'iso.instrId': 'I-FRN-26-0001',
      },
    });
    expect(rows[1]?.cells).toMatchObject({
      sourceAmount: '2500000.00',
      sourceCurrency: 'XAF',
      targetCurrency: 'CNY',
    });
    expect(rows[4]?.cells).toMatchObject({ deliveryMethod: 'wechat', 'delivery.msisdn': '+8614273354866' });
    expect(rows[5]?.cells).toMatchObject({
      deliveryMethod: 'alipay',
      'delivery.email': 'clarisse.ngo@example.com',
      'receiver.countryIsoCode': 'CM',
      destinationCountryIsoCode: 'CN',
    });
    expect(rows[6]?.cells).toMatchObject({
      deliveryMethod: 'unionpayCard',
      'delivery.cardNumber': '6200009655655089359',
    });
  });
});

describe('the reference', () => {
  it.each(['NOTPROVIDED', 'NOT PROVIDED', 'notprovided', 'NONREF'])(
    'is none where the message says %s',
    async (reference) => {
      const { cells } = await mapped({ reference });
      expect(cells['reference']).toBeUndefined();
      expect(cells['iso.endToEndId']).toBe(reference);
    },
  );

  it('is bare, and its echo is to the letter', async () => {
    const { cells } = await mapped({ reference: ' =A&amp;B ' });
    expect([cells['reference'], cells['iso.endToEndId']]).toEqual(['=A&B', ' =A&B ']);
  });

  it.each([
    ['in the form of Unicode', 'caf\u00e9', 'cafe\u0301'],
    ['in the blanks around it', 'A-1', ' A-1 '],
  ])('is one id for two that differ %s', async (_what, one, other) => {
    const rows = await rowsOf(message([one, other].map((reference) => payment({ reference }))));
    expect(rows.map(({ faults }) => faults)).toEqual([
      ['reference_repeated reference'],
      ['reference_repeated reference'],
    ]);
    expect(rows.map(({ cells }) => cells['iso.endToEndId'])).toEqual([one, other]);
  });

  it('that several payments carry is wrong in each of them', async () => {
    const rows = await rowsOf(message(['A-1', 'A-2', 'A-1'].map((reference) => payment({ reference }))));
    expect(rows.map(({ faults }) => faults)).toEqual([
      ['reference_repeated reference'],
      [],
      ['reference_repeated reference'],
    ]);
  });
});

describe('the amount', () => {
  it.each([
    ['+5', '5'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['0012.50', '0012.50'],
  ])('%s is %s', async (written, read) => {
    expect((await mapped({ amount: `<InstdAmt Ccy="CNY">${written}</InstdAmt>` })).cells['amount']).toBe(
      read,
    );
  });

  it('to debit has to be in the currency of the account', async () => {
    const amount = '<EqvtAmt><Amt Ccy="EUR">100</Amt><CcyOfTrf>CNY</CcyOfTrf></EqvtAmt>';
    expect((await mapped({ amount })).faults).toEqual(['amount_currency_contradicts sourceAmount']);
  });
});

describe('the way of the money', () => {
  const other = (id: string, scheme = '') =>
    `<Id><Othr><Id>${id}</Id>${scheme === '' ? '' : `<SchmeNm><Prtry>${scheme}</Prtry></SchmeNm>`}</Othr></Id>`;
  const instrument = (name: string) => `<PmtTpInf><LclInstrm><Prtry>${name}</Prtry></LclInstrm></PmtTpInf>`;

  it('is a wallet by the scheme of the account or by the instrument, else a bank', async () => {
    expect((await mapped({ account: other('+86-139 1234', 'WEIXIN') })).cells).toMatchObject({
      deliveryMethod: 'wechat',
      'delivery.msisdn': '+861391234',
    });
    expect((await mapped({ account: other('6200'), type: instrument('cup') })).cells).toMatchObject({
      deliveryMethod: 'unionpayCard',
      'delivery.cardNumber': '6200',
    });
    expect((await mapped({ account: other('123') })).cells).toMatchObject({
      deliveryMethod: 'bankTransfer',
      'delivery.bankAccountNumber': '123',
    });
  });

  it.each(['IBAN', 'BBAN', 'RIB', 'rib'])('is a bank for an account that is called %s', async (scheme) => {
    const coded = '<Id><Othr><Id>123</Id><SchmeNm><Cd>BBAN</Cd></SchmeNm></Othr></Id>';
    for (const account of [other('123', scheme), coded]) {
      const { cells, faults } = await mapped({ account });
      expect(faults).toEqual([]);
      expect(cells).toMatchObject({ deliveryMethod: 'bankTransfer', 'delivery.bankAccountNumber': '123' });
    }
    expect((await mapped({ account: other('1', scheme), type: instrument('WECHAT') })).faults).toEqual([
      'element_unsupported LclInstrm',
    ]);
  });

  it.each(['MSISDN', 'CARD', 'WeChat Pay', 'CUID', 'UPIC', 'constructor'])(
    'is not guessed for an account that is called %s, in either element',
    async (scheme) => {
      const coded = `<Id><Othr><Id>221770000042</Id><SchmeNm><Cd>${scheme.slice(0, 4)}</Cd></SchmeNm></Othr></Id>`;
      for (const account of [other('221770000042', scheme), coded]) {
        const { cells, faults } = await mapped({ account });
        expect(faults).toEqual(['element_unsupported SchmeNm']);
        expect(Object.values(cells)).not.toContain('221770000042');
      }
    },
  );

  it('is what a profile says of a scheme', async () => {
    const rules = { ...USUAL_MESSAGE, accountSchemes: new Map([['WECHAT PAY', 'wechat']]) };
    const { cells, faults } = await mapped({ account: other('+86-139 1234', 'WeChat Pay') }, {}, rules);
    expect(faults).toEqual([]);
    expect(cells).toMatchObject({ deliveryMethod: 'wechat', 'delivery.msisdn': '+861391234' });
  });

  it('is refused where scheme and instrument differ, or the instrument is unknown', async () => {
    expect((await mapped({ account: other('1', 'ALIPAY'), type: instrument('WECHAT') })).faults).toContain(
      'element_unsupported LclInstrm',
    );
    expect((await mapped({ type: instrument('SCT') })).faults).toEqual(['element_unsupported LclInstrm']);
    const toIban = { account: bank(IBAN), type: instrument('ALIPAY') };
    expect((await mapped(toIban)).faults).toEqual(['element_unsupported LclInstrm']);
  });

  it('is named by the block where the payment does not name it', async () => {
    const block = instrument('UNIONPAY');
    const service = '<PmtTpInf><SvcLvl><Cd>NURG</Cd></SvcLvl></PmtTpInf>';
    for (const type of ['', service])
      expect((await mapped({ account: other('6200'), type }, { block })).cells).toMatchObject({
        deliveryMethod: 'unionpayCard',
        'delivery.cardNumber': '6200',
      });
  });

  it('takes no IBAN whose check digits do not fit', async () => {
    expect((await mapped({ account: bank(IBAN) })).faults).toEqual([]);
    expect((await mapped({ account: bank(IBAN.replace(/9$/, '8')) })).faults).toEqual([
      'iban_wrong delivery.bankAccountNumber',
    ]);
  });

  it('leads into one country: account, bank, its address and its clearing system agree', async () => {
    const china = '<BICFI>ICBKCNBJZJP</BICFI>';
    expect((await mapped({ account: bank(IBAN), agent: agent(china) })).faults).toEqual([
      'country_contradicts destinationCountryIsoCode',
    ]);
    const american = '<ClrSysMmbId><ClrSysId><Cd>USABA</Cd></ClrSysId><MmbId>1</MmbId></ClrSysMmbId>';
    expect((await mapped({ account: other('1'), agent: agent(china + american) })).faults).toEqual([
      'country_contradicts destinationCountryIsoCode',
    ]);
    expect((await mapped({ account: other(IBAN), agent: agent(china) })).faults).toEqual([
      'country_contradicts destinationCountryIsoCode',
    ]);
    const french = agent('<BICFI>BREDGPGX</BICFI>');
    expect((await mapped({ account: bank(IBAN), agent: french })).faults).toEqual([]);
  });

  it('is that of the account, wherever the payee lives', async () => {
    const { cells, faults } = await mapped({
      account: bank(IBAN),
      address: '<PstlAdr><Ctry>CM</Ctry></PstlAdr>',
    });
    expect([cells['destinationCountryIsoCode'], cells['receiver.countryIsoCode'], faults]).toEqual([
      'FR',
      'CM',
      [],
    ]);
  });
});

describe('the payee', () => {
  it('is a person by its id or by a salary, a business by its id, and otherwise left open', async () => {
    expect((await mapped({})).cells['transactionMode']).toBe('B2C');
    expect((await mapped({ party: '' })).cells['transactionMode']).toBe('B2C');
    expect((await mapped({ party: COMPANY })).cells['transactionMode']).toBe('B2B');
    const open = await mapped({ party: '', name: 'Chen Wenjie', purpose: '<Purp><Cd>GDDS</Cd></Purp>' });
    expect([open.cells['transactionMode'], open.cells['receiver.name'], open.faults]).toEqual([
      undefined,
      'Chen Wenjie',
      [],
    ]);
  });

  it('has a town in its own element alone', async () => {
    const lines =
      '<PstlAdr><Ctry>CN</Ctry><AdrLine>Zhanxi Road 21</AdrLine><AdrLine>510000 Guangzhou</AdrLine></PstlAdr>';
    const { cells } = await mapped({ address: lines, party: COMPANY });
    expect([cells['receiver.city'], cells['receiver.address']]).toEqual([
      undefined,
      'Zhanxi Road 21, 510000 Guangzhou',
    ]);
  });
});

describe('the address of the payee', () => {
  const PARTS = ['CareOf', 'Dept', 'SubDept', 'StrtNm', 'BldgNb', 'BldgNm', 'Flr', 'UnitNb', 'PstBx', 'Room'];
  const PLACES = ['PstCd', 'TwnNm', 'TwnLctnNm', 'DstrctNm', 'CtrySubDvsn'];

  it('keeps every element: the town and the country by themselves, the others in one line', async () => {
    const elements = [...PARTS, ...PLACES].map((name) => `<${name}>the ${name}</${name}>`).join('');
    const address = `<PstlAdr>${elements}<Ctry>CN</Ctry><AdrLine>a line</AdrLine></PstlAdr>`;
    const { cells } = await mapped({ address }, { version: '12' });
    const line = cells['receiver.address'] ?? '';
    for (const name of [...PARTS, ...PLACES]) expect(line.includes(`the ${name}`)).toBe(name !== 'TwnNm');
    expect(line).toContain('a line');
    expect(cells['receiver.city']).toBe('the TwnNm');
  });

  it('says district and province of a Chinese one', async () => {
    const address =
      '<PstlAdr><StrtNm>\u79d1\u6280\u4e2d\u4e00\u8def</StrtNm><BldgNb>9</BldgNb><PstCd>518057</PstCd><TwnNm>Shenzhen</TwnNm><DstrctNm>Nanshan</DstrctNm><CtrySubDvsn>Guangdong</CtrySubDvsn><Ctry>CN</Ctry></PstlAdr>';
    expect((await mapped({ address })).cells['receiver.address']).toBe(
      '\u79d1\u6280\u4e2d\u4e00\u8def 9, Nanshan, 518057, Guangdong',
    );
  });
});

describe('the purpose', () => {
  const type = (code: string) => `<PmtTpInf><CtgyPurp><Cd>${code}</Cd></CtgyPurp></PmtTpInf>`;
  it.each([
    ['SALA', 'SALARY_PAYMENT'],
    ['GDDS', 'EXPORTED_GOODS'],
    ['SUPP', 'Supplier'],
    ['NOWS', 'SERVICE_CHARGES'],
    ['STDY', 'EDUCATION'],
    ['ALMY', 'FAMILY_SUPPORT'],
    ['OTHR', 'OTHER'],
  ])('%s is %s', async (code, purpose) => {
    expect((await mapped({ purpose: `<Purp><Cd>${code}</Cd></Purp>` })).cells['purposeOfRemittance']).toBe(
      purpose,
    );
  });

  it('that the table does not have is no value of the service', async () => {
    expect((await mapped({ purpose: '<Purp><Cd>INTC</Cd></Purp>' })).cells['purposeOfRemittance']).toBe(
      'intc',
    );
  });

  it('of the payment wins over its category, and that over the category of the block', async () => {
    const block = type('GDDS');
    expect(
      (await mapped({ purpose: '<Purp><Cd>SCVE</Cd></Purp>', type: type('SUPP') }, { block })).cells[
        'purposeOfRemittance'
      ],
    ).toBe('SERVICE_CHARGES');
    expect((await mapped({ purpose: '', type: type('SALA') }, { block })).cells['purposeOfRemittance']).toBe(
      'SALARY_PAYMENT',
    );
    expect((await mapped({ purpose: '' }, { block })).cells['purposeOfRemittance']).toBe('EXPORTED_GOODS');
  });

  it('may be written in words', async () => {
    expect(
      (await mapped({ purpose: '<Purp><Prtry>EXPORTED_GOODS</Prtry></Purp>' })).cells['purposeOfRemittance'],
    ).toBe('EXPORTED_GOODS');
  });

  it('that only its sender knows is no purpose of the service', async () => {
    const { cells } = await mapped({ purpose: '<Purp><Prtry>RENT</Prtry></Purp>' });
    expect(cells['purposeOfRemittance']).toBe('rent');
  });
});

describe('what the service cannot do', () => {
  const CASES: readonly (readonly [string, Paid, Ordered])[] = [
    [
      'IntrmyAgt1',
      { before: '<IntrmyAgt1><FinInstnId><BICFI>DEUTDEFF</BICFI></FinInstnId></IntrmyAgt1>' },
      {},
    ],
    ['ChrgBr', { before: '<ChrgBr>CRED</ChrgBr>' }, {}],
    ['ChqInstr', { before: '<ChqInstr><ChqNb>1</ChqNb></ChqInstr>' }, {}],
    ['XchgRateInf', { before: '<XchgRateInf><RateTp>AGRD</RateTp></XchgRateInf>' }, {}],
    ['XchgRateInf', { before: '<XchgRateInf><XchgRate>0.5</XchgRate></XchgRateInf>' }, {}],
    ['UltmtCdtr', { after: '<UltmtCdtr><Nm>Somebody else</Nm></UltmtCdtr>' }, {}],
    ['UltmtDbtr', { before: '<UltmtDbtr><Nm>Somebody else</Nm></UltmtDbtr>' }, {}],
    ['InstrForCdtrAgt', { after: '<InstrForCdtrAgt><Cd>HOLD</Cd></InstrForCdtrAgt>' }, {}],
    ['InstrForDbtrAgt', { after: '<InstrForDbtrAgt>by hand</InstrForDbtrAgt>' }, {}],
    ['InstrForDbtrAgt', {}, { toBank: '<InstrForDbtrAgt>hold until Monday</InstrForDbtrAgt>' }],
  ];
  it.each(CASES)('%s rejects the row', async (name, paid, ordered) => {
    expect((await mapped(paid, ordered)).faults).toEqual([`element_unsupported ${name}`]);
  });

  it('a cheque rejects each row of its block', async () => {
    const [row] = await rowsOf(message([payment()]).replace('<PmtMtd>TRF', '<PmtMtd>CHK'));
    expect(row?.faults).toEqual(['element_unsupported PmtMtd']);
  });

  it('nothing of it where the elements say what is done anyway', async () => {
    const { faults } = await mapped({
      before:
        '<XchgRateInf><RateTp>SPOT</RateTp></XchgRateInf><ChrgBr>SHAR</ChrgBr><UltmtDbtr><Nm>Wouri SARL</Nm></UltmtDbtr>',
      after: '<UltmtCdtr><Nm>Li, Wei</Nm></UltmtCdtr>',
    });
    expect(faults).toEqual([]);
  });
});
