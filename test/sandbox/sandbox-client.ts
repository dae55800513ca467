// A plain HTTP client for the sandbox's tests, and requests that are right as they stand, so that a test names only what it changes.
import type { RunningSandbox } from '../../src/sandbox/start-sandbox.ts';

export type Json = Readonly<Record<string, unknown>>;

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as an object; empty when it is none. */
  readonly json: Json;
  /** The body as a list; empty when it is none. */
  readonly list: readonly Json[];
};

export type Client = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown): Promise<Reply>;
  put(path: string, bytes: Uint8Array, contentType: string): Promise<Reply>;
  /** A request as it is, without the key. */
  raw(path: string, init: RequestInit): Promise<Reply>;
};

export function clientOf({ baseUrl, apiKey }: Pick<RunningSandbox, 'baseUrl' | 'apiKey'>): Client {
  const raw = async (path: string, init: RequestInit): Promise<Reply> => {
    const response = await fetch(baseUrl + path, init);
    return replyOf(response, await response.text());
  };
  const key = { 'x-api-key': apiKey };
  return {
    raw,
    get: (path, headers = {}) => raw(path, { headers: { ...key, ...headers } }),
    post: (path, body) =>
      raw(path, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body),
      }),
    put: (path, bytes, contentType) =>
      raw(path, {
        method: 'PUT',
        headers: { ...key, 'content-type': contentType },
        body: Buffer.from(bytes),
      }),
  };
}

function replyOf({ status, headers }: Response, text: string): Reply {
  const body: unknown = headers.get('content-type') === 'application/json' ? parse(text) : null;
  return {
    status,
    headers,
    text,
    json: typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Json) : {},
    list: Array.isArray(body) ? (body as Json[]) : [],
  };
}

/** A body that was cut on purpose is still a reply. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

let references = 0;
/** A caller's reference that no other request of this process has. */
export function freshReference(): string {
  references += 1;
  return `ref-${String(references)}`;
}

export const BUSINESS = {
  registeredName: 'Société Forestière du Littoral',
  registrationNumber: 'RC/DLA/2019/B/1234',
  address: '12 Rue Joss',
  city: 'Douala',
  countryIsoCode: 'CMR',
};
export const INDIVIDUAL = {
  firstName: 'Marie',
  lastName: 'Ngono',
  msisdn: '+237650000001',
  address: '3 Avenue Kennedy',
  city: 'Yaoundé',
  countryIsoCode: 'CMR',
};
export const RECEIVER = { firstName: 'Wei', lastName: 'Li', city: 'Guangzhou', countryIsoCode: 'CHN' };
export const SUPPLIER = {
  registeredName: 'Guangzhou Timber Machines Co.',
  address: '88 Tianhe Road',
  city: 'Guangzhou',
  countryIsoCode: 'CHN',
};
export const ACCOUNT = {
  bankAccountHolderFullName: 'Guangzhou Timber Machines Co.',
  bankAccountNumber: '6222021234567890123',
  bankAccountSwiftCode: 'ICBKCNBJGDG',
};

/** A right request for a quotation: 1000 CNY to an Alipay wallet, paid in XAF. */
export function quotationRequest(changes: Json = {}): Json {
  return {
    externalId: freshReference(),
    sourceCurrency: 'XAF',
    targetCurrency: 'CNY',
    transactionMode: 'B2C',
    payoutCorridorId: 'chn-cny-b2c-alipay',
    mode: 'DESTINATION_AMOUNT',
    destinationAmount: 1000,
    ...changes,
  };
}

/** The same to a supplier's bank account. */
export const BANK_QUOTATION = { payoutCorridorId: 'chn-cny-b2b-bank', transactionMode: 'B2B' } as const;
export const BANK_TRANSFER = {
  receiver: undefined,
  receivingBusiness: SUPPLIER,
  deliveryMethodInfo: ACCOUNT,
} as const;

/** A right request for a transfer of such a quotation. */
export function transferRequest(quotationId: unknown, changes: Json = {}): Json {
  return {
    quotationId,
    externalId: freshReference(),
    purposeOfRemittance: 'SALARY_PAYMENT',
    sendingBusiness: BUSINESS,
    receiver: RECEIVER,
    deliveryMethodInfo: { msisdn: '+8613800000007' },
    ...changes,
  };
}

/** A quotation as the service made it. */
export async function quoted(client: Client, changes: Json = {}): Promise<Json> {
  return succeeded(await client.post('/rates', quotationRequest(changes)));
}

/** A transfer as the service made it, with its quotation. */
export async function created(client: Client, changes: Json = {}, quotation: Json = {}): Promise<Json> {
  const { id } = await quoted(client, quotation);
  return succeeded(await client.post('/transfers', transferRequest(id, changes)));
}

/** The id of a transfer that was created and confirmed. */
export async function confirmed(client: Client, changes: Json = {}): Promise<string> {
  const { id } = await created(client, changes);
  succeeded(await client.post(`/transfers/${String(id)}/confirm`));
  return String(id);
}

/** `status/statusCode` of a transfer, as a read gives it. */
export async function statusOf(client: Client, id: unknown): Promise<string> {
  const { json } = await client.get(`/transfers/${String(id)}`);
  return `${String(json['status'])}/${String(json['statusCode'])}`;
}

/** `httpStatus/errorCode` of a refusal. */
export function refusalOf({ status, json }: Reply): string {
  return `${String(status)}/${String(json['errorCode'])}`;
}

function succeeded(reply: Reply): Json {
  if (reply.status !== 200) throw new Error(`${String(reply.status)}: ${reply.text}`);
  return reply.json;
}
