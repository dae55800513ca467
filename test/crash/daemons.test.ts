// Daemons as real processes: two on one workspace do no harm, and the next one continues the work of one that is killed.
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { expect, test, vi } from 'vitest';

import type { Scene } from './crash-scene.ts';
import { expectSound, withScene } from './judged-scene.ts';

/** Some processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;

const OPTIONS = { rows: 40, files: 4, config: 'intake: { settleFor: 50ms, scanEvery: 200ms }\n' };

async function dropAll({ files, workspace }: Scene): Promise<void> {
  const inbox = join(workspace, 'inbox');
  const folder = dirname(files[0] ?? '');
  const documents = (await readdir(folder)).filter((name) => name.endsWith('.pdf'));
  for (const path of [...files, ...documents.map((name) => join(folder, name))])
    await copyFile(path, join(inbox, basename(path)));
}

/** Waits until every file has its last answer. */
function allClosed({ files, workspace }: Scene): Promise<void> {
  const outbox = join(workspace, 'outbox');
  const closed = async () => {
    const names = (await readdir(outbox)).filter((name) => name.endsWith('.summary.json'));
    const texts = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
    expect(texts.filter((text) => (JSON.parse(text) as { state: string }).state === 'closed')).toHaveLength(
      files.length,
    );
  };
  return vi.waitFor(closed, { timeout: LIMIT_MS, interval: 200 });
}

/** Resolves when such a request has passed on its way to the service. */
function passedOn({ watched }: Scene, pattern: RegExp): Promise<void> {
  return new Promise((resolve) => {
    watched.watch({
      received: ({ method, path }) => {
        if (pattern.test(`${method} ${path}`)) resolve();
        return 'pass';
      },
    });
  });
}

test(
  'two on one workspace: each file is taken once, each row is paid once',
  { timeout: LIMIT_MS },
  async () => {
    await withScene(OPTIONS, async (scene) => {
      const first = scene.start(['watch']);
      await first.said('watching');
      const second = scene.start(['watch']);
      await second.said('watching');
      const daemons = [first, second];
      await dropAll(scene);
      await allClosed(scene);
      for (const { signal } of daemons) signal('SIGTERM');
      const ends = await Promise.all(daemons.map(({ ended }) => ended));
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      expect(await readdir(join(scene.workspace, 'inbox'))).toEqual([]);
      expect(await readdir(join(scene.workspace, 'processing'))).toEqual([]);
      await expectSound(scene);
    });
  },
);

test(
  'one is killed again and again: the next goes on, and nothing is paid twice',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ ...OPTIONS, sandboxArgs: ['--latency', '15ms'] }, async (scene) => {
      const first = scene.start(['watch']);
      await first.said('watching');
      await dropAll(scene);
      await passedOn(scene, /^POST \/transfers$/);
      first.kill();
      const second = scene.start(['watch']);
      await passedOn(scene, /^POST .*\/confirm$/);
      second.kill();
      const last = scene.start(['watch']);
      await allClosed(scene);
      last.signal('SIGTERM');
      expect((await last.ended).code).toBe(0);
      await expectSound(scene);
    });
  },
);
