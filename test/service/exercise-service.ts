// What every implementation of `PayoutService` must do, endpoint by endpoint, as the interface has it. It needs a service with the
// corridors of the sandbox and a clock that the test moves.
import { describe, expect, it } from 'vitest';

import { addDecimals } from '../../src/base/decimal.ts';
import type { CorridorFilter, PayoutService } from '../../src/service/payout-service.ts';
import type { Transfer } from '../../src/service/wire.ts';
import { bankQuotation, bankTransfer, freshReference, walletQuotation, walletTransfer } from './requests.ts';

export type ServiceUnderTest = {
  readonly service: PayoutService;
  /** The service's own time now, and moving it on. */
  readonly now: () => number;
  readonly advance: (ms: number) => void;
};

const PDF = { contentType: 'application/pdf', bytes: Buffer.from('%PDF-1.7 invoice') } as const;
const PNG = { contentType: 'image/png', bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47]) } as const;
const DAY_MS = 86_400_000;
/** Beyond any time to settle. */
const SETTLED_MS = 60_000;

export function exerciseService(name: string, open: () => Promise<ServiceUnderTest>): void {
  describe(`${name}: corridors`, () => exerciseCorridors(open));
  describe(`${name}: quotations`, () => exerciseQuotations(open));
  describe(`${name}: transfers`, () => exerciseTransfers(open));
  describe(`${name}: the list of transfers`, () => exerciseList(open));
  describe(`${name}: documents and confirming`, () => exerciseConfirm(open));
  describe(`${name}: balances and times`, () => exerciseBalances(open));
}

function exerciseCorridors(open: () => Promise<ServiceUnderTest>): void {
  it.each<readonly [CorridorFilter, string]>([
    [{ currency: 'NGN' }, 'targetCurrency'],
    [{ destinationCountryIsoCode: 'FRA' }, 'destinationCountryIsoCode'],
    [{ transactionMode: 'C2B' }, 'transactionMode'],
    [{ deliveryMethod: 'wechat' }, 'deliveryMethod'],
  ])('the filter %j gives only such corridors', async (filter, field) => {
    const { service } = await open();
    const { value } = await service.payoutCorridors(filter);
    expect(value.length).toBeGreaterThan(0);
    const wanted = Object.values(filter)[0];
    expect(value.every((corridor) => corridor[field as 'targetCurrency'] === wanted)).toBe(true);
  });

  it('all filters together leave one, and a limit cuts the list', async () => {
    const { service } = await open();
    const { value } = await service.payoutCorridors({
      currency: 'CNY',
      destinationCountryIsoCode: 'CHN',
      transactionMode: 'B2C',
      deliveryMethod: 'unionpayCard',
    });
    expect(value.map(({ id }) => id)).toEqual(['chn-cny-b2c-unionpay']);
    expect((await service.payoutCorridors({ limit: 3 })).value).toHaveLength(3);
  });

  it('are read whole: bounds as decimals, alternative groups as lists', async () => {
    const { service } = await open();
    const { value } = await service.payoutCorridors();
    expect(value.find(({ id }) => id === 'chn-cny-b2c-alipay')).toMatchObject({
      sourceCurrencies: ['XAF', 'EUR', 'USD'],
      minimumTransactionAmount: '10',
      maximumTransactionAmount: '50000',
      bankName: null,
      isEnabled: true,
      requiredDeliveryMethodFields: [['msisdn'], ['email']],
    });
  });

  it('a limit outside 1 to 200 is refused with 10001', async () => {
    const { service } = await open();
    await expect(service.payoutCorridors({ limit: 201 })).rejects.toMatchObject({
      name: 'Refused',
      errorCode: 10001,
    });
  });
}

