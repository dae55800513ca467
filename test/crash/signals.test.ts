// The program is asked to stop: once, and it leaves nothing half done; twice, and it is gone at once. Either way `resume` goes on as after a kill.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { expectEveryRowPaidOnce, withScene } from './judged-scene.ts';
import { MAIN } from './processes.ts';
import type { Asked } from './watched-service.ts';

/** More than are under way at once with their calls. */
const ROWS = 60;

/** So long the service keeps an answer back while the program stops. */
const ANSWER_MS = 700;
/** Longer than any patience of this test. */
const NEVER_MS = 600_000;
/** Four processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;
/** Ending at once, on a busy machine. */
const AT_ONCE_MS = 5_000;

const isCorridors = ({ path }: Asked): boolean => path.startsWith('/payout-corridors');
const isConfirm = ({ path }: Asked): boolean => path.endsWith('/confirm');

test.each([
  // They are asked for before anything of the file is taken.
  { during: 'the corridors are asked for', matches: isCorridors, signal: 'SIGTERM', isBegun: false },
  { during: 'a transfer is confirmed', matches: isConfirm, signal: 'SIGINT', isBegun: true },
] as const)(
  '$signal while $during: the call ends, nothing new is sent, exit code 5, and resume pays the rest',
  { timeout: LIMIT_MS },
  async ({ matches, signal, isBegun }) => {
    await withScene({ rows: ROWS }, async (scene) => {
      const child = scene.start(['run', ...scene.files]);
      let callsAtSignal = 0;
      scene.watched.watch({
        received: (asked) => {
          if (!matches(asked) || callsAtSignal > 0) return 'pass';
          callsAtSignal = scene.watched.calls();
          child.signal(signal);
          return { lateMs: ANSWER_MS };
        },
      });
      const { code, stderr } = await child.ended;
      expect(stderr.split('\n')).toEqual([
        'paydrop: stopping after the calls under way; "paydrop resume" goes on.',
        ...(isBegun
          ? []
          : [`${scene.files.join()} was not begun, and nothing of it was sent. Run it again.`]),
        'paydrop: interrupted; "paydrop resume" goes on, and pays no row twice.',
        '',
      ]);
      expect(code).toBe(5);
      // Calls that were on their way, and the confirms whose intent was on record.
      expect(scene.watched.calls() - callsAtSignal).toBeLessThan(ROWS);
      scene.watched.watch({});
      await expectEveryRowPaidOnce(scene);
    });
  },
);

test(
  'a file that a signal left untouched is named, and the exit code is 5',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: 4 }, async (scene) => {
      const [file = ''] = scene.files;
      const other = join(dirname(file), 'other.csv');
      await copyFile(file, other);
      const child = scene.start(['run', file, other, '--wait', '0']);
      let isAsked = false;
      scene.watched.watch({
        received: (asked) => {
          if (!isConfirm(asked)) return 'pass';
          if (!isAsked) child.signal('SIGTERM');
          isAsked = true;
          return { lateMs: ANSWER_MS };
        },
      });
      const { code, stderr } = await child.ended;
      expect(stderr).toContain(`${other} was not begun, and nothing of it was sent. Run it again.`);
      expect(code).toBe(5);
      scene.watched.watch({});
      await expectEveryRowPaidOnce(scene);
    });
  },
);

test(
  'a second signal ends it at once, with exit code 5, while the service still keeps its answer back',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: 10 }, async (scene) => {
      const child = scene.start(['run', ...scene.files]);
      let signalledAt = 0;
      scene.watched.watch({
        received: (asked) => {
          if (!isConfirm(asked)) return 'pass';
          if (signalledAt === 0) {
            signalledAt = performance.now();
            child.signal('SIGTERM');
          }
          return { lateMs: NEVER_MS };
        },
      });
      await child.said('stopping after the calls under way');
      child.signal('SIGINT');
      const { code } = await child.ended;
      expect(code).toBe(5);
      expect(performance.now() - signalledAt).toBeLessThan(AT_ONCE_MS);
      scene.watched.watch({});
      await expectEveryRowPaidOnce(scene);
    });
  },
);

test('the sandbox is stopped, and has nothing to go on with', { timeout: LIMIT_MS }, async () => {
  const child = spawn(process.execPath, [MAIN, 'sandbox', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, said }).toEqual({ code: 0, said: 'paydrop: stopped.\n' });
});
