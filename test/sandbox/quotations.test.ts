// Interface: POST /rates, GET /rates, GET /rates/{id}, GET /rates/ext-{externalId}.
import { describe, expect, it } from 'vitest';

import { CORRIDORS } from '../../src/sandbox/corridors.ts';
import { price } from '../../src/sandbox/quotations.ts';
import { freshReference, quotationRequest, quoted, refusalOf } from './sandbox-client.ts';
import { withSandbox } from './with-sandbox.ts';

const FIELDS = [
  'id',
  'externalId',
  'sourceCurrency',
  'targetCurrency',
  'payoutCorridorId',
  'sourceAmount',
  'destinationAmount',
  'feeCurrency',
  'feeAmount',
  'variableFeeAmount',
  'fixedFeeAmount',
  'transferType',
  'mode',
  'createdAt',
  'expiredAt',
];

describe('POST /rates', () => {
  it('answers a quotation with every field of the interface and no other', async () => {
    const { client } = await withSandbox();
    expect(Object.keys(await quoted(client))).toEqual(FIELDS);
  });

  it('fixes the destination amount in DESTINATION_AMOUNT', async () => {
    const { client } = await withSandbox();
    const quotation = await quoted(client, { destinationAmount: 1234.56 });
    expect(quotation).toMatchObject({
      destinationAmount: 1234.56,
      mode: 'DESTINATION_AMOUNT',
      sourceAmount: 104500,
    });
  });

  it('fixes the source amount in SOURCE_AMOUNT', async () => {
    const { client } = await withSandbox();
    const quotation = await quoted(client, { mode: 'SOURCE_AMOUNT', sourceAmount: 104500 });
    expect(quotation).toMatchObject({
      sourceAmount: 104500,
      mode: 'SOURCE_AMOUNT',
      destinationAmount: 1234.56,
    });
  });

  it('charges the fees in the source currency, their parts adding up to the total', async () => {
    const { client } = await withSandbox();
    expect(await quoted(client, { destinationAmount: 1234.56 })).toMatchObject({
      feeCurrency: 'XAF',
      variableFeeAmount: 1568,
      fixedFeeAmount: 250,
      feeAmount: 1818,
      transferType: 'B2C',
    });
  });

  it('is valid as long as its corridor says, in ISO time with Z by the clock of the service', async () => {
    const { client } = await withSandbox();
    expect(await quoted(client)).toMatchObject({
      createdAt: '2026-11-20T08:30:00.250Z',
      expiredAt: '2026-11-20T08:45:00.250Z',
    });
  });

  it('is valid as long as the sandbox is told', async () => {
    const { client } = await withSandbox({ quoteLifeMs: 5_000 });
    expect(await quoted(client)).toMatchObject({ expiredAt: '2026-11-20T08:30:05.250Z' });
  });

  it('keeps every digit of a long amount', async () => {
    const { client } = await withSandbox();
    const request = JSON.stringify(quotationRequest({ mode: 'SOURCE_AMOUNT', sourceAmount: 1 }));
    const reply = await client.post(
      '/rates',
      request.replace('"sourceAmount":1', '"sourceAmount":12345678901234567'),
    );
    expect(reply.text).toContain('"sourceAmount":12345678901234567,');
  });

  it('refuses a used externalId with 10002', async () => {
    const { client } = await withSandbox();
    const request = quotationRequest();
    await client.post('/rates', request);
    expect(refusalOf(await client.post('/rates', request))).toBe('500/10002');
  });

  it('lets one of two requests with one externalId win', async () => {
    const { client } = await withSandbox();
    const request = quotationRequest();
    const replies = await Promise.all([client.post('/rates', request), client.post('/rates', request)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 500]);
  });

  it.each(['gbr-gbp-b2b-bank', 'no-such-corridor'])(
    'refuses the corridor %s with 10003',
    async (payoutCorridorId) => {
      const { client } = await withSandbox();
      expect(refusalOf(await client.post('/rates', quotationRequest({ payoutCorridorId })))).toBe(
        '500/10003',
      );
    },
  );

  it.each([
    ['externalId', undefined],
    ['externalId', 7],
    ['externalId', ''],
    ['sourceCurrency', 'GBP'],
    ['targetCurrency', 'NGN'],
    ['transactionMode', 'B2B'],
    ['transactionMode', 'B2X'],
    ['payoutCorridorId', undefined],
    ['mode', 'BOTH'],
    ['destinationAmount', undefined],
    ['destinationAmount', '1000'],
    ['destinationAmount', 0],
    ['destinationAmount', -5],
    ['destinationAmount', 10.005],
  ])('refuses %s %j and names it', async (field, value) => {
    const { client } = await withSandbox();
    const reply = await client.post('/rates', quotationRequest({ [field]: value }));
    expect(refusalOf(reply)).toBe('400/10001');
    expect(String(reply.json['message'])).toContain(field);
  });

  it('refuses a source currency that the corridor does not take', async () => {
    const { client } = await withSandbox();
    const request = quotationRequest({
      payoutCorridorId: 'chn-cny-c2c-wechat',
      transactionMode: 'C2C',
      sourceCurrency: 'EUR',
    });
    expect(refusalOf(await client.post('/rates', request))).toBe('400/10001');
  });

  it('lists every offending field at once', async () => {
    const { client } = await withSandbox();
    const { json } = await client.post('/rates', { mode: 'SOURCE_AMOUNT' });
    expect(json['message']).toHaveLength(4);
  });
});

