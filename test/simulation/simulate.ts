// `npm run trial -- simulate`: runs many seeded schedules and tells what broke, with the seed that breaks it again. With one seed it prints the whole trace.
import { availableParallelism } from 'node:os';

import { systemClock } from '../../src/base/clock.ts';
import { positive, program, WRONG_USAGE, wholeNumber } from '../program.ts';
import { inProcesses } from './in-processes.ts';
import { tryMutants } from './mutants/try-mutants.ts';
import { runMany } from './run-many.ts';
import { runSchedule } from './run-schedule.ts';
import { added, neverTaken, NOTHING, type Failure, type Tally } from './tally.ts';
import { traceOf } from './trace.ts';

/** A run of so many seeds must have taken every rare path. */
const SEEDS_FOR_ALL_PATHS = 5_000;

/** More of the same says nothing new. */
const FAILURES_SHOWN_MOST = 10;

/** A long run that is cut short has told of its rare paths. */
const PATHS_EVERY = 5_000;

type Options = {
  readonly seeds: number;
  readonly seed?: string;
  readonly from?: number;
  readonly processes: number;
  readonly cpuMinutes?: number;
  readonly progress: boolean;
  readonly failFast: boolean;
  readonly mutants: boolean;
  readonly only: string;
};

const options = program(
  'npm run trial -- simulate',
  'Runs the delivery, the ledger and the client against a model of the service, and checks what happened.',
)
  .option('--seeds <n>', 'schedules to run', wholeNumber(1), 1_000)
  .option('--seed <seed>', 'one schedule, with its whole trace')
  .option('--from <n>', 'the first seed; other ones each time without it', wholeNumber(0))
  .option('--processes <n>', 'processes that share them', wholeNumber(1, 256), 1)
  .option('--cpu-minutes <n>', 'as many as each process runs in so much of its processor time', positive)
  .option('--progress', 'a line to read how far it is', false)
  .option('--fail-fast', 'end with the first that fails', false)
  .option('--mutants', 'plant known bugs, one at a time, and see whether each is caught', false)
  .option('--only <text>', 'only bugs whose file or name contains it', '')
  .parse()
  .opts<Options>();

async function replay(seed: string): Promise<boolean> {
  const { plan, journal, violations, paths } = await runSchedule(seed);
  say(JSON.stringify(plan, null, 1));
  for (const line of traceOf(journal)) say(line);
  say(`paths: ${paths.join('; ')}`);
  for (const { invariant, row, words } of violations) say(`${invariant} row ${row ?? '-'}: ${words}`);
  say(
    violations.length === 0
      ? `seed ${seed}: nothing is violated`
      : `seed ${seed}: ${String(violations.length)} violations`,
  );
  return violations.length === 0;
}

async function run(): Promise<boolean> {
  const { cpuMinutes } = options;
  // Another part of the seeds each time; a failing one is told and can be run again.
  const from = options.from ?? systemClock.now() % 1_000_000_000;
  const many = {
    from,
    seeds: cpuMinutes === undefined ? options.seeds : Number.MAX_SAFE_INTEGER,
    cpuMsMost: cpuMinutes === undefined ? Number.MAX_SAFE_INTEGER : cpuMinutes * 60_000,
    isFailFast: options.failFast,
  };
  const startedAt = performance.now();
  let sum = NOTHING;
  const tell = (part: Tally): void => {
    for (const failure of part.failures.slice(0, Math.max(0, FAILURES_SHOWN_MOST - sum.failures.length)))
      showFailure(failure);
    sum = added(sum, part);
    if (!options.progress) return;
    say(sumLine(sum, from, startedAt));
    if (sum.schedules % PATHS_EVERY === 0) showPaths(sum);
  };
  const { processes } = options;
  if (processes > 1) await inProcesses(processes, many, tell);
  else await runMany({ ...many, step: 1 }, tell);
  say(sumLine(sum, from, startedAt));
  return showPaths(sum) && sum.failures.length === 0;
}

function sumLine({ schedules, failures, cpuMs }: Tally, from: number, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1_000;
  const perCore = ((schedules * 1_000) / cpuMs).toFixed(1);
  return `${String(schedules)} schedules from seed ${String(from)}: ${String(failures.length)} failed; ${String(Math.round(cpuMs / 1_000))} s of processor time in ${String(Math.round(seconds))} s, ${perCore} schedules a second and core`;
}

function showFailure({ seed, violations }: Failure): void {
  say(`seed ${seed} fails; run again with: npm run trial -- simulate --seed ${seed}`);
  for (const { invariant, row, words } of violations) say(`  ${invariant} row ${row ?? '-'}: ${words}`);
}

function showPaths(sum: Tally): boolean {
  for (const [path, times] of Object.entries(sum.paths)) say(`${String(times).padStart(7)}  ${path}`);
  const never = neverTaken(sum);
  if (sum.schedules < SEEDS_FOR_ALL_PATHS || never.length === 0) return true;
  say(`never reached: ${never.join('; ')}`);
  return false;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function runMutants(): Promise<boolean> {
  const survivors: string[] = [];
  let tried = 0;
  const { only, from = null } = options;
  await tryMutants({ only, jobs: availableParallelism(), from }, ({ name, isCaught, how }) => {
    tried += 1;
    say(`${isCaught ? 'caught  ' : 'SURVIVED'}  ${name}: ${how}`);
    if (!isCaught) survivors.push(name);
  });
  if (tried === 0) {
    say(`No planted bug is called "${only}".`);
    process.exit(WRONG_USAGE);
  }
  say(
    `${String(tried)} planted, ${String(survivors.length)} survived${survivors.map((name) => `\n  ${name}`).join('')}`,
  );
  return survivors.length === 0;
}

function chosen(): Promise<boolean> {
  if (options.mutants) return runMutants();
  if (options.seed !== undefined) return replay(options.seed);
  Error.stackTraceLimit = 0;
  return run();
}

const isSound = await chosen();
process.exitCode = isSound ? 0 : 1;
