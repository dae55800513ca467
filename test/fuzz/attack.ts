// `npm run attack`: attacks on whole processes, each with its figures. The real command line, a sandbox over HTTP, and its books as the judge: no payment
// is made twice, none is lost, no command ends with 1, and nothing is told to others.
import { systemClock } from '../../src/base/clock.ts';
import { program } from '../program.ts';
import { diskFull, ledgers, locked } from './attack-disk.ts';
import { approvals, largeTexts, workbooks } from './attack-files.ts';
import { cells, longCells, manyFiles, names, permissions, swaps, writers } from './attack-names.ts';
import { kills, limits, mixes, oneMoment } from './attack-processes.ts';
import { Broke, Skipped } from './attack-scene.ts';
import { answers, notifications } from './attack-wire.ts';

const { only } = program(
  'npm run attack --',
  'Attacks paydrop with real processes, and prints what came out.',
)
  .option('--only <text>', 'only attacks whose name contains it', '')
  .parse()
  .opts<{ readonly only: string }>();

const ATTACKS: Readonly<Record<string, () => Promise<string>>> = {
  'one moment': oneMoment,
  kills,
  mixes,
  limits,
  ledgers,
  'disk full': diskFull,
  'locked disk': locked,
  answers,
  notifications,
  approvals,
  writers,
  swaps,
  names,
  'many files': manyFiles,
  workbooks,
  'large texts': largeTexts,
  cells,
  'long cells': longCells,
  permissions,
};

let failures = 0;
for (const [name, attack] of Object.entries(ATTACKS).filter(([each]) => each.includes(only))) {
  const began = systemClock.monotonic();
  const end = await attack().catch((error: unknown) => {
    if (error instanceof Skipped) return `skipped: ${error.message}`;
    if (!(error instanceof Broke)) throw error;
    failures += 1;
    return `BROKE: ${error.message}`;
  });
  process.stdout.write(
    `${name}: ${end} (${String(Math.round((systemClock.monotonic() - began) / 1_000))} s)\n`,
  );
}
process.exitCode = failures === 0 ? 0 : 1;
