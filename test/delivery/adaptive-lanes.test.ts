// How many calls at once are found: against services that bear more, that do not, and that bear more later. The clock only counts.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { afterReached, type Reach, startReach } from '../../src/delivery/adaptive-lanes.ts';
import type { RateLimits } from '../../src/delivery/adaptive-rate.ts';
import { RateControl } from '../../src/delivery/rate-control.ts';

const FIRST = 16;
const MOST = 256;
const USUAL_MS = 150;

type Service = {
  /** Calls that it answers in the usual time; more of them wait for each other. */
  readonly bears: number;
  readonly spoils?: number;
};

function lanesOf({ times }: Reach): number {
  return Math.min(MOST, Math.floor(FIRST * times));
}

/** Calls with as many lanes as are reached, for so many answers; each begins when one before it is answered. */
function after(answers: number, { bears, spoils = 0 }: Service, from = startReach(0), isFull = true): Reach {
  let reach = from;
  let now = from.since;
  let usualMs = USUAL_MS;
  for (let call = 1; call <= answers; call++) {
    const lanes = lanesOf(reach);
    const tookMs = USUAL_MS * Math.max(1, lanes / bears);
    if (reach.before === null) usualMs = tookMs;
    now += tookMs / lanes;
    const isSpoilt = spoils > 0 && call % spoils === 0;
    const heard = { took: tookMs / usualMs, isSpoilt, sentAt: now, now };
    reach = afterReached(reach, { ...heard, isFull, mayTry: lanes < MOST, isHeldDown: false, lanes });
  }
  return reach;
}

describe('calls at once', () => {
  it('double as long as the service answers as fast, up to the most', () => {
    expect(lanesOf(after(60, { bears: 1_000 }))).toBe(4 * FIRST);
    expect(lanesOf(after(900, { bears: 1_000 }))).toBe(MOST);
  });

  it.each([16, 20, 40, 64, 100, 200])('end close to the %i that the service bears', (bears) => {
    const reach = after(20_000, { bears });
    const settled = reach.before === null ? lanesOf(reach) : reach.before.lanes;
    expect(settled).toBeGreaterThanOrEqual(Math.min(MOST, bears) / 1.3);
    expect(settled).toBeLessThanOrEqual(2 * bears);
  });

  it('are tried again now and then: a service that was small may have grown', () => {
    const small = after(2_000, { bears: FIRST });
    expect(lanesOf(after(20_000, { bears: 1_000 }, small))).toBe(MOST);
  });

  it('stay where they are while there is nothing to do with more', () => {
    expect(after(500, { bears: 1_000 }, startReach(0), false)).toEqual(startReach(0));
  });

  it('do not grow where one answer in five is spoilt', () => {
    expect(lanesOf(after(2_000, { bears: 1_000, spoils: 5 }))).toBe(FIRST);
  });
});

/** The most calls at once of so many rows, against a service that answers all calls under way together. */
async function mostAtOnce(limits: RateLimits, rows: number, bears: number): Promise<number> {
  let now = 0;
  const control = new RateControl({ ...systemClock, monotonic: () => now }, limits);
  const underWay: (() => void)[] = [];
  const carry = async (): Promise<void> => {
    const sentAt = now;
    await new Promise<void>((answer) => underWay.push(answer));
    control.answered('mutation', 'quotation', sentAt);
  };
  const lane = { batch: 'b', folder: '' };
  const all = Promise.all(Array.from({ length: rows }, () => control.rows.run(lane, Infinity, carry)));
  let most = 0;
  for (let answered = 0; answered < rows;) {
    await turn();
    most = Math.max(most, underWay.length);
    now += USUAL_MS * Math.max(1, underWay.length / bears);
    answered += underWay.length;
    for (const answer of underWay.splice(0)) answer();
  }
  await all;
  return most;
}

describe('the rows of a file', () => {
  const AUTO = { lanes: MOST, firstLanes: FIRST, perSecond: Infinity };

  it('are more at once with a service that bears them, and never more than the config has it', async () => {
    expect(await mostAtOnce(AUTO, 300, Infinity)).toBeGreaterThanOrEqual(4 * FIRST);
    expect(await mostAtOnce(AUTO, 5_000, Infinity)).toBe(MOST);
    expect(await mostAtOnce({ lanes: FIRST, perSecond: Infinity }, 300, Infinity)).toBe(FIRST);
  });

  it('are no more at once with a service that takes the longer for it', async () => {
    expect(await mostAtOnce(AUTO, 5_000, FIRST)).toBeLessThanOrEqual(2 * FIRST);
  });
});

describe('a try', () => {
  const call = { took: 1, isSpoilt: false, isFull: true, mayTry: true, isHeldDown: false };
  const trying = after(16, { bears: 1_000 });

  it('that was held down the while proves nothing', () => {
    let reach = trying;
    for (let now = trying.since; now < trying.since + 40; now++)
      reach = afterReached(reach, { ...call, isHeldDown: true, mayTry: false, sentAt: now, now, lanes: 32 });
    expect(lanesOf(reach)).toBe(FIRST);
  });

  it('of which no call can be judged is over', () => {
    let reach = trying;
    for (let now = trying.since; now < trying.since + 100; now++)
      reach = afterReached(reach, { ...call, took: null, sentAt: now, now, lanes: 32 });
    expect(lanesOf(reach)).toBe(FIRST);
  });

  it('always adds one call at least', () => {
    let reach = { ...startReach(0), step: 1.25 };
    for (let now = 0; now < 16; now++) reach = afterReached(reach, { ...call, sentAt: now, now, lanes: 1 });
    expect(reach.times).toBe(2);
  });
});
