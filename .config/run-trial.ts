// `npm run trial -- NAME …`: runs one of the trials that take as long as they are told, with its own options; without a name it says which there are.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

type Trial = {
  /** Below `test`. */
  readonly file: string;
  readonly what: string;
  /** What Node is told. */
  readonly node?: readonly string[];
  /** It measures what is shipped, which is built first. */
  readonly isOfBuilt?: true;
};

const TRIALS: Readonly<Record<string, Trial>> = {
  explore: { file: 'explore/explore.ts', what: 'every schedule of a row within bounds' },
  simulate: {
    file: 'simulation/simulate.ts',
    what: 'seeded schedules of whole workspaces, and planted bugs',
  },
  fuzz: { file: 'fuzz/fuzz.ts', what: 'strange inputs at every door' },
  attack: { file: 'fuzz/attack.ts', what: 'attacks on real processes' },
  'honest-year': { file: 'fuzz/honest-year.ts', what: 'false alarms in twelve months of an office' },
  crash: { file: 'crash/crash.ts', what: 'processes that are killed, ledgers that are lost' },
  cluster: { file: 'cluster/trial.ts', what: 'nodes on one database that are killed, frozen and cut off' },
  limits: { file: 'cluster/limits-trial.ts', what: 'what arrives at the service while nodes come and go' },
  migration: { file: 'cluster/migration-trial.ts', what: 'a ledger that moves while it is paid' },
  soak: { file: 'bench/soak.ts', what: 'many small files through one daemon', node: ['--expose-gc'] },
  day: { file: 'cluster/day.ts', what: 'a day of a large house, on several nodes' },
  bench: { file: 'bench/bench.ts', what: 'every figure that paydrop promises', isOfBuilt: true },
};

async function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}

const [name = '', ...options] = process.argv.slice(2);
const trial = Object.hasOwn(TRIALS, name) ? TRIALS[name] : undefined;
if (trial === undefined) {
  const names = Object.entries(TRIALS).map(([each, { what }]) => `  ${each.padEnd(12)} ${what}\n`);
  process.stderr.write(`npm run trial -- NAME [OPTIONS]\n\n${names.join('')}`);
  process.exitCode = 2;
} else {
  const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const built = trial.isOfBuilt === true ? await run([pathOf('build-program.ts')]) : 0;
  process.exitCode =
    built === 0 ? await run([...(trial.node ?? []), pathOf(`../test/${trial.file}`), ...options]) : built;
}
