// Real processes for the crash tests: the sandbox on a port, and the program itself, started, stopped and killed from outside.
import { spawn, type ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** A program that starts hundreds of times need not be compiled each time. */
const ENVIRONMENT = { NODE_COMPILE_CACHE: join(tmpdir(), 'paydrop-compile-cache'), ...process.env };

export type SandboxProcess = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly stop: () => Promise<void>;
};

/** Starts `paydrop sandbox` and waits until it says where it is. */
export async function startSandboxProcess(args: readonly string[] = []): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [MAIN, 'sandbox', '--port', '0', '--json', ...args], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // A test run that is broken off leaves no service behind.
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('close', () => process.off('exit', killWithUs));
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const { baseUrl, apiKey } = JSON.parse(chunk.toString()) as { baseUrl: string; apiKey: string };
  return { baseUrl, apiKey, stop: () => stopped(child, 'SIGKILL') };
}

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Started = {
  readonly pid: number;
  readonly kill: () => void;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves once these words stand on its stderr. */
  readonly said: (words: string) => Promise<void>;
  readonly ended: Promise<Ended>;
};

/** Starts a command of paydrop against a service. */
export function startPaydrop(args: readonly string[], service: { baseUrl: string; apiKey: string }): Started {
  return startProgram([process.execPath, MAIN, ...args], service);
}

/** Starts paydrop inside a shell that first does `prelude`, such as setting a limit. */
export function startUnder(
  prelude: string,
  args: readonly string[],
  service: { baseUrl: string; apiKey: string },
): Started {
  return startProgram(
    ['bash', '-c', `${prelude} exec "$@"`, 'bash', process.execPath, MAIN, ...args],
    service,
  );
}

function startProgram(
  [program = '', ...args]: readonly string[],
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): Started {
  const child = spawn(program, args, {
    env: { ...ENVIRONMENT, PAYDROP_BASE_URL: baseUrl, PAYDROP_API_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return {
    pid: child.pid ?? 0,
    kill: () => signal('SIGKILL'),
    signal,
    said: (words) => heard(child, words),
    ended: collect(child),
  };
}

async function heard(child: ChildProcess, words: string): Promise<void> {
  let stderr = '';
  for await (const [chunk] of on(child.stderr ?? child, 'data', { close: ['close'] })) {
    stderr += String(chunk);
    if (stderr.includes(words)) return;
  }
  throw new Error(`it never said ${words}: ${stderr}`);
}

async function collect(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'close');
  child.kill(signal);
  await ended;
}
