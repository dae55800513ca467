// What holds a batch up: an outage, a currency without funds, a refused key; how long, and when it is over.
import { describe, expect, it } from 'vitest';

import { Gate } from '../../src/delivery/gate.ts';
import type { Breaker } from '../../src/payouts/verdict.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

function closing(breaker: Breaker, { final = false, retryAfterMs = null as number | null } = {}) {
  return { kind: 'breaker', breaker, retryAfterMs, final, learned: {} } as const;
}

const quoted = (currency: string) => ({ currency, stage: 'quoted' }) as const;

function open() {
  const clock = manualClock();
  return { clock, gate: new Gate(clock) };
}

describe('a gate', () => {
  it('is open at first', () => {
    const { gate } = open();
    expect([gate.stop, gate.isServiceOut, gate.currenciesOut, gate.fundsReopenAt()]).toEqual([
      null,
      false,
      [],
      null,
    ]);
  });

  it.each([
    ['credentials', 'credentials'],
    ['service', 'service'],
  ] as const)('closed for good by %s stops the run', (breaker, stop) => {
    const { gate } = open();
    gate.close(closing(breaker, { final: true }), quoted('XAF'));
    expect(gate.stop).toBe(stop);
  });
});

describe('an outage', () => {
  it('is asked about after waits that double up to half a minute', () => {
    const { clock, gate } = open();
    const waits = Array.from({ length: 8 }, () => {
      gate.close(closing('service'), quoted('XAF'));
      const wait = gate.serviceClosedUntil - clock.now();
      clock.advance(wait);
      return wait;
    });
    expect(waits).toEqual([750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500]);
  });

  it('that many calls meet together counts once', () => {
    const { clock, gate } = open();
    for (let calls = 0; calls < 50; calls++) gate.close(closing('service'), quoted('XAF'));
    expect(gate.serviceClosedUntil - clock.now()).toBe(750);
  });

  it('lasts as long as the service asks', () => {
    const { clock, gate } = open();
    gate.close(closing('service', { retryAfterMs: 60_000 }), quoted('XAF'));
    expect(gate.serviceClosedUntil - clock.now()).toBe(60_000);
  });

  it('is over with the first answer', () => {
    const { gate } = open();
    gate.close(closing('service'), quoted('XAF'));
    expect(gate.isServiceOut).toBe(true);
    gate.serviceAnswered('read');
    expect([gate.isServiceOut, gate.serviceClosedUntil]).toEqual([false, 0]);
  });
});

describe('funds that ran out', () => {
  it('close their currency alone, for a while, and are remembered until they are seen', () => {
    const { clock, gate } = open();
    gate.close(closing('funds'), quoted('XAF'));
    expect([gate.currenciesClosed(), gate.currenciesOut]).toEqual([['XAF'], ['XAF']]);
    clock.advance(1_500);
    expect([gate.currenciesClosed(), gate.currenciesOut]).toEqual([[], ['XAF']]);
    gate.fundsSeen(quoted('XAF'));
    expect(gate.currenciesOut).toEqual([]);
  });

  it('of two currencies reopen each at its own time', () => {
    const { clock, gate } = open();
    const start = clock.now();
    gate.close(closing('funds'), quoted('XAF'));
    clock.advance(1_000);
    gate.close(closing('funds'), quoted('EUR'));
    expect(gate.fundsReopenAt()).toBe(start + 1_500);
    expect(gate.isServiceOut).toBe(false);
    gate.serviceAnswered('read');
    expect(gate.currenciesClosed()).toEqual(['XAF', 'EUR']);
  });

  it('a time that is past is no time to wait for', () => {
    const { clock, gate } = open();
    gate.close(closing('funds'), quoted('XAF'));
    clock.advance(1_500);
    expect(gate.fundsReopenAt()).toBeNull();
  });

  it('are not seen by a row that only passed an earlier step', () => {
    const { gate } = open();
    gate.close(closing('funds'), quoted('XAF'));
    gate.fundsSeen({ currency: 'XAF', stage: 'ready' });
    expect(gate.currenciesOut).toEqual(['XAF']);
  });
});

describe('calls without an answer', () => {
  const mutations = (gate: Gate, times: number) => {
    for (let call = 0; call < times; call++) gate.unanswered('mutation', null);
  };

  it('are an accident up to the seventh in a row, and an outage from the eighth on', () => {
    const { gate } = open();
    mutations(gate, 7);
    expect(gate.isServiceOut).toBe(false);
    mutations(gate, 1);
    expect(gate.isServiceOut).toBe(true);
  });

  it('that should have had an effect are not made good by reads that are answered', () => {
    const { gate } = open();
    mutations(gate, 4);
    gate.serviceAnswered('read');
    mutations(gate, 4);
    gate.serviceAnswered('read');
    expect(gate.isServiceOut).toBe(true);
    gate.serviceAnswered('mutation');
    expect(gate.isServiceOut).toBe(false);
  });

  it('that were reads are made good by a read', () => {
    const { gate } = open();
    for (let call = 0; call < 20; call++) {
      gate.unanswered('read', null);
      gate.serviceAnswered('read');
    }
    expect([gate.isServiceOut, gate.answers]).toEqual([false, 20]);
  });
});
