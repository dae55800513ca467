// A process is stopped in the middle of a call, and another one goes on: a process that stands still has no batch. When it wakes up it holds old responses and
// intentions: none of them may pay twice, and none may overwrite what the other has recorded.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect, test } from 'vitest';

import type { Scene } from './crash-scene.ts';
import { until } from '../sandbox/until.ts';
import { expectSound, withScene } from './judged-scene.ts';
import type { Started } from './processes.ts';
import type { Asked } from './watched-service.ts';

const ROWS = 40;

/** Three processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;

const isCreate = ({ path, method }: Asked): boolean => path === '/transfers' && method === 'POST';
const isConfirm = ({ path }: Asked): boolean => path.endsWith('/confirm');

test.each([
  { at: 'a create', matches: isCreate },
  { at: 'a confirm', matches: isConfirm },
])(
  'stopped at $at, resumed by another process, woken up again: every row is paid once, and nothing old is written',
  { timeout: LIMIT_MS },
  async ({ matches }) => {
    await withScene({ rows: ROWS, sandboxArgs: ['--latency', '5ms'] }, async (scene) => {
      const sleeper = scene.start(['run', ...scene.files]);
      await new Promise<void>((resolve) => {
        scene.watched.watch({
          received: (asked) => {
            if (!matches(asked)) return 'pass';
            sleeper.signal('SIGSTOP');
            resolve();
            return 'pass';
          },
        });
      });
      scene.watched.watch({});
      await until(() => isFree(scene) || wokenForAMoment(sleeper));
      const { code, stderr } = await scene.start(['resume']).ended;
      expect([0, 4], stderr).toContain(code);
      const recorded = recordsOf(scene);
      sleeper.signal('SIGCONT');
      const woken = await sleeper.ended;
      expect(woken.stderr).toContain('took this one for dead');
      expect(woken.code).not.toBe(0);
      expect(recordsOf(scene)).toEqual(recorded);
      await expectSound(scene);
    });
  },
);

/** False when it sleeps in the middle of a commit. */
function isFree({ workspace }: Scene): boolean {
  const database = new DatabaseSync(join(workspace, 'ledger.sqlite'));
  try {
    database.exec('BEGIN IMMEDIATE; ROLLBACK');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === 'database is locked') return false;
    throw error;
  } finally {
    database.close();
  }
}

/** Nobody can go on while it holds the ledger's lock; what is looked at here is the sleep between two commits. */
function wokenForAMoment(sleeper: Started): false {
  sleeper.signal('SIGCONT');
  sleeper.signal('SIGSTOP');
  return false;
}

/** What the ledger knows of each row, and who wrote it last. */
function recordsOf({ workspace }: Scene): readonly unknown[] {
  const database = new DatabaseSync(join(workspace, 'ledger.sqlite'), { readOnly: true, timeout: 10_000 });
  const rows = database.prepare('SELECT row, stage, version, written_by, progress FROM whole_rows').all();
  database.close();
  return rows;
}
