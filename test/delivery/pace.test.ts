// The pace by itself: what each thing heard makes of it, on a clock that only counts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { lanesOf, paceAfter, startPace, type Heard, type Pace } from '../../src/delivery/pace.ts';

const LIMITS = { lanes: 16, perSecond: Infinity };

/** The pace after these, each a call that was sent and answered at the same moment. */
function after(
  heard: readonly (readonly [Heard, number])[],
  limits = LIMITS,
  callsPerSecond = 100,
  from: Pace = startPace(limits, 0),
): Pace {
  return heard.reduce(
    (pace, [what, now]) => paceAfter(pace, what, { sentAt: now, now, callsPerSecond }, limits),
    from,
  );
}

/** A good answer every tenth of a second. */
function well(fromMs: number, toMs: number): readonly (readonly ['well', number])[] {
  return Array.from({ length: (toMs - fromMs) / 100 }, (_none, index) => [
    'well',
    fromMs + (index + 1) * 100,
  ]);
}

describe('the pace', () => {
  it('starts at what the config allows', () => {
    expect(startPace({ lanes: 16, perSecond: 20 }, 0)).toMatchObject({ lanes: 16, perSecond: 20 });
  });

  it('is halved by a 429, and so is what was really sent in a second', () => {
    expect(after([['throttled', 1]])).toMatchObject({ lanes: 8, perSecond: 50 });
  });

  it('is halved by a 503, which says nothing of calls in a second', () => {
    expect(after([['overloaded', 1]])).toMatchObject({ lanes: 8, perSecond: Infinity });
  });

  it('loses a fifth when answers grow slow, and keeps a quarter however slow they are', () => {
    expect(after([['slow', 1]]).lanes).toBeCloseTo(12.8);
    const falls = Array.from({ length: 50 }, (_none, index) => ['slow', index] as const);
    expect(after(falls).lanes).toBe(4);
  });

  it('falls once for all the calls that were under way together', () => {
    const fallen = after([['throttled', 1_000]]);
    const at = { sentAt: 999, now: 1_010, callsPerSecond: 100 };
    expect(paceAfter(fallen, 'throttled', at, LIMITS)).toEqual({ ...fallen, grownAt: 1_010 });
    // Nor does an answer to one of them let it grow.
    expect(paceAfter(fallen, 'well', at, LIMITS)).toBe(fallen);
  });

  it('never falls below one lane and one call a second', () => {
    const falls = Array.from({ length: 50 }, (_none, index) => ['throttled', index] as const);
    const fallen = after(falls);
    expect([lanesOf(fallen), fallen.perSecond]).toEqual([1, 1]);
  });

  it('does not fall below a limit of the config that is lower still', () => {
    const limits = { lanes: 4, perSecond: 0.5 };
    expect(after([['throttled', 1]], limits, 1).perSecond).toBe(0.5);
  });
});

describe('a pace that fell', () => {
  const fallen = after(Array.from({ length: 5 }, (_none, index) => ['throttled', index] as const));

  it('grows back in half a minute of good answers, and not much sooner', () => {
    expect(lanesOf(after(well(0, 15_000), LIMITS, 100, fallen))).toBeLessThan(10);
    expect(lanesOf({ ...after(well(0, 31_000), LIMITS, 100, fallen), perSecond: Infinity })).toBe(16);
  });

  it('lets twice the calls leave after ten seconds', () => {
    const before = fallen.perSecond;
    expect(after(well(0, 10_000), LIMITS, 100, fallen).perSecond / before).toBeCloseTo(2, 1);
  });

  it('does not grow for having heard nothing', () => {
    expect(lanesOf(after([['well', 3_600_000]], LIMITS, 100, fallen))).toBe(1);
  });
});

describe('lanes', () => {
  it.each([
    [0.2, 1],
    [1, 1],
    [4.5, 5],
    [100, 16],
  ])('under %d calls a second are %i of 16, so that no call waits long for its turn', (perSecond, lanes) => {
    expect(lanesOf(startPace({ lanes: 16, perSecond }, 0))).toBe(lanes);
  });

  it('are between one and what the config allows, whatever is heard', () => {
    const heard = fc.constantFrom<Heard>('well', 'throttled', 'overloaded', 'slow', 'late');
    const moment = fc.tuple(heard, fc.nat(5_000), fc.nat(2_000));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 256 }), fc.array(moment), (lanes, moments) => {
        const limits = { lanes, perSecond: 50 };
        let now = 0;
        let pace = startPace(limits, now);
        for (const [what, waitMs, callsPerSecond] of moments) {
          now += waitMs;
          pace = paceAfter(pace, what, { sentAt: now, now, callsPerSecond }, limits);
          expect(lanesOf(pace)).toBeGreaterThanOrEqual(1);
          expect(lanesOf(pace)).toBeLessThanOrEqual(lanes);
          expect(pace.perSecond).toBeGreaterThanOrEqual(1);
          expect(pace.perSecond).toBeLessThanOrEqual(50);
        }
      }),
    );
  });
});
