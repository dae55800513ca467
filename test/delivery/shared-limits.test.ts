// The limits of an account, held by several runs together: whoever comes and goes, never more is under way than the account allows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RateControl } from '../../src/delivery/rate-control.ts';
import { lentLanes, SharedLimits, type Share } from '../../src/delivery/shared-limits.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

const QUIET = { read: 0, mutation: 0 };

function share(lanes: number, wanted: number): Share {
  return { lanes, wanted, met: QUIET };
}

function others(...shares: readonly Share[]): ReadonlyMap<string, Share> {
  return new Map(shares.map((each, index) => [`run-${String(index)}`, each]));
}

const own = (lanes: number, wanted: number, underWay = 0) => ({ run: 'own', lanes, wanted, underWay });

describe('the lanes that a run is lent', () => {
  it.each([
    ['alone, it has all', own(0, 99), others(), 16],
    ['beside one that wants nothing, all but one', own(0, 99), others(share(1, 0)), 15],
    ['beside one that wants all and has all, none yet', own(0, 99), others(share(16, 99)), 0],
    ['beside one that has given half back, its half', own(0, 99), others(share(8, 99)), 8],
    ['it gives back what is above its part', own(16, 99), others(share(0, 99)), 8],
    ['but nothing that is under way', own(16, 99, 12), others(share(0, 99)), 12],
    ['whoever wants little leaves the rest', own(0, 99), others(share(2, 2), share(0, 99)), 7],
    ['it keeps what it wants, and no more', own(8, 3), others(share(8, 99)), 3],
    [
      'with more runs than lanes, the idle have none',
      own(4, 0),
      new Map(Array.from({ length: 20 }, (_, n) => [`r${String(n)}`, share(0, 9)])),
      0,
    ],
  ])('%s', (_what, mine, theirs, expected) => {
    expect(lentLanes(16, mine, theirs).lanes).toBe(expected);
  });

  it('are never more than there are, whoever comes, goes, wants and holds what; and nobody starves', () => {
    const step = fc.record({ run: fc.nat(4), wanted: fc.nat(40), busy: fc.nat(40), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 40 }), fc.array(step, { maxLength: 120 }), (most, steps) => {
        const held = new Map<string, Share>();
        for (const { run, wanted, busy, leaves } of steps) {
          const name = `run-${String(run)}`;
          const before = held.get(name)?.lanes ?? 0;
          held.delete(name);
          if (leaves) continue;
          const underWay = Math.min(before, busy);
          const { lanes, used } = lentLanes(most, { run: name, lanes: before, wanted, underWay }, held);
          expect(used).toBeLessThanOrEqual(lanes);
          held.set(name, share(lanes, wanted));
          expect(lanes).toBeGreaterThanOrEqual(underWay);
          expect([...held.values()].reduce((sum, each) => sum + each.lanes, 0)).toBeLessThanOrEqual(most);
        }
        // Once nothing is under way, three rounds give each what is fair.
        const runs = [...held.keys()];
        for (const name of [...runs, ...runs, ...runs]) {
          const mine = { run: name, lanes: held.get(name)?.lanes ?? 0, wanted: 99, underWay: 0 };
          held.delete(name);
          held.set(name, share(lentLanes(most, mine, held).lanes, 99));
        }
        for (const name of runs)
          expect(held.get(name)?.lanes).toBeGreaterThanOrEqual(Math.floor(most / runs.length));
      }),
    );
  });
});

