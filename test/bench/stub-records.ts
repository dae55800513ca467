// What the service of the benchmarks remembers and shows: quotations and transfers of the interface, every field of them, in memory.

export type Quotation = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly externalId: string;
};
export type Transfer = Record<string, unknown> & {
  readonly id: string;
  readonly createdAt: string;
  status: string;
};

type Json = Readonly<Record<string, unknown>>;

/** Whole numbers, so that every product and sum of them is exact. */
const RATE = 84;
const FEE = 125;

export const CORRIDORS = JSON.stringify([
  corridor('chn-cny-b2c-alipay', 'B2C', 'alipay', [['msisdn']]),
  corridor('chn-cny-b2b-bank', 'B2B', 'bankTransfer', [['bankAccountNumber']]),
]);

function corridor(
  id: string,
  transactionMode: string,
  deliveryMethod: string,
  fields: readonly string[][],
): Json {
  return {
    id,
    sourceCurrencies: ['XAF'],
    targetCurrency: 'CNY',
    destinationCountryIsoCode: 'CHN',
    transactionMode,
    deliveryMethod,
    bankName: null,
    isEnabled: true,
    minimumTransactionAmount: 1,
    maximumTransactionAmount: 1_000_000,
    requiredSendingEntityFields: ['registeredName', 'countryIsoCode'],
    requiredReceivingEntityFields:
      transactionMode === 'B2C'
        ? ['firstName', 'lastName', 'countryIsoCode']
        : ['registeredName', 'countryIsoCode'],
    requiredDeliveryMethodFields: fields,
  };
}

export function quotationOf(id: string, asked: Json, lifeMs: number): Quotation {
  const destinationAmount =
    asked['mode'] === 'SOURCE_AMOUNT'
      ? Number(asked['sourceAmount']) / RATE
      : Number(asked['destinationAmount']);
  const now = Date.now();
  return {
    id,
    externalId: String(asked['externalId']),
    sourceCurrency: asked['sourceCurrency'],
    targetCurrency: asked['targetCurrency'],
    payoutCorridorId: asked['payoutCorridorId'],
    sourceAmount: asked['sourceAmount'] ?? destinationAmount * RATE,
    destinationAmount,
    feeCurrency: asked['sourceCurrency'],
    feeAmount: FEE,
    variableFeeAmount: 25,
    fixedFeeAmount: 100,
    transferType: asked['transactionMode'],
    mode: asked['mode'],
    createdAt: new Date(now).toISOString(),
    expiredAt: new Date(now + lifeMs).toISOString(),
  };
}

export function transferOf(id: string, asked: Json, quotation: Quotation): Transfer {
  return {
    id,
    externalId: asked['externalId'],
    quotationId: quotation.id,
    callbackUrl: asked['callbackUrl'] ?? null,
    status: 'created',
    statusCode: '10000',
    createdAt: new Date().toISOString(),
    expiredAt: quotation['expiredAt'],
    sendAmount: quotation['sourceAmount'],
    sourceCurrency: quotation['sourceCurrency'],
    receiveAmount: quotation['destinationAmount'],
    destinationCurrency: quotation['targetCurrency'],
    feeCurrency: quotation['sourceCurrency'],
    feeAmount: FEE,
    variableFeeAmount: 25,
    fixedFeeAmount: 100,
    purposeOfRemittance: asked['purposeOfRemittance'],
    documentReferenceNumber: asked['documentReferenceNumber'] ?? null,
    sender: asked['sender'] ?? null,
    sendingBusiness: asked['sendingBusiness'] ?? null,
    receiver: asked['receiver'] ?? null,
    receivingBusiness: asked['receivingBusiness'] ?? null,
    deliveryMethodInfo: asked['deliveryMethodInfo'],
  };
}
