// Real processes for the crash test: the sandbox on a port, and the program itself, started and killed from outside.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export type SandboxProcess = {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly stop: () => Promise<void>;
};

/** Starts `paydrop sandbox` and waits until it says where it is. */
export async function startSandboxProcess(args: readonly string[] = []): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [MAIN, 'sandbox', '--port', '0', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const { baseUrl, apiKey } = JSON.parse(chunk.toString()) as { baseUrl: string; apiKey: string };
  return { baseUrl, apiKey, stop: () => stopped(child, 'SIGKILL') };
}

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Started = { readonly kill: () => void; readonly ended: Promise<Ended> };

/** Starts a command of paydrop against a service. */
export function startPaydrop(args: readonly string[], service: { baseUrl: string; apiKey: string }): Started {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, PAYDROP_BASE_URL: service.baseUrl, PAYDROP_API_KEY: service.apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { kill: () => child.kill('SIGKILL'), ended: collect(child) };
}

async function collect(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'close');
  child.kill(signal);
  await ended;
}
