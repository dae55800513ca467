// The service's own time: bounded by each answer, never taken from the local wall clock; and what is still possible in the time left.
import { describe, expect, it } from 'vitest';

import { ServiceClock } from '../../src/delivery/service-clock.ts';
import { mayConfirm, mayCreate } from '../../src/payouts/lifetime.ts';
import { expiryOf } from '../../src/payouts/proof.ts';
import { Unavailable } from '../../src/service/errors.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { CREATED_AT, EXPIRED_AT, EXPIRY_MS } from './due-row.ts';

/** A local wall clock that is a day off from the service's. */
const SERVICE_MS = Date.parse('2026-11-21T10:00:00.000Z');

function observed() {
  const clock = manualClock();
  const serviceClock = new ServiceClock(clock);
  const answer = (serverTime: number | null, tookMs = 0) =>
    serviceClock.ask(() => {
      clock.advance(tookMs);
      return Promise.resolve({ value: null, serverTime });
    });
  return { clock, serviceClock, answer };
}

it('is never earlier at the service than the Date of an answer, which our own time goes on from', async () => {
  const { clock, serviceClock, answer } = observed();
  expect(serviceClock.earliestNow()).toBeNull();
  await answer(null);
  expect(serviceClock.earliestNow()).toBeNull();
  await answer(SERVICE_MS, 400);
  expect(serviceClock.earliestNow()).toBe(SERVICE_MS);
  clock.advance(60_000);
  expect(serviceClock.earliestNow()).toBe(SERVICE_MS + 60_000);
});

describe('the latest time that it can be at the service', () => {
  it('is unknown before an answer, and after one without a Date', async () => {
    const { serviceClock, answer } = observed();
    expect(serviceClock.latestNow()).toBeNull();
    await answer(null);
    expect(serviceClock.latestNow()).toBeNull();
  });

  it('is the Date, the second that it does not show, and the time that the call took', async () => {
    const { serviceClock, answer } = observed();
    await answer(SERVICE_MS, 400);
    expect(serviceClock.latestNow()).toBe(SERVICE_MS + 1_000 + 400);
  });

  it('goes on with our own time', async () => {
    const { clock, serviceClock, answer } = observed();
    await answer(SERVICE_MS);
    clock.advance(60_000);
    expect(serviceClock.latestNow()).toBe(SERVICE_MS + 61_000);
  });

  it('is narrowed by a better answer and not widened by a worse one', async () => {
    const { serviceClock, answer } = observed();
    await answer(SERVICE_MS + 5_000, 5_000);
    await answer(SERVICE_MS + 5_000, 100);
    const narrow = SERVICE_MS + 5_000 + 1_000 + 100;
    expect(serviceClock.latestNow()).toBe(narrow);
    await answer(SERVICE_MS + 8_100, 3_000);
    expect(serviceClock.latestNow()).toBe(narrow + 3_000);
  });

  it.each([-3_600_000, 3_600_000])('follows a clock that was set by %i ms', async (byMs) => {
    const { serviceClock, answer } = observed();
    await answer(SERVICE_MS);
    await answer(SERVICE_MS + byMs);
    expect(serviceClock.latestNow()).toBe(SERVICE_MS + byMs + 1_000);
  });

  it('is learned from a refusal too', async () => {
    const { serviceClock } = observed();
    const context = {
      operation: 'balances',
      httpStatus: 503,
      serverTime: SERVICE_MS,
      retryAfterMs: null,
    } as const;
    const fault = new Unavailable('overloaded', context);
    await expect(serviceClock.ask(() => Promise.reject(fault))).rejects.toBe(fault);
    expect(serviceClock.latestNow()).toBe(SERVICE_MS + 1_000);
  });
});

describe('with so much left of fifteen minutes', () => {
  const life = { createdAt: CREATED_AT, expiredAt: EXPIRED_AT };
  it.each([
    [60_000, true, true],
    [5_001, true, true],
    [5_000, false, true],
    [1_001, false, true],
    [1_000, false, false],
    [0, false, false],
    [-1, false, false],
  ])('%i ms: create %j, confirm %j', (leftMs, create, confirm) => {
    expect(mayCreate(life, EXPIRY_MS - leftMs)).toBe(create);
    expect(mayConfirm(life, EXPIRY_MS - leftMs)).toBe(confirm);
  });
});

describe('a life shorter than the margins', () => {
  const life = { createdAt: '2026-11-20T08:44:56.000Z', expiredAt: EXPIRED_AT };
  it.each([
    [2_001, true, true],
    [2_000, false, true],
    [401, false, true],
    [400, false, false],
  ])('is used in part: with %i of 4000 ms left create %j, confirm %j', (leftMs, create, confirm) => {
    expect(mayCreate(life, EXPIRY_MS - leftMs)).toBe(create);
    expect(mayConfirm(life, EXPIRY_MS - leftMs)).toBe(confirm);
  });
});

describe('without a readable expiry, or without any idea of the time', () => {
  it('the service is asked', () => {
    const odd = { createdAt: CREATED_AT, expiredAt: '20/11/2026' };
    expect(expiryOf(odd)).toBe(Infinity);
    expect(mayCreate(odd, EXPIRY_MS * 2)).toBe(true);
    expect(mayConfirm({ createdAt: CREATED_AT, expiredAt: EXPIRED_AT }, null)).toBe(true);
  });
});