describe('GET /rates', () => {
  it('creates the same quotation from query parameters', async () => {
    const { client } = await withSandbox();
    const request = quotationRequest({ destinationAmount: '1234.56' });
    const { status, json } = await client.get(
      `/rates?${new URLSearchParams(request as Record<string, string>).toString()}`,
    );
    expect(status).toBe(200);
    expect(json).toMatchObject({ destinationAmount: 1234.56, sourceAmount: 104500 });
    expect((await client.get(`/rates/${String(json['id'])}`)).json).toEqual(json);
  });

  it('refuses an externalId that POST has used', async () => {
    const { client } = await withSandbox();
    const { externalId } = await quoted(client);
    const request = quotationRequest({ externalId });
    const reply = await client.get(
      `/rates?${new URLSearchParams(request as Record<string, string>).toString()}`,
    );
    expect(refusalOf(reply)).toBe('500/10002');
  });

  it.each(['', '?externalId=x', '?destinationAmount=many&mode=DESTINATION_AMOUNT'])(
    'refuses "%s"',
    async (query) => {
      const { client } = await withSandbox();
      expect(refusalOf(await client.get(`/rates${query}`))).toBe('400/10001');
    },
  );

  it('is not run by a HEAD', async () => {
    const { client, apiKey } = await withSandbox();
    const query = new URLSearchParams(
      quotationRequest({ externalId: 'head' }) as Record<string, string>,
    ).toString();
    const reply = await client.raw(`/rates?${query}`, { method: 'HEAD', headers: { 'x-api-key': apiKey } });
    expect(reply.status).toBe(405);
    expect(refusalOf(await client.get('/rates/ext-head'))).toBe('500/10008');
  });
});

describe('GET /rates/{id} and GET /rates/ext-{externalId}', () => {
  it('return the quotation as it was made', async () => {
    const { client } = await withSandbox();
    const quotation = await quoted(client);
    expect((await client.get(`/rates/${String(quotation['id'])}`)).json).toEqual(quotation);
    expect((await client.get(`/rates/ext-${String(quotation['externalId'])}`)).json).toEqual(quotation);
  });

  it('return it after its expiry too', async () => {
    const { client, clock } = await withSandbox();
    const quotation = await quoted(client);
    clock.advance(3_600_000);
    expect((await client.get(`/rates/${String(quotation['id'])}`)).json).toEqual(quotation);
  });

  it('find a reference with characters that a path must encode', async () => {
    const { client } = await withSandbox();
    const externalId = `${freshReference()}/é %2F?#`;
    const quotation = await quoted(client, { externalId });
    expect((await client.get(`/rates/ext-${encodeURIComponent(externalId)}`)).json).toEqual(quotation);
  });

  it('answer 10007 by id and 10008 by reference when there is none', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.get('/rates/nothing'))).toBe('500/10007');
    expect(refusalOf(await client.get('/rates/ext-nothing'))).toBe('500/10008');
  });
});

describe('prices', () => {
  it('exist for every corridor and each of its source currencies', () => {
    for (const corridor of CORRIDORS)
      for (const currency of corridor.sourceCurrencies)
        expect(Number(price(corridor, currency, 'DESTINATION_AMOUNT', '1000').sourceAmount)).toBeGreaterThan(
          0,
        );
  });

  it.each([
    ['vnm-vnd-b2b-bank', 'XAF', '100000', '4148979'],
    ['fra-eur-b2b-bank', 'XAF', '655957', '992'],
    ['fra-eur-b2b-bank', 'EUR', '250.5', '250.5'],
    ['sen-xof-b2b-bank', 'XAF', '1000', '992'],
  ] as const)('round what arrives through %s down to its currency', (id, currency, source, destination) => {
    const corridor = CORRIDORS.find((candidate) => candidate.id === id);
    expect(corridor && price(corridor, currency, 'SOURCE_AMOUNT', source).destinationAmount).toBe(
      destination,
    );
  });

  it('round fees half up to the source currency', () => {
    const corridor = CORRIDORS.find(({ id }) => id === 'chn-cny-b2c-alipay');
    // 1.5 % of 100.33 is 1.50495, of 33 XAF 0.495.
    expect(corridor && price(corridor, 'EUR', 'SOURCE_AMOUNT', '100.33').variableFeeAmount).toBe('1.5');
    expect(corridor && price(corridor, 'XAF', 'SOURCE_AMOUNT', '34').variableFeeAmount).toBe('1');
  });
});
