// Interface: PUT /transfers/{id}/attachment and POST /transfers/{id}/confirm.
import { describe, expect, it } from 'vitest';

import {
  BANK_QUOTATION,
  BANK_TRANSFER,
  confirmed,
  created,
  refusalOf,
  statusOf,
  type Client,
} from './sandbox-client.ts';
import { withSandbox } from './with-sandbox.ts';

const PDF = Buffer.from('%PDF-1.7\n%%EOF\n');

async function bankTransfer(client: Client): Promise<string> {
  return String((await created(client, BANK_TRANSFER, BANK_QUOTATION))['id']);
}

describe('POST /transfers/{id}/confirm', () => {
  it('answers 200 with an empty body, and the transfer is submitted', async () => {
    const { client } = await withSandbox();
    const { id } = await created(client);
    const reply = await client.post(`/transfers/${String(id)}/confirm`);
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(await statusOf(client, id)).toBe('submitted/10001');
  });

  it('refuses a second time with 10015, whatever became of the first', async () => {
    const { client, clock } = await withSandbox();
    const id = await confirmed(client);
    expect(refusalOf(await client.post(`/transfers/${id}/confirm`))).toBe('500/10015');
    clock.advance(3_600_000);
    expect(refusalOf(await client.post(`/transfers/${id}/confirm`))).toBe('500/10015');
  });

  it('submits once when confirmed twice at the same time', async () => {
    const { client } = await withSandbox();
    const { id } = await created(client);
    const path = `/transfers/${String(id)}/confirm`;
    const replies = await Promise.all([client.post(path), client.post(path)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 500]);
  });

  it('refuses from expiredAt on with 10016; the transfer stays created and its funds reserved', async () => {
    const { client, clock, books } = await withSandbox({ quoteLifeMs: 1_000 });
    const [early, late] = [await created(client), await created(client)];
    clock.advance(999);
    expect((await client.post(`/transfers/${String(early['id'])}/confirm`)).status).toBe(200);
    clock.advance(1);
    const before = books();
    expect(refusalOf(await client.post(`/transfers/${String(late['id'])}/confirm`))).toBe('500/10016');
    expect(await statusOf(client, late['id'])).toBe('created/10000');
    expect(books()).toEqual(before);
  });

  it('refuses a bank transfer without document with 10022, and takes it once the document is there', async () => {
    const { client } = await withSandbox();
    const id = await bankTransfer(client);
    expect(refusalOf(await client.post(`/transfers/${id}/confirm`))).toBe('500/10022');
    expect(await statusOf(client, id)).toBe('created/10000');
    await client.put(`/transfers/${id}/attachment`, PDF, 'application/pdf');
    expect((await client.post(`/transfers/${id}/confirm`)).status).toBe(200);
  });

  it('answers 10014 for an unknown transfer', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.post('/transfers/nothing/confirm'))).toBe('500/10014');
  });
});

describe('PUT /transfers/{id}/attachment', () => {
  it.each(['application/pdf', 'image/png', 'image/jpeg', 'IMAGE/tiff', 'application/pdf; name=a'])(
    'takes %s',
    async (contentType) => {
      const { client } = await withSandbox();
      const id = await bankTransfer(client);
      expect((await client.put(`/transfers/${id}/attachment`, PDF, contentType)).status).toBe(200);
    },
  );

  it.each([
    'application/json',
    'text/plain',
    'application/pdfx',
    'image/',
    'multipart/form-data; boundary=x',
  ])('refuses %s', async (contentType) => {
    const { client } = await withSandbox();
    const id = await bankTransfer(client);
    expect(refusalOf(await client.put(`/transfers/${id}/attachment`, PDF, contentType))).toBe('400/10001');
  });

  it('is taken again while the transfer is created, and for corridors that ask for none', async () => {
    const { client } = await withSandbox();
    const { id } = await created(client);
    for (const type of ['application/pdf', 'image/png'])
      expect((await client.put(`/transfers/${String(id)}/attachment`, PDF, type)).status).toBe(200);
  });

  it('is refused once the transfer is no longer created', async () => {
    const { client, clock } = await withSandbox();
    const id = await confirmed(client);
    expect(refusalOf(await client.put(`/transfers/${id}/attachment`, PDF, 'application/pdf'))).toBe(
      '500/10015',
    );
    clock.advance(1_000);
    expect(await statusOf(client, id)).toBe('paid/20000');
    expect(refusalOf(await client.put(`/transfers/${id}/attachment`, PDF, 'application/pdf'))).toBe(
      '500/10015',
    );
  });

  it('is refused when it is empty or larger than 10 MB', async () => {
    const { client } = await withSandbox();
    const path = `/transfers/${await bankTransfer(client)}/attachment`;
    expect(refusalOf(await client.put(path, Buffer.alloc(0), 'application/pdf'))).toBe('400/10001');
    expect(refusalOf(await client.put(path, Buffer.alloc(10 * 1024 * 1024 + 1), 'image/png'))).toBe(
      '400/10001',
    );
    expect((await client.put(path, Buffer.alloc(10 * 1024 * 1024), 'image/png')).status).toBe(200);
  });

  it('answers 10014 for an unknown transfer', async () => {
    const { client } = await withSandbox();
    expect(refusalOf(await client.put('/transfers/nothing/attachment', PDF, 'application/pdf'))).toBe(
      '500/10014',
    );
  });
});
