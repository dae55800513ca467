// What stops a batch: an outage, a currency without funds, a refused key; for how long, and when it ends.
import { describe, expect, it } from 'vitest';

import { CircuitBreakers } from '../../src/delivery/paced-transport.ts';
import type { CallKind } from '../../src/delivery/adaptive-rate.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';
import { type Fault, Refused, Unanswered, Unavailable } from '../../src/service/errors.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

const CONTEXT = {
  operation: 'createTransfer',
  httpStatus: 400,
  serverTime: null,
  retryAfterMs: null,
} as const;

/** What a call ended in that met it. */
const FAULTS = {
  funds: new Refused(10024, '', CONTEXT),
  credentials: new Unavailable('credentials', CONTEXT),
  service: new Unavailable('redirected', CONTEXT),
  silence: new Unanswered('timeout', CONTEXT),
} as const satisfies Readonly<Record<string, Fault>>;

const quoted = (currency: string) => ({ currency, stage: 'quoted' }) as const;

function open(kind: CallKind = 'mutation') {
  const clock = manualClock();
  const rateControl = new RateControl(clock, { lanes: 16, perSecond: Infinity });
  return { clock, rateControl, breakers: new CircuitBreakers({ clock, rateControl }, kind) };
}

describe('circuit breakers', () => {
  it('let everything pass at first', () => {
    const { breakers } = open();
    const { stop, isServiceOut, serviceTriedAgainAt, currenciesOut } = breakers;
    expect([stop, isServiceOut, serviceTriedAgainAt, currenciesOut, breakers.fundsTriedAgainAt()]).toEqual([
      null,
      false,
      0,
      [],
      null,
    ]);
  });

  it.each([
    ['credentials', 'credentials'],
    ['service', 'service'],
  ] as const)('tripped for good by %s stops the run', (breaker, stop) => {
    const { breakers } = open();
    breakers.met(FAULTS[breaker], 'mutation', quoted('XAF'));
    expect(breakers.stop).toBe(stop);
  });
});

describe('an outage', () => {
  it('is what the rate control says of the calls that the rows mostly make', () => {
    for (const [kind, isOut] of [
      ['mutation', true],
      ['read', false],
    ] as const) {
      const { clock, rateControl, breakers } = open(kind);
      for (let calls = 0; calls < 20; calls++) {
        clock.advance(10);
        rateControl.heard('mutation', 'unanswered', clock.monotonic());
      }
      expect([breakers.isServiceOut, breakers.serviceTriedAgainAt > clock.now()]).toEqual([isOut, isOut]);
    }
  });

  it.each([null, 60_000])('is not what one call tells that met it (Retry-After %s ms)', (retryAfterMs) => {
    const { breakers } = open();
    breakers.met(new Unavailable('unreachable', { ...CONTEXT, retryAfterMs }), 'mutation', quoted('XAF'));
    expect([breakers.isServiceOut, breakers.serviceTriedAgainAt, breakers.isUnanswered]).toEqual([
      false,
      0,
      true,
    ]);
  });
});

describe('funds that ran out', () => {
  it('bar their currency alone, for a while, and are remembered until they are seen', () => {
    const { clock, breakers } = open();
    breakers.met(FAULTS.funds, 'mutation', quoted('XAF'));
    expect([breakers.currenciesBarred(), breakers.currenciesOut]).toEqual([['XAF'], ['XAF']]);
    clock.advance(1_500);
    expect([breakers.currenciesBarred(), breakers.currenciesOut]).toEqual([[], ['XAF']]);
    breakers.fundsSeen(quoted('XAF'));
    expect(breakers.currenciesOut).toEqual([]);
  });

  it('of two currencies reopen each at its own time', () => {
    const { clock, breakers } = open();
    const start = clock.now();
    breakers.met(FAULTS.funds, 'mutation', quoted('XAF'));
    clock.advance(1_000);
    breakers.met(FAULTS.funds, 'mutation', quoted('EUR'));
    expect(breakers.fundsTriedAgainAt()).toBe(start + 1_500);
    breakers.serviceAnswered('read');
    expect(breakers.currenciesBarred()).toEqual(['XAF', 'EUR']);
  });

  it('a time that is past is no time to wait for', () => {
    const { clock, breakers } = open();
    breakers.met(FAULTS.funds, 'mutation', quoted('XAF'));
    clock.advance(1_500);
    expect(breakers.fundsTriedAgainAt()).toBeNull();
  });

  it('are not seen by a row that only passed an earlier step', () => {
    const { breakers } = open();
    breakers.met(FAULTS.funds, 'mutation', quoted('XAF'));
    breakers.fundsSeen({ currency: 'XAF', stage: 'ready' });
    expect(breakers.currenciesOut).toEqual(['XAF']);
  });
});

describe('calls without an answer', () => {
  it('that should have had an effect are not made good by a read that is answered', () => {
    const { breakers } = open();
    breakers.met(FAULTS.silence, 'mutation', quoted('XAF'));
    breakers.serviceAnswered('read');
    expect(breakers.isUnanswered).toBe(true);
    breakers.serviceAnswered('mutation');
    expect([breakers.isUnanswered, breakers.answers]).toEqual([false, 2]);
  });

  it('that were reads are made good by a read', () => {
    const { breakers } = open();
    breakers.met(FAULTS.silence, 'read', quoted('XAF'));
    breakers.serviceAnswered('read');
    expect(breakers.isUnanswered).toBe(false);
  });
});
