// Interface: POST /transfers, GET /transfers/{id}, GET /transfers/ext-{externalId}.
import { describe, expect, it } from 'vitest';

import {
  ACCOUNT,
  BANK_QUOTATION,
  BANK_TRANSFER,
  BUSINESS,
  INDIVIDUAL,
  RECEIVER,
  SUPPLIER,
  created,
  freshReference,
  quoted,
  refusalOf,
  transferRequest,
  type Json,
} from './sandbox-client.ts';
import { withSandbox, type TestSandbox } from './with-sandbox.ts';

const FIELDS = [
  'id',
  'externalId',
  'quotationId',
  'callbackUrl',
  'status',
  'statusCode',
  'createdAt',
  'expiredAt',
  'sendAmount',
  'sourceCurrency',
  'receiveAmount',
  'destinationCurrency',
  'feeCurrency',
  'feeAmount',
  'variableFeeAmount',
  'fixedFeeAmount',
  'purposeOfRemittance',
  'documentReferenceNumber',
  'sender',
  'sendingBusiness',
  'receiver',
  'receivingBusiness',
  'deliveryMethodInfo',
];

/** The answer to a create whose request differs from a right one by these changes. */
async function attempt({ client }: TestSandbox, changes: Json, quotation: Json = {}) {
  const { id } = await quoted(client, quotation);
  return client.post('/transfers', transferRequest(id, changes));
}

