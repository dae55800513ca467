// A service that answers reads and nothing else, and a currency without funds next to one with funds: no row waits for ever.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { manualClock } from '../sandbox/manual-clock.ts';
import { BANK, count, deliver, stagesOf } from './deliver.ts';
import { isConfirm, isCreate, isRead, isUpload, refusal, type Asked } from './meddling-proxy.ts';

const EUR = { sourceCurrency: 'EUR' };

describe('a run that may not wait, of a service that answers', () => {
  it.each([
    ['every create with 500', isCreate, { status: 500, body: '' }],
    ['every create with 10001 and 500', isCreate, refusal(500, 10_001)],
    ['every create with a page of 404', isCreate, { status: 404, body: '<html>' }],
    ['every upload with 500', isUpload, { status: 500, body: '' }],
    ['every confirm with 502', isConfirm, { status: 502, body: '' }],
    ['every create with a throttle', isCreate, { status: 429, body: '' }],
  ])('%s and all else well ends soon, and fails no row', async (_name, matches, reply) => {
    const delivery = await deliver({
      payouts: Array.from({ length: 60 }, () => BANK),
      meddling: { instead: (asked) => (matches(asked) ? reply : null) },
    });
    const startedAt = delivery.clock.now();
    expect(await delivery.run({ waitMs: 0 })).toEqual({ kind: 'service' });
    expect(delivery.clock.now() - startedAt).toBeLessThan(120_000);
    expect(delivery.calls.length).toBeLessThan(600);
    for (const stage of await stagesOf(delivery))
      expect(['ready', 'quoted', 'created', 'confirming']).toContain(stage);
  });
});

describe('reads in another shape', () => {
  it('of one transfer do not hold up the others', async () => {
    const odd = new Set<string>();
    const delivery = await deliver({
      payouts: Array.from({ length: 12 }, () => ({})),
      meddling: {
        after: (asked) => {
          if (!isRead(asked)) return null;
          if (odd.size === 0) odd.add(asked.path);
          return odd.has(asked.path) ? { status: 200, body: '[]' } : null;
        },
      },
    });
    const startedAt = delivery.clock.now();
    await delivery.run();
    const stages = await stagesOf(delivery);
    expect(stages.filter((stage) => stage === 'paid')).toHaveLength(11);
    expect(stages.filter((stage) => stage === 'held')).toHaveLength(1);
    expect(delivery.clock.now() - startedAt).toBeLessThan(600_000);
  });
});

describe('a currency without funds', () => {
  it('does not slow down another while one of its rows finds out', async () => {
    const clock = manualClock();
    let started = 0;
    let underWay = 0;
    let together = 0;
    const isEur = ({ body }: Asked): boolean => body.includes('"EUR"');
    const delivery = await deliver({
      clock,
      payouts: [{}, {}, ...Array.from({ length: 40 }, () => EUR)],
      sandbox: { balances: { XAF: '0', EUR: '1000000' } },
      meddling: {
        after: (asked, { body }) => {
          // Time for the next look at the funds has always come.
          if (isCreate(asked) && body.includes('10024')) clock.advance(60_000);
          return null;
        },
        instead: async (asked) => {
          if (!(asked.method === 'POST' && asked.path === '/rates' && isEur(asked))) return null;
          started += 1;
          underWay += 1;
          // What was claimed before the funds ran out does not count.
          for (let turns = 0; turns < 200 && underWay < 2; turns++) await nextTurn();
          if (started > 12) together = Math.max(together, underWay);
          underWay -= 1;
          return null;
        },
      },
    });
    expect(await delivery.run({ waitMs: 0 })).toEqual({ kind: 'funds', currencies: ['XAF'] });
    expect(together).toBeGreaterThan(1);
    expect(count(delivery, 'POST', '/confirm')).toBe(40);
  });
});
