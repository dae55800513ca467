// A real OpenSSH server on loopback, an ordinary process with keys made for the test. It can be killed with everything that it carries, and started again.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const SSHD = '/usr/sbin/sshd';

/** What the name of a skipped suite says. */
export const NO_SSHD = existsSync(SSHD) ? '' : ' (SKIPPED: install the Debian package openssh-server)';

export type SshServer = {
  readonly port: number;
  /** Fingerprints of the host keys, by kind. */
  readonly hostKeys: Readonly<Record<KeyKind, string>>;
  readonly user: string;
  /** The private key that it lets in, and one that it does not know. */
  readonly keyFile: string;
  readonly strangerKeyFile: string;
  /** A folder of the server, created empty. */
  readonly folder: (name: string) => string;
  /** At once, with every session; as a machine that loses its power. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const KEY_KINDS = ['ed25519', 'ecdsa', 'rsa'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export type SshServerOptions = {
  /** The host keys that it has; all by default. */
  readonly kinds?: readonly KeyKind[];
  /** No file may become larger: what a full disk is to a process that may not mount one. */
  readonly fileBytesMax?: number;
};

export async function startSshServer(options: SshServerOptions = {}): Promise<SshServer> {
  const home = await mkdtemp(join(tmpdir(), 'paydrop-sshd-'));
  const port = await freePort();
  const kinds = options.kinds ?? KEY_KINDS;
  for (const kind of kinds) makeKey(join(home, `host_${kind}`), kind);
  for (const name of ['client', 'stranger']) makeKey(join(home, name), 'ed25519');
  writeFileSync(join(home, 'authorized_keys'), readFileSync(join(home, 'client.pub')));
  writeFileSync(join(home, 'sshd_config'), configOf(home, port, kinds));
  // The place of its unprivileged part, which packages make at the start of the system.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  let running: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    running = launch(home, options);
    await answering(port);
  };
  const kill = async (): Promise<void> => {
    const server = running;
    running = null;
    if (server?.pid === undefined || server.exitCode !== null) return;
    const gone = once(server, 'exit');
    for (const pid of [server.pid, ...descendantsOf(server.pid)]) killIfThere(pid);
    await gone;
  };
  await start();
  return {
    port,
    hostKeys: Object.fromEntries(
      kinds.map((kind) => [kind, fingerprint(join(home, `host_${kind}.pub`))]),
    ) as SshServer['hostKeys'],
    user: userInfo().username,
    keyFile: join(home, 'client'),
    strangerKeyFile: join(home, 'stranger'),
    folder: (name) => {
      mkdirSync(join(home, name), { recursive: true });
      return join(home, name);
    },
    kill,
    start,
    close: async () => {
      await kill();
      await rm(home, { recursive: true });
    },
  };
}

function configOf(home: string, port: number, kinds: readonly KeyKind[]): string {
  return [
    `Port ${String(port)}`,
    'ListenAddress 127.0.0.1',
    ...kinds.map((kind) => `HostKey ${join(home, `host_${kind}`)}`),
    `AuthorizedKeysFile ${join(home, 'authorized_keys')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin yes',
    'PidFile none',
    'LogLevel ERROR',
    // A test comes back at once, again and again, and half of its logins never end.
    'MaxStartups 100',
    'LoginGraceTime 10',
    'Subsystem sftp internal-sftp',
    'ForceCommand internal-sftp',
    '',
  ].join('\n');
}

function launch(home: string, { fileBytesMax }: SshServerOptions): ChildProcess {
  // With its signal ignored, a write that exceeds the limit fails as on a full disk.
  const limit = fileBytesMax === undefined ? '' : `prlimit --fsize=${String(fileBytesMax)} `;
  const command = `trap '' XFSZ; exec ${limit}${SSHD} -D -e -f ${join(home, 'sshd_config')}`;
  return spawn('bash', ['-c', command], { stdio: ['ignore', 'ignore', 'ignore'] });
}

/** The parts of each session, which leave the group of the listener. */
function descendantsOf(pid: number): readonly number[] {
  const all = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const found = [pid];
  for (const parent of found) found.push(...all.filter(([, above]) => above === parent).map(([id]) => id));
  return found.slice(1);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function makeKey(path: string, kind: KeyKind): void {
  execFileSync('ssh-keygen', ['-q', '-t', kind, '-N', '', '-f', path]);
  chmodSync(path, 0o600);
}

export function fingerprint(publicKeyFile: string): string {
  const told = execFileSync('ssh-keygen', ['-l', '-E', 'sha256', '-f', publicKeyFile], { encoding: 'utf8' });
  return told.split(' ')[1] ?? '';
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Until it takes connections: 10 s are long for a process that starts in 20 ms. */
async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const socket = connectTcp(port, '127.0.0.1');
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (isThere) return;
    await delay(20);
  }
  throw new Error('The OpenSSH server did not start.');
}
