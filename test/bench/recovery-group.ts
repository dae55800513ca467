// How fast a batch goes on after its process was killed in the middle of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { fileNamed, openDesk } from './desk.ts';
import { atMost, byTurns, number, shown, spreadOf, type Group } from './figures.ts';
import type { BenchOptions } from './options.ts';
import { writeCsv } from './payment-files.ts';
import { MAIN, startService } from './processes.ts';

/** How often the service is asked how far it is: often enough to kill in the middle, and to see the next call at once. */
const LOOK_EVERY_MS = 5;

/** Kills a run when half of its rows are confirmed; gives the milliseconds from the start of `resume` to the next confirm. */
async function recover(file: string, rows: number): Promise<number> {
  const service = await startService(0);
  const desk = openDesk({ baseUrl: service.baseUrl, concurrency: 32 });
  const path = join(desk.folder, 'batch.csv');
  copyFileSync(file, path);
  const confirmed = async (): Promise<number> => (await service.calls())['confirm'] ?? 0;
  const first = start(['--config', desk.config, 'run', path]);
  while ((await confirmed()) < rows / 2) await delay(LOOK_EVERY_MS);
  first.kill('SIGKILL');
  await once(first, 'close');
  const before = await confirmed();
  const started = performance.now();
  const second = start(['--config', desk.config, 'resume']);
  while ((await confirmed()) === before) await delay(LOOK_EVERY_MS);
  const ms = performance.now() - started;
  await once(second, 'close');
  await service.stop();
  desk.close();
  return ms;
}

function start(args: readonly string[]) {
  return spawn(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
}

/** A batch as large as the goal says; a smaller one where `--rows` or `--quick` says so. */
export async function recoveryLarge(options: BenchOptions): Promise<Group> {
  const group = await recovery({ ...options, rows: options.isScaled ? options.rows : 100_000 });
  return { ...group, name: 'recovery-large' };
}

export async function recovery({ runs, rows }: BenchOptions): Promise<Group> {
  const file = fileNamed(`recovery-${String(rows)}.csv`);
  await writeCsv(file, rows);
  const { killed } = await byTurns(runs, { killed: () => recover(file, rows) });
  const spread = spreadOf(killed);
  return {
    name: 'recovery',
    title: `7. Recovery: killed in the middle of ${number(rows)} rows`,
    lines: [
      { what: 'from `resume` to the next confirm', value: `${shown(spread)} ms`, bar: atMost(1_000, spread) },
    ],
    data: { rows, milliseconds: spread },
  };
}
