// Transfers that another run created, or that are not ours: adopted only after a comparison, and reported truthfully.
import { describe, expect, it } from 'vitest';

import { judge } from '../../src/delivery/judge.ts';
import { lookAtRow } from '../../src/delivery/reconcile.ts';
import { QUOTATIONS_MOST, quotationExternalId } from '../../src/delivery/requests.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import { step } from '../../src/delivery/step.ts';
import { dueRow as taken, type DeliveryTools, type DueRow } from '../../src/delivery/tools.ts';
import { CorridorRates } from '../../src/payouts/moved-price.ts';
import { applyVerdict } from '../../src/payouts/verdict.ts';
import type { Progress } from '../../src/payouts/progress.ts';
import { Refused } from '../../src/service/errors.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import { Cut } from '../../src/service/transport.ts';
import type { Quotation, Transfer } from '../../src/service/wire.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { EXPIRY_MS, KNOWN, QUOTATION, TRANSFER, dueRow } from './due-row.ts';

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
    doubtSince: null,
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
/** As a run takes it up that did not begin it. */
const foreign = (changes: Partial<Progress>): DueRow => taken(dueRow({}, changes), 'run-2', null);

describe('a transfer found', () => {
  it('for an attempt that this run has not sent yet may have been confirmed', async () => {
    const due = dueRow({}, { stage: 'ready', price: null, transfer: null });
    const verdict = await lookAtRow(due, having(TRANSFER, QUOTATION, IN_TIME));
    expect(verdict).toMatchObject({ learned: { confirm: 'sent' } });
  });

  it('after a create of this run whose answer was lost may be another paydrop’s, which has confirmed it', async () => {
    const due = dueRow({}, { stage: 'quoted', transfer: null, lookedBy: null });
    const verdict = await lookAtRow(due, having(TRANSFER, QUOTATION, IN_TIME));
    expect(verdict).toMatchObject({ learned: { confirm: 'sent' } });
  });

  it.each<[string, Partial<Progress>, 'none' | 'sent', number?]>([
    ['is this run’s own', {}, 'none'],
    ['that another run has begun is not', { begunBy: null }, 'sent'],
    ['of a ledger in doubt is not', {}, 'sent', 0],
  ])('while nothing of the batch may be confirmed %s', async (_what, changes, confirm, since) => {
    const due = dueRow({}, { stage: 'quoted', transfer: null, lookedBy: null, ...changes });
    const reserving = { ...due, doubtSince: since ?? null, isReserving: true };
    const verdict = await lookAtRow(reserving, having(TRANSFER, QUOTATION, IN_TIME));
    expect(verdict).toMatchObject({ learned: { confirm } });
  });

  it.each([1, 2, 21, 100, QUOTATIONS_MOST])(
    'from quotation %i, which a lost ledger has forgotten, is ours',
    async (attempt) => {
      const due = foreign({ stage: 'ready', price: null, transfer: null });
      const quotation = { ...QUOTATION, externalId: quotationExternalId(due, attempt) };
      const verdict = await lookAtRow(due, having(TRANSFER, quotation, IN_TIME));
      expect(verdict).toMatchObject({ kind: 'advanced', stage: 'confirming' });
    },
  );

  it.each([
    ['created', '10000', 'Nothing was confirmed'],
    ['submitted', '10001', 'status submitted'],
    ['paid', '20000', 'status paid'],
    ['failed', '100002', 'status failed'],
    ['resting', '1', 'status resting'],
  ])('that is not ours and %s is held, and said to be so', async (status, statusCode, words) => {
    const due = foreign({ stage: 'ready', price: null, transfer: null });
    const other = { ...TRANSFER, status, statusCode, receiveAmount: '2' };
    const verdict = await lookAtRow(due, having(other, QUOTATION, IN_TIME));
    const after = applyVerdict(due.row.progress, verdict, 0);
    expect(after).toMatchObject({ hold: { code: 'id_collision' } });
    expect(after.hold?.reason.en).toContain(words);
    expect(after.hold?.reason.en.includes('Nothing was confirmed')).toBe(status === 'created');
  });
});

describe('a read that shows another transfer than the one asked for', () => {
  it('may be a mistake of the moment, and is held when it goes on', async () => {
    const other = { ...TRANSFER, id: 't-2' };
    const at = (doubts: number) =>
      lookAtRow(dueRow({}, { stage: 'confirmed', doubts }), having(other, QUOTATION, IN_TIME));
    expect(await at(0)).toMatchObject({ kind: 'later', learned: { doubts: 1 } });
    expect(await at(3)).toMatchObject({ kind: 'held', code: 'id_collision' });
  });
});

describe('an intent to confirm of another run', () => {
  const due = foreign({ stage: 'confirming', transfer: KNOWN });

  it('is remembered when the document is demanded once more (10022), as its confirm may still arrive', async () => {
    const looked = await lookAtRow(due, having(TRANSFER, QUOTATION, IN_TIME));
    const after = applyVerdict(due.row.progress, looked, 0);
    const demanded = judge(
      new Refused(10022, '', {
        operation: 'confirmTransfer',
        httpStatus: 400,
        serverTime: IN_TIME,
        retryAfterMs: null,
      }),
      after,
      { run: due.run, doubtSince: null, now: IN_TIME },
    );
    expect(applyVerdict(after, demanded, 0)).toMatchObject({ stage: 'created', confirm: 'sent' });
  });

  it('is remembered when the first look at it has no answer', async () => {
    const tools = having(TRANSFER, QUOTATION, IN_TIME);
    const deaf = httpPayoutService({
      transport: () => Promise.reject(new Cut('timeout')),
      apiKey: 'key',
      timeoutMs: 1_000,
      clock: tools.clock,
    });
    const verdict = await step(due, { ...tools, service: deaf });
    expect(applyVerdict(due.row.progress, verdict, 0)).toMatchObject({
      stage: 'confirming',
      lookedBy: null,
      confirm: 'sent',
    });
  });
});
