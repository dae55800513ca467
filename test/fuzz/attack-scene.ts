// The place of an attack: a workspace, a sandbox over HTTP whose books judge, and commands in processes of their own.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { systemClock } from '../../src/base/clock.ts';
import { startSandbox, type RunningSandbox, type SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import { HEADER, SENDER } from '../app/desk.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'paydrop.js');
export const KEY = 'attack-key-7f31';

export type Ended = { readonly code: number | null; readonly said: string };
export type Running = {
  readonly child: ChildProcess;
  /** Rejects when the process ended with 1. */
  readonly ended: Promise<Ended>;
  readonly stop: () => Promise<Ended>;
};
export type Told = {
  readonly receiveAmount: string;
  readonly sendAmount: string;
  readonly feeAmount: string;
  readonly status: string;
};
export type Scene = {
  readonly root: string;
  readonly workspace: string;
  readonly inbox: string;
  readonly sandbox: RunningSandbox;
  /** A command of its own process. A code of 1 is a failure of the attack. */
  readonly pd: (...args: readonly string[]) => Promise<Ended>;
  readonly start: (...args: readonly string[]) => Running;
  readonly file: (name: string, lines: readonly string[]) => Promise<string>;
  /** Every transfer that the service made. */
  readonly told: () => Promise<readonly Told[]>;
  /** How many transfers were paid or are on their way, by what they bring. */
  readonly transfers: () => Promise<ReadonlyMap<string, number>>;
};

export type SceneOptions = SandboxOptions & {
  /** More of the config. */
  readonly config?: string;
  /** What stands between paydrop and the sandbox; gives the address to use. */
  readonly through?: (
    baseUrl: string,
  ) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;
};

/** What must not happen has happened. */
export class Broke extends Error {}
/** The machine does not allow the attack. */
export class Skipped extends Error {}

export function must(holds: boolean, words: string): void {
  if (!holds) throw new Broke(words);
}

export async function withScene<T>(
  attack: (scene: Scene) => Promise<T>,
  { config = '', through, ...options }: SceneOptions = {},
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-attack-'));
  const sandbox = await startSandbox({ settleMs: 20, apiKey: KEY, ...options });
  const between = await through?.(sandbox.baseUrl);
  const workspace = join(root, 'ws');
  const path = join(root, 'paydrop.yaml');
  const usual = [
    SENDER,
    'tracking: { pollEvery: 100ms }',
    'intake: { settleFor: 200ms, scanEvery: 1s }',
    'metrics: { listen: null }',
  ].filter((line) => !config.includes(line.slice(0, line.indexOf(' '))));
  await writeFile(path, `${usual.join('\n')}\n${config}\n`);
  const env = {
    ...process.env,
    PAYDROP_BASE_URL: between?.url ?? sandbox.baseUrl,
    PAYDROP_API_KEY: KEY,
    NO_COLOR: '1',
  };
  const children = new Set<ChildProcess>();
  const start = (...args: readonly string[]): Running => {
    const child = spawn(process.execPath, [MAIN, '--config', path, '--workspace', workspace, ...args], {
      env,
      cwd: root,
    });
    children.add(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = new Promise<Ended>((resolve, reject) =>
      child.on('close', (code) => {
        children.delete(child);
        if (code === 1) reject(new Broke(`${args.join(' ')} ended with 1: ${said}`));
        else resolve({ code, said });
      }),
    );
    // A caller that waits for it hears of it.
    ended.catch(() => undefined);
    return { child, ended, stop: () => (child.kill('SIGTERM'), ended) };
  };
  const told = async (): Promise<readonly Told[]> => {
    const found: Told[] = [];
    for (let next: string | null = ''; next !== null;) {
      const headers: Record<string, string> = {
        'x-api-key': KEY,
        ...(next === '' ? {} : { 'x-next-key': next }),
      };
      const response: Response | null = await fetch(`${sandbox.baseUrl}/transfers?limit=100`, {
        headers,
      }).catch(() => null);
      // A sandbox that misbehaves does so to the judge too.
      if (response?.ok !== true) {
        await sleep(50);
        continue;
      }
      found.push(...((await response.json()) as readonly Told[]));
      next = response.headers.get('x-next-key');
    }
    return found;
  };
  try {
    return await attack({
      root,
      workspace,
      inbox: join(workspace, 'inbox'),
      sandbox,
      pd: (...args) => start(...args).ended,
      start,
      file: async (name, lines) => {
        await writeFile(join(root, name), `${[HEADER, ...lines].join('\n')}\n`);
        return join(root, name);
      },
      told,
      transfers: async () => byAmount(await told()),
    });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await between?.close();
    await sandbox.close();
    execFileSync('rm', ['-rf', root]);
  }
}

function byAmount(told: readonly Told[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { receiveAmount, status } of told) {
    const amount = String(Number(receiveAmount));
    if (['paid', 'submitted'].includes(status)) found.set(amount, (found.get(amount) ?? 0) + 1);
  }
  return found;
}

export const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
export const sleep = (ms: number): Promise<void> => systemClock.sleep(ms);
const WITHIN_MS = 180_000;

/** Real time that it took; it must come within three minutes. */
export async function until(
  what: string,
  is: () => boolean | Promise<boolean>,
  everyMs = 200,
): Promise<number> {
  const began = systemClock.monotonic();
  while (!(await is())) {
    must(systemClock.monotonic() - began < WITHIN_MS, `${what} did not come about.`);
    await sleep(everyMs);
  }
  return Math.round(systemClock.monotonic() - began);
}

export function mustBeOnce(found: ReadonlyMap<string, number>, amounts: readonly number[]): void {
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

/** The JSON document in what a command said on both of its streams. */
export function jsonIn(said: string): unknown {
  return JSON.parse(said.slice(said.indexOf('{\n'), said.lastIndexOf('\n}') + 2));
}

/** The same numbers for the same seed. */
export function dice(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** The most memory that a process and its children have held, in MB, as long as it lives. */
export async function mostMemory({ child, ended }: Running): Promise<number> {
  let [most, isOver] = [0, false];
  void ended.catch(() => undefined).then(() => (isOver = true));
  while (!isOver) {
    if (child.pid !== undefined)
      most = Math.max(
        most,
        [child.pid, ...childrenOf(child.pid)].reduce((sum, pid) => sum + held(pid), 0),
      );
    await sleep(20);
  }
  return Math.round(most / 1_000);
}

function held(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readOr(`/proc/${String(pid)}/status`))?.[1] ?? 0);
}

function childrenOf(pid: number): readonly number[] {
  return readOr(`/proc/${String(pid)}/task/${String(pid)}/children`)
    .split(' ')
    .filter(Boolean)
    .map(Number);
}

/** A process that has just ended has no such file. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
