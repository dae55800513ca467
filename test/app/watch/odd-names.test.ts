// Strangers choose file names: with any name, the file is paid or refused like any other, and the name moves no terminal and breaks no answer.
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { line, openDesk, type Desk } from '../desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20 });
});
afterEach(() => desk.close());

const NAMES = {
  'a line end': 'pay\nroll.csv',
  'a colour': 'pay\u001b[31mroll.csv',
  'letters from right to left': 'pay\u202evsc.csv',
  'the longest there can be': `${'x'.repeat(251)}.csv`,
  'the longest, in letters of three bytes': `${'薪'.repeat(83)}.csv`,
  'a leading dash': '--help.csv',
  'the name of a device': 'CON.csv',
  'several dots': 'pay.roll.2026.11.csv',
};

it('whatever a name holds, the file is paid and answered', async () => {
  const paydrop = await desk.open('intake: { settleFor: 10ms, scanEvery: 50ms }');
  const names = Object.values(NAMES);
  await mkdir(join(desk.workspace, 'inbox'), { recursive: true });
  for (const [index, name] of names.entries())
    await rename(
      await desk.file('next.csv', [line(`A-${String(index)}`, String(100 + index))]),
      join(desk.workspace, 'inbox', name),
    );
  const stopper = new AbortController();
  const results: BatchResult[] = [];
  const troubles: string[] = [];
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: (result) => void results.push(result),
    onWaiting: () => undefined,
    onTrouble: (words) => void troubles.push(words),
  });
  await vi.waitFor(
    () => {
      expect(troubles).toEqual([]);
      const closed = results.filter(({ summary }) => summary.state === 'closed');
      expect(closed.map(({ summary }) => summary.file.name).sort()).toEqual([...names].sort());
    },
    { timeout: 20_000, interval: 50 },
  );
  stopper.abort();
  await ended;
  const outbox = await readdir(paydrop.workspace.outbox);
  expect(outbox.filter((name) => name.includes('.result.'))).toHaveLength(names.length);
  expect(outbox.filter((name) => /\p{Cc}/u.test(name))).toEqual([]);
});
