// Where people wait: a small file that arrives while the same daemon reads a large one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { fileNamed, openDesk } from './desk.ts';
import { atMost, byTurns, number, shown, spreadOf, type Group } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv } from './payment-files.ts';
import { MAIN, startService } from './processes.ts';

const LOOK_EVERY_MS = 5;
const SMALL_ROWS = 10;
/** A file is taken once it has stood still for so long: that is not the other file's fault. */
const INTAKE = 'intake: { settleFor: 50ms, scanEvery: 100ms }\n';

export async function waiting({ runs, rows, isScaled }: BenchOptions): Promise<Group> {
  const most = isScaled ? rows : 100_000;
  const [large, small] = [fileNamed(`large-${String(most)}.csv`), fileNamed('small.csv')];
  await writeCsv(large, most);
  await writeCsv(small, SMALL_ROWS);
  const { beside } = await byTurns(runs, { beside: () => paidBeside(large, small) });
  const spread = spreadOf(beside);
  return {
    name: 'waiting',
    title: '12. Where people wait',
    lines: [
      {
        what: `${number(SMALL_ROWS)} rows beside ${number(most)} being registered`,
        value: `${shown(spread)} ms to the first confirm`,
        bar: atMost(2_000, spread),
      },
    ],
    data: { large: most, small: SMALL_ROWS, milliseconds: spread },
  };
}

/** Milliseconds from the moment at which the small file lies in the inbox, while the large one is read, to the first confirm of one of its rows. */
async function paidBeside(large: string, small: string): Promise<number> {
  const service = await startService(0);
  const desk = openDesk({ baseUrl: service.baseUrl, concurrency: 32, rest: INTAKE });
  const work = join(desk.folder, 'work');
  const daemon = spawn(process.execPath, [MAIN, '--config', desk.config, 'watch'], { stdio: 'ignore' });
  const closed = once(daemon, 'close');
  while (!existsSync(join(work, 'inbox'))) await delay(LOOK_EVERY_MS);
  put(large, work, 'large.csv');
  while (!isTaken(work)) await delay(LOOK_EVERY_MS);
  put(small, work, 'small.csv');
  const started = performance.now();
  while (((await service.calls())['confirm'] ?? 0) === 0) await delay(LOOK_EVERY_MS);
  const ms = performance.now() - started;
  daemon.kill('SIGKILL');
  await closed;
  await service.stop();
  desk.close();
  return ms;
}

function put(file: string, work: string, name: string): void {
  const path = join(work, 'inbox', name);
  copyFileSync(file, `${path}.part`);
  renameSync(`${path}.part`, path);
}

function isTaken(work: string): boolean {
  const processing = join(work, 'processing');
  return existsSync(processing) && readdirSync(processing).some((name) => name.startsWith('2'));
}