describe('a run with a part of the limits', () => {
  function started(perSecond = Infinity) {
    const clock = manualClock();
    const rateControl = new RateControl(clock, { lanes: 16, perSecond });
    return { clock, rateControl, limits: new SharedLimits(rateControl, { lanes: 16, perSecond }, 'own') };
  }
  type Started = ReturnType<typeof started>;

  /** Asks for so many calls, which do not end by themselves; gives how many have left. */
  function asking({ rateControl }: Started, calls: number): () => number {
    let left = 0;
    for (let call = 0; call < calls; call += 1)
      void Promise.resolve(rateControl.turn('mutation')).then(() => (left += 1));
    return () => left;
  }

  const moment = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  /** Says it, and hears that it has reached the ledger. */
  async function confer({ limits }: Started, beside: ReadonlyMap<string, Share>): Promise<number> {
    const { lanes } = limits.share(beside);
    limits.obey(beside);
    await moment();
    return lanes;
  }

  /** How many calls leave in a second when as many ask as may, and each is answered at once. */
  async function leavingInASecond({ clock, rateControl }: Started): Promise<number> {
    let left = 0;
    let isOver = false;
    const caller = async (): Promise<void> => {
      while (!isOver) {
        await rateControl.turn('mutation');
        left += 1;
        rateControl.left();
        await moment();
      }
    };
    const callers = Promise.all([caller(), caller()]);
    for (let ms = 0; ms < 1_000; ms += 5) {
      await moment();
      clock.advance(5);
    }
    const counted = left;
    isOver = true;
    for (let ms = 0; ms < 400; ms += 5) {
      await moment();
      clock.advance(5);
    }
    await callers;
    return counted;
  }

  it('calls nobody before it was lent a lane', async () => {
    const own = started();
    const left = asking(own, 20);
    await moment();
    expect(left()).toBe(0);
    expect(await confer(own, others(share(12, 99)))).toBe(4);
    expect(left()).toBe(4);
  });

  it('has no more calls under way than lanes', async () => {
    const own = started();
    const left = asking(own, 20);
    await confer(own, others(share(14, 14)));
    expect(left()).toBe(2);
    own.rateControl.left();
    await moment();
    expect(left()).toBe(3);
    expect(own.rateControl.demand()).toMatchObject({ underWay: 2, wanted: Number.MAX_SAFE_INTEGER });
  });

  it('gives back what others want although it could use it itself, as its calls end', async () => {
    const own = started();
    const left = asking(own, 40);
    await confer(own, others());
    expect(left()).toBe(16);
    const other = others(share(0, 99));
    expect(await confer(own, other)).toBe(16);
    for (let call = 0; call < 12; call += 1) own.rateControl.left();
    await moment();
    // Four of them still run, so four others may.
    expect(left()).toBe(20);
    expect(await confer(own, other)).toBe(8);
  });

  it('gives back before it says so, and takes after it was said', async () => {
    const own = started();
    asking(own, 40);
    await confer(own, others(share(4, 4)));
    const held: number[] = [];
    own.rateControl.limit = ({ lanes }) => void held.push(lanes);
    own.limits.share(others(share(4, 99)));
    expect(held).toEqual([8]);
    own.limits.share(others());
    expect(held).toEqual([8]);
    own.limits.obey(others());
    expect(held).toEqual([8, 16]);
  });

  it('makes calls a second in proportion to its lanes', async () => {
    const own = started(160);
    asking(own, 4);
    await confer(own, others(share(12, 12)));
    for (let call = 0; call < 4; call += 1) {
      own.clock.advance(25);
      await moment();
    }
    for (let call = 0; call < 4; call += 1) own.rateControl.left();
    const left = await leavingInASecond(own);
    // 160 a second for 16 lanes.
    expect(left).toBeGreaterThanOrEqual(36);
    expect(left).toBeLessThanOrEqual(42);
  });

  it('slows down when another one meets a limit of the service, and counts that for nobody else', async () => {
    const own = started();
    const beside = (met: number) => others({ ...share(8, 99), met: { read: 0, mutation: met } });
    asking(own, 8);
    await confer(own, beside(3));
    for (let call = 0; call < 8; call += 1) own.rateControl.left();
    for (let call = 0; call < 100; call += 1) {
      own.rateControl.heard('mutation', 'well', own.clock.monotonic());
      own.clock.advance(10);
    }
    own.limits.obey(beside(4));
    expect(own.rateControl.demand().met).toEqual(QUIET);
    // What the limit allows in this second is used up.
    expect(await leavingInASecond(own)).toBeLessThan(2);
    // Some sixty a second had passed by the moving window; nothing else limits this run.
    const left = await leavingInASecond(own);
    expect(left).toBeGreaterThan(10);
    expect(left).toBeLessThan(110);
  });

  it('tells the others of each limit that it meets itself', () => {
    const { clock, rateControl } = started();
    for (let call = 0; call < 60; call += 1) {
      rateControl.heard('mutation', call % 3 === 0 ? 'throttled' : 'well', clock.monotonic());
      clock.advance(10);
    }
    expect(rateControl.demand().met.mutation).toBe(1);
    expect(rateControl.demand().met.read).toBe(0);
  });
});
