// A transfer that the service does not show may still exist: reads may lag by a quarter of an hour, and a wrong key or a restore hides everything.
import { describe, expect, it } from 'vitest';

import { FRESH } from '../../src/payouts/progress.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { deliver, stagesOf, transfersOf } from './deliver.ts';
import { refusal } from './meddling-proxy.ts';
import { record } from '../ledger/own.ts';

describe('a transfer that reads hide for longer than usual', () => {
  it.each([2, 9, 14])(
    'is adopted in the end, although an older copy of the ledger asks for it in vain for %i minutes',
    async (minutes) => {
      const clock = manualClock();
      let hiddenUntil = 0;
      const delivery = await deliver({
        clock,
        sandbox: { quoteLifeMs: 30 * 60_000 },
        meddling: {
          after: ({ path }, { status }) =>
            path.includes('/transfers/ext-') && status === 200 && clock.now() < hiddenUntil
              ? refusal(404, 10013)
              : null,
        },
      });
      await delivery.run();
      const [row] = await delivery.rows();
      if (row === undefined) throw new Error('The row is there.');
      const progress = { ...FRESH, stage: 'quoted', price: row.progress.price } as const;
      await record(delivery.ledger, row, { progress, dueAt: 0, event: 'an older copy' });
      hiddenUntil = clock.now() + minutes * 60_000;
      expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
      expect(await stagesOf(delivery)).toEqual(['paid']);
      expect(await transfersOf(delivery)).toHaveLength(1);
    },
  );
});

describe('a payout that has ended', () => {
  it('stays as its owner was told, however often the service says that it knows no such transfer', async () => {
    let isUnknown = false;
    const clock = manualClock();
    const delivery = await deliver({
      clock,
      meddling: {
        instead: ({ method, path }) =>
          isUnknown && method === 'GET' && path.startsWith('/transfers/') ? refusal(404, 10014) : null,
      },
    });
    await delivery.run();
    isUnknown = true;
    for (let day = 0; day < 15; day++) {
      clock.advance(86_400_000);
      await delivery.watch();
    }
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });
});
