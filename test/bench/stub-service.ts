// The service of the benchmarks, a program of its own: the calls of the interface, in memory, faithful enough that paydrop runs against it as
// it is, and fast enough not to be what is measured. `--latency MS` is added to every call; GET /bench/calls tells how many there were of each.
// `--day rough` has the mix of `rough-day.ts`; `--limit N` serves N calls a second and no more, of which another client
// takes `--other N` in every second `--every SECONDS`.
import { parseArgs } from 'node:util';

import { startServer, type Asked, type Reply } from './http-server.ts';
import { CallLimit } from './call-limit.ts';
import { ROUGH_DAY, roughDayFrom } from './rough-day.ts';
import { CORRIDORS, quotationOf, transferOf, type Quotation, type Transfer } from './stub-records.ts';

const { latency, day, limit, other, every } = parseArgs({
  options: {
    latency: { type: 'string', default: '0' },
    day: { type: 'string', default: 'quiet' },
    limit: { type: 'string', default: '0' },
    other: { type: 'string', default: '0' },
    every: { type: 'string', default: '20' },
  },
}).values;

const isRough = day === 'rough';
/** On a quiet day quotations live longer than any run, and the network pays at once. */
const quoteLifeMs = isRough ? ROUGH_DAY.quoteLifeMs : 86_400_000;
const settleMs = isRough ? ROUGH_DAY.settleMs : 0;
const roughDay = isRough ? roughDayFrom(7) : null;
const served =
  limit === '0' ? null : new CallLimit(Number(limit), { takes: Number(other), everyS: Number(every) });

/** Transfers of one page of the list. */
const PAGE = 100;

const quotations = new Map<string, Quotation>();
const quotationsByExternalId = new Map<string, Quotation>();
const transfers = new Map<string, Transfer>();
const transfersByExternalId = new Map<string, Transfer>();
const created: Transfer[] = [];
const calls = { corridors: 0, quote: 0, create: 0, attach: 0, confirm: 0, read: 0, list: 0, balances: 0 };

const found = (value: unknown, errorCode: number): Reply =>
  value === undefined ? refused(errorCode) : { status: 200, body: JSON.stringify(value) };
const refused = (errorCode: number): Reply => ({
  status: 500,
  body: `{"errorCode":${String(errorCode)},"message":"refused"}`,
});

function quote({ body }: Asked): Reply {
  calls.quote += 1;
  const asked = JSON.parse(body.toString()) as Record<string, unknown>;
  if (quotationsByExternalId.has(String(asked['externalId']))) return refused(10002);
  const quotation = quotationOf(`q-${String(quotations.size + 1)}`, asked, quoteLifeMs);
  quotations.set(quotation.id, quotation);
  quotationsByExternalId.set(quotation.externalId, quotation);
  return { status: 200, body: JSON.stringify(quotation) };
}

function create({ body }: Asked): Reply {
  calls.create += 1;
  const asked = JSON.parse(body.toString()) as Record<string, unknown>;
  const externalId = String(asked['externalId']);
  if (transfersByExternalId.has(externalId)) return refused(10011);
  const quotation = quotations.get(String(asked['quotationId']));
  if (quotation === undefined) return refused(10007);
  const transfer = transferOf(`t-${String(transfers.size + 1)}`, asked, quotation);
  transfers.set(transfer.id, transfer);
  transfersByExternalId.set(externalId, transfer);
  created.push(transfer);
  return { status: 200, body: JSON.stringify(transfer) };
}

function confirm(id: string): Reply {
  calls.confirm += 1;
  const transfer = transfers.get(id);
  if (transfer === undefined) return refused(10014);
  if (transfer.status !== 'created') return refused(10015);
  transfer.status = 'submitted';
  transfer['statusCode'] = '10001';
  if (settleMs === 0) pay(transfer);
  else setTimeout(() => pay(transfer), settleMs);
  return { status: 200, body: 'null' };
}

function pay(transfer: Transfer): void {
  transfer.status = 'paid';
  transfer['statusCode'] = '20000';
}

function list({ path, head }: Asked): Reply {
  calls.list += 1;
  const query = new URL(path, 'http://stub').searchParams;
  const [from, to] = [query.get('startTime') ?? '', query.get('endTime') ?? '9'];
  const start = Number(/\r\nx-next-key: *(\d+)/i.exec(head)?.[1] ?? '0');
  const page = created.slice(start, start + PAGE);
  const body = JSON.stringify(page.filter(({ createdAt }) => createdAt >= from && createdAt <= to));
  const next = start + PAGE;
  return { status: 200, body, ...(next < created.length ? { nextKey: String(next) } : {}) };
}

function read(path: string): Reply {
  calls.read += 1;
  const [, kind = '', id = ''] = path.split('/');
  const key = decodeURIComponent(id.replace(/^ext-/, ''));
  const isOurs = id.startsWith('ext-');
  if (kind === 'rates')
    return found((isOurs ? quotationsByExternalId : quotations).get(key), isOurs ? 10008 : 10007);
  return found((isOurs ? transfersByExternalId : transfers).get(key), isOurs ? 10013 : 10014);
}

/** Every call meets the limit first, and then what the day has for it. */
function handle(asked: Asked): Reply & { readonly afterMs: number } {
  if (asked.path.startsWith('/bench/')) return { status: 200, body: told(asked.path), afterMs: 0 };
  const now = performance.now();
  if (served?.admits(now) === false)
    return { status: 429, body: '{"message":"too many"}', afterMs: latencyMs };
  if (roughDay === null) return { ...act(asked), afterMs: latencyMs };
  return roughDay(now, () => act(asked));
}

function told(path: string): string {
  return JSON.stringify(path === '/bench/limit' ? (served?.counts ?? null) : calls);
}

function act(asked: Asked): Reply {
  const { method, path } = asked;
  if (method === 'POST' && path === '/rates') return quote(asked);
  if (method === 'POST' && path === '/transfers') return create(asked);
  if (method === 'POST' && path.endsWith('/confirm'))
    return confirm(path.slice('/transfers/'.length, -'/confirm'.length));
  if (method === 'PUT') {
    calls.attach += 1;
    return { status: 200, body: 'null' };
  }
  if (path.startsWith('/payout-corridors')) {
    calls.corridors += 1;
    return { status: 200, body: CORRIDORS };
  }
  if (path.startsWith('/public/balances')) {
    calls.balances += 1;
    return { status: 200, body: '[{"currency":"XAF","available":900000000000000,"pending":0}]' };
  }
  if (path === '/transfers' || path.startsWith('/transfers?')) return list(asked);
  if (path.startsWith('/transfers/') || path.startsWith('/rates/')) return read(path);
  return { status: 404, body: '{"errorCode":10001,"message":"no such path"}' };
}

const latencyMs = Number(latency);
const server = startServer(handle);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string')
    process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});
