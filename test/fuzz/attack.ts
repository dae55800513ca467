// `npm run attack`: attacks on whole processes, each with its figures. The real command line, a sandbox over HTTP, and its books as the judge: no payment
// is made twice, none is lost, no command ends with 1, and nothing is told to others.
import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, link, mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../src/base/clock.ts';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox.ts';
import { HEADER, line, lineTo, SENDER } from '../app/desk.ts';
import { program } from '../program.ts';

const { only } = program(
  'npm run attack --',
  'Attacks paydrop with real processes, and prints what came out.',
)
  .option('--only <text>', 'only attacks whose name contains it', '')
  .parse()
  .opts<{ readonly only: string }>();

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const KEY = 'attack-key-7f31';

type Ended = { readonly code: number | null; readonly said: string };
type Scene = {
  readonly root: string;
  readonly inbox: string;
  readonly sandbox: RunningSandbox;
  /** A command of its own process. A code of 1 is a failure of the attack. */
  readonly pd: (...args: readonly string[]) => Promise<Ended>;
  readonly start: (...args: readonly string[]) => { readonly stop: () => Promise<Ended> };
  readonly file: (name: string, lines: readonly string[]) => Promise<string>;
  /** How many transfers were paid or are on their way, by what they bring. */
  readonly transfers: () => Promise<ReadonlyMap<string, number>>;
};

class Broke extends Error {}

function must(holds: boolean, words: string): void {
  if (!holds) throw new Broke(words);
}

async function withScene<T>(attack: (scene: Scene) => Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-attack-'));
  const sandbox = await startSandbox({ settleMs: 20, apiKey: KEY });
  const workspace = join(root, 'ws');
  const config = join(root, 'paydrop.yaml');
  await writeFile(
    config,
    `${SENDER}\ntracking: { pollEvery: 100ms }\nintake: { settleFor: 200ms, scanEvery: 1s }\nmetrics: { listen: null }\n`,
  );
  const env = { ...process.env, PAYDROP_BASE_URL: sandbox.baseUrl, PAYDROP_API_KEY: KEY, NO_COLOR: '1' };
  const begin = (args: readonly string[]) => {
    const child = spawn(process.execPath, [MAIN, '--config', config, '--workspace', workspace, ...args], {
      env,
      cwd: root,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, said })));
    return {
      child,
      ended: ended.then((end) => (must(end.code !== 1, `${args.join(' ')} ended with 1: ${end.said}`), end)),
    };
  };
  const transfers = async (): Promise<ReadonlyMap<string, number>> => {
    const found = new Map<string, number>();
    for (let next: string | null = ''; next !== null;) {
      const headers: Record<string, string> = {
        'x-api-key': KEY,
        ...(next === '' ? {} : { 'x-next-key': next }),
      };
      const response: Response = await fetch(`${sandbox.baseUrl}/transfers?limit=100`, { headers });
      for (const { receiveAmount, status } of (await response.json()) as readonly Told[]) {
        const amount = String(Number(receiveAmount));
        if (['paid', 'submitted'].includes(status)) found.set(amount, (found.get(amount) ?? 0) + 1);
      }
      next = response.headers.get('x-next-key');
    }
    return found;
  };
  try {
    return await attack({
      root,
      inbox: join(workspace, 'inbox'),
      sandbox,
      pd: (...args) => begin(args).ended,
      start: (...args) => {
        const { child, ended } = begin(args);
        return { stop: () => (child.kill('SIGTERM'), ended) };
      },
      file: async (name, lines) => {
        await writeFile(join(root, name), `${[HEADER, ...lines].join('\n')}\n`);
        return join(root, name);
      },
      transfers,
    });
  } finally {
    await sandbox.close();
    execFileSync('rm', ['-rf', root]);
  }
}

type Told = { readonly receiveAmount: string; readonly status: string };

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const sleep = (ms: number): Promise<void> => systemClock.sleep(ms);
const WITHIN_MS = 90_000;

