// `npm run trial -- attack`: attacks on whole processes, each with its figures. The real command line, a sandbox over HTTP, and its books as the judge: no payment
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
  'npm run trial -- attack',
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

type Line = { readonly name: string; readonly end: string; readonly seconds: number };

async function attacked(
  name: string,
  attack: () => Promise<string>,
): Promise<Line & { readonly isBroken: boolean }> {
  const began = systemClock.monotonic();
  let isBroken = false;
  const end = await attack().catch((error: unknown) => {
    if (error instanceof Skipped) return `skipped: ${error.message}`;
    isBroken = true;
    // An attack that fails by itself has shown nothing; the others are to be seen all the same.
    return `BROKE: ${error instanceof Broke ? error.message : String(error instanceof Error ? error.stack : error)}`;
  });
  const seconds = Math.round((systemClock.monotonic() - began) / 1_000);
  process.stdout.write(`${name}: ${end} (${String(seconds)} s)\n`);
  return { name, end, seconds, isBroken };
}

const lines: Awaited<ReturnType<typeof attacked>>[] = [];
for (const [name, attack] of Object.entries(ATTACKS).filter(([each]) => each.includes(only)))
  lines.push(await attacked(name, attack));

const broken = lines.filter(({ isBroken }) => isBroken);
const skipped = lines.filter(({ end }) => end.startsWith('skipped'));
const minutes = lines.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
const row = ({ name, end, seconds }: Line): string =>
  `| ${name} | ${end.replaceAll('|', '/').replaceAll('\n', ' ')} | ${String(seconds)} |`;
process.stdout.write(
  [
    '',
    '| attack | came out | seconds |',
    '|---|---|---|',
    ...lines.map(row),
    '',
    `${String(lines.length)} attacks in ${minutes.toFixed(1)} minutes: ${String(broken.length)} broke something, ${String(skipped.length)} skipped`,
    '',
  ].join('\n'),
);
process.exitCode = broken.length === 0 ? 0 : 1;
