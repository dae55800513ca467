// The ledger is lost in the middle of a batch, in every way in which a file gets lost: the terminal says what to do, and a person who does it
// pays nobody twice and loses no row.
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { Scene } from './crash-scene.ts';
import { expectSound, withScene } from './judged-scene.ts';
import { copyInMidst, copyLedger, loseLedger, moveLedgerAside, type Loss } from './lose-ledger.ts';
import type { Started } from './processes.ts';
import { seeded } from './seeded.ts';

const ROWS = 60;

/** About a third, and about two thirds of the rows are on their way. */
const COPIED_AFTER = 20;
const KILLED_AFTER = 40;

/** Some processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;

/** `npm run trial -- crash` has the others too. */
test.each<Loss>(['overwritten', 'older copy'])(
  'a ledger that is lost (%s) while rows are paid: done what the terminal says, every row is paid once',
  { timeout: LIMIT_MS },
  async (loss) => {
    await withScene({ rows: ROWS, sandboxArgs: ['--latency', '10ms'] }, async (scene) => {
      const copies = join(scene.folder, 'copies');
      await mkdir(copies);
      await killAfterConfirms(scene, ['run', ...scene.files], COPIED_AFTER);
      await copyLedger(scene.workspace, copies);
      await killAfterConfirms(scene, ['resume'], KILLED_AFTER - COPIED_AFTER);
      await loseLedger(scene.workspace, loss, copies, seeded(1));
      await obeyTheTerminal(scene);
      await expectSound(scene);
    });
  },
);

test(
  'an older copy that was made in the midst of the same go: what it lacks is learned, and every row is paid once',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: ROWS, sandboxArgs: ['--latency', '10ms'] }, async (scene) => {
      const copies = join(scene.folder, 'copies');
      await mkdir(copies);
      await killAfterConfirms(scene, ['run', ...scene.files], KILLED_AFTER, (child, seen) => {
        if (seen === COPIED_AFTER) copyInMidst(child, scene.workspace, copies);
      });
      await loseLedger(scene.workspace, 'older copy', copies, seeded(1));
      const { stderr, code } = await scene.start(['resume']).ended;
      expect([0, 4], stderr).toContain(code);
      expect(stderr).toContain('older copy');
      await expectSound(scene);
    });
  },
);

test(
  'a workspace that was put back as it was yesterday, ledger, folders and all: every row is paid once',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: ROWS, sandboxArgs: ['--latency', '10ms'] }, async (scene) => {
      const yesterday = join(scene.folder, 'yesterday');
      await killAfterConfirms(scene, ['run', ...scene.files], COPIED_AFTER);
      await cp(scene.workspace, yesterday, { recursive: true });
      await scene.start(['resume']).ended;
      await cp(yesterday, scene.workspace, { recursive: true });
      await obeyTheTerminal(scene);
      await expectSound(scene);
    });
  },
);

async function killAfterConfirms(
  scene: Scene,
  command: readonly string[],
  confirms: number,
  before: (child: Started, seen: number) => void = () => undefined,
): Promise<void> {
  const child = scene.start(command);
  let seen = 0;
  scene.watched.watch({
    answered: ({ path }) => {
      if (!path.endsWith('/confirm')) return 'pass';
      seen += 1;
      before(child, seen);
      if (seen === confirms) child.kill();
      return 'pass';
    },
  });
  await child.ended;
  scene.watched.watch({});
}

/** Goes on, and does what is asked for, as a person would who knows nothing else. */
async function obeyTheTerminal(scene: Scene): Promise<void> {
  const first = await scene.start(['resume']).ended;
  if (first.code === 0 || first.code === 4) return;
  expect(first.stderr).toMatch(/^paydrop: [^\n]+paydrop rebuild[^\n]+\n$/);
  if (/Move (it|ledger\.sqlite) aside/.test(first.stderr)) await moveLedgerAside(scene.workspace);
  const rebuilt = await scene.start(['rebuild', ...scene.files]).ended;
  expect(rebuilt.code, rebuilt.stderr).toBe(0);
  const last = await scene.start(['resume']).ended;
  expect([0, 4], last.stderr).toContain(last.code);
}
