// A ledger that moves in the midst of paying, by real processes that are killed at any moment: there, paid on, back, paid to the end, everything once.
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { atEnd } from '../at-end.ts';
import { checkAnswers } from '../invariants/check-answers.ts';
import { startPostgres } from '../postgres/server.ts';
import { collectBatches, collectService } from './collect-evidence.ts';
import { openScene, type Scene } from './crash-scene.ts';
import { startPaydrop, type Ended } from './processes.ts';
import { seeded, type Dice } from './seeded.ts';

const ROWS = 40;
const SOUND = { fault: null, batchFault: null, rowFault: null, sumFault: null };

const KILLS = 4;
const WITHIN_MS = 2_500;

async function killedWithin(
  scene: Scene,
  config: string,
  command: readonly string[],
  dice: Dice,
): Promise<Ended> {
  const service = { baseUrl: scene.watched.baseUrl, apiKey: scene.sandbox.apiKey };
  const started = startPaydrop(['--config', config, '--workspace', scene.workspace, ...command], service);
  const timer = setTimeout(started.kill, dice.roll() * WITHIN_MS);
  const ended = await started.ended;
  clearTimeout(timer);
  return ended;
}

it('a ledger that moves there and back under kills pays every row once, and its history is whole', async () => {
  const seed = Math.trunc(performance.timeOrigin % 1_000_000);
  const dice = seeded(seed);
  const scene = await openScene({ rows: ROWS, files: 2, sandboxArgs: ['--latency', '20ms'] });
  atEnd(() => scene.close());
  const server = await startPostgres();
  atEnd(() => server.stop());
  const shared = { url: `${server.url}?schema=moved`, password: null, giveUpAfterMs: 5_000 };
  const inFile = join(scene.folder, 'paydrop.yaml');
  const inDatabase = join(scene.folder, 'shared.yaml');
  await copyFile(inFile, inDatabase);
  await writeFile(inDatabase, `\nledger: ${shared.url}\n`, { flag: 'a' });
  const path = join(scene.workspace, 'ledger.sqlite');
  const kill = (config: string, command: readonly string[]) => killedWithin(scene, config, command, dice);
  const move = async (config: string, to: string): Promise<void> => {
    for (let kills = 0; kills < KILLS; kills += 1) await kill(config, ['migrate', '--to', to]);
    const global = ['--config', config, '--workspace', scene.workspace];
    const service = { baseUrl: scene.watched.baseUrl, apiKey: scene.sandbox.apiKey };
    const { code, stderr } = await startPaydrop([...global, 'migrate', '--to', to], service).ended;
    expect({ code, stderr, seed }).toMatchObject({ code: 0 });
    // The old one says where it went, and nothing goes on with it.
    const left = await startPaydrop([...global, 'resume', '--wait', '0'], service).ended;
    expect([left.code, left.stderr]).toEqual([5, expect.stringContaining('was moved to')]);
  };
  const first = scene.start(['run', ...scene.files, '--wait', '0']);
  await expect.poll(() => scene.watched.calls(), { timeout: 60_000 }).toBeGreaterThan(20);
  first.kill();
  await first.ended;
  await move(inFile, shared.url);
  for (let kills = 0; kills < KILLS; kills += 1) await kill(inDatabase, ['resume', '--wait', '0']);
  await move(inDatabase, `sqlite:${path}`);
  await scene.start(['resume', '--wait', '60s']).ended;
  await scene.start(['run', ...scene.files, '--wait', '60s']).ended;
  const { batches, missing } = await collectBatches(scene);
  expect({ missing, violations: checkAnswers(batches, await collectService(scene)), seed }).toMatchObject({
    missing: [],
    violations: [],
  });
  const ledger = await openLedger(path, systemClock);
  expect(await ledger.history.verify()).toMatchObject(SOUND);
  await ledger.close();
}, 300_000);