describe('POST /transfers', () => {
  it('answers the full transfer, status created and statusCode "10000"', async () => {
    const { client } = await withSandbox();
    const transfer = await created(client);
    expect(Object.keys(transfer)).toEqual(FIELDS);
    expect(transfer).toMatchObject({ status: 'created', statusCode: '10000' });
  });

  it('takes amounts and expiry from the quotation', async () => {
    const { client } = await withSandbox();
    const quotation = await quoted(client, { destinationAmount: 1234.56 });
    const { json } = await client.post('/transfers', transferRequest(quotation['id']));
    expect(json).toMatchObject({
      quotationId: quotation['id'],
      expiredAt: quotation['expiredAt'],
      sendAmount: 104500,
      sourceCurrency: 'XAF',
      receiveAmount: 1234.56,
      destinationCurrency: 'CNY',
      feeCurrency: 'XAF',
      feeAmount: 1818,
      variableFeeAmount: 1568,
      fixedFeeAmount: 250,
    });
  });

  it('gives what does not apply as null', async () => {
    const { client } = await withSandbox();
    expect(await created(client)).toMatchObject({
      callbackUrl: null,
      documentReferenceNumber: null,
      sender: null,
      receivingBusiness: null,
    });
  });

  it('echoes the parties, and the delivery fields with those unset as null and those not listed kept', async () => {
    const { client } = await withSandbox();
    const transfer = await created(client, {
      deliveryMethodInfo: { email: 'li@example.cn', walletName: 'Li Wei' },
    });
    expect(transfer).toMatchObject({ sendingBusiness: BUSINESS, receiver: RECEIVER });
    expect(transfer['deliveryMethodInfo']).toEqual({
      bankAccountHolderFullName: null,
      bankAccountNumber: null,
      bankAccountSwiftCode: null,
      msisdn: null,
      email: 'li@example.cn',
      cardNumber: null,
      walletName: 'Li Wei',
    });
  });

  it('echoes callbackUrl, purpose and document number', async () => {
    const { client } = await withSandbox();
    const given = {
      callbackUrl: 'https://example.com/hooks/1?x=2',
      purposeOfRemittance: 'OFFICE_RENT',
      documentReferenceNumber: 'INV-7',
    };
    expect(await created(client, given)).toMatchObject(given);
  });

  it('stores the callback URL percent-encoded, without a slash that was not there', async () => {
    const { client } = await withSandbox();
    expect(await created(client, { callbackUrl: 'https://example.com/a b/é' })).toMatchObject({
      callbackUrl: 'https://example.com/a%20b/%C3%A9',
    });
    expect(await created(client, { callbackUrl: 'https://example.com' })).toMatchObject({
      callbackUrl: 'https://example.com',
    });
  });

  it.each([
    [
      'B2B',
      BANK_QUOTATION,
      { receiver: undefined, receivingBusiness: SUPPLIER, deliveryMethodInfo: ACCOUNT },
    ],
    ['B2C', {}, {}],
    [
      'C2B',
      { payoutCorridorId: 'chn-cny-c2b-bank', transactionMode: 'C2B' },
      {
        sendingBusiness: undefined,
        sender: INDIVIDUAL,
        receiver: undefined,
        receivingBusiness: SUPPLIER,
        deliveryMethodInfo: ACCOUNT,
      },
    ],
    [
      'C2C',
      { payoutCorridorId: 'chn-cny-c2c-unionpay', transactionMode: 'C2C' },
      {
        sendingBusiness: undefined,
        sender: INDIVIDUAL,
        deliveryMethodInfo: { cardNumber: '6212345678901234' },
      },
    ],
  ])('takes the parties of %s', async (_mode, quotation, changes) => {
    expect((await attempt(await withSandbox(), changes, quotation)).status).toBe(200);
  });

  it.each([
    ['quotationId', undefined],
    ['externalId', undefined],
    ['externalId', 12],
    ['purposeOfRemittance', undefined],
    ['purposeOfRemittance', 'salary payment'],
    ['documentReferenceNumber', 77],
    ['callbackUrl', 'http://example.com/hook'],
    ['callbackUrl', 'http://127.0.0.1:8080/hook'],
    ['callbackUrl', 'hook'],
    ['sendingBusiness', undefined],
    ['sendingBusiness', 'Société'],
    ['receiver', undefined],
    ['sender', INDIVIDUAL],
    ['receivingBusiness', SUPPLIER],
    ['deliveryMethodInfo', undefined],
    ['deliveryMethodInfo', []],
  ])('refuses %s %j and names it', async (field, value) => {
    const reply = await attempt(await withSandbox(), { [field]: value });
    expect(refusalOf(reply)).toBe('400/10001');
    expect(String(reply.json['message'])).toContain(field);
  });

  it.each(['CMR', 'GAB', 'TCD', 'COG', 'GNQ', 'CAF'])('takes a sender in %s', async (countryIsoCode) => {
    const reply = await attempt(await withSandbox(), { sendingBusiness: { ...BUSINESS, countryIsoCode } });
    expect(reply.status).toBe(200);
  });

  it.each(['FRA', 'CM', 'cmr', ''])(
    'refuses a sender in "%s", outside the CEMAC zone',
    async (countryIsoCode) => {
      const reply = await attempt(await withSandbox(), { sendingBusiness: { ...BUSINESS, countryIsoCode } });
      expect(refusalOf(reply)).toBe('400/10001');
      expect(String(reply.json['message'])).toContain('sendingBusiness.countryIsoCode');
    },
  );

  it('refuses a missing required field of the sending party', async () => {
    const reply = await attempt(await withSandbox(), { sendingBusiness: { ...BUSINESS, city: ' ' } });
    expect(refusalOf(reply)).toBe('400/10001');
    expect(String(reply.json['message'])).toContain('sendingBusiness.city');
  });

  it('refuses a missing required field of the receiver with 10018', async () => {
    const reply = await attempt(await withSandbox(), { receiver: { ...RECEIVER, lastName: null } });
    expect(refusalOf(reply)).toBe('500/10018');
    expect(String(reply.json['message'])).toContain('lastName');
  });

  it('refuses a missing delivery field with 10019', async () => {
    expect(refusalOf(await attempt(await withSandbox(), { deliveryMethodInfo: {} }))).toBe('500/10019');
    const partly = { ...BANK_TRANSFER, deliveryMethodInfo: { ...ACCOUNT, bankAccountSwiftCode: null } };
    expect(refusalOf(await attempt(await withSandbox(), partly, BANK_QUOTATION))).toBe('500/10019');
  });

  it.each([{ msisdn: '+8613800000007' }, { email: 'li@example.cn' }])(
    'takes either group: %j',
    async (info) => {
      expect((await attempt(await withSandbox(), { deliveryMethodInfo: info })).status).toBe(200);
    },
  );

  it('refuses an unknown quotation with 10007', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.post('/transfers', transferRequest('nothing')))).toBe('500/10007');
  });

  it('refuses an expired quotation with 10009, from the very moment of expiredAt', async () => {
    const { client, clock } = await withSandbox({ quoteLifeMs: 1_000 });
    const [early, late] = [await quoted(client), await quoted(client)];
    clock.advance(999);
    expect((await client.post('/transfers', transferRequest(early['id']))).status).toBe(200);
    clock.advance(1);
    expect(refusalOf(await client.post('/transfers', transferRequest(late['id'])))).toBe('500/10009');
  });

  it('refuses a used externalId with 10011, also after the quotation has expired', async () => {
    const { client, clock } = await withSandbox();
    const { id } = await quoted(client);
    const request = transferRequest(id);
    await client.post('/transfers', request);
    expect(refusalOf(await client.post('/transfers', request))).toBe('500/10011');
    clock.advance(3_600_000);
    expect(refusalOf(await client.post('/transfers', request))).toBe('500/10011');
  });

  it('lets one of many requests with one externalId win, and reserves once', async () => {
    const sandbox = await withSandbox();
    const { id } = await quoted(sandbox.client);
    const request = transferRequest(id);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => sandbox.client.post('/transfers', request)),
    );
    expect(replies.map(refusalOf).filter((refusal) => refusal === '500/10011')).toHaveLength(9);
    const { sendAmount, feeAmount } = replies.find(({ status }) => status === 200)?.json ?? {};
    const book = sandbox.books().find(({ currency }) => currency === 'XAF');
    expect(Number(book?.pendingAmount)).toBe(Number(sendAmount) + Number(feeAmount));
  });

  it('has references of its own: a quotation and a transfer may share one', async () => {
    const { client } = await withSandbox();
    const externalId = freshReference();
    await expect(created(client, { externalId }, { externalId })).resolves.toMatchObject({ externalId });
  });

  it('refuses a corridor that was disabled after the quotation with 10003', async () => {
    const { client } = await withSandbox();
    const { id } = await quoted(client);
    await client.post('/sandbox/corridors/chn-cny-b2c-alipay', { isEnabled: false });
    expect(refusalOf(await client.post('/transfers', transferRequest(id)))).toBe('500/10003');
  });

  it.each([
    [10, 200],
    [9.99, 400],
    [50_000, 200],
    [50_000.01, 400],
  ])(
    'holds the inclusive bounds of the corridor: %d CNY is answered %d',
    async (destinationAmount, status) => {
      expect((await attempt(await withSandbox(), {}, { destinationAmount })).status).toBe(status);
    },
  );

  it('refuses what the balance does not cover with 10024, and leaves nothing behind', async () => {
    const sandbox = await withSandbox({ balances: { XAF: '1000' } });
    const request = transferRequest((await quoted(sandbox.client))['id']);
    expect(refusalOf(await sandbox.client.post('/transfers', request))).toBe('500/10024');
    expect(sandbox.books()[2]).toMatchObject({ availableAmount: '1000', pendingAmount: '0' });
    expect(refusalOf(await sandbox.client.get(`/transfers/ext-${String(request['externalId'])}`))).toBe(
      '500/10013',
    );
    await sandbox.client.post('/sandbox/top-up', { currency: 'XAF', amount: 1_000_000 });
    expect((await sandbox.client.post('/transfers', request)).status).toBe(200);
  });
});

describe('GET /transfers/{id} and GET /transfers/ext-{externalId}', () => {
  it('return the same transfer as create', async () => {
    const { client } = await withSandbox();
    const transfer = await created(client);
    expect((await client.get(`/transfers/${String(transfer['id'])}`)).json).toEqual(transfer);
    expect((await client.get(`/transfers/ext-${String(transfer['externalId'])}`)).json).toEqual(transfer);
  });

  it('find a reference with characters that a path must encode', async () => {
    const { client } = await withSandbox();
    const externalId = `${freshReference()} 100%/ñ`;
    const transfer = await created(client, { externalId });
    expect((await client.get(`/transfers/ext-${encodeURIComponent(externalId)}`)).json).toEqual(transfer);
  });

  it('answer 10014 by id and 10013 by reference when there is none', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.get('/transfers/nothing'))).toBe('500/10014');
    expect(refusalOf(await client.get('/transfers/ext-nothing'))).toBe('500/10013');
  });
});
