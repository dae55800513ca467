// What people who watch cost the payments, and how long they wait: one file, paid by a real daemon against the service of the benchmarks, with so many
// viewers and with others, by turns. A viewer does what a screen does: it follows the stream, and after an event reads the file and the list of files.
//
//   node test/bench/viewers.ts [--rows 100000] [--viewers 0,5] [--turns 3] [--latency 0] [--main PATH,PATH]
//
// `--main`: programs to compare, each taken in turn.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { openDesk } from './desk.ts';
import { writeCsv } from './payment-files.ts';
import { MAIN, startService, told, type Report } from './processes.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    viewers: { type: 'string', default: '0,5' },
    turns: { type: 'string', default: '3' },
    latency: { type: 'string', default: '0' },
    main: { type: 'string', default: MAIN },
  },
});
const rows = Number(values.rows);

/** As the page has it: of a storm of events one look is taken this often. */
const LOOK_MS = 400;
const BACKGROUND = { 'x-background': '1' };
const REST =
  'web: { listen: "127.0.0.1:0" }\nintake: { settleFor: 50ms, scanEvery: 100ms }\nmetrics: { listen: null }\n';

type Looks = { readonly whileRead: number[]; readonly whilePaid: number[] };

async function watched(main: string, viewers: number): Promise<object> {
  const service = await startService(Number(values.latency));
  const desk = openDesk({ baseUrl: service.baseUrl, concurrency: 32, rest: REST });
  const keys = await Promise.all(
    Array.from({ length: viewers }, (_, at) =>
      told(main, [
        ...['--config', desk.config, 'people', 'key'],
        ...['--name', `viewer ${String(at)}`, '--scopes', 'files:read,money:read'],
      ]),
    ),
  );
  const report = join(desk.folder, 'report.json');
  const daemon = spawn(
    process.execPath,
    [
      ...['--max-semi-space-size=8', ...PROFILE, '--import', join(import.meta.dirname, 'report-usage.ts')],
      ...[main, '--config', desk.config, 'watch'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, BENCH_REPORT: report } },
  );
  const closed = once(daemon, 'close');
  let said = '';
  daemon.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  while (!said.includes('served at ')) await delay(10);
  const [, url = ''] = /served at (\S+\/api\/v1)/.exec(said) ?? [];
  const looks: Looks = { whileRead: [], whilePaid: [] };
  const end = new AbortController();
  let isPaying = false;
  const watching = keys.map((key) =>
    view(url, key.trim(), end.signal, (ms) => (isPaying ? looks.whilePaid : looks.whileRead).push(ms)),
  );
  const inbox = join(desk.folder, 'work', 'inbox');
  while (!existsSync(inbox)) await delay(10);
  await writeCsv(join(desk.folder, 'payroll.csv'), rows);
  const dropped = performance.now();
  renameSync(join(desk.folder, 'payroll.csv'), join(inbox, 'payroll.csv'));
  const confirmed = async (): Promise<number> => (await service.calls())['confirm'] ?? 0;
  while ((await confirmed()) === 0) await delay(20);
  isPaying = true;
  const begun = performance.now();
  while ((await confirmed()) < rows) await delay(50);
  const ms = performance.now() - begun;
  end.abort();
  await Promise.all(watching);
  daemon.kill('SIGTERM');
  await closed;
  await service.stop();
  const { loopDelayP99Ms, cpuS, rssMb } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  desk.close();
  return {
    ...{ viewers, readS: (begun - dropped) / 1_000, rowsPerSecond: (1_000 * rows) / ms },
    ...{ whileRead: spread(looks.whileRead), whilePaid: spread(looks.whilePaid) },
    ...{ loopDelayP99Ms, cpuS, rssMb },
  };
}

const PROFILE =
  process.env['PROFILE'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.env['PROFILE']}`];

/** One browser: its stream, and what its screens read after an event. */
async function view(
  url: string,
  key: string,
  signal: AbortSignal,
  took: (ms: number) => number,
): Promise<void> {
  const headers = { ...BACKGROUND, authorization: `Bearer ${key}` };
  const look = async (path: string): Promise<string> => {
    const begun = performance.now();
    const body = await fetch(`${url}${path}`, { headers, signal }).then((response) => response.text());
    took(performance.now() - begun);
    return body;
  };
  let heard = true;
  const listening = (async () => {
    const { body } = await fetch(`${url}/events`, { headers, signal });
    const reader = (body ?? new ReadableStream()).getReader();
    while (!(await reader.read()).done) heard = true;
  })();
  const looking = (async () => {
    while (!signal.aborted) {
      await delay(LOOK_MS, undefined, { signal });
      if (!heard) continue;
      heard = false;
      const list = await look('/files?limit=8');
      const [, batch] = /"batch":"([^"]+)"/.exec(list) ?? [];
      if (batch !== undefined) await look(`/files/${batch}`);
    }
  })();
  const ended = await Promise.allSettled([listening, looking]);
  for (const each of ended)
    if (each.status === 'rejected' && !signal.aborted)
      throw new Error('A viewer was cut off.', { cause: each.reason });
}

function spread(all: readonly number[]): object {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { looks: all.length, p50: at(0.5), p95: at(0.95), most: at(1) };
}

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : value;

for (let turn = 1; turn <= Number(values.turns); turn += 1)
  for (const main of values.main.split(','))
    for (const viewers of values.viewers.split(',').map(Number))
      process.stdout.write(`${JSON.stringify({ turn, main, ...(await watched(main, viewers)) }, rounded)}\n`);