/** Real time that it took; it must come within a minute and a half. */
async function until(what: string, is: () => boolean | Promise<boolean>): Promise<number> {
  const began = systemClock.monotonic();
  while (!(await is())) {
    must(systemClock.monotonic() - began < WITHIN_MS, `${what} did not come about.`);
    await sleep(200);
  }
  return Math.round(systemClock.monotonic() - began);
}

function mustBeOnce(found: ReadonlyMap<string, number>, amounts: readonly number[]): void {
  for (const amount of amounts)
    must(
      found.get(String(amount)) === 1,
      `The payment of ${String(amount)} was made ${String(found.get(String(amount)) ?? 0)} times.`,
    );
  must(
    found.size === amounts.length,
    `${String(found.size)} payments were made for ${String(amounts.length)}.`,
  );
}

/** Four processes at one moment, and four files with the same payments. */
async function oneMoment(): Promise<string> {
  const [rounds, files, rows] = [6, 4, 6];
  for (const round of range(rounds))
    await withScene(async ({ pd, file, transfers }) => {
      const amounts = range(rows).map((row) => 100 + row);
      const lines = amounts.map((amount) =>
        lineTo(`p${String(amount)}`, `R-${String(round)}-${String(amount)}`, String(amount)),
      );
      const paths = await Promise.all(
        range(files).map((each) => file(`f${String(each)}.csv`, each % 2 === 0 ? lines : lines.toReversed())),
      );
      await Promise.all(paths.map((path) => pd('run', '--wait', '10s', path)));
      await pd('resume', '--wait', '10s');
      mustBeOnce(await transfers(), amounts);
    });
  return `${String(rounds)} rounds, ${String(rounds * files)} processes: 0 paid twice, 0 paid by none`;
}

const PAID_NAMES = [
  `${'x'.repeat(200)}.csv`, 'a\nb.csv', 'a\u001b[2Jb.csv', 'a\u202egpj.csv', 'e\u0301te\u0301.csv', '\u00e9t\u00e9.csv', 'PAIE.CSV', 'paie.csv', '-rf.csv',
  '"$(id)".csv', "it's.csv", ' a.csv', 'a .csv', 'a;b.csv', 'a&b.csv', '%2e%2e.csv', '$HOME.csv', 'a|b.csv', '*.csv', 'con.csv', 'profile.yaml.csv', 'STOP.csv',
]; // prettier-ignore

/** Names that mean something to a disk, a shell or a terminal, and what is no file. */
async function names(): Promise<string> {
  return withScene(async ({ root, inbox, pd, start, transfers }) => {
    await pd('status');
    const outside = join(root, 'outside.csv');
    const foreign = `${HEADER}\n${line('X-1', '999')}\n`;
    await writeFile(outside, foreign);
    const text = (at: number) =>
      `${HEADER}\n${lineTo(`n${String(at)}`, `N-${String(at)}`, String(100 + at))}\n`;
    for (const [at, name] of PAID_NAMES.entries()) await writeFile(join(inbox, name), text(at));
    symlinkSync(outside, join(inbox, 'link.csv'));
    symlinkSync('loop.csv', join(inbox, 'loop.csv'));
    symlinkSync('/dev/zero', join(inbox, 'zero.control.json'));
    await link(outside, join(inbox, 'twin.csv'));
    execFileSync('mkfifo', [join(inbox, 'pipe.csv'), join(inbox, 'con.csv.control.json')]);
    await mkdir(join(inbox, 'folder.csv'));
    writeFileSync(
      Buffer.concat([Buffer.from(`${inbox}/`), Buffer.from([0x66, 0xe9, 0x76]), Buffer.from('.csv')]),
      text(500),
    );
    const daemon = start('watch');
    const others = PAID_NAMES.filter((name) => name !== 'con.csv');
    const ms = await until('Payment of each name', async () => (await transfers()).size >= others.length);
    const { said } = await pd('status');
    const end = await daemon.stop();
    must(end.code === 0, `watch ended with ${String(end.code)}.`);
    must(!said.includes('\u001b[2J') && !said.includes('\u202e'), 'status printed a raw name.');
    must(/UTF-8/.test(said), 'status does not tell of the name that is no text.');
    must(!(await transfers()).has('999'), 'What lies outside was paid.');
    must(readFileSync(outside, 'utf8') === foreign, 'What lies outside was changed.');
    mustBeOnce(
      await transfers(),
      PAID_NAMES.flatMap((name, at) => (name === 'con.csv' ? [] : [100 + at])),
    );
    return `${String(others.length)} names paid once each in ${String(ms)} ms; 8 links, pipes, devices, folders and odd bytes: none opened`;
  });
}

