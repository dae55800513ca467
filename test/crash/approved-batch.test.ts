// A batch that needs two people is killed at every point around its approval: while the question is asked, while it is answered, between the
// answer and the first transfer. It is paid exactly once in the end, and nothing of it before the answer is on record.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import type { Asked as Question } from '../../src/ledger/approval.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { collectService } from './collect-evidence.ts';
import type { Scene } from './crash-scene.ts';
import { expectSound, withScene } from './judged-scene.ts';
import { CALL_POINTS, type KillPoint } from './kill-points.ts';
import { live } from './one-life.ts';
import { seeded } from './seeded.ts';

/** Few, because what is killed comes before the second row: wallets, a bank account with its document, and an amount sent. */
const ROWS = 6;
const SCENE = {
  rows: ROWS,
  sandboxArgs: ['--latency', '10ms'],
  // One row after the other, so that each process has a first transfer of its own to create.
  config: 'policy: { approval: required }\nservice: { concurrency: 1 }\n',
} as const;

/** A dozen processes one after another: some five seconds, and many more on a busy machine. */
const LIMIT_MS = 400_000;

const NOT_FINISHED = 5;

const ASKING: KillPoint = {
  kind: 'file',
  name: 'preview published, question not on record',
  path: /^outbox\/[^./][^/]*\.preview-1\.csv$/,
};
const ANSWERING: KillPoint = {
  kind: 'file',
  name: 'ledger opened, no answer on record yet',
  path: /^ledger\.sqlite-/,
};

const PRICING: KillPoint = {
  kind: 'call',
  name: 'approved, the service not asked for its time',
  matches: ({ path }) => path.startsWith('/public/balances'),
  moment: 'unanswered',
  occasions: 1,
};
const MOVED_ON: KillPoint = {
  kind: 'call',
  name: 'moved on, no row looked up',
  matches: ({ path }) => path.startsWith('/transfers/ext-'),
  moment: 'unsent',
  occasions: 1,
};

/** Those of the first transfer that a process creates. */
const CREATING = CALL_POINTS.filter(({ name }) => /create/.test(name) && !/document/.test(name)).map(
  (point): KillPoint => (point.kind === 'call' ? { ...point, occasions: 1 } : point),
);

test(
  'killed at every point around its approval: nothing is created before, and every row is paid once after it',
  { timeout: LIMIT_MS },
  async () => {
    await withScene(SCENE, async (scene) => {
      await killedAt(scene, ['run', ...scene.files], ASKING);
      await expectNothingSent(scene);
      const { id } = batchIn(scene);
      // A preview of the killed run lies in the outbox, so somebody may have read an earlier question: the answer names this one.
      const [, code = ''] = / --question (\w+)/.exec(questionIn(scene)?.words.en ?? '') ?? [];
      const approve = ['approve', id, '--by', 'Marie', '--question', code];
      // On a busy machine the answer may be on record by then; the next process is to find out.
      await live(scene, approve, ANSWERING, seeded(1));
      await killedOnceApproved(scene, approve);
      expect(questionIn(scene)?.given).toMatchObject({ by: 'Marie' });
      expect((await collectService(scene)).transfers).toEqual([]);

      for (const point of [PRICING, MOVED_ON, ...CREATING]) await killedAt(scene, ['resume'], point);
      expect([0, 4]).toContain((await scene.start(['resume']).ended).code);
      await expectSound(scene);
      const { transfers } = await collectService(scene);
      expect(new Set(transfers.map(({ externalId }) => externalId)).size).toBe(ROWS);
    });
  },
);

async function killedAt(scene: Scene, command: readonly string[], point: KillPoint): Promise<void> {
  const { killedAt: where, ended } = await live(scene, command, point, seeded(1));
  expect(where, ended.stderr).toBe(point.name);
}

/** Who goes on without an answer is told to wait for one, and the service hears of no transfer. */
async function expectNothingSent(scene: Scene): Promise<void> {
  const { code, stderr } = await scene.start(['resume']).ended;
  expect(code, stderr).toBe(NOT_FINISHED);
  expect(questionIn(scene)).toMatchObject({ given: null, declined: null });
  expect((await collectService(scene)).transfers).toEqual([]);
}

/** At the moment at which the answer stands in the ledger, whatever of it the terminal has heard. */
async function killedOnceApproved(scene: Scene, command: readonly string[]): Promise<void> {
  const child = scene.start(command);
  const ended = child.ended.then(() => true);
  let isOver = false;
  while (!isOver && (questionIn(scene)?.given ?? null) === null)
    isOver = await Promise.race([ended, delay(1, false)]);
  child.kill();
  await ended;
}

function questionIn(scene: Scene): Question | null {
  const { approval } = batchIn(scene);
  return approval?.kind === 'asked' ? approval : null;
}

function batchIn({ workspace }: Scene): BatchRecord {
  const database = new DatabaseSync(join(workspace, 'ledger.sqlite'), { readOnly: true, timeout: 10_000 });
  const row = database.prepare('SELECT id, record FROM batches').get() as { id: string; record: string };
  database.close();
  return { ...(JSON.parse(row.record) as BatchRecord), id: row.id };
}