function exerciseQuotations(open: () => Promise<ServiceUnderTest>): void {
  it('by destination amount gives the recipient exactly that, and are read again by either id', async () => {
    const { service } = await open();
    const request = walletQuotation();
    const { value } = await service.createQuotation(request);
    expect(value).toMatchObject({
      externalId: request.externalId,
      destinationAmount: '1000',
      feeCurrency: 'XAF',
      mode: 'DESTINATION_AMOUNT',
      transferType: 'B2C',
    });
    expect(value.feeAmount).toBe(addDecimals(value.fixedFeeAmount, value.variableFeeAmount));
    expect((await service.quotation(value.id)).value).toEqual(value);
    expect((await service.quotationByExternalId(request.externalId)).value).toEqual(value);
  });

  it.each(['0.01', '1250.5', '1234567890123456.78', '90071992547409.93'])(
    'by source amount keep every digit of %s, out and in',
    async (sourceAmount) => {
      const { service } = await open();
      const { value } = await service.createQuotation(bankQuotation(sourceAmount));
      expect(value).toMatchObject({ sourceAmount, destinationAmount: sourceAmount, mode: 'SOURCE_AMOUNT' });
    },
  );

  it('refuse a reference that was used (10002), an unknown id (10007) and an unknown reference (10008)', async () => {
    const { service } = await open();
    const request = walletQuotation();
    await service.createQuotation(request);
    await expect(service.createQuotation(request)).rejects.toMatchObject({ errorCode: 10002 });
    await expect(service.quotation('nothing')).rejects.toMatchObject({ errorCode: 10007 });
    await expect(service.quotationByExternalId('nothing')).rejects.toMatchObject({ errorCode: 10008 });
  });

  it('refuse a corridor that is not enabled (10003)', async () => {
    const { service } = await open();
    const request = { ...bankQuotation(), payoutCorridorId: 'gbr-gbp-b2b-bank', targetCurrency: 'GBP' };
    await expect(service.createQuotation(request)).rejects.toMatchObject({ errorCode: 10003 });
  });

  it('are found by a reference that has to be escaped in a path', async () => {
    const { service } = await open();
    const request = walletQuotation('März 2026 #7?');
    const { value } = await service.createQuotation(request);
    expect((await service.quotationByExternalId(request.externalId)).value.id).toBe(value.id);
  });
}

function exerciseTransfers(open: () => Promise<ServiceUnderTest>): void {
  it('echo everything that was sent, and are read again by either id', async () => {
    const { service } = await open();
    const { value: quotation } = await service.createQuotation(bankQuotation());
    const request = { ...bankTransfer(quotation.id), callbackUrl: 'https://pay.example.com/hook' };
    const { value } = await service.createTransfer(request);
    expect(value).toMatchObject({
      externalId: request.externalId,
      quotationId: quotation.id,
      callbackUrl: request.callbackUrl,
      status: 'created',
      statusCode: '10000',
      sendAmount: quotation.sourceAmount,
      receiveAmount: quotation.destinationAmount,
      feeAmount: quotation.feeAmount,
      expiredAt: quotation.expiredAt,
      documentReferenceNumber: 'INV-2026-118',
      sendingBusiness: request.sendingBusiness,
      receivingBusiness: request.receivingBusiness,
      deliveryMethodInfo: request.deliveryMethodInfo,
      sender: null,
      receiver: null,
    });
    expect((await service.transfer(value.id)).value).toEqual(value);
    expect((await service.transferByExternalId(request.externalId)).value).toEqual(value);
  });

  it('refuse a reference that was used (10011), unknown ids (10013, 10014) and a quotation that ran out (10009)', async () => {
    const { service, advance } = await open();
    const { value: quotation } = await service.createQuotation(walletQuotation());
    const request = walletTransfer(quotation.id);
    await service.createTransfer(request);
    await expect(service.createTransfer(request)).rejects.toMatchObject({ errorCode: 10011 });
    await expect(service.transferByExternalId('nothing')).rejects.toMatchObject({ errorCode: 10013 });
    await expect(service.transfer('nothing')).rejects.toMatchObject({ errorCode: 10014 });
    advance(DAY_MS);
    const late = walletTransfer(quotation.id);
    await expect(service.createTransfer(late)).rejects.toMatchObject({ errorCode: 10009 });
  });

  it('name what is missing of the receiver (10018) and of the delivery (10019), in words', async () => {
    const { service } = await open();
    const { value: quotation } = await service.createQuotation(walletQuotation());
    const request = walletTransfer(quotation.id);
    const nameless = { ...request, receiver: { firstName: 'Wei', countryIsoCode: 'CHN' } };
    await expect(service.createTransfer(nameless)).rejects.toMatchObject({
      errorCode: 10018,
      words: expect.stringContaining('lastName') as string,
    });
    const nowhere = { ...request, deliveryMethodInfo: { cardNumber: '6222000000000007' } };
    await expect(service.createTransfer(nowhere)).rejects.toMatchObject({ errorCode: 10019 });
  });
}

