// A batch with its real ledger on disk, its real client and the real sandbox over HTTP, and time that passes only when the runner waits.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect } from 'vitest';

import type { Clock } from '../../src/base/clock.ts';
import { addDecimals, subtractDecimals } from '../../src/base/decimal.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Goal } from '../../src/delivery/goal.ts';
import { lookAtHeldRows } from '../../src/delivery/reconcile.ts';
import { runBatch, type RunEnd, type RunOptions } from '../../src/delivery/runner.ts';
import { pacedTransport } from '../../src/delivery/paced-transport.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import type { DeliveryTools } from '../../src/delivery/tools.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import { CorridorRates } from '../../src/payouts/moved-price.ts';
import { keysOf } from '../../src/payouts/payment-keys.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { stageOrHeld, begunBy } from '../../src/payouts/progress.ts';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import type { Transport } from '../../src/service/transport.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { withSandbox, type TestSandbox } from '../sandbox/with-sandbox.ts';
import { FILE_ID, PAYOUT } from './due-row.ts';
import { meddlingProxy, type Meddling } from './meddling-proxy.ts';
import { atEnd } from '../at-end.ts';
import { stillDisk } from '../still-disk.ts';
import { own } from '../ledger/own.ts';

export const BATCH = 'b-1';
const DOCUMENT = Buffer.from('%PDF-1.7 invoice');
const DAY_MS = 86_400_000;

/** The most that any test carries at the same time. */
const LANES = 64;

/** A bank transfer to a supplier, with its document. */
export const BANK: Partial<Payout> = {
  payoutCorridorId: 'chn-cny-b2b-bank',
  transactionMode: 'B2B',
  deliveryMethod: 'bankTransfer',
  bounds: { least: '100', most: '5000000' },
  receivingParty: {
    registeredName: 'Guangzhou Timber Machines Co.',
    address: '88 Tianhe Road',
    city: 'Guangzhou',
    countryIsoCode: 'CHN',
  },
  deliveryMethodInfo: {
    bankAccountHolderFullName: 'Guangzhou Timber Machines Co.',
    bankAccountNumber: '6222021234567890123',
    bankAccountSwiftCode: 'ICBKCNBJGDG',
  },
  document: {
    name: 'invoice.pdf',
    sha256: createHash('sha256').update(DOCUMENT).digest('hex'),
    contentType: 'application/pdf',
  },
};

/** After these ends nothing more is asked of the service. */
const STOPPED: ReadonlySet<RunEnd['kind']> = new Set(['interrupted', 'paused', 'credentials', 'service']);

export type Delivery = {
  readonly sandbox: TestSandbox;
  readonly clock: ManualClock;
  readonly ledger: Ledger;
  readonly rateControl: RateControl;
  /** `METHOD path` of every request that was sent, and its body. */
  readonly calls: readonly { readonly call: string; readonly body: string }[];
  /** Sends what is to be sent and follows it to its end, as this process or, with another `ledger`, as another. */
  run(options?: Partial<RunOptions>, tools?: Partial<DeliveryTools>): Promise<RunEnd>;
  /** Looks at what waits for a person. */
  lookAtHeld(): Promise<RunEnd>;
  /** Looks again at what has ended. */
  watch(): Promise<RunEnd>;
  /** The same ledger, opened as another process would. */
  openAgain(): Ledger;
  rows(): Promise<readonly RowRecord[]>;
};

/** What tools tell that does not change while a run goes on. */
export const always =
  <T>(value: T): (() => T) =>
  () =>
    value;

export type DeliveryOptions = {
  readonly payouts?: readonly Partial<Payout>[];
  readonly sandbox?: SandboxOptions;
  readonly apiKey?: string;
  readonly clock?: ManualClock;
  readonly meddling?: Meddling;
  /** One clock of the service for all runs, as in a daemon; else each run learns its time again. */
  readonly isDaemon?: boolean;
  /** The limits of the pace; none that a test would meet when left out. */
  readonly lanes?: number;
  readonly perSecond?: number;
  /** Called at each wait of the runner. */
  readonly onWait?: (waits: number, sandbox: TestSandbox) => Promise<unknown> | undefined;
};

