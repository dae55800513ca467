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

test.skipIf(!hasOtherDisk).each([
  { when: 'its result is copied', path: /^archive.*\.result\.csv$/ },
  { when: 'the original is being removed', path: /\.moved$/ },
])(
  'killed when $when: the batch goes on from where it stands, and nothing of it is left in processing',
  { timeout: LIMIT_MS },
  async ({ path }) => {
    const disk = mkdtempSync(join(OTHER_DISK, 'paydrop-archive-'));
    try {
      await withScene({ rows: 10, config: `folders: { archive: ${disk} }\n` }, async (scene) => {
        const child = scene.start(['run', ...scene.files]);
        const see = (place: string) => (seen: string) => {
          if (path.test(`${place}/${seen}`)) child.kill();
        };
        const watched = [
          watchNewPaths(disk, see('archive')),
          watchNewPaths(scene.workspace, see('workspace')),
        ];
        expect((await child.ended).signal).toBe('SIGKILL');
        for (const { close } of watched) close();
        await expectEveryRowPaidOnce(scene);
        expect(readdirSync(join(scene.workspace, 'processing'))).toEqual([]);
      });
    } finally {
      rmSync(disk, { recursive: true, force: true });
    }
  },
);
