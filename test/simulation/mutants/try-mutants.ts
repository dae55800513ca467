// Plants each bug in a copy of the sources and runs the simulation on it: a bug that survives shows a blind spot of the checker.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';

import type { Mutant } from './mutant.ts';
import { MUTANTS_OF_BATCHES } from './of-batches.ts';
import { MUTANTS_OF_CLUSTERS } from './of-clusters.ts';
import { MUTANTS_OF_DECISIONS } from './of-decisions.ts';
import { MUTANTS_OF_DOORS } from './of-doors.ts';
import { MUTANTS_OF_ECHOES } from './of-echoes.ts';
import { MUTANTS_OF_IDS } from './of-ids.ts';
import { MUTANTS_OF_LISTS } from './of-lists.ts';
import { MUTANTS_OF_MESSAGES } from './of-messages.ts';
import { MUTANTS_OF_PRICES } from './of-prices.ts';
import { MUTANTS_OF_PROOFS } from './of-proofs.ts';
import { MUTANTS_OF_RECORDS } from './of-records.ts';
import { MUTANTS_OF_REFUSALS } from './of-refusals.ts';
import { MUTANTS_OF_RESULTS } from './of-results.ts';

export const MUTANTS: readonly Mutant[] = [
  ...MUTANTS_OF_IDS,
  ...MUTANTS_OF_PROOFS,
  ...MUTANTS_OF_PRICES,
  ...MUTANTS_OF_REFUSALS,
  ...MUTANTS_OF_ECHOES,
  ...MUTANTS_OF_RECORDS,
  ...MUTANTS_OF_LISTS,
  ...MUTANTS_OF_RESULTS,
  ...MUTANTS_OF_DECISIONS,
  ...MUTANTS_OF_BATCHES,
  ...MUTANTS_OF_MESSAGES,
  ...MUTANTS_OF_DOORS,
  ...MUTANTS_OF_CLUSTERS,
];

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** Most bugs show within a hundred schedules; those that need a ledger lost at the right moment, within some thousands. */
const SEEDS_MOST = 6_000;

export type Tried = { readonly name: string; readonly isCaught: boolean; readonly how: string };

export type MutantRun = {
  /** Part of the file or of the name of those to be tried. */
  readonly only: string;
  readonly jobs: number;
  /** The first seed for all of them; null for the one that each asks for. */
  readonly from: number | null;
};

/** Tries mutants, `jobs` at a time, each until its first violation. */
export async function tryMutants(
  { only, jobs, from }: MutantRun,
  tell: (tried: Tried) => void,
): Promise<void> {
  const waiting = MUTANTS.filter(({ name, file }) => `${file} ${name}`.includes(only));
  const work = async (): Promise<void> => {
    const folder = copyOfSources();
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
        tell(await tryMutant(mutant, from ?? mutant.from ?? 1, folder));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

function copyOfSources(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  for (const part of ['src', 'config', 'test', 'samples', '.config', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function tryMutant(mutant: Mutant, from: number, folder: string): Promise<Tried> {
  const path = join(folder, 'src', mutant.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, planted(mutant, text));
  try {
    if (mutant.shownBy !== undefined) return await tryTest(mutant.name, mutant.shownBy, folder);
    if (mutant.door !== undefined) return await tryDoor(mutant.name, mutant.door, folder);
    if (mutant.attack !== undefined) return await tryAttack(mutant.name, mutant.attack, folder);
    const { code, output } = await simulate(folder, from);
    const how = /^ {2}.*$/m.exec(output)?.[0].trim() ?? output.trim().split('\n').slice(0, 4).join(' ');
    const seed = /^seed (\S+) fails/m.exec(output)?.[1];
    // A bug that breaks the program before its first schedule proves nothing of the checker.
    return {
      name: mutant.name,
      isCaught: code !== 0 && seed !== undefined,
      how: `seed ${seed ?? '-'}: ${how}`,
    };
  } finally {
    writeFileSync(path, text);
  }
}

async function tryTest(name: string, test: string, folder: string): Promise<Tried> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', '.config/vitest.config.ts', test];
  const { code, output } = await run(vitest, folder);
  // A test that does not even begin proves nothing.
  return { name, isCaught: code !== 0 && / FAIL /.test(output), how: `by ${test}` };
}

/** Most show within a minute; one that ends the program is caught as well. */
const FUZZ_MINUTES = 5;

async function tryDoor(name: string, door: string, folder: string): Promise<Tried> {
  const options = ['--door', door, '--minutes', String(FUZZ_MINUTES), '--fail-fast'];
  const { code, output } = await run(['test/fuzz/fuzz.ts', ...options], folder);
  const how = /^door .*$/m.exec(output)?.[0] ?? output.trim().split('\n').slice(0, 3).join(' ');
  // A bug that breaks the program before it begins proves nothing of the door.
  return { name, isCaught: code !== 0 && output.startsWith('seed '), how };
}

async function tryAttack(name: string, attack: string, folder: string): Promise<Tried> {
  const { code, output } = await run(['test/fuzz/attack.ts', '--only', attack], folder);
  const how = /^.*BROKE: .*$/m.exec(output)?.[0] ?? output.trim().split('\n').slice(0, 3).join(' ');
  return { name, isCaught: code !== 0 && output.includes('BROKE: '), how };
}

function planted({ name, find, replace }: Mutant, text: string): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`The place of "${name}" is found ${String(parts.length - 1)} times.`);
  return parts.join(replace);
}

function simulate(folder: string, from: number): Promise<Ended> {
  const options = ['--seeds', String(SEEDS_MOST), '--from', String(from), '--fail-fast'];
  return run(['test/simulation/simulate.ts', ...options], folder);
}

type Ended = { readonly code: number | null; readonly output: string };

function run(args: readonly string[], cwd: string): Promise<Ended> {
  const child = spawn(execPath, args, { cwd, env: { ...process.env, NO_COLOR: '1' } });
  let output = '';
  const keep = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