const EVIL_HEADERS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'delivery.__proto__',
  'receiver.constructor',
  'sender.__proto__.x',
  'payout.batch',
];
const EVIL_CELLS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  "=cmd|' /C calc'!A0",
  '\uff1d1+1',
  '__proto__',
  '\u202e',
  '1e999',
  '\u0000',
  '{{7*7}}',
];

/** Headers and cells of strangers: no prototype is changed, and no answer holds a formula. */
async function cells(): Promise<string> {
  return withScene(async ({ root, pd }) => {
    let files = 0;
    for (const [at, header] of EVIL_HEADERS.entries()) {
      const path = join(root, `h${String(at)}.csv`);
      await writeFile(path, `${HEADER},${header}\n${lineTo(`h${String(at)}`, `H-${String(at)}`, '100')},x\n`);
      await pd('run', '--wait', '0', path);
      files += 1;
    }
    for (const [at, cell] of EVIL_CELLS.entries()) {
      const path = join(root, `c${String(at)}.csv`);
      await writeFile(
        path,
        `${HEADER},note\n${lineTo(`c${String(at)}`, `C-${String(at)}`, 'x')},"${cell.replaceAll('"', '""')}"\n`,
      );
      await pd('check', path);
      files += 1;
    }
    const outbox = join(root, 'ws', 'outbox');
    const answers = readdirSync(outbox).filter((name) => name.endsWith('.csv'));
    for (const name of answers)
      for (const row of readFileSync(join(outbox, name), 'utf8').split('\n').slice(1))
        must(!/,"?[=@\t\uff1d]/.test(row), `${name} holds a formula: ${row}`);
    return `${String(files)} files, ${String(answers.length)} answers: no exit 1, no formula`;
  });
}

/** Long cells in each column: what takes more than a moment keeps a daemon deaf. */
async function longCells(): Promise<string> {
  const units = [
    'a',
    'é',
    '0',
    ' ',
    '-',
    '+',
    '.',
    ',',
    "'",
    '\u0301',
    '\uff10',
    '(',
    '@',
    'ab ',
    '1 ',
    'Chine ',
  ];
  return withScene(async ({ root, pd }) => {
    const columns = HEADER.split(',');
    let [tried, slowest] = [0, 0];
    for (const unit of units) {
      const rows = columns.map((_, at) => {
        const row = lineTo(`l${String(at)}`, `L-${String(at)}`, '100').split(',');
        row[at] = `"${unit.repeat(Math.ceil(60_000 / unit.length))}"`;
        return row.join(',');
      });
      const path = join(root, `long-${String(tried)}.csv`);
      await writeFile(path, `${HEADER}\n${rows.join('\n')}\n`);
      const began = systemClock.monotonic();
      await pd('check', path);
      slowest = Math.max(slowest, systemClock.monotonic() - began);
      tried += columns.length;
    }
    must(slowest < 20_000, `A file took ${String(Math.round(slowest))} ms.`);
    return `${String(units.length)} patterns × ${String(columns.length)} columns, 60,000 characters each: slowest file ${String(Math.round(slowest))} ms with the start of its process`;
  });
}

const DAMAGES: readonly (readonly [name: string, damage: (path: string, older: string) => void])[] = [
  ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['emptied', (path) => truncateSync(path, 0)],
  ['removed', (path) => rmSync(path)],
  ['200 bits flipped', (path) => flipBits(path, 200)],
  ['its first page torn', (path) => overwrite(path, 0, Buffer.alloc(2_048))],
  ['other bytes', (path) => writeFileSync(path, 'this is no ledger\n'.repeat(500))],
  ['an older copy put back', (path, older) => copyFileSync(older, path)],
];

function overwrite(path: string, at: number, bytes: Buffer): void {
  const all = readFileSync(path);
  bytes.copy(all, at);
  writeFileSync(path, all);
}

function flipBits(path: string, count: number): void {
  const all = readFileSync(path);
  for (const each of range(count)) {
    const at = 100 + Math.floor(((all.length - 100) / count) * each);
    all[at] = (all[at] ?? 0) ^ (1 << (each % 8));
  }
  writeFileSync(path, all);
}

/** A ledger that the disk or a person has spoilt: told, set aside, rebuilt, and everything paid once. */
async function ledgers(): Promise<string> {
  const outcomes: string[] = [];
  for (const [name, damage] of DAMAGES)
    await withScene(async ({ root, pd, file, transfers }) => {
      const ledger = join(root, 'ws', 'ledger.sqlite');
      const first = await file(
        'first.csv',
        range(5).map((row) => lineTo(`a${String(row)}`, `A-${String(row)}`, String(100 + row))),
      );
      const second = await file(
        'second.csv',
        range(5).map((row) => lineTo(`b${String(row)}`, `B-${String(row)}`, String(200 + row))),
      );
      await pd('run', '--wait', '10s', first);
      copyFileSync(ledger, join(root, 'older'));
      await pd('run', '--wait', '10s', second);
      for (const end of ['-wal', '-shm']) rmSync(ledger + end, { force: true });
      damage(ledger, join(root, 'older'));
      const { code } = await pd('run', '--wait', '5s', second);
      outcomes.push(`${name}: exit ${String(code)}`);
      for (const end of ['', '-wal', '-shm']) rmSync(ledger + end, { force: true });
      await pd('rebuild', first, second);
      await pd('run', '--wait', '5s', first);
      await pd('resume', '--wait', '10s');
      mustBeOnce(await transfers(), [
        ...range(5).map((row) => 100 + row),
        ...range(5).map((row) => 200 + row),
      ]);
    });
  return `${String(DAMAGES.length)} runs (${outcomes.join(', ')}): 0 paid twice, 0 lost`;
}

/** Writers that go on while the file is taken: what is paid is one of the states that the file had. */
async function writers(): Promise<string> {
  return withScene(async ({ inbox, pd, start, transfers }) => {
    await pd('status');
    const files = 12;
    const daemon = start('watch');
    await Promise.all(
      range(files).map(async (at) => {
        const path = join(inbox, `w${String(at)}.csv`);
        const row = (which: string) =>
          `${lineTo(`w${String(at)}${which}`, `W-${String(at)}-${which}`, String((which === 'a' ? 1_000 : 2_000) + at))}\n`;
        await writeFile(path, `${HEADER}\n${row('a').slice(0, 30)}`);
        await sleep(60);
        if (at % 3 === 0) await writeFile(path, `${HEADER}\n${row('a')}`);
        else if (at % 3 === 1) await appendFile(path, row('a').slice(30));
        else {
          await writeFile(`${path}.tmp`, `${HEADER}\n${row('b')}`);
          await rename(`${path}.tmp`, path);
        }
      }),
    );
    const ms = await until('Payment of each file', async () => (await transfers()).size >= files);
    await daemon.stop();
    mustBeOnce(
      await transfers(),
      range(files).map((at) => (at % 3 === 2 ? 2_000 : 1_000) + at),
    );
    return `${String(files)} files rewritten, appended to and replaced: 0 mixtures, ${String(ms)} ms`;
  });
}

/** Very many strange files beside an honest one. */
async function manyFiles(): Promise<string> {
  return withScene(async ({ inbox, pd, start, transfers }) => {
    await pd('status');
    const count = 20_000;
    for (const at of range(count))
      writeFileSync(
        join(inbox, `s${String(at)}.${['txt', 'dat', 'pdf', 'part'][at % 4] ?? ''}`),
        at % 4 === 0 ? 'x\n' : '',
      );
    await writeFile(join(inbox, 'honest.csv'), `${HEADER}\n${line('H-1', '321')}\n`);
    const daemon = start('watch');
    const ms = await until('The honest payment', async () => (await transfers()).has('321'));
    await daemon.stop();
    mustBeOnce(await transfers(), [321]);
    return `${String(count)} files: the honest one paid after ${String(ms)} ms`;
  });
}

/** Under a umask that allows everything: nothing for others, and the key nowhere. */
async function permissions(): Promise<string> {
  const before = process.umask(0);
  try {
    return await withScene(async ({ root, pd, file }) => {
      await pd('run', '--wait', '10s', await file('p.csv', [line('P-1', '100'), line('P-2', 'x')]));
      await pd('check', await file('q.csv', [line('Q-1', 'x')]));
      const workspace = join(root, 'ws');
      const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).map((name) =>
        join(workspace, name),
      );
      for (const path of [workspace, ...paths]) {
        const found = statSync(path);
        must((found.mode & 0o077) === 0, `${path} is open to others: ${(found.mode & 0o777).toString(8)}.`);
        must(!found.isFile() || !readFileSync(path).includes(KEY), `${path} holds the key.`);
      }
      return `${String(paths.length)} files and folders: nothing for group or others, the key nowhere`;
    });
  } finally {
    process.umask(before);
  }
}

