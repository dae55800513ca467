// What a row must have on record before its next call, and what it need not; and that other rows use the lanes while it waits for its record.
import { describe, expect, it } from 'vitest';

import { type Ledger, type RowChange } from '../../src/ledger/ledger.ts';
import type { DeliveryTools } from '../../src/delivery/tools.ts';
import { count, deliver, expectBooksExact, stagesOf, transfersOf, type Delivery } from './deliver.ts';

type Recorded = (change: RowChange) => void | Promise<void>;

/** The ledger, and `before` right before each record. */
function recording({ ledger }: Delivery, before: Recorded): Ledger {
  return new Proxy(ledger, {
    get: (target, name) => {
      if (name === 'record')
        return async (...[leased, row, change]: Parameters<Ledger['record']>) => {
          await before(change);
          return target.record(leased, row, change);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

const creates = (delivery: Delivery): number => count(delivery, 'POST', '/transfers');

/** What is recorded of one row on its way to the confirm, and how many creates were sent by then. */
async function recordsOf(tools: Partial<DeliveryTools>): Promise<readonly (readonly [string, number])[]> {
  const delivery = await deliver();
  const told: [string, number][] = [];
  const ledger = recording(delivery, ({ event }) => {
    told.push([event, creates(delivery)]);
  });
  expect(await delivery.run({ ledger }, tools)).toEqual({ kind: 'done' });
  return told.slice(0, -1);
}

describe('the price of a row', () => {
  it.each([
    ['nothing else is asked', {}],
    ['a limit counts it', { reserve: () => Promise.resolve(null) }],
    ['a notification names its transfer', { callbackUrl: (id: string) => `https://us.test/${id}` }],
    ['a person may hold it', { priceLimits: { feeShare: 10_000, leastRates: null } }],
  ])('is written with what its create says, also where %s', async (_why, tools) => {
    expect(await recordsOf(tools)).toEqual([
      ['advanced to confirming', 1],
      ['advanced to confirmed', 1],
    ]);
  });

  it('is found again after the process that had asked for it was killed behind its create', async () => {
    const delivery = await deliver({ payouts: [{}, {}] });
    const dying = recording(delivery, ({ event }) => {
      if (event === 'advanced to confirming') throw new Error('killed');
    });
    await expect(delivery.run({ ledger: dying })).rejects.toThrow('killed');
    expect(await stagesOf(delivery)).toEqual(['ready', 'ready']);
    expect(await transfersOf(delivery)).toHaveLength(2);
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid', 'paid']);
    expect(await transfersOf(delivery)).toHaveLength(2);
    await expectBooksExact(delivery);
  });
});

describe('a row without luck', () => {
  it('has its create tried again as soon as any other, however often its price was asked for', async () => {
    const delivery = await deliver({
      sandbox: {
        faults: {
          rules: [
            { fault: 'reset', operations: ['createQuotation'], times: 12 },
            { fault: 'reset', operations: ['createTransfer'], times: 1 },
          ],
        },
      },
    });
    const waits: number[] = [];
    const ledger = recording(delivery, ({ event, dueAt, progress }) => {
      if (event === 'later' && progress.stage === 'quoted')
        waits.push((dueAt ?? Infinity) - delivery.clock.now());
    });
    expect(await delivery.run({ ledger })).toEqual({ kind: 'done' });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeLessThanOrEqual(500);
  });
});

describe('rows that wait for their record', () => {
  it('have it written with others, as soon as a lane would stay unused', async () => {
    const delivery = await deliver({ lanes: 4, payouts: Array.from({ length: 8 }, () => ({})) });
    const creates: number[] = [];
    const ledger = recording(delivery, ({ event }) => {
      if (event === 'advanced to confirming') creates.push(count(delivery, 'POST', '/transfers'));
    });
    expect(await delivery.run({ ledger, concurrency: 4 })).toEqual({ kind: 'done' });
    // Of eight rows four wait before the first is written: with a fifth aside one of four lanes would have nobody.
    expect(Math.min(...creates)).toBeGreaterThanOrEqual(4);
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
    await expectBooksExact(delivery);
  });

  it('leave their lanes to others', async () => {
    const delivery = await deliver({ lanes: 4, payouts: Array.from({ length: 6 }, () => ({})) });
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const ledger = recording(delivery, async ({ event }) => {
      if (event !== 'advanced to confirming') return;
      // Four wait for ever unless the other two go on meanwhile.
      if (creates(delivery) === 6) release();
      await isReleased;
    });
    expect(await delivery.run({ ledger, concurrency: 4 })).toEqual({ kind: 'done' });
    expect(new Set(await stagesOf(delivery))).toEqual(new Set(['paid']));
  });
});
