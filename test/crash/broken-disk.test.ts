// The disk is full, or the outbox cannot be written: nothing is paid twice, no row is lost, and what stands on the terminal is a sentence that
// says what to do.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect, test, vi } from 'vitest';

import { collectService } from './collect-evidence.ts';
import { expectEveryRowPaidOnce, expectSound, withScene } from './judged-scene.ts';
import type { Ended } from './processes.ts';

const ROWS = 60;

/** A handful of processes one after another, on a busy machine. */
const LIMIT_MS = 90_000;

/** One sentence or two that name a thing to do, under our name; no code of a system and no line of a program. */
const PLAIN = /^paydrop: [A-Z][^\n]+(\. |: )[^\n]*(run|Close|Move|Put)[^\n]+\n$/;

function expectPlainEnd({ code, stderr }: Ended): void {
  expect(stderr).toMatch(PLAIN);
  expect(stderr).not.toMatch(/unexpected|node:|\.ts:/);
  expect(code).toBe(5);
}

function isBeingChecked(workspace: string): boolean {
  const path = join(workspace, 'ledger.sqlite');
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const tables = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'batches'`).get();
    if (tables === undefined) return false;
    return database.prepare(`SELECT 1 FROM batches WHERE state = 'checking'`).get() !== undefined;
  } finally {
    database.close();
  }
}

test.each([
  // bash counts blocks of 1,024 bytes. The ledger of these rows ends beyond 300 of them.
  { blocks: 40, when: 'its tables are made' },
  { blocks: 200, when: 'transfers are made' },
])(
  'no file may grow any more when $when: it stops in plain words, and goes on when there is room',
  { timeout: LIMIT_MS },
  async ({ blocks }) => {
    await withScene({ rows: ROWS }, async (scene) => {
      const limit = `ulimit -f ${String(blocks)};`;
      expectPlainEnd(await scene.startUnder(limit, ['run', ...scene.files]).ended);
      await scene.startUnder(limit, ['resume']).ended;
      await expectEveryRowPaidOnce(scene);
    });
  },
);

test(
  'a file stands where the outbox should be: it says so, and goes on when it is gone',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: 5 }, async (scene) => {
      const outbox = join(scene.workspace, 'outbox');
      await writeFile(outbox, 'a letter');
      expectPlainEnd(await scene.start(['run', ...scene.files]).ended);
      await rm(outbox);
      await expectEveryRowPaidOnce(scene);
    });
  },
);

test(
  'the copy of the file is taken away while rows are paid: it says where to put it back, and resume finishes',
  { timeout: LIMIT_MS },
  async () => {
    // None of so few rows has a document, which would wait for a person.
    await withScene({ rows: 4 }, async (scene) => {
      const processing = join(scene.workspace, 'processing');
      const aside = join(scene.folder, 'aside');
      const child = scene.start(['run', ...scene.files]);
      scene.watched.watch({
        received: ({ path }) => {
          if (path.endsWith('/confirm') && !existsSync(aside)) renameSync(processing, aside);
          return 'pass';
        },
      });
      expectPlainEnd(await child.ended);
      const without = await scene.start(['resume']).ended;
      expect(without.code).toBe(5);
      expect(without.stdout).toMatch(/Restore it, then run "paydrop resume"/);
      await cp(aside, processing, { recursive: true });
      expect([0, 4]).toContain((await scene.start(['resume']).ended).code);
      await expectSound(scene);
    });
  },
);

test(
  'the copy of the file is edited before its rows are registered: nothing of it is paid until the original is back',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: 4 }, async (scene) => {
      const child = scene.start(['run', ...scene.files]);
      // No row is registered before the corridors are known.
      scene.watched.watch({
        received: ({ path }) => (path.startsWith('/payout-corridors') ? { lateMs: LIMIT_MS } : 'pass'),
      });
      const processing = join(scene.workspace, 'processing');
      const [original = ''] = scene.files;
      const copies = (): readonly string[] =>
        (existsSync(processing) ? readdirSync(processing) : [])
          .map((batch) => join(processing, batch, basename(original)))
          .filter((path) => existsSync(path));
      // A copy alone is no batch yet: what a kill leaves of it then is forgotten.
      await vi.waitUntil(() => isBeingChecked(scene.workspace), { timeout: LIMIT_MS });
      child.kill();
      await child.ended;
      scene.watched.watch({});
      const [copy = ''] = copies();
      await writeFile(copy, (await readFile(copy, 'utf8')).replace('100.50', '999.50'));
      const edited = await scene.start(['resume']).ended;
      expect(edited.code).toBe(5);
      expect(edited.stdout).toMatch(/Restore it, then run "paydrop resume"/);
      expect((await collectService(scene)).transfers).toEqual([]);
      await cp(original, copy);
      await expectEveryRowPaidOnce(scene);
    });
  },
);

test(
  'the outbox is taken away while rows are paid: it says so, and resume publishes every answer',
  { timeout: LIMIT_MS },
  async () => {
    await withScene({ rows: 10 }, async (scene) => {
      const child = scene.start(['run', ...scene.files]);
      const outbox = join(scene.workspace, 'outbox');
      scene.watched.watch({
        received: ({ path }) => {
          if (path.endsWith('/confirm')) rmSync(outbox, { recursive: true, force: true });
          return 'pass';
        },
      });
      expectPlainEnd(await child.ended);
      expect([0, 4]).toContain((await scene.start(['resume']).ended).code);
      await expectSound(scene);
    });
  },
);