/** SIGKILL at any moment of runs and daemons over files that meet. */
async function kills(): Promise<string> {
  let killed = 0;
  await withScene(async ({ root, pd, file, transfers, sandbox }) => {
    const amounts = range(40).map((row) => 100 + row);
    const lines = amounts.map((amount) =>
      lineTo(`k${String(amount)}`, `K-${String(amount)}`, String(amount)),
    );
    const paths = [await file('k1.csv', lines), await file('k2.csv', lines.toReversed())];
    const env = { ...process.env, PAYDROP_BASE_URL: sandbox.baseUrl, PAYDROP_API_KEY: KEY };
    const args = ['--config', join(root, 'paydrop.yaml'), '--workspace', join(root, 'ws')];
    for (const round of range(16)) {
      const order = round < 2 ? ['run', paths[round] ?? ''] : round % 3 === 0 ? ['watch'] : ['resume'];
      const child = spawn(process.execPath, [MAIN, ...args, ...order], { env, stdio: 'ignore' });
      const gone = new Promise<void>((resolve) => child.on('close', () => resolve()));
      await sleep(700 + 97 * round);
      if (child.exitCode === null) killed += 1;
      child.kill('SIGKILL');
      await gone;
    }
    for (const path of paths) await pd('run', '--wait', '10s', path);
    await pd('resume', '--wait', '20s');
    mustBeOnce(await transfers(), amounts);
  });
  return `16 processes, ${String(killed)} kills, two files that meet: 0 paid twice, 0 lost`;
}

const ATTACKS: Readonly<Record<string, () => Promise<string>>> = {
  'one moment': oneMoment,
  kills,
  ledgers,
  writers,
  names,
  'many files': manyFiles,
  cells,
  'long cells': longCells,
  permissions,
};

let failures = 0;
for (const [name, attack] of Object.entries(ATTACKS).filter(([each]) => each.includes(only))) {
  const began = systemClock.monotonic();
  const end = await attack().catch((error: unknown) => {
    if (!(error instanceof Broke)) throw error;
    failures += 1;
    return `BROKE: ${error.message}`;
  });
  process.stdout.write(
    `${name}: ${end} (${String(Math.round((systemClock.monotonic() - began) / 1_000))} s)\n`,
  );
}
process.exitCode = failures === 0 ? 0 : 1;
