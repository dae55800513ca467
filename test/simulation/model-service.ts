// A model of the payout service in virtual time: it does what the interface says, and where the interface says nothing, what the seed chose.
// It keeps every record for ever and writes every effect into the journal.
import { createHash } from 'node:crypto';

import type { Minor, QuotationFacts, TransferFacts } from '../invariants/journal.ts';
import { Books } from './model-books.ts';
import { Refusal, statusOf } from './model-refusal.ts';
import { quotationView, timeOf, toMinor, transferView, type TransferState } from './model-wire.ts';
import type { Plan } from './plan.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { Write } from './witness.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array | null;
  readonly by: 'us' | 'other';
};

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly errorCode: number | null;
  /** What it says of a transfer. */
  readonly transfer: { readonly id: string; readonly status: string } | null;
};

type Quotation = QuotationFacts & { readonly createdAt: number; readonly transferType: string };

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

type Answered = { readonly json: unknown; readonly transfer: Reply['transfer'] };

export type ModelOptions = {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly plan: Plan;
  readonly write: Write;
  /** True while faults may happen. */
  readonly isTroubled: () => boolean;
};

export class ModelService {
  readonly books: Books;
  /** The key is refused, funds for confirms are out: switched by the world. */
  isKeyRefused = false;
  isConfirmUnfunded = false;
  readonly transfers: Transfer[] = [];
  readonly #quotations: Quotation[] = [];
  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.books = new Books(options.write);
  }

  /** Acts on a request at this very moment and gives the answer. */
  handle(asked: Asked): Reply {
    const { plan, random } = this.#options;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (random.chance(plan.holes.dateShare)) headers['date'] = new Date(this.#machineTime()).toUTCString();
    if (this.isKeyRefused && asked.by === 'us')
      return { status: 403, headers, body: '{"message":"forbidden"}', errorCode: null, transfer: null };
    try {
      const { json, transfer } = this.#route(asked);
      const body = json === undefined ? '' : JSON.stringify(json);
      return { status: asked.method === 'POST' ? 201 : 200, headers, body, errorCode: null, transfer };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { errorCode } = error;
      const body = JSON.stringify({ errorCode, message: 'refused' });
      return { status: statusOf(errorCode, plan.holes), headers, body, errorCode, transfer: null };
    }
  }

  /** A change that no call made: by the operator's staff, by the payout network. */
  change(
    transfer: Transfer,
    to: string,
    statusCode: string,
    by: 'confirm' | 'network' | 'expiry' | 'staff' | 'other',
  ): void {
    const { scheduler, write } = this.#options;
    const from = transfer.status;
    this.#moveFunds(transfer, from, to);
    transfer.status = to;
    transfer.statusCode = statusCode;
    transfer.past.push({ at: scheduler.now, state: { status: to, statusCode } });
    write({ kind: 'status', transferId: transfer.id, from, to, statusCode, by });
  }

  #moveFunds({ sendAmount, feeAmount, sourceCurrency }: Transfer, from: string, to: string): void {
    const amount = sendAmount + feeAmount;
    const account = (status: string) =>
      status === 'paid' ? 'paidOut' : status === 'failed' ? 'available' : 'pending';
    if (account(from) !== account(to)) this.books.move(sourceCurrency, account(from), account(to), amount);
  }

  #route({ method, path, body, by }: Asked): Answered {
    const text = body === null ? '' : Buffer.from(body).toString();
    if (method === 'POST' && path === '/rates') return this.#createQuotation(text);
    if (method === 'POST' && path === '/transfers') return this.#createTransfer(text, by);
    const confirm = /^\/transfers\/([^/]+)\/confirm$/.exec(path)?.[1];
    if (method === 'POST' && confirm !== undefined) return this.#confirm(decodeURIComponent(confirm), by);
    const attachment = /^\/transfers\/([^/]+)\/attachment$/.exec(path)?.[1];
    if (method === 'PUT' && attachment !== undefined)
      return this.#attach(decodeURIComponent(attachment), body ?? new Uint8Array());
    if (method === 'GET') return this.#read(path);
    throw new Refusal(10001);
  }

  /** What one of its machines takes for the time. */
  #machineTime(): number {
    const { scheduler, random, plan } = this.#options;
    const { skewMsMost } = plan.holes;
    return scheduler.now + random.between(-skewMsMost, skewMsMost);
  }

  #key(externalId: string): string {
    return this.#options.plan.holes.idsAreCaseInsensitive ? externalId.toLowerCase() : externalId;
  }

  #createQuotation(text: string): Answered {
    const { plan, write } = this.#options;
    const asked = readRates(text);
    const key = this.#key(asked.externalId);
    if (this.#quotations.some(({ externalId }) => this.#key(externalId) === key)) throw new Refusal(10002);
    this.#refuseAtRandom([10001, 10003]);
    const exact = this.#price(asked);
    const isAsAsked = !this.#liesNow();
    const quotation = isAsAsked ? exact : { ...exact, ...this.#wrongQuotation(exact) };
    const needed = quotation.sourceAmount + quotation.feeAmount;
    if (
      plan.holes.fundsRefusedBy === 'rates' &&
      this.books.of(quotation.sourceCurrency, 'available') < needed
    )
      throw new Refusal(10024);
    this.#quotations.push(quotation);
    write({ kind: 'quotation', quotation: factsOfQuotation(quotation), isAsAsked });
    return { json: quotationView(quotation, plan.holes), transfer: null };
  }

  #price(asked: Rates): Quotation {
    const { scheduler, plan } = this.#options;
    const [numerator, denominator] = RATES[asked.sourceCurrency] ?? [1n, 1n];
    const isSource = asked.mode === 'SOURCE_AMOUNT';
    const sourceAmount = isSource ? asked.amount : (asked.amount * denominator + numerator - 1n) / numerator;
    const destinationAmount = isSource ? (asked.amount * numerator) / denominator : asked.amount;
    return {
      id: `q-${String(this.#quotations.length + 1)}`,
      externalId: asked.externalId,
      sourceCurrency: asked.sourceCurrency,
      targetCurrency: asked.targetCurrency,
      payoutCorridorId: asked.payoutCorridorId,
      mode: asked.mode,
      transferType: asked.transactionMode,
      sourceAmount,
      destinationAmount,
      feeAmount: (sourceAmount * 15n + 999n) / 1000n + 25n,
      createdAt: scheduler.now,
      expiredAt: scheduler.now + plan.holes.quotationLifeMs,
    };
  }

  #wrongQuotation(exact: Quotation): Partial<Quotation> {
    return this.#options.random.pick<Partial<Quotation>>([
      exact.mode === 'SOURCE_AMOUNT'
        ? { sourceAmount: exact.sourceAmount + 1n }
        : { destinationAmount: exact.destinationAmount - 1n },
      { payoutCorridorId: 'another' },
      { transferType: 'C2C' },
      { targetCurrency: 'USD' },
    ]);
  }

  #createTransfer(text: string, by: 'us' | 'other'): Answered {
    const { plan } = this.#options;
    const asked = JSON.parse(text) as CreateBody;
    if (plan.holes.createChecksQuotationFirst) this.#validQuotation(asked.quotationId);
    const known = this.#transferBy(asked.externalId);
    if (known !== null) throw new Refusal(10011);
    const quotation = this.#validQuotation(asked.quotationId);
    if (by === 'us') this.#refuseAtRandom([10001, 10003, 10018, 10019]);
    const needed = quotation.sourceAmount + quotation.feeAmount;
    if (this.books.of(quotation.sourceCurrency, 'available') < needed) throw new Refusal(10024);
    const transfer = this.#reserve(asked, quotation, by);
    const now = { status: transfer.status, statusCode: transfer.statusCode };
    return {
      json: transferView(transfer, now, plan.holes),
      transfer: { id: transfer.id, status: transfer.status },
    };
  }

  #reserve(asked: CreateBody, quotation: Quotation, by: 'us' | 'other'): Transfer {
    const { scheduler, plan, write, random } = this.#options;
    const exact = factsOfTransfer(
      `t-${String(this.transfers.length + 1)}`,
      asked,
      quotation,
      plan.holes.idsAreCaseInsensitive && random.chance(0.5),
    );
    const facts = by === 'us' && this.#liesNow() ? { ...exact, ...this.#wrongTransfer(exact) } : exact;
    const state = { status: 'created', statusCode: '10000' };
    const transfer: Transfer = {
      ...facts,
      ...state,
      createdAt: scheduler.now,
      needsDocument: quotation.payoutCorridorId.includes('bank'),
      isDocumented: false,
      isUndecided: false,
      past: [{ at: scheduler.now, state }],
    };
    this.transfers.push(transfer);
    write({ kind: 'transfer', transfer: facts, by });
    this.books.move(facts.sourceCurrency, 'available', 'pending', facts.sendAmount + facts.feeAmount);
    if (plan.holes.afterExpiry === 'fails') {
      scheduler.after(transfer.expiredAt - scheduler.now, () => {
        if (transfer.status === 'created') this.change(transfer, 'failed', '100000', 'expiry');
      });
    }
    return transfer;
  }

  #wrongTransfer(exact: TransferFacts): Partial<TransferFacts> {
    const info = exact.deliveryMethodInfo;
    const [field = 'msisdn'] = Object.keys(info);
    return this.#options.random.pick<Partial<TransferFacts>>([
      { receiveAmount: exact.receiveAmount + 1n },
      { sendAmount: exact.sendAmount + 1n },
      { feeAmount: exact.feeAmount + 1n },
      { deliveryMethodInfo: { ...info, [field]: `${String(info[field])}0` } },
      { deliveryMethodInfo: { ...info, cardNumber: '6222000000000000' } },
      { purposeOfRemittance: 'GIFT' },
      { destinationCurrency: 'USD' },
    ]);
  }

  #attach(id: string, body: Uint8Array): Answered {
    const transfer = this.#known(id);
    if (transfer.status !== 'created') throw new Refusal(10015);
    const { random, plan, isTroubled } = this.#options;
    transfer.isDocumented = !(random.chance(plan.faults.documentLost) && isTroubled());
    const sha256 = createHash('sha256').update(body).digest('hex');
    this.#options.write({ kind: 'document', transferId: id, sha256 });
    return { json: {}, transfer: null };
  }

  #confirm(id: string, by: 'us' | 'other'): Answered {
    const { plan, random } = this.#options;
    const transfer = this.#known(id);
    const isLate = this.#machineTime() >= transfer.expiredAt;
    if (plan.holes.confirmChecksExpiryFirst && isLate) throw new Refusal(10016);
    if (transfer.status !== 'created') throw new Refusal(10015);
    if (isLate) throw new Refusal(10016);
    if (transfer.needsDocument && !transfer.isDocumented) throw new Refusal(10022);
    if (this.isConfirmUnfunded && plan.holes.fundsRefusedBy === 'confirm') throw new Refusal(10024);
    if (transfer.isUndecided || random.chance(plan.networkRefuses)) this.#refuseByNetwork(transfer);
    this.#submit(transfer, by === 'us' ? 'confirm' : 'other');
    return { json: plan.holes.confirmBody === 'null' ? null : undefined, transfer: null };
  }

  /** The network refuses at once; what becomes of the transfer is not shown. */
  #refuseByNetwork(transfer: Transfer): never {
    const { plan, scheduler, random } = this.#options;
    const { refusedConfirm } = plan.holes;
    if (refusedConfirm === 'fails') this.change(transfer, 'failed', '100002', 'confirm');
    else if (!transfer.isUndecided) {
      transfer.isUndecided = true;
      // Well within the time for which a read may be stale and a dead attempt is watched.
      const ms = random.between(1_000, 240_000);
      if (refusedConfirm !== 'stays-created') scheduler.after(ms, () => this.#decide(transfer));
    }
    throw new Refusal(10027);
  }

  #decide(transfer: Transfer): void {
    if (transfer.status !== 'created') return;
    if (this.#options.plan.holes.refusedConfirm === 'pays-later') this.#submit(transfer, 'network');
    else this.change(transfer, 'failed', '100006', 'network');
  }

  #submit(transfer: Transfer, by: 'confirm' | 'network' | 'other'): void {
    const { scheduler, random, plan } = this.#options;
    this.change(transfer, 'submitted', '10001', by);
    scheduler.after(random.between(100, plan.payoutMsMost), () => this.#end(transfer));
  }

  #end(transfer: Transfer): void {
    const { random, plan, scheduler } = this.#options;
    if (transfer.status !== 'submitted') return;
    if (random.chance(plan.payoutFails)) {
      this.change(transfer, 'failed', random.pick(FAILED_CODES), 'network');
      return;
    }
    this.change(transfer, 'paid', '20000', 'network');
    if (!random.chance(plan.reversals)) return;
    scheduler.after(random.between(100, 600_000), () => {
      if (transfer.status === 'paid') this.change(transfer, 'failed', '100001', 'network');
    });
  }

  #read(path: string): Answered {
    const { holes } = this.#options.plan;
    const [, collection = '', name = ''] = /^\/(rates|transfers)\/(.+)$/.exec(path) ?? [];
    const key = decodeURIComponent(name.replace(/^ext-/, ''));
    const isByExt = name.startsWith('ext-');
    const at = this.#visibleAt();
    if (collection === 'rates') {
      const quotation = isByExt
        ? this.#quotations.find(({ externalId }) => this.#key(externalId) === this.#key(key))
        : this.#quotations.find(({ id }) => id === key);
      if (quotation === undefined || quotation.createdAt > at) throw new Refusal(isByExt ? 10008 : 10007);
      return { json: quotationView(quotation, holes), transfer: null };
    }
    if (path.startsWith('/public/balances')) return { json: [], transfer: null };
    if (collection !== 'transfers') throw new Refusal(10001);
    const transfer = isByExt ? this.#transferBy(key) : this.#transferById(key);
    const state = transfer?.past.findLast((past) => past.at <= at)?.state;
    if (transfer === null || state === undefined) throw new Refusal(isByExt ? 10013 : 10014);
    return {
      json: transferView(transfer, state, holes),
      transfer: { id: transfer.id, status: state.status },
    };
  }

  /** A read shows the service as it was then. */
  #visibleAt(): number {
    const { scheduler, random, plan } = this.#options;
    const isStale = random.chance(plan.holes.staleShare);
    return scheduler.now - (isStale ? random.between(0, plan.holes.staleMsMost) : 0);
  }

  #validQuotation(id: string): Quotation {
    const quotation = this.#quotations.find((known) => known.id === id);
    if (quotation === undefined) throw new Refusal(10007);
    if (this.#machineTime() >= quotation.expiredAt) throw new Refusal(10009);
    return quotation;
  }

  #known(id: string): Transfer {
    const transfer = this.#transferById(id);
    if (transfer === null) throw new Refusal(10014);
    return transfer;
  }

  #transferById(id: string): Transfer | null {
    return this.transfers.find((transfer) => transfer.id === id) ?? null;
  }

  #transferBy(externalId: string): Transfer | null {
    const key = this.#key(externalId);
    return this.transfers.find((transfer) => this.#key(transfer.externalId) === key) ?? null;
  }

  #liesNow(): boolean {
    const { random, plan, isTroubled } = this.#options;
    return random.chance(plan.faults.wrongEcho) && isTroubled();
  }

  #refuseAtRandom(codes: readonly number[]): void {
    const { random, plan, isTroubled } = this.#options;
    if (random.chance(plan.faults.refusedAtRandom) && isTroubled()) throw new Refusal(random.pick(codes));
  }

  /** As the interface writes a moment of this service. */
  timeText(ms: number): string {
    return timeOf(ms, this.#options.plan.holes);
  }
}

