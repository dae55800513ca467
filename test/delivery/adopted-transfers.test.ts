// Transfers that another run created, or that are not ours: adopted only after a comparison, and reported truthfully.
import { describe, expect, it } from 'vitest';

import { makeCall } from '../../src/delivery/make-call.ts';
import { nowOf } from '../../src/delivery/now.ts';
import { quotationExternalId } from '../../src/delivery/requests.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import type { DeliveryTools } from '../../src/delivery/tools.ts';
import { CorridorRates } from '../../src/payouts/moved-price.ts';
import type { Progress } from '../../src/payouts/progress.ts';
import { apply } from '../../src/payouts/row-machine/apply.ts';
import { next } from '../../src/payouts/row-machine/next.ts';
import { progressOf, stateOf } from '../../src/payouts/row-machine/record.ts';
import { PATIENCE, type RowCall } from '../../src/payouts/row-machine/row-state.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import { Cut } from '../../src/service/transport.ts';
import type { Quotation, Transfer } from '../../src/service/wire.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { EXPIRY_MS, KNOWN, QUOTATION, RUN, TRANSFER, dueRow } from './due-row.ts';

const MINUTE_MS = 60_000;
const AMOUNTS = /"(\w*Amount)":"([\d.]+)"/g;

/** A service that has this one transfer and this one quotation, at this time of its own. */
function having(transfer: Transfer, quotation: Quotation, serverTime: number): DeliveryTools {
  const clock = manualClock();
  const transport = ({ path }: { readonly path: string }) =>
    Promise.resolve({
      status: 200,
      headers: new Map([['date', new Date(serverTime).toUTCString()]]),
      body: Buffer.from(
        JSON.stringify(path.startsWith('/rates/') ? quotation : transfer).replace(AMOUNTS, '"$1":$2'),
      ),
    });
  return {
    service: httpPayoutService({ transport, apiKey: 'key', timeoutMs: 1_000, clock }),
    clock,
    serviceClock: new ServiceClock(clock),
    rateControl: new RateControl(clock, { lanes: 1, perSecond: Infinity }),
    doubtSince: () => null,
    readDocument: () => Promise.resolve(null),
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

const IN_TIME = EXPIRY_MS - 10 * MINUTE_MS;

/** The row as a run leaves it behind a look, and what it would do next. */
async function looked(changes: Partial<Progress>, tools: DeliveryTools, tenure: string) {
  const due = dueRow({}, changes);
  const now = () => nowOf({ tenure, goal: 'submitted', tools, payout: due.row.payout });
  const state = stateOf(due.row.progress, tenure);
  const step = next(state, now()) as RowCall;
  expect(step.do).toMatch(/find|look/);
  const { event } = await makeCall(step, { ...due, state }, tools);
  const after = apply(state, event, now());
  return { after, record: progressOf(after, tenure), step: next(after, now()) };
}

const UNSEEN = { transfer: null, lookedBy: null } as const;

describe('a transfer found', () => {
  it('for an attempt that this run has not sent yet may have been confirmed', async () => {
    const unpriced = { ...UNSEEN, stage: 'ready', price: null } as const;
    const { record } = await looked(unpriced, having(TRANSFER, QUOTATION, IN_TIME), RUN);
    expect(record).toMatchObject({ stage: 'created', confirm: 'sent', begunBy: null });
  });

  it('after a create of this run whose answer was lost may be another paydrop’s, which has confirmed it', async () => {
    const { record } = await looked(
      { ...UNSEEN, stage: 'quoted' },
      having(TRANSFER, QUOTATION, IN_TIME),
      RUN,
    );
    expect(record).toMatchObject({ stage: 'created', confirm: 'sent', begunBy: null });
  });

  it.each([1, 2, 21, 100, PATIENCE.quotations])(
    'from quotation %i, which a lost ledger has forgotten, is ours',
    async (number) => {
      const quotation = { ...QUOTATION, externalId: quotationExternalId(dueRow(), number) };
      const unpriced = { ...UNSEEN, stage: 'ready', price: null } as const;
      const { step } = await looked(unpriced, having(TRANSFER, quotation, IN_TIME), 'run-2');
      expect(step).toEqual({ do: 'intend' });
    },
  );

  it.each([
    ['created', '10000', 'Nothing was confirmed'],
    ['submitted', '10001', 'status submitted'],
    ['paid', '20000', 'status paid'],
    ['failed', '100002', 'status failed'],
    ['resting', '1', 'status resting'],
  ])('that is not ours and %s is held, and said to be so', async (status, statusCode, words) => {
    const other = { ...TRANSFER, status, statusCode, receiveAmount: '2' };
    const unpriced = { ...UNSEEN, stage: 'ready', price: null } as const;
    const { record } = await looked(unpriced, having(other, QUOTATION, IN_TIME), 'run-2');
    expect(record).toMatchObject({ transfer: null, hold: { code: 'id_collision', foreign: { status } } });
    expect(record.hold?.reason.en).toContain(words);
    expect(record.hold?.reason.en.includes('Nothing was confirmed')).toBe(status === 'created');
  });
});

describe('a read that shows another transfer than the one asked for', () => {
  it('may be a mistake of the moment, and is held when it goes on', async () => {
    const at = async (doubts: number) =>
      looked(
        { stage: 'confirmed', lookedBy: null, doubts },
        having({ ...TRANSFER, id: 't-2' }, QUOTATION, IN_TIME),
        RUN,
      );
    expect((await at(0)).record).toMatchObject({ hold: null, doubts: 1 });
    expect((await at(3)).record).toMatchObject({ hold: { code: 'id_collision' } });
  });
});

describe('an intent to confirm of another run', () => {
  const intended = { stage: 'confirming', transfer: KNOWN } as const;

  it('is looked at before anything is sent, and is remembered as one whose confirm may still arrive', async () => {
    const { record, step } = await looked(intended, having(TRANSFER, QUOTATION, IN_TIME), 'run-2');
    expect(record).toMatchObject({ stage: 'created', confirm: 'sent', begunBy: null });
    expect(step).toEqual({ do: 'intend' });
  });

  it('is remembered when the first look at it has no answer', async () => {
    const tools = having(TRANSFER, QUOTATION, IN_TIME);
    const deaf = httpPayoutService({
      transport: () => Promise.reject(new Cut('timeout')),
      apiKey: 'key',
      timeoutMs: 1_000,
      clock: tools.clock,
    });
    const { record } = await looked(intended, { ...tools, service: deaf }, 'run-2');
    expect(record).toMatchObject({ lookedBy: null, confirm: 'sent', begunBy: null });
  });
});
