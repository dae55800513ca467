// The rate alone: how it reacts to each response, on a clock that only counts, and over minutes against services in trouble.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  afterCall,
  afterLate,
  afterTurn,
  isOut,
  lanesOf,
  perSecondOf,
  startRate,
  stoppedUntilOf,
  turnInMs,
  type CallKind,
  type Heard,
  type RateState,
} from '../../src/delivery/adaptive-rate.ts';
import { afterLatency, type Usual } from '../../src/delivery/rate-control.ts';
import { callFor, limitedTo, spoiling, sumOf, type Second, type Simulated } from './simulated-service.ts';

const LIMITS = { lanes: 20, perSecond: Infinity };
const SPOILT = ['throttled', 'overloaded', 'unanswered', 'slow'] as const;

type After = { readonly from?: RateState; readonly kind?: CallKind; readonly retryAfterMs?: number | null };

/** The state after so many of each, ten milliseconds apart. */
function after(heard: readonly (readonly [Heard, number])[], options: After = {}): RateState {
  const { from = startRate(0), kind = 'mutation', retryAfterMs = null } = options;
  let state = from;
  for (const [what, times] of heard)
    for (let call = 0; call < times; call++) {
      const now = state[kind].at + 10;
      state = afterCall(state, { kind, heard: what, sentAt: now, now, retryAfterMs, random: 1 });
    }
  return state;
}

/** So many times nine good answers and one that is spoilt, and the like. */
function mixed(
  well: number,
  spoilt: Heard,
  bad: number,
  times: number,
): readonly (readonly [Heard, number])[] {
  return Array.from({ length: times }, () => [['well', well] as const, [spoilt, bad] as const]).flat();
}

function shown(state: RateState, kind: CallKind = 'mutation') {
  const { at } = state[kind];
  return {
    lanes: lanesOf(state, kind, at, LIMITS),
    perSecond: perSecondOf(state, kind, at, LIMITS),
    isOut: isOut(state, kind),
  };
}

const UNTOUCHED = { lanes: 20, perSecond: Infinity, isOut: false };

describe('one call that is spoilt', () => {
  it.each(SPOILT)('(%s) slows nobody else down, be it the first of all or one of many', (heard) => {
    expect(shown(after([[heard, 1]]))).toEqual(UNTOUCHED);
    expect(
      shown(
        after([
          ['well', 100],
          [heard, 1],
        ]),
      ),
    ).toEqual(UNTOUCHED);
  });

  it.each([1, 60_000, 300_000])('delays no other row by its Retry-After of %i ms', (retryAfterMs) => {
    const state = after([['throttled', 1]], { retryAfterMs });
    expect(stoppedUntilOf(state, 'mutation')).toBe(-Infinity);
    expect(turnInMs(state, 'mutation', 20, LIMITS)).toBe(0);
  });
});

describe('the lanes', () => {
  it.each([
    // Of ten calls so many are spoilt.
    [2, 20],
    [3, 20],
    [5, 15],
    [7, 10],
    [9, 4],
  ])('stand in proportion to the share of spoilt calls: %i of ten leave about %i of 20', (bad, lanes) => {
    const state = after(mixed(10 - bad, 'unanswered', bad, 30));
    expect(Math.abs(shown(state).lanes - lanes)).toBeLessThanOrEqual(2);
  });

  it('are all there again a second after the trouble is over', () => {
    const state = after(mixed(3, 'unanswered', 7, 30));
    expect(shown(after([['well', 100]], { from: state })).lanes).toBe(20);
  });

  it('keep a quarter when every answer is slow: answers they are', () => {
    expect(shown(after([['slow', 200]])).lanes).toBe(4);
  });

  it('are never more than the calls of a second, so that none ages while it waits for its turn', () => {
    expect(lanesOf(startRate(0), 'mutation', 0, { lanes: 20, perSecond: 4.5 })).toBe(5);
    expect(lanesOf(startRate(0), 'mutation', 0, { lanes: 20, perSecond: 0.2 })).toBe(1);
  });

  it('are halved when quotations run out, once for the rows that were under way together, and grow back in half a minute', () => {
    const late = afterLate(startRate(0), 500, 1_000);
    expect(afterLate(late, 999, 1_200)).toBe(late);
    const lanesAt = (now: number) => lanesOf(late, 'mutation', now, LIMITS);
    expect([lanesAt(1_000), lanesAt(8_500), lanesAt(16_000)]).toEqual([10, 15, 20]);
    expect(lanesOf(afterLate(late, 1_100, 1_200), 'mutation', 1_200, LIMITS)).toBe(5);
  });
});

