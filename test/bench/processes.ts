// Starts each measured program as its own process, and reports what it used. Nothing is measured from inside.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** As `npm start` runs it. */
export const MAIN = process.env['BENCH_MAIN'] ?? here('../../src/paydrop.js');

/** What the program keeps for itself; without it, parts of it and the opponents would be compiled again in each run. */
const ENVIRONMENT = { NODE_COMPILE_CACHE: join(tmpdir(), 'paydrop-bench-compiled'), ...process.env };

/** As in `npm start`. */
const SEMI_SPACE = '--max-semi-space-size=8';

/** Seconds of wall time, of processor time (user and system), and the most memory that was resident. */
export type Taken = {
  readonly wallS: number;
  readonly cpuS: number;
  readonly rssMb: number;
  readonly report: Report;
};

/** What `report-usage.ts` writes when the process ends. */
export type Report = {
  readonly cpuS: number;
  readonly rssMb: number;
  readonly loopDelayP99Ms: number;
  readonly commits: number;
  readonly commitP50Ms: number;
  readonly commitP99Ms: number;
};

/** What `npm start` says to the engine; intake and answers are parts of the program. */
function flagsOf(program: string): readonly string[] {
  const isOurs = program === MAIN || /\/(?:intake|answers)\.ts$/.test(program);
  return isOurs ? [SEMI_SPACE] : [];
}

let reports = 0;

/** Runs a program of TypeScript to its end. Throws unless it ends as `exitCodes` say. */
export async function take(
  program: string,
  args: readonly string[],
  exitCodes: readonly number[] = [0],
): Promise<Taken> {
  reports += 1;
  const path = join(tmpdir(), `paydrop-bench-${String(process.pid)}-${String(reports)}.json`);
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [...flagsOf(program), '--import', here('report-usage.ts'), program, ...args],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...ENVIRONMENT, BENCH_REPORT: path },
    },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const wallS = (performance.now() - started) / 1000;
  if (code === null || !exitCodes.includes(code))
    throw new Error(`${program} ended with ${String(code)}: ${said}`);
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  rmSync(path);
  return { wallS, cpuS: report.cpuS, rssMb: report.rssMb, report };
}

/** What a program that measures itself writes. Throws unless it ends well. */
export async function told(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...flagsOf(program), program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: ENVIRONMENT,
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}.`);
  return text;
}

/** Wall time of a program that is started as a person would. */
export async function startUpMs(args: readonly string[]): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, [SEMI_SPACE, MAIN, ...args], { stdio: 'ignore' }), 'close');
  return performance.now() - started;
}

/** From the start of the program to its first call at the service; the program then ends by itself. */
export async function firstCallMs(args: readonly string[], service: Service): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [SEMI_SPACE, MAIN, ...args], { stdio: 'ignore' });
  const closed = once(child, 'close');
  while (Object.values(await service.calls()).every((count) => count === 0)) await delay(1);
  const ms = performance.now() - started;
  await closed;
  return ms;
}

export type Service = {
  readonly baseUrl: string;
  readonly calls: () => Promise<Readonly<Record<string, number>>>;
  /** Calls served and refused in each second of its life, where it has a limit. */
  readonly limited: () => Promise<{
    readonly served: readonly number[];
    readonly refused: readonly number[];
  }>;
  readonly stop: () => Promise<void>;
};

/** A new service, which knows nothing yet; `flags` as `stub-service.ts` describes them. */
export async function startService(latencyMs: number, flags: readonly string[] = []): Promise<Service> {
  const args = [here('stub-service.ts'), '--latency', String(latencyMs), ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(chunk.toString()) as { port: number };
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  const told = async (what: string) => (await fetch(`${baseUrl}/bench/${what}`)).json();
  return {
    baseUrl,
    calls: async () => (await told('calls')) as Record<string, number>,
    limited: async () => (await told('limit')) as Awaited<ReturnType<Service['limited']>>,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}
