// A model of the payout service in virtual time: it does what the interface says, and where the interface says nothing, what the seed chose.
// It keeps every record for ever and writes every effect into the journal.
import { createHash } from 'node:crypto';

import { Books } from './model-books.ts';
import { pageOf } from './model-list.ts';
import { wrongQuotation, wrongTransfer } from './model-lies.ts';
import { PayoutNetwork, type PayoutNetworkOptions } from './model-network.ts';
import {
  factsOfQuotation,
  factsOfTransfer,
  quotationOf,
  readRates,
  type CreateBody,
  type Quotation,
  type Transfer,
} from './model-records.ts';
import { Refusal, statusOf } from './model-refusal.ts';
import { quotationView, transferView } from './model-wire.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
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

type Answered = {
  readonly json: unknown;
  readonly transfer: Reply['transfer'];
  readonly headers?: Readonly<Record<string, string>>;
};

const CREATE_REFUSALS = [10001, 10003, 10018, 10019] as const;

export type ModelOptions = PayoutNetworkOptions & {
  /** True while faults may happen. */
  readonly isTroubled: () => boolean;
};

export class ModelService {
  readonly books: Books;
  readonly network: PayoutNetwork;
  /** Switched from outside: the key is refused, confirms find no funds. */
  isKeyRefused = false;
  isConfirmUnfunded = false;
  readonly transfers: Transfer[] = [];
  readonly #quotations: Quotation[] = [];
  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.books = new Books(options.write);
    this.network = new PayoutNetwork(options, this.books);
  }

  /** Acts on a request at this very moment and gives the answer. */
  handle(asked: Asked): Reply {
    const { plan, random } = this.#options;
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (random.chance(plan.holes.dateShare)) headers['date'] = new Date(this.#machineTime()).toUTCString();
    if (this.isKeyRefused && asked.by === 'us')
      return { status: 403, headers, body: '{"message":"forbidden"}', errorCode: null, transfer: null };
    try {
      const { json, transfer, headers: more } = this.#route(asked);
      const body = json === undefined ? '' : JSON.stringify(json);
      return { status: 200, headers: { ...headers, ...more }, body, errorCode: null, transfer };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { errorCode } = error;
      const body = JSON.stringify({ errorCode, message: 'refused' });
      return { status: statusOf(errorCode, plan.holes), headers, body, errorCode, transfer: null };
    }
  }

  #route({ method, path, body, headers, by }: Asked): Answered {
    const text = body === null ? '' : Buffer.from(body).toString();
    if (method === 'POST' && path === '/rates') return this.#createQuotation(text);
    if (method === 'POST' && path === '/transfers') return this.#createTransfer(text, by);
    const [, id = '', action = ''] = /^\/transfers\/([^/]+)\/(confirm|attachment)$/.exec(path) ?? [];
    if (method === 'POST' && action === 'confirm') return this.#confirm(decodeURIComponent(id), by);
    if (method === 'PUT' && action === 'attachment')
      return this.#attach(decodeURIComponent(id), body ?? new Uint8Array());
    if (method === 'GET' && path.startsWith('/transfers?')) return this.#list(path, headers?.['x-next-key']);
    // Asked for the time alone.
    if (method === 'GET' && path.startsWith('/payout-corridors?')) return { json: [], transfer: null };
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
    const { plan, write, scheduler, random } = this.#options;
    const asked = readRates(text);
    const key = this.#key(asked.externalId);
    if (this.#quotations.some(({ externalId }) => this.#key(externalId) === key)) throw new Refusal(10002);
    this.#refuseAtRandom([10001, 10003]);
    const id = `q-${String(this.#quotations.length + 1)}`;
    const exact = quotationOf(id, asked, scheduler.now, plan.holes.quotationLifeMs);
    const isAsAsked = !this.#liesNow();
    const quotation = isAsAsked ? exact : wrongQuotation(exact, random);
    if (plan.holes.fundsRefusedBy === 'rates') this.#assertFunded(quotation);
    this.#quotations.push(quotation);
    write({ kind: 'quotation', quotation: factsOfQuotation(quotation), isAsAsked });
    return { json: quotationView(quotation, plan.holes), transfer: null };
  }

  #assertFunded({ sourceAmount, feeAmount, sourceCurrency }: Quotation): void {
    if (this.books.of(sourceCurrency, 'available') < sourceAmount + feeAmount) throw new Refusal(10024);
  }

  #createTransfer(text: string, by: 'us' | 'other'): Answered {
    const { plan } = this.#options;
    const asked = JSON.parse(text) as CreateBody;
    const { createChecksQuotationFirst: isStrict } = plan.holes;
    if (isStrict) this.#validQuotation(asked.quotationId);
    if (isStrict && by === 'us') this.#refuseAtRandom(CREATE_REFUSALS);
    if (this.#transferBy(asked.externalId) !== null) throw new Refusal(10011);
    const quotation = this.#validQuotation(asked.quotationId);
    if (!isStrict && by === 'us') this.#refuseAtRandom(CREATE_REFUSALS);
    this.#assertFunded(quotation);
    const transfer = this.#reserve(asked, quotation, by);
    return {
      json: transferView(transfer, transfer, plan.holes),
      transfer: { id: transfer.id, status: transfer.status },
    };
  }

  #reserve(asked: CreateBody, quotation: Quotation, by: 'us' | 'other'): Transfer {
    const { scheduler, plan, write, random } = this.#options;
    const isShouted = plan.holes.idsAreCaseInsensitive && random.chance(0.5);
    const externalId = isShouted ? asked.externalId.toUpperCase() : asked.externalId;
    const id = `t-${String(this.transfers.length + 1)}`;
    const exact = factsOfTransfer(id, { ...asked, externalId }, quotation);
    const facts = by === 'us' && this.#liesNow() ? wrongTransfer(exact, random) : exact;
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
    if (plan.holes.afterExpiry === 'fails') this.#failAtExpiry(transfer);
    return transfer;
  }

  #failAtExpiry(transfer: Transfer): void {
    const { scheduler } = this.#options;
    scheduler.after(transfer.expiredAt - scheduler.now, () => {
      if (transfer.status === 'created') this.network.change(transfer, 'failed', '100000', 'expiry');
    });
  }

  #attach(id: string, body: Uint8Array): Answered {
    const { random, plan, isTroubled, write } = this.#options;
    const transfer = this.#known(id);
    if (transfer.status !== 'created') throw new Refusal(10015);
    transfer.isDocumented = !(random.chance(plan.faults.documentLost) && isTroubled());
    write({ kind: 'document', transferId: id, sha256: createHash('sha256').update(body).digest('hex') });
    return { json: {}, transfer: null };
  }

  #confirm(id: string, by: 'us' | 'other'): Answered {
    const { holes } = this.#options.plan;
    const transfer = this.#known(id);
    const isLate = this.#machineTime() >= transfer.expiredAt;
    if (holes.confirmChecksExpiryFirst && isLate) throw new Refusal(10016);
    if (transfer.status !== 'created') throw new Refusal(10015);
    if (isLate) throw new Refusal(10016);
    if (transfer.needsDocument && !transfer.isDocumented) throw new Refusal(10022);
    if (this.isConfirmUnfunded && holes.fundsRefusedBy === 'confirm') throw new Refusal(10024);
    this.network.take(transfer, by === 'us' ? 'confirm' : 'other');
    return { json: holes.confirmBody === 'null' ? null : undefined, transfer: null };
  }

  #read(path: string): Answered {
    const [, collection = '', name = ''] = /^\/(rates|transfers)\/(.+)$/.exec(path) ?? [];
    const isByExt = name.startsWith('ext-');
    const key = decodeURIComponent(name.replace(/^ext-/, ''));
    if (collection === 'rates') return this.#readQuotation(key, isByExt);
    if (collection === 'transfers') return this.#readTransfer(key, isByExt);
    throw new Refusal(10001);
  }

  #readQuotation(key: string, isByExt: boolean): Answered {
    const quotation = isByExt
      ? this.#quotations.find(({ externalId }) => this.#key(externalId) === this.#key(key))
      : this.#quotations.find(({ id }) => id === key);
    if (quotation === undefined || quotation.createdAt > this.#visibleAt())
      throw new Refusal(isByExt ? 10008 : 10007);
    return { json: quotationView(quotation, this.#options.plan.holes), transfer: null };
  }

  #readTransfer(key: string, isByExt: boolean): Answered {
    const at = this.#visibleAt();
    const transfer = isByExt ? this.#transferBy(key) : this.#transferById(key);
    const state = transfer?.past.findLast((past) => past.at <= at)?.state;
    if (transfer === null || state === undefined) throw new Refusal(isByExt ? 10013 : 10014);
    const json = transferView(transfer, state, this.#options.plan.holes);
    return { json, transfer: { id: transfer.id, status: state.status } };
  }

  #list(path: string, nextKey: string | undefined): Answered {
    const { holes } = this.#options.plan;
    const page = pageOf(this.transfers, { path, nextKey, at: this.#visibleAt(), holes });
    return { ...page, transfer: null };
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
}
