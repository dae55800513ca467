// The limits of an account, held by several runs together: whichever runs come and go, there are never more calls in progress than the account allows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { RateControl } from '../../src/delivery/rate-control.ts';
import { type Heard, lent, type Part, SharedLimits, type Share } from '../../src/delivery/shared-limits.ts';
import { seeded } from '../crash/seeded.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

const QUIET = { read: 0, mutation: 0 };

const part = (held: number, wanted: number): Part => ({ held, wanted });

/** As much of the calls a second as of the calls at once. */
function share(held: number, wanted: number): Share {
  return { lanes: part(held, wanted), calls: part(10 * held, 10 * wanted), met: QUIET };
}

function named<T>(...all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((each, index) => [`run-${String(index)}`, each]));
}

const others = (...shares: readonly Share[]): Heard => ({ others: named(...shares), parted: [] });

const own = (held: number, wanted: number, underWay = 0) => ({ run: 'own', held, wanted, underWay });

describe('the lanes that a run is lent', () => {
  it.each<[string, ReturnType<typeof own>, ReadonlyMap<string, Part>, number]>([
    ['alone, it has all', own(0, 99), named(), 16],
    ['beside one that wants nothing, all but one', own(0, 99), named(part(1, 0)), 15],
    ['beside one that wants all and has all, none yet', own(0, 99), named(part(16, 99)), 0],
    ['beside one that has given half back, its half', own(0, 99), named(part(8, 99)), 8],
    ['it gives back what is above its part', own(16, 99), named(part(0, 99)), 8],
    ['but nothing that is under way', own(16, 99, 12), named(part(0, 99)), 12],
    ['whoever wants little leaves the rest', own(0, 99), named(part(2, 2), part(0, 99)), 7],
    ['it keeps what it wants, and no more', own(8, 3), named(part(8, 99)), 3],
    ['alone it has all, however few rows it has under way at that moment', own(2, 2), named(), 16],
    [
      'what nobody wants is shared out, so that who begins has lanes at once',
      own(1, 0),
      named(part(1, 0)),
      8,
    ],
    [
      'with more runs than lanes, the idle have none',
      own(4, 0),
      new Map(Array.from({ length: 20 }, (_, n): [string, Part] => [`r${String(n)}`, part(0, 9)])),
      0,
    ],
  ])('%s', (_what, mine, theirs, expected) => {
    expect(lent(16, mine, theirs).held).toBe(expected);
  });

  it('are those of a run that has just ended no more than those of one that lives', () => {
    expect(lent(16, own(0, 99), named(part(4, 4)), 9)).toEqual({ held: 3, used: 3 });
  });

  it('go round where there are more runs than lanes: nobody waits for ever', () => {
    const runs = ['run-0', 'run-1', 'run-2'];
    const held = new Map(runs.map((run) => [run, part(0, 99)]));
    const had = new Set<string>();
    for (let turn = 0; turn < 3; turn += 1)
      for (const run of [...runs, ...runs]) {
        const { held: before } = held.get(run) ?? part(0, 0);
        held.delete(run);
        const now = lent(1, { run, held: before, wanted: 99, underWay: 0 }, held, 0, turn).held;
        held.set(run, part(now, 99));
        if (now > 0) had.add(run);
      }
    expect([...had].sort()).toEqual(runs);
  });

  it('are never more than there are, whoever comes, goes, wants and holds what; and nobody starves', () => {
    const step = fc.record({ run: fc.nat(4), wanted: fc.nat(40), busy: fc.nat(40), leaves: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 40 }), fc.array(step, { maxLength: 120 }), (most, steps) => {
        const held = new Map<string, Part>();
        for (const [turn, { run, wanted, busy, leaves }] of steps.entries()) {
          const name = `run-${String(run)}`;
          const before = held.get(name)?.held ?? 0;
          held.delete(name);
          if (leaves) continue;
          const underWay = Math.min(before, busy);
          const next = lent(most, { run: name, held: before, wanted, underWay }, held, 0, turn);
          expect(next.used).toBeLessThanOrEqual(next.held);
          held.set(name, part(next.held, wanted));
          expect(next.held).toBeGreaterThanOrEqual(underWay);
          expect([...held.values()].reduce((sum, each) => sum + each.held, 0)).toBeLessThanOrEqual(most);
        }
        // Once nothing is under way, three rounds give each what is fair.
        const runs = [...held.keys()];
        for (const name of [...runs, ...runs, ...runs]) {
          const mine = { run: name, held: held.get(name)?.held ?? 0, wanted: 99, underWay: 0 };
          held.delete(name);
          held.set(name, part(lent(most, mine, held).held, 99));
        }
        for (const name of runs)
          expect(held.get(name)?.held).toBeGreaterThanOrEqual(Math.floor(most / runs.length));
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
  async function confer({ limits }: Started, beside: Heard): Promise<number> {
    const { lanes } = limits.share(beside, 0);
    limits.obey(beside);
    await moment();
    return lanes.held;
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
    expect(own.rateControl.demand()).toMatchObject({
      lanes: { underWay: 2, wanted: Number.MAX_SAFE_INTEGER },
    });
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
    own.limits.share(others(share(4, 99)), 0);
    expect(held.at(-1)).toBe(8);
    own.limits.share(others(), 0);
    expect(held.at(-1)).toBe(8);
    own.limits.obey(others());
    expect(held.at(-1)).toBe(16);
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

describe('four runs that come and go', () => {
  const LANES = 32;
  const PER_SECOND = 200;
  const BEAT_MS = 500;

  const moment = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  /** Calls without number, of which each travels up to 95 ms; gives when they arrived, and the most that were under way at the service. */
  async function play(seed: number, perSecond: number, ms: number) {
    const random = seeded(seed);
    const clock = manualClock();
    const said = new Map<string, Share>();
    const parted: { readonly share: Share; readonly at: number }[] = [];
    const later: { readonly at: number; readonly run: () => void }[] = [];
    const arrivedAt: number[] = [];
    let [underWay, mostAtOnce, started] = [0, 0, 0];
    const at = (afterMs: number, run: () => void): void =>
      void later.push({ at: clock.monotonic() + afterMs, run });

    function start() {
      const name = `run-${String(++started)}`;
      const all = { lanes: LANES, perSecond };
      const rateControl = new RateControl(clock, all);
      const limits = new SharedLimits(rateControl, all, name);
      let isDead = false;
      const call = (): void =>
        void Promise.resolve(rateControl.turn('mutation')).then(() => {
          if (isDead) return;
          at(95 * random.roll(), () => {
            arrivedAt.push(clock.monotonic());
            underWay += 1;
            mostAtOnce = Math.max(mostAtOnce, underWay);
            at(150 * random.roll(), () => {
              underWay -= 1;
              // Its answer travels too.
              at(20 * random.roll(), () => {
                rateControl.left();
                if (!isDead) call();
              });
            });
          });
        });
      const beat = (): void => {
        if (isDead) return;
        const beside = new Map([...said].filter(([run]) => run !== name));
        const gone = parted.map(({ share, at: from }) => ({ share, agoMs: clock.monotonic() - from }));
        said.set(name, limits.share({ others: beside, parted: gone }, clock.now()));
        limits.obey({ others: beside });
        at(BEAT_MS, beat);
      };
      at(BEAT_MS * random.roll(), beat);
      for (let caller = 0; caller < LANES; caller += 1) call();
      return () => {
        isDead = true;
        const share = said.get(name);
        if (share !== undefined) parted.push({ share, at: clock.monotonic() });
        said.delete(name);
      };
    }

    const kills = [start(), start(), start(), start()];
    const change = (): void => {
      if (kills.length > 0 && (kills.length === 4 || random.roll() < 0.5))
        kills.splice(random.below(kills.length), 1)[0]?.();
      else kills.push(start());
      at(3_000 * random.roll(), change);
    };
    at(2_000, change);
    for (let now = 0; now < ms; now += 5) {
      for (const due of later.filter((each) => each.at <= clock.monotonic())) {
        later.splice(later.indexOf(due), 1);
        due.run();
      }
      await moment();
      clock.advance(5);
    }
    for (const kill of kills) kill();
    return { arrivedAt, mostAtOnce };
  }

  /** The most that arrived within so many ms, wherever they begin. */
  function worst(arrivedAt: readonly number[], ms: number): number {
    return Math.max(
      ...arrivedAt.map((from, index) => {
        const next = arrivedAt.findIndex((each, later) => later > index && each >= from + ms);
        return (next < 0 ? arrivedAt.length : next) - index;
      }),
    );
  }

  it.each([
    [PER_SECOND, 1_000, 40_000, 0.4],
    [3, 1_000, 40_000, 0.4],
    [0.5, 2_000, 40_000, 0.4],
  ])(
    'make at most %d calls in any second, and no more at once than allowed',
    async (perSecond, of, ms, least) => {
      const seed = Math.floor(Math.random() * 1e6);
      const { arrivedAt, mostAtOnce } = await play(seed, perSecond, ms);
      expect(worst(arrivedAt, of), `seed ${String(seed)}`).toBeLessThanOrEqual(Math.max(1, perSecond));
      expect(mostAtOnce, `seed ${String(seed)}`).toBeLessThanOrEqual(LANES);
      expect(arrivedAt.length, `seed ${String(seed)}`).toBeGreaterThan((least * perSecond * ms) / 1_000);
    },
  );
});