export async function deliver(options: DeliveryOptions = {}): Promise<Delivery> {
  const { clock = manualClock(), payouts = [{}] } = options;
  stillDisk();
  const sandbox = await withSandbox({ clock, ...options.sandbox });
  const address =
    options.meddling === undefined ? sandbox.baseUrl : await meddlingProxy(sandbox.baseUrl, options.meddling);
  const passing = passingClock(clock, (waits) => options.onWait?.(waits, sandbox));
  const folder = mkdtempSync(join(tmpdir(), 'deliver-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const openAgain = (): Ledger => {
    const ledger = openSqlite(join(folder, 'ledger.sqlite'), passing);
    atEnd(() => ledger.close());
    return ledger;
  };
  const ledger = openAgain();
  await fill(ledger, payouts);
  const calls: { call: string; body: string }[] = [];
  const { lanes = LANES, perSecond = Infinity } = options;
  const rateControl = new RateControl(passing, { lanes, perSecond });
  const tools = toolsOf(address, rateControl, passing, options.apiKey ?? sandbox.apiKey, calls);
  const kept = options.isDaemon === true ? new ServiceClock(passing) : null;
  const toolsNow = (): DeliveryTools => ({ ...tools, serviceClock: kept ?? new ServiceClock(passing) });
  const carry = async (
    goal: Goal,
    changes: Partial<RunOptions>,
    others: Partial<DeliveryTools> = {},
  ): Promise<RunEnd> =>
    runBatch({
      ledger,
      leased: await own(changes.ledger ?? ledger, BATCH),
      tools: { ...toolsNow(), ...others },
      log: silentLog,
      batch: BATCH,
      folder: '',
      fileId: FILE_ID,
      tenure: (changes.ledger ?? ledger).run,
      goal,
      concurrency: 4,
      waitMs: DAY_MS,
      signal: new AbortController().signal,
      stop: () => null,
      onMoved: () => undefined,
      ...changes,
    });
  const run = async (
    changes: Partial<RunOptions> = {},
    others: Partial<DeliveryTools> = {},
  ): Promise<RunEnd> => {
    const sent = await carry('submitted', changes, others);
    if (STOPPED.has(sent.kind)) return sent;
    const followed = await carry('tracked', changes, others);
    return sent.kind === 'done' ? followed : sent;
  };
  const lookAtHeld = async () =>
    lookAtHeldRows(ledger, { ...(await own(ledger, BATCH)), fileId: FILE_ID }, toolsNow());
  const watch = () => carry('watched', { waitMs: 0 });
  const rows = () => ledger.rows(BATCH, 0, 1_000);
  return {
    sandbox,
    clock,
    ledger,
    rateControl,
    calls,
    run,
    lookAtHeld,
    watch,
    openAgain,
    rows,
  };
}

/** A wait on it makes as much time pass. */
function passingClock(clock: ManualClock, onWait: (waits: number) => Promise<unknown> | undefined): Clock {
  let waits = 0;
  return {
    ...clock,
    sleep: async (ms, signal) => {
      if (signal?.aborted === true) return;
      waits += 1;
      await onWait(waits);
      clock.advance(Math.max(0, ms));
      await nextTurn();
    },
  };
}

function toolsOf(
  address: string,
  rateControl: RateControl,
  clock: Clock,
  apiKey: string,
  calls: { call: string; body: string }[],
): Omit<DeliveryTools, 'serviceClock'> {
  const { transport, close } = undiciTransport(new URL(address), LANES);
  atEnd(close);
  const counting: Transport = (request) => {
    calls.push({
      call: `${request.method} ${request.path}`,
      body: Buffer.from(request.body ?? []).toString(),
    });
    return transport(request);
  };
  return {
    service: httpPayoutService({
      transport: pacedTransport(counting, rateControl, clock),
      apiKey,
      timeoutMs: 10_000,
      clock,
    }),
    clock,
    rateControl,
    doubtSince: () => null,
    readDocument: () => Promise.resolve(DOCUMENT),
    callbackUrl: null,
    reserve: null,
    priceLimits: { feeShare: null, leastRates: null },
    maxDrift: '0.01',
    rates: new CorridorRates(),
    rowAt: () => Promise.resolve(null),
    pollEveryMs: 30_000,
    reversalWindowMs: 90 * 86_400_000,
  };
}

async function fill(ledger: Ledger, payouts: readonly Partial<Payout>[]): Promise<void> {
  await ledger.addBatch(RECORD);
  const rows = payouts.map((payout, index) => ({
    position: index + 1,
    row: String(index + 2),
    payout: { ...PAYOUT, ...payout },
    rejections: [],
    reference: `A-${String(index + 1)}`,
    lineage: null,
    keys: { ...keysOf({ ...PAYOUT, ...payout }), fingerprint: null, payment: null },
    progress: begunBy(ledger.run),
    isDue: true,
  }));
  await ledger.addRows(await own(ledger, BATCH), rows);
  await changeBatch(ledger, await own(ledger, BATCH), { state: 'pricing' });
  await changeBatch(ledger, await own(ledger, BATCH), { state: 'accepted' });
  await changeBatch(ledger, await own(ledger, BATCH), { state: 'sending' });
}

const RECORD: BatchRecord = {
  owner: null,
  token: 0,
  id: BATCH,
  fileId: FILE_ID,
  sha256: FILE_ID,
  fileName: 'payroll.csv',
  state: 'checking',
  wait: null,
  decisions: [],
  onInvalidRows: 'refuse-file',
  whole: null,
  sandbox: true,
  rows: 1,
  content: null,
  acceptedAt: '2026-11-20T08:30:00.000Z',
  finished: null,
};

/** How often a request was sent: `count(delivery, 'POST', '/confirm')`. */
export function count({ calls }: Delivery, method: string, end: string): number {
  return calls.filter(({ call }) => call.startsWith(`${method} `) && call.endsWith(end)).length;
}

/** The transfers that the service has, oldest first. */
export async function transfersOf({ sandbox }: Delivery) {
  const { list } = await sandbox.client.get('/transfers?limit=200');
  return list.map(({ externalId, status, quotationId }) => ({ externalId, status, quotationId }));
}

export async function stagesOf(delivery: Delivery): Promise<readonly string[]> {
  return (await delivery.rows()).map(({ progress }) => stageOrHeld(progress));
}

/** The service debited exactly what our rows say was paid, and keeps exactly `reserved` in addition. */
export async function expectBooksExact(delivery: Delivery, reserved: readonly string[] = []): Promise<void> {
  const rows = await delivery.rows();
  for (const book of delivery.sandbox.books()) {
    const paid = rows
      .filter(({ progress, payout }) => progress.stage === 'paid' && payout?.sourceCurrency === book.currency)
      .flatMap(({ progress }) => [progress.transfer?.sendAmount ?? '', progress.transfer?.feeAmount ?? ''])
      .reduce(addDecimals, '0');
    expect(book.debitedAmount).toBe(paid);
    const pending = book.currency === 'XAF' ? reserved.reduce(addDecimals, '0') : '0';
    expect(book.pendingAmount).toBe(pending);
    const left = subtractDecimals(subtractDecimals(book.depositedAmount, paid), pending);
    expect(book.availableAmount).toBe(left);
  }
}
