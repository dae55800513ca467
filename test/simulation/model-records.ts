// The records of the model service, and how they are made from what was asked.
import type { Minor, QuotationFacts, TransferFacts } from '../invariants/journal.ts';
import { Refusal } from './model-refusal.ts';
import { toMinor, type TransferState } from './model-wire.ts';

export type Quotation = QuotationFacts & { readonly createdAt: number; readonly transferType: string };

export type Transfer = TransferFacts & {
  readonly createdAt: number;
  readonly needsDocument: boolean;
  status: string;
  statusCode: string;
  isDocumented: boolean;
  /** The network has it although the confirm was refused. */
  isUndecided: boolean;
  readonly past: { readonly at: number; readonly state: TransferState }[];
};

export type RatesBody = {
  readonly externalId: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
  readonly transactionMode: string;
  readonly payoutCorridorId: string;
  readonly mode: string;
  readonly amount: Minor;
};

export type CreateBody = {
  readonly quotationId: string;
  readonly externalId: string;
  readonly purposeOfRemittance: string;
  readonly documentReferenceNumber?: string;
  readonly deliveryMethodInfo: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

export function readRates(text: string): RatesBody {
  // Amounts as they were written, digit for digit.
  const parse = JSON.parse as (text: string, reviver: Reviver) => Record<string, string>;
  const body = parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
  const isSource = body['mode'] === 'SOURCE_AMOUNT';
  const currency = (isSource ? body['sourceCurrency'] : body['targetCurrency']) ?? '';
  const amount = toMinor((isSource ? body['sourceAmount'] : body['destinationAmount']) ?? '', currency);
  if (amount === null || amount <= 0n) throw new Refusal(10001);
  return { ...(body as unknown as RatesBody), amount };
}

/** Minor units of the target for minor units of the source, as a fraction. */
const RATES: Readonly<Record<string, readonly [Minor, Minor]>> = {
  XAF: [118n, 100n],
  USD: [713n, 100n],
  EUR: [777n, 100n],
};

export function quotationOf(id: string, asked: RatesBody, now: number, lifeMs: number): Quotation {
  const [numerator, denominator] = RATES[asked.sourceCurrency] ?? [1n, 1n];
  const { amount, transactionMode, ...same } = asked;
  const isSource = asked.mode === 'SOURCE_AMOUNT';
  const sourceAmount = isSource ? amount : (amount * denominator + numerator - 1n) / numerator;
  return {
    id,
    externalId: same.externalId,
    sourceCurrency: same.sourceCurrency,
    targetCurrency: same.targetCurrency,
    payoutCorridorId: same.payoutCorridorId,
    mode: same.mode,
    transferType: transactionMode,
    sourceAmount,
    destinationAmount: isSource ? (amount * numerator) / denominator : amount,
    feeAmount: (sourceAmount * 15n + 999n) / 1000n + 25n,
    createdAt: now,
    expiredAt: now + lifeMs,
  };
}

export function factsOfQuotation(quotation: Quotation): QuotationFacts {
  const { id, externalId, sourceCurrency, targetCurrency, payoutCorridorId, mode } = quotation;
  const { sourceAmount, destinationAmount, feeAmount, expiredAt } = quotation;
  const what = { id, externalId, sourceCurrency, targetCurrency, payoutCorridorId, mode };
  return { ...what, sourceAmount, destinationAmount, feeAmount, expiredAt };
}

const PARTIES = ['sender', 'sendingBusiness', 'receiver', 'receivingBusiness'] as const;

export function factsOfTransfer(id: string, asked: CreateBody, quotation: Quotation): TransferFacts {
  return {
    id,
    externalId: asked.externalId,
    quotationId: quotation.id,
    sourceCurrency: quotation.sourceCurrency,
    destinationCurrency: quotation.targetCurrency,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
    purposeOfRemittance: asked.purposeOfRemittance,
    documentReferenceNumber: asked.documentReferenceNumber ?? null,
    parties: Object.fromEntries(PARTIES.flatMap((party) => (party in asked ? [[party, asked[party]]] : []))),
    deliveryMethodInfo: asked.deliveryMethodInfo,
    expiredAt: quotation.expiredAt,
  };
}
