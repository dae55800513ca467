// Many submitted payouts are followed by the list, a hundred a call. The list settles the transfers that it shows as we sent them; all others are read one by one.
import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { manualClock } from '../sandbox/manual-clock.ts';
import { deliver, expectBooksExact, stagesOf, type Delivery } from './deliver.ts';

const ROWS = 150;
const PAYOUTS = Array.from({ length: ROWS }, () => ({}));

/** Reads of one transfer, and pages of the list. */
function reads({ calls }: Delivery): { readonly single: number; readonly list: number } {
  const single = calls.filter(({ call }) => /^GET \/transfers\/[^?]+$/.test(call)).length;
  const list = calls.filter(({ call }) => call.startsWith('GET /transfers?')).length;
  return { single, list };
}

type Shown = { id: string; status: string; statusCode: string; sendAmount: number };

/** The list as `change` would have it; every other answer as it is. */
function listing(change: (shown: Shown) => Shown) {
  return {
    after: ({ path }: { path: string }, { body }: { body: string }) =>
      path.startsWith('/transfers?')
        ? { body: JSON.stringify((JSON.parse(body) as Shown[]).map(change)) }
        : null,
  };
}

describe('many submitted payouts', () => {
  it('are followed to their end with a few pages of the list, and no read of their own', async () => {
    const delivery = await deliver({ payouts: PAYOUTS });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    expect(reads(delivery).single).toBe(0);
    expect(reads(delivery).list).toBeLessThan(10);
    await expectBooksExact(delivery);
  });

  it('stay together while they wait, however often that is', async () => {
    const delivery = await deliver({ payouts: PAYOUTS, sandbox: { settleMs: 60_000 } });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    expect(reads(delivery).single).toBe(0);
    expect(reads(delivery).list).toBeLessThan(60);
  });

  it('of which the list shows one with another amount are settled but for that one, which is read by itself', async () => {
    let other: string | null = null;
    const meddling = listing((shown) => {
      other ??= shown.id;
      return shown.id === other ? { ...shown, sendAmount: shown.sendAmount + 1 } : shown;
    });
    const delivery = await deliver({ payouts: PAYOUTS, meddling });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    const alone = delivery.calls.filter(({ call }) => call === `GET /transfers/${String(other)}`);
    expect(alone.length).toBeGreaterThan(0);
    expect(reads(delivery).single).toBe(alone.length);
  });

  it('of which one read takes long are asked for by the list once it has ended, not few by few meanwhile', async () => {
    const clock = manualClock();
    const others: string[] = [];
    const asked = { before: 0, meanwhile: 0 };
    const box: { delivery?: Delivery } = {};
    const calls = (): number => box.delivery?.calls.length ?? 0;
    const delivery = await deliver({
      clock,
      payouts: PAYOUTS,
      sandbox: { settleMs: 120_000 },
      meddling: {
        ...listing((shown) => {
          if (others.length < 2 && !others.includes(shown.id)) others.push(shown.id);
          return others.includes(shown.id) ? { ...shown, sendAmount: shown.sendAmount + 1 } : shown;
        }),
        instead: async ({ path }) => {
          const which = others.indexOf(path.slice('/transfers/'.length));
          // The first is answered at once, when all others are due again; the second long after it.
          if (which === 0 && asked.before === 0) clock.advance(60_000);
          if (which === 1 && asked.before === 0) {
            asked.before = calls();
            for (let turns = 0; turns < 200; turns += 1) await turn();
            asked.meanwhile = calls() - asked.before;
          }
          return null;
        },
      },
    });
    box.delivery = delivery;
    expect(await delivery.run({ concurrency: 24 })).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    expect(asked.before).toBeGreaterThan(ROWS);
    expect(asked.meanwhile).toBeLessThanOrEqual(1);
  });

  it('of which the list says what nobody can mean are read by themselves, and what that says counts', async () => {
    const meddling = listing((shown) => ({ ...shown, status: 'created', statusCode: '10000' }));
    const delivery = await deliver({ payouts: PAYOUTS, meddling });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    expect(reads(delivery).single).toBeGreaterThanOrEqual(ROWS);
  });

  it('are read one by one by a service that does not list', async () => {
    const meddling = {
      instead: ({ path }: { path: string }) =>
        path.startsWith('/transfers?') ? { status: 500, body: '<html>no list</html>' } : null,
    };
    const delivery = await deliver({ payouts: PAYOUTS, meddling });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    await expectBooksExact(delivery);
  });
});

describe('a few submitted payouts', () => {
  it('are read one by one: a page of the list could be full of others', async () => {
    const delivery = await deliver({ payouts: PAYOUTS.slice(0, 5) });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(reads(delivery)).toMatchObject({ list: 0 });
  });
});