function exerciseList(open: () => Promise<ServiceUnderTest>): void {
  it('comes in pages that x-next-key joins, in the window asked for', async () => {
    const { service, now, advance } = await open();
    const startTime = new Date(now()).toISOString();
    const ids: string[] = [];
    for (let made = 0; made < 5; made++) ids.push((await createWallet(service)).id);
    advance(1_000);
    const seen: string[] = [];
    let nextKey: string | null = null;
    do {
      const query = { startTime, endTime: new Date(now()).toISOString(), limit: 2 };
      const { value } = await service.transfers(nextKey === null ? query : { ...query, nextKey });
      seen.push(...value.transfers.map(({ id }) => id));
      nextKey = value.nextKey;
    } while (nextKey !== null);
    expect(seen).toEqual(ids);
  });

  it('takes a window of exactly 7 days and refuses a wider one (10023)', async () => {
    const { service, now } = await open();
    const endTime = new Date(now()).toISOString();
    const before = (ms: number) => new Date(now() - ms).toISOString();
    expect((await service.transfers({ startTime: before(7 * DAY_MS), endTime })).value).toEqual({
      transfers: [],
      nextKey: null,
    });
    await expect(service.transfers({ startTime: before(7 * DAY_MS + 1), endTime })).rejects.toMatchObject({
      errorCode: 10023,
    });
  });
}

function exerciseConfirm(open: () => Promise<ServiceUnderTest>): void {
  it.each([
    ['a PDF', PDF],
    ['an image', PNG],
  ])('a bank transfer is refused without a document (10022) and taken with %s', async (_name, document) => {
    const { service, advance } = await open();
    const { value: quotation } = await service.createQuotation(bankQuotation());
    const { value: transfer } = await service.createTransfer(bankTransfer(quotation.id));
    await expect(service.confirmTransfer(transfer.id)).rejects.toMatchObject({ errorCode: 10022 });
    expect((await service.uploadAttachment(transfer.id, document)).value).toBeNull();
    expect((await service.confirmTransfer(transfer.id)).value).toBeNull();
    expect((await service.transfer(transfer.id)).value.status).toBe('submitted');
    advance(SETTLED_MS);
    expect((await service.transfer(transfer.id)).value).toMatchObject({
      status: 'paid',
      statusCode: '20000',
    });
  });

  it('a confirm is taken once (10015 after it) and only before the expiry (10016 after it)', async () => {
    const { service, advance } = await open();
    const first = await createWallet(service);
    await service.confirmTransfer(first.id);
    await expect(service.confirmTransfer(first.id)).rejects.toMatchObject({ errorCode: 10015 });
    const second = await createWallet(service);
    advance(DAY_MS);
    await expect(service.confirmTransfer(second.id)).rejects.toMatchObject({ errorCode: 10016 });
  });

  it('a confirm that the network refuses (10027) leaves a failed transfer', async () => {
    const { service } = await open();
    const transfer = await createWallet(service, '+8613800010027');
    await expect(service.confirmTransfer(transfer.id)).rejects.toMatchObject({ errorCode: 10027 });
    expect((await service.transfer(transfer.id)).value.status).toBe('failed');
  });
}

function exerciseBalances(open: () => Promise<ServiceUnderTest>): void {
  it('a created transfer moves its amount and fee from available to pending, to the last unit', async () => {
    const { service } = await open();
    const before = await balanceIn(service, 'XAF');
    const { sendAmount, feeAmount } = await createWallet(service);
    const after = await balanceIn(service, 'XAF');
    const reserved = addDecimals(sendAmount, feeAmount);
    expect(after?.pending).toBe(addDecimals(before?.pending ?? '', reserved));
    expect(before?.available).toBe(addDecimals(after?.available ?? '', reserved));
  });

  it('every answer and every refusal tells the time of the service', async () => {
    const { service, now } = await open();
    const second = now() - (now() % 1_000);
    expect((await service.balances()).serverTime).toBe(second);
    await expect(service.transfer('nothing')).rejects.toMatchObject({ context: { serverTime: second } });
  });
}

async function createWallet(service: PayoutService, msisdn = '+8613800000007'): Promise<Transfer> {
  const { value: quotation } = await service.createQuotation(walletQuotation());
  const request = { ...walletTransfer(quotation.id, freshReference()), deliveryMethodInfo: { msisdn } };
  return (await service.createTransfer(request)).value;
}

async function balanceIn(service: PayoutService, currency: string) {
  return (await service.balances()).value.find((balance) => balance.currency === currency);
}
