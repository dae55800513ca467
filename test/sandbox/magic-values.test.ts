// The magic values of the sandbox: the last seven digits that decide how a payout ends.
import { describe, expect, it } from 'vitest';

import { endingOf } from '../../src/sandbox/payout-network.ts';
import { created, refusalOf, statusOf } from './sandbox-client.ts';
import { withSandbox, type TestSandbox } from './with-sandbox.ts';

const LONG_MS = 30 * 86_400_000;

/** The statuses that a transfer to a wallet with these digits goes through, from its confirm on. */
async function pathOf({ client, clock }: TestSandbox, digits: string): Promise<string[]> {
  const { id } = await created(client, { deliveryMethodInfo: { msisdn: `+8613${digits}` } });
  await client.post(`/transfers/${String(id)}/confirm`);
  const path = [await statusOf(client, id)];
  for (const ms of [300, 1_000, LONG_MS]) {
    clock.advance(ms);
    const status = await statusOf(client, id);
    if (status !== path.at(-1)) path.push(status);
  }
  return path;
}

describe('a payout to digits that end in', () => {
  it.each(['0100000', '0100002', '0100003', '0100004', '0100005', '0100006', '0100008'])(
    '%s fails with that code',
    async (digits) => {
      const path = ['submitted/10001', `failed/${digits.slice(1)}`];
      expect(await pathOf(await withSandbox(), digits)).toEqual(path);
    },
  );

  it.each([
    ['0100001', ['submitted/10001', 'paid/20000', 'failed/100001'], 'is paid, then reversed'],
    ['0077001', ['submitted/10001', 'paid/20000'], 'is set to paid by the staff'],
    ['0077002', ['submitted/10001', 'failed/100002'], 'is set to failed by the staff'],
    ['0060000', ['submitted/10001'], 'stays submitted'],
    ['0100007', ['submitted/10001', 'paid/20000'], 'is paid, like any other'],
    ['1234567', ['submitted/10001', 'paid/20000'], 'is paid'],
  ])('%s goes %j: it %s', async (digits, path) => {
    expect(await pathOf(await withSandbox(), digits)).toEqual(path);
  });

  it('0010027 is refused at confirm with 10027, failed, and its funds released', async () => {
    const { client, books } = await withSandbox();
    const before = books();
    const { id } = await created(client, { deliveryMethodInfo: { msisdn: '0010027' } });
    expect(refusalOf(await client.post(`/transfers/${String(id)}/confirm`))).toBe('500/10027');
    expect(await statusOf(client, id)).toMatch(/^failed\//);
    expect(books()).toEqual(before);
    expect(refusalOf(await client.post(`/transfers/${String(id)}/confirm`))).toBe('500/10015');
  });
});

describe('the magic digits are found', () => {
  it.each([
    [{ bankAccountNumber: 'FR76 3000 6000 0112 3401 0000 2' }, null],
    [{ cardNumber: '6212-3456-7010-0002' }, null],
    [{ msisdn: '+86 138 010 0002' }, null],
    [{ email: 'li.wei0100002@example.cn' }, null],
    [{ msisdn: '+8613800000001' }, 'INV-2026-0100002'],
  ])('in %j with document number %s', (deliveryMethodInfo, documentReferenceNumber) => {
    expect(endingOf({ deliveryMethodInfo, documentReferenceNumber })).toEqual({
      kind: 'failed',
      code: '100002',
    });
  });

  it.each([
    [{ msisdn: '01000029' }, null],
    [{ email: '0100002.li@example.cn' }, null],
    [{ email: 'li@0100002.cn' }, null],
    [{ bankAccountHolderFullName: '0100002' }, '0100002-INV'],
    [{ msisdn: 100002 }, null],
  ])('but not in %j with document number %s', (deliveryMethodInfo, documentReferenceNumber) => {
    expect(endingOf({ deliveryMethodInfo, documentReferenceNumber })).toEqual({ kind: 'paid' });
  });
});
