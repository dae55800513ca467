// A day of small files through one daemon, as fast as they go: whether its memory, its open files and the cost of a look grow with the batches
// that are closed. `npm run trial -- soak --files 10000 --minutes 15` prints a line every so many files.
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { compose } from '../../src/app/compose.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { parseConfig } from '../../src/app/config/config.ts';
import { watch } from '../../src/app/daemon/daemon.ts';
import { silentLog } from '../../src/base/log.ts';
import { HEADER, line, SENDER } from '../app/desk.ts';
import { startSandboxProcess } from '../crash/processes.ts';
import { positive, program, wholeNumber } from '../program.ts';

const { files, rows, minutes } = program(
  'npm run trial -- soak',
  'Drops small files into the inbox of one daemon, as fast as it pays them, and tells what it holds.',
)
  .option('--files <n>', 'files', wholeNumber(1), 1_000)
  .option('--minutes <n>', 'the most time it takes', positive, 15)
  .option('--rows <n>', 'rows of a file', wholeNumber(1), 2)
  .parse()
  .opts<{ readonly files: number; readonly rows: number; readonly minutes: number }>();
const endsAt = performance.now() + minutes * 60_000;

/** So many wait in the inbox at most: what is measured is the daemon, not a heap of files. */
const WAITING_MOST = 60;

/** Lines of the table, more or less. */
const LINES = 12;

const workspace = await mkdtemp(join(tmpdir(), 'paydrop-soak-'));
const sandbox = await startSandboxProcess(['--settle', '20ms']);
const paydrop = await compose(configOf(), silentLog);
await topUp();
const stopper = new AbortController();
let ended = 0;
let paid = 0;
let dropped = 0;
let wake = (): void => undefined;
const running = watch(paydrop, {
  signal: stopper.signal,
  onStart: (calls) => {
    wake = calls.wake;
  },
  onResult: ({ summary }) => {
    if (summary.state !== 'closed') return;
    ended += 1;
    paid += summary.outcomes.paid;
  },
  onWaiting: () => undefined,
  onTrouble: (words) => console.error(words),
});
const startedAt = performance.now();
console.log('files  minutes  files/s  heap MB  rss MB  open files  handles  look ms  status ms');
let nextLine = 0;
while (ended < files && performance.now() < endsAt) {
  if (ended >= nextLine) {
    await tell(paydrop);
    nextLine += Math.max(1, Math.floor(files / LINES));
  }
  while (dropped < files && dropped - ended < WAITING_MOST) await drop(dropped++);
  wake();
  await paydrop.clock.sleep(50);
}
await tell(paydrop);
stopper.abort();
await running;
console.log(`${String(ended)} files closed, ${String(paid)} of ${String(ended * rows)} rows paid.`);
await paydrop.close();
await sandbox.stop();
await rm(workspace, { recursive: true });

function configOf() {
  const text = `${SENDER}\nintake: { settleFor: 10ms, scanEvery: 2s }`;
  return {
    ...parseConfig(text, 'the soak'),
    workspacePath: workspace,
    baseUrl: new URL(sandbox.baseUrl),
    apiKey: sandbox.apiKey,
    ledgerPath: null,
    folderPaths: {},
    profilesPath: join(workspace, 'profiles'),
    fileProfiles: [],
  };
}

/** What the sandbox opens with pays for some 1,600 files; after that all would wait for funds. */
async function topUp(): Promise<void> {
  const { status } = await fetch(`${sandbox.baseUrl}/sandbox/top-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': sandbox.apiKey },
    body: JSON.stringify({ currency: 'XAF', amount: 1_000_000 * files * rows }),
  });
  if (status !== 200) throw new Error(`The sandbox takes no money: ${String(status)}.`);
}

async function drop(file: number): Promise<void> {
  const lines = Array.from({ length: rows }, (_none, row) =>
    line(`F${String(file)}-${String(row)}`, String(100 + ((file * rows + row) % 5_000))),
  );
  await mkdir(join(workspace, 'inbox'), { recursive: true });
  const path = join(workspace, `next-${String(file)}.csv`);
  await writeFile(path, `${[HEADER, ...lines].join('\n')}\n`);
  await rename(path, join(workspace, 'inbox', `file-${String(file)}.csv`));
}

async function tell({ ledger, clock }: Paydrop): Promise<void> {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const open = (await readdir('/proc/self/fd')).length;
  const handles = process.getActiveResourcesInfo().length;
  const look = await timed(() => ledger.batches({ toLookAt: clock.now() }));
  const all = await timed(() => ledger.batches());
  const minutes = (performance.now() - startedAt) / 60_000;
  const cells = [
    ended,
    minutes.toFixed(1),
    (ended / minutes / 60).toFixed(1),
    mb(heapUsed),
    mb(rss),
    open,
    handles,
    look,
    all,
  ];
  console.log(cells.map((cell) => String(cell).padStart(7)).join('  '));
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const from = performance.now();
  await work();
  return (performance.now() - from).toFixed(1);
}

function mb(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
