// The archive lies on another disk, where a folder cannot be renamed to but only copied and then removed: a kill in between leaves the batch in
// two places, and it is still one batch.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { expectEveryRowPaidOnce, withScene } from './judged-scene.ts';
import { watchNewPaths } from './new-paths.ts';

/** Memory that every Linux offers as a file system of its own. */
const OTHER_DISK = '/dev/shm';

const hasOtherDisk = statSync(OTHER_DISK, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev;

/** Some processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;

/** The moment is short. */
const TRIES = 8;

test.skipIf(!hasOtherDisk).each([
  { when: 'its result is copied', path: /^archive.*\.result\.csv$/ },
  { when: 'the original is being removed', path: /\.moved$/ },
])(
  'killed when $when: the batch goes on from where it stands, and nothing of it is left in processing',
  { timeout: LIMIT_MS },
  async ({ path }) => {
    let isKilled = false;
    for (let tries = 0; tries < TRIES && !isKilled; tries++) isKilled = await killAt(path);
    expect(isKilled).toBe(true);
  },
);

/** Whether it was killed there; on a busy machine it may be past it when that is seen. What comes of it is judged in any case. */
async function killAt(path: RegExp): Promise<boolean> {
  const signals: (string | null)[] = [];
  const disk = mkdtempSync(join(OTHER_DISK, 'paydrop-archive-'));
  try {
    await withScene({ rows: 10, config: `folders: { archive: ${disk} }\n` }, async (scene) => {
      const child = scene.start(['run', ...scene.files]);
      const see = (place: string) => (seen: string) => {
        if (path.test(`${place}/${seen}`)) child.kill();
      };
      const watched = [watchNewPaths(disk, see('archive')), watchNewPaths(scene.workspace, see('workspace'))];
      signals.push((await child.ended).signal);
      for (const { close } of watched) close();
      await expectEveryRowPaidOnce(scene);
      expect(readdirSync(join(scene.workspace, 'processing'))).toEqual([]);
    });
  } finally {
    rmSync(disk, { recursive: true, force: true });
  }
  return signals.includes('SIGKILL');
}