describe('a limit that is met', () => {
  const met = after([
    ['well', 100],
    ['throttled', 8],
  ]);
  const metAt = met.mutation.metAt;
  const shareAt = (ms: number): number =>
    perSecondOf(met, 'mutation', metAt + ms, LIMITS) / met.mutation.ceiling;

  it('is known by what passed', () => {
    expect(met.mutation.ceiling).toBeGreaterThan(50);
    expect(met.mutation.ceiling).toBeLessThan(70);
  });

  it.each([
    [0, 0.9],
    [500, 0.97],
    [1_000, 0.98],
    [2_000, 0.98],
    [4_000, 1.98],
    [6_000, 8.98],
  ])(
    'leaves a tenth below it, is held, and doubled where nothing is met: after %i ms %d of it',
    (ms, share) => {
      expect(shareAt(ms)).toBeCloseTo(share, 2);
    },
  );

  it('is held longer when it is met again at about the same rate', () => {
    const again = { ...met, mutation: { ...met.mutation, metAt: -Infinity, ceiling: 57, at: metAt } };
    const state = after([['throttled', 8]], { from: again });
    expect(perSecondOf(state, 'mutation', state.mutation.metAt + 7_000, LIMITS)).toBeLessThan(60);
  });

  it('says nothing of reads', () => {
    expect(shown(met, 'read')).toEqual(UNTOUCHED);
  });

  it('does not fall below one call a second, nor below what the config allows where that is lower', () => {
    const least = after([['throttled', 100]]);
    expect(perSecondOf(least, 'mutation', least.mutation.at, LIMITS)).toBe(1);
    expect(perSecondOf(least, 'mutation', least.mutation.at, { lanes: 4, perSecond: 0.5 })).toBe(0.5);
  });
});

describe('an outage', () => {
  it('is what sixteen calls in a row without an answer are, and no fewer', () => {
    expect(shown(after([['unanswered', 15]])).isOut).toBe(false);
    expect(shown(after([['unanswered', 16]])).isOut).toBe(true);
  });

  it('is asked about after waits that double up to half a minute', () => {
    let state = after([['unanswered', 15]]);
    const waits: number[] = [];
    for (let times = 0; times < 8; times++) {
      const now = Math.max(state.mutation.at + 1, stoppedUntilOf(state, 'mutation'));
      state = afterCall(state, {
        kind: 'mutation',
        heard: 'unanswered',
        sentAt: now,
        now,
        retryAfterMs: null,
        random: 1,
      });
      waits.push(stoppedUntilOf(state, 'mutation') - now);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('that many calls meet together counts once', () => {
    const out = after([['unanswered', 16]]);
    const call = { kind: 'mutation', heard: 'unanswered', sentAt: 1, retryAfterMs: null, random: 1 } as const;
    const later = afterCall(out, { ...call, now: out.mutation.at + 2_000 });
    expect(stoppedUntilOf(later, 'mutation')).toBe(stoppedUntilOf(out, 'mutation'));
  });

  it('lasts as long as the service asks', () => {
    const out = after([['throttled', 16]], { retryAfterMs: 60_000 });
    expect(stoppedUntilOf(out, 'mutation') - out.mutation.at).toBe(60_000);
  });

  it('is over with the first answer', () => {
    expect(
      shown(
        after([
          ['unanswered', 40],
          ['well', 1],
        ]),
      ).isOut,
    ).toBe(false);
  });

  it('is none while one call in ten is answered', () => {
    const state = after(mixed(1, 'unanswered', 9, 100));
    expect([isOut(state, 'mutation'), lanesOf(state, 'mutation', state.mutation.at, LIMITS)]).toEqual([
      false,
      2,
    ]);
  });

  it('of mutations stops no reads, is not ended by one, and ends with a mutation', () => {
    const out = after([['unanswered', 16]]);
    expect([isOut(out, 'read'), isOut(out, 'mutation')]).toEqual([false, true]);
    expect(isOut(after([['well', 1]], { from: out, kind: 'read' }), 'mutation')).toBe(true);
    expect(isOut(after([['well', 1]], { from: out }), 'mutation')).toBe(false);
  });

  it('of reads stops mutations too, until one of them is answered', () => {
    const out = after([['unanswered', 16]], { kind: 'read' });
    expect(isOut(out, 'mutation')).toBe(true);
    expect(isOut(after([['well', 1]], { from: out }), 'read')).toBe(false);
  });
});

describe('answers', () => {
  /** How many of so many calls were slow, and what is usual after them. */
  function slowOf(from: Usual | undefined, ms: number, times = 1) {
    let usual = from;
    let slow = 0;
    for (let call = 0; call < times; call++) {
      const learned = afterLatency(usual, ms);
      usual = learned.usual;
      slow += Number(learned.isSlow);
    }
    return { usual, slow };
  }
  const used = slowOf(undefined, 20, 300).usual;

  it.each([
    ['that always took long are not slow', undefined, 5_000, 300, 0],
    ['that take some milliseconds more or less are not slow', used, 90, 300, 0],
    ['that come to take fifteen times as long are slow', used, 300, 20, 20],
  ] as const)('%s', (_what, usual, ms, times, slow) => {
    expect(slowOf(usual, ms, times).slow).toBe(slow);
  });

  it('that stay longer become the usual', () => {
    expect(slowOf(slowOf(used, 300, 600).usual, 300).slow).toBe(0);
  });
});

describe('turns', () => {
  it('come evenly, for reads and mutations together where the config limits them', () => {
    const limits = { lanes: 8, perSecond: 4 };
    let state = startRate(0);
    let now = 0;
    const at = (['read', 'mutation', 'read'] as const).map((kind) => {
      now += turnInMs(state, kind, now, limits);
      state = afterTurn(state, kind, now, limits);
      return now;
    });
    expect(at).toEqual([0, 250, 500]);
  });
});

describe('whatever is heard', () => {
  it('lanes are between one and what the config allows, and so are the calls of a second', () => {
    const heard = fc.constantFrom<Heard>('well', 'slow', 'throttled', 'overloaded', 'unanswered');
    const moment = fc.tuple(
      heard,
      fc.constantFrom<CallKind>('read', 'mutation'),
      fc.nat(5_000),
      fc.nat(2_000),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 256 }), fc.array(moment), (lanes, moments) => {
        const limits = { lanes, perSecond: 50 };
        let now = 0;
        let state = startRate(now);
        for (const [what, kind, waitMs, tookMs] of moments) {
          now += waitMs;
          const call = { kind, heard: what, sentAt: now - tookMs, now, retryAfterMs: null, random: 0.5 };
          state = afterCall(state, call);
          expect(lanesOf(state, kind, now, limits)).toBeGreaterThanOrEqual(1);
          expect(lanesOf(state, kind, now, limits)).toBeLessThanOrEqual(lanes);
          expect(perSecondOf(state, kind, now, limits)).toBeGreaterThanOrEqual(1);
          expect(perSecondOf(state, kind, now, limits)).toBeLessThanOrEqual(50);
          expect(stoppedUntilOf(state, kind)).toBeLessThanOrEqual(now + 30_000);
        }
      }),
    );
  });
});

