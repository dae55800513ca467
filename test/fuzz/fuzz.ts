// `npm run trial -- fuzz`: brings strange inputs to every door in turn, for as long as it is told. Nothing may end with exit 1, nothing outside the workspace may
// be read or written, and every honest file among them is paid. A failure is shrunk, and reported with the seed that repeats it.
import fc from 'fast-check';

import { systemClock } from '../../src/base/clock.ts';
import { positive, program, wholeNumber } from '../program.ts';
import { openDoors, type Door } from './doors.ts';
import { namedDoors } from './named-doors.ts';

type Options = {
  readonly minutes: number;
  readonly seed?: number;
  readonly door: string;
  readonly failFast: boolean;
};

const options = program('npm run trial -- fuzz', 'Tries every door with what strangers may bring.')
  .option('--minutes <n>', 'for how long', positive, 10)
  .option('--seed <n>', 'the seed of a run that is to be repeated', wholeNumber(-0x80000000, 0x7fffffff))
  .option('--door <text>', 'only doors whose name contains it', '')
  .option('--fail-fast', 'end with the first that fails, as it is', false)
  .parse()
  .opts<Options>();

/** Goes at one door before the next has its turn. */
const GOES = 3;

const MINUTE_MS = 60_000;
const SHRINK_MS = 3 * MINUTE_MS;

/** An input may be a file of a megabyte; seed and path bring it back. */
const REPORT_MOST = 4_000;

type Count = { goes: number; inputs: number };

async function tryDoor({ name, property, size }: Door, seed: number, count: Count): Promise<string | null> {
  const details = await fc.check(property, {
    seed,
    numRuns: GOES,
    // What takes a minute to fail is not shrunk for an hour.
    interruptAfterTimeLimit: SHRINK_MS,
    markInterruptAsFailure: false,
    endOnFailure: options.failFast,
    reporter: () => undefined,
  });
  count.goes += details.numRuns;
  // A go that was interrupted before its end has shown nothing.
  if (!details.failed || (details.interrupted && details.errorInstance === null)) {
    count.inputs += fc
      .sample(property as unknown as fc.IRawProperty<[unknown]>, { seed, numRuns: details.numRuns })
      .reduce((sum, [given]) => sum + size(given), 0);
    return null;
  }
  const { errorInstance } = details;
  const why =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  const given = (fc.defaultReportMessage(details) ?? '').slice(0, REPORT_MOST);
  return `door ${name}, seed ${String(seed)}: ${why}\n${given}`;
}

async function main(): Promise<number> {
  const began = systemClock.monotonic();
  const first = options.seed ?? Math.floor(systemClock.random() * 0x7fffffff);
  const doors = [...(await openDoors()), ...namedDoors()].filter(({ name }) => name.includes(options.door));
  const counts = new Map<string, Count>(doors.map(({ name }) => [name, { goes: 0, inputs: 0 }]));
  const failures: string[] = [];
  process.stdout.write(`seed ${String(first)}\n`);
  let seed = first;
  for (; systemClock.monotonic() - began < options.minutes * MINUTE_MS; seed += 1)
    for (const door of doors) {
      if (systemClock.monotonic() - began >= options.minutes * MINUTE_MS) break;
      const failure = await tryDoor(door, seed, counts.get(door.name) ?? { goes: 0, inputs: 0 });
      if (failure === null) continue;
      failures.push(failure);
      process.stdout.write(`${failure}\n`);
      if (options.failFast) return 1;
    }
  process.stdout.write(`seeds ${String(first)} to ${String(seed - 1)}\n`);
  for (const [name, { goes, inputs }] of counts)
    process.stdout.write(`${name}: ${String(inputs)} inputs in ${String(goes)} goes\n`);
  process.stdout.write(failures.length === 0 ? 'nothing broke\n' : `${String(failures.length)} failures\n`);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
