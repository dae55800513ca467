// A large file is taken in parallel with the small ones, and the looks that go on meanwhile leave it to the task that takes it.
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { line, openDesk, type Desk } from '../desk.ts';
import { beforeRevision } from '../../ledger/before-revision.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20 });
});
afterEach(() => desk.close());

it(
  'a batch that is being taken is not mistaken for one that a kill has left',
  { timeout: 60_000 },
  async () => {
    const paydrop = await desk.open(
      'intake: { settleFor: 10ms, scanEvery: 50ms }\npolicy: { onInvalidRows: skip-rows }',
    );
    const { ledger } = paydrop;
    const states: string[] = [];
    // Wherever the taking of the large file stands, the daemon looks once more before it goes on.
    let wake = (): void => undefined;
    const told = beforeRevision(ledger, async (change) => {
      if (change.state !== 'checking') return;
      states.push('taken');
      wake();
      await paydrop.clock.sleep(600);
    });
    const dropBatch: typeof ledger.dropBatch = (id) => {
      states.push('dropped');
      return ledger.dropBatch(id);
    };
    const slow = new Proxy(told, {
      get: (target, name) => {
        if (name === 'dropBatch') return dropBatch;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const rows = Array.from({ length: 1_001 }, (_none, row) =>
      line(`A-${String(row)}`, row === 0 ? '100' : 'x'),
    );
    await mkdir(join(desk.workspace, 'inbox'), { recursive: true });
    await rename(await desk.file('large.csv', rows), join(desk.workspace, 'inbox', 'large.csv'));
    const stopper = new AbortController();
    const results: BatchResult[] = [];
    const troubles: string[] = [];
    const ended = watch(
      { ...paydrop, ledger: slow },
      {
        signal: stopper.signal,
        onStart: (calls) => {
          wake = calls.wake;
        },
        onResult: (result) => void results.push(result),
        onWaiting: () => undefined,
        onTrouble: (words) => void troubles.push(words),
      },
    );
    await vi.waitFor(() => expect(results).toHaveLength(1), { timeout: 40_000, interval: 50 });
    stopper.abort();
    await ended;
    expect([states, troubles]).toEqual([['taken'], []]);
    expect(results[0]?.summary).toMatchObject({ state: 'closed', outcomes: { paid: 1, rejected: 1_000 } });
  },
);