/** The same runs each time, so that what fails fails again. */
const SEEDS = [1, 7_920, 15_839, 23_758, 31_677, 39_596, 47_515, 55_434];

function runsOf(service: () => Simulated, seconds: number): readonly (readonly Second[])[] {
  return SEEDS.map((seed) => callFor(service(), { lanes: 24, seconds, seed }));
}

describe('against a service that is not well', () => {
  // 24 lanes of ten milliseconds each.
  const MOST = 2_400;

  it.each([
    [
      'a fifth of all calls spoilt in many ways',
      { throttled: 0.03, overloaded: 0.03, unanswered: 0.14 },
      0.95,
    ],
    ['a fifth of all calls without an answer', { unanswered: 0.2 }, 0.95],
    ['half of all calls without an answer', { unanswered: 0.5 }, 0.6],
    ['two thirds of all calls without an answer', { unanswered: 0.67 }, 0.35],
  ] as const)('%s leave what they allow', (_what, shares, share) => {
    for (const seconds of runsOf(() => spoiling(shares), 20))
      expect(sumOf(seconds, 'calls') / 20).toBeGreaterThan(share * MOST);
  });

  it.each([50, 100, 300])('a true limit of %i calls a second is found and held', (limit) => {
    for (const seconds of runsOf(() => limitedTo(limit), 120)) {
      const settled = seconds.slice(10);
      expect(sumOf(settled, 'well') / settled.length / limit).toBeGreaterThan(0.94);
      expect(sumOf(seconds, 'throttled') / sumOf(seconds, 'calls')).toBeLessThan(0.031);
    }
  });

  it('a machine that stands still for a fifth of the time still holds a true limit', () => {
    for (const seed of SEEDS) {
      const seconds = callFor(limitedTo(50), { lanes: 24, seconds: 120, seed, stallMs: 25 });
      const settled = seconds.slice(10);
      expect(sumOf(settled, 'well') / settled.length, `seed ${String(seed)}`).toBeGreaterThan(45);
      expect(sumOf(seconds, 'throttled') / sumOf(seconds, 'calls')).toBeLessThan(0.03);
    }
  });

  it('another client that takes half of the limit leaves the other half, and gives it back', () => {
    const taken = (now: number): number => (Math.floor(now / 30_000) % 2 === 1 ? 25 : 0);
    for (const seconds of runsOf(() => limitedTo(50, taken), 120))
      for (const [index, free] of [50, 25, 50, 25].entries()) {
        // From ten seconds after each change on.
        const settled = seconds.slice(index * 30 + 10, index * 30 + 30);
        expect(sumOf(settled, 'well') / settled.length / free).toBeGreaterThan(0.9);
      }
  });

  it('an outage of some seconds costs few calls, and is over soon after its end', () => {
    const service: Simulated = (now) => ({
      heard: now > 5_000 && now < 9_000 ? 'unanswered' : 'well',
      afterMs: 10,
    });
    const seconds = callFor(service, { lanes: 24, seconds: 20, seed: 1 });
    expect(sumOf(seconds.slice(6, 9), 'calls')).toBeLessThan(20);
    expect(sumOf(seconds.slice(14), 'well') / 6).toBeGreaterThan(2_000);
  });
});