/** Minor units of the target for minor units of the source, as a fraction. */
const RATES: Readonly<Record<string, readonly [Minor, Minor]>> = {
  XAF: [118n, 100n],
  USD: [713n, 100n],
  EUR: [777n, 100n],
};

const FAILED_CODES = [
  '100000',
  '100002',
  '100003',
  '100004',
  '100005',
  '100006',
  '100007',
  '100008',
] as const;

type Rates = {
  readonly externalId: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
  readonly transactionMode: string;
  readonly payoutCorridorId: string;
  readonly mode: string;
  readonly amount: Minor;
};

type CreateBody = {
  readonly quotationId: string;
  readonly externalId: string;
  readonly purposeOfRemittance: string;
  readonly documentReferenceNumber?: string;
  readonly deliveryMethodInfo: Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

function readRates(text: string): Rates {
  // Amounts as they were written, digit for digit.
  const parse = JSON.parse as (text: string, reviver: Reviver) => Record<string, string>;
  const body = parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
  const isSource = body['mode'] === 'SOURCE_AMOUNT';
  const currency = (isSource ? body['sourceCurrency'] : body['targetCurrency']) ?? '';
  const amount = toMinor((isSource ? body['sourceAmount'] : body['destinationAmount']) ?? '', currency);
  if (amount === null || amount <= 0n) throw new Refusal(10001);
  return { ...(body as unknown as Rates), amount };
}

function factsOfQuotation({ createdAt, transferType, ...facts }: Quotation): QuotationFacts {
  void createdAt;
  void transferType;
  return facts;
}

const PARTIES = ['sender', 'sendingBusiness', 'receiver', 'receivingBusiness'] as const;

function factsOfTransfer(
  id: string,
  asked: CreateBody,
  quotation: Quotation,
  isShouted: boolean,
): TransferFacts {
  return {
    id,
    externalId: isShouted ? asked.externalId.toUpperCase() : asked.externalId,
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
