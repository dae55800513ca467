// The last looks before money goes out: the echo of the created transfer, the document, and who else has the id.
import { describe, expect, it } from 'vitest';

import { BANK, count, deliver, expectBooksExact, stagesOf } from './deliver.ts';
import { first, isCreate, isQuote, isUpload, type Asked, type Meddling } from './meddling-proxy.ts';
import { record } from '../ledger/own.ts';

/** Changes one thing in the body of some answer. */
const changing = (matches: (asked: Asked) => boolean, from: string | RegExp, to: string): Meddling => ({
  after: (asked, { body }) => (matches(asked) ? { body: body.replace(from, to) } : null),
});

describe('a transfer that is not what was asked', () => {
  it.each([
    ['another receive amount', /"receiveAmount":1000/, '"receiveAmount":10000'],
    ['another fee', /"feeAmount":(\d)/, '"feeAmount":9$1'],
    ['another wallet', '+8613800000007', '+8613800000008'],
    ['a wallet as a number', '"+8613800000007"', '8613800000007'],
    ['an account that nobody named', '"email":null', '"email":"someone@example.com"'],
    ['another receiver', '"lastName":"Li"', '"lastName":"Lu"'],
    ['another currency', '"destinationCurrency":"CNY"', '"destinationCurrency":"NGN"'],
    ['another purpose', 'SALARY_PAYMENT', 'OTHER'],
    ['another quotation', /"quotationId":"[^"]+"/, '"quotationId":"q-other"'],
    ['another reference', /"externalId":"[^"]+"/, '"externalId":"somebody-else"'],
    ['no receiver', /"receiver":\{[^}]*\}/, '"receiver":null'],
  ])('(%s) is held and never confirmed', async (_name, from, to) => {
    const delivery = await deliver({ meddling: changing(isCreate, from, to) });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      hold: { code: 'echo_mismatch', foreign: { status: 'created' } },
      transfer: null,
    });
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
  });

  it('but found under our id after a lost create is held as a collision', async () => {
    const delivery = await deliver({
      sandbox: { faults: { rules: [{ fault: 'drop-answer', operations: ['createTransfer'], times: 1 }] } },
      meddling: changing(
        ({ path }) => path.startsWith('/transfers/ext-'),
        '+8613800000007',
        '+8613800000008',
      ),
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      hold: { code: 'id_collision', foreign: { status: 'created' } },
      transfer: null,
    });
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
  });

  it('is not gone on with even where its hold is taken away: it is found, compared and held again', async () => {
    const delivery = await deliver({
      meddling: changing(({ path }) => path.startsWith('/transfers'), '+8613800000007', '+8613800000008'),
    });
    await delivery.run();
    const [row] = await delivery.rows();
    if (row === undefined) throw new Error('The row is there.');
    const progress = { ...row.progress, hold: null };
    await record(delivery.ledger, row, { progress, dueAt: 0, event: 'let go' });
    await delivery.run();
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      hold: { code: 'id_collision' },
      transfer: null,
    });
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
  });

  it('in a form only (1000.00, a new field, another order) is confirmed', async () => {
    const delivery = await deliver({
      meddling: changing(isCreate, '"receiveAmount":1000', '"newField":[1],"receiveAmount":1.00000e3'),
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });
});

describe('a quotation that is not what was asked', () => {
  it.each([
    ['another amount', '"destinationAmount":1000', '"destinationAmount":999.99'],
    ['another fee currency', '"feeCurrency":"XAF"', '"feeCurrency":"EUR"'],
    ['another mode', 'DESTINATION_AMOUNT', 'SOURCE_AMOUNT'],
    ['another corridor', 'chn-cny-b2c-alipay', 'chn-cny-b2c-wechat'],
  ])('(%s) is held before anything is created', async (_name, from, to) => {
    const delivery = await deliver({ meddling: changing(isQuote, from, to) });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress.hold?.code).toBe('quotation_mismatch');
    expect(count(delivery, 'POST', '/transfers')).toBe(0);
    expect(count(delivery, 'POST', '/rates')).toBe(3);
  });

  it('once, and then is, is paid without a person', async () => {
    const delivery = await deliver({
      meddling: changing(first(2, isQuote), '"destinationAmount":1000', '"destinationAmount":999.99'),
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    await expectBooksExact(delivery);
  });
});

describe('a row that the quotation puts outside the bounds of its corridor', () => {
  it.each([
    ['9.99', 'rejected'],
    ['10', 'paid'],
    ['50000', 'paid'],
    ['50000.01', 'rejected'],
  ])('%s CNY is %s', async (amount, stage) => {
    const delivery = await deliver({ payouts: [{ requested: { side: 'destination', amount } }] });
    await delivery.run();
    expect(await stagesOf(delivery)).toEqual([stage]);
  });
});

describe('a document that the service lost', () => {
  const losing = (times: number): Meddling => {
    const lost = first(times, isUpload);
    return { instead: (asked) => (lost(asked) ? { status: 200 } : null) };
  };

  it('is uploaded again when the confirm misses it (10022), and the row is paid once', async () => {
    const delivery = await deliver({ payouts: [BANK], meddling: losing(1) });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'paid',
      document: 'attached-again',
      deadAttempts: [],
    });
    await expectBooksExact(delivery);
  });

  it('twice is a matter for a person', async () => {
    const delivery = await deliver({ payouts: [BANK], meddling: losing(9) });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      hold: { code: 'document_demanded' },
    });
    expect(count(delivery, 'PUT', '/attachment')).toBe(2);
  });
});

describe('the end of a payout', () => {
  it.each([
    ['0100000', '100000'],
    ['0100002', '100002'],
    ['0100003', '100003'],
    ['0100004', '100004'],
    ['0100005', '100005'],
    ['0100006', '100006'],
    ['0100008', '100008'],
  ])('…%s is failed with %s and a reason, and releases its funds', async (digits, code) => {
    const delivery = await deliver({ payouts: [{ deliveryMethodInfo: { msisdn: `+8613${digits}` } }] });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    const progress = (await delivery.rows())[0]?.progress;
    expect(progress).toMatchObject({ stage: 'failed', why: { errorCode: code } });
    expect(progress?.why?.reason.en).toContain('The funds were released');
    await expectBooksExact(delivery);
  });

  it('that never comes ends the wait, and the row stays submitted', async () => {
    const delivery = await deliver({ payouts: [{ deliveryMethodInfo: { msisdn: '+86130060000' } }] });
    expect(await delivery.run({ waitMs: 120_000 })).toEqual({ kind: 'waited' });
    expect(await stagesOf(delivery)).toEqual(['confirmed']);
  });
});
