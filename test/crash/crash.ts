// `npm run trial -- crash --kills 200 --rows 120 --seed 7 --faults 5 --ledger-losses 10`: real processes are killed until so many kills have happened,
// or with `--each-point` at every named moment, and an independent checker says whether anybody was paid twice, any row was lost, or any two
// books differ.
import { program, wholeNumber } from '../program.ts';
import { crashBatch, type BatchReport } from './crash-batch.ts';
import { openScene } from './crash-scene.ts';
import { describeCrash, tallied } from './describe-crash.ts';
import { NAMED_POINTS, type KillPoint } from './kill-points.ts';
import { describeRecovery, measureRecovery } from './recovery.ts';
import { newSeed, seeded } from './seeded.ts';

type Options = {
  readonly kills: number;
  readonly rows: number;
  readonly seed: number;
  readonly faults: number;
  readonly ledgerLosses: number;
  readonly olderCopies: boolean;
  readonly eachPoint: boolean;
  readonly lanes: number;
  readonly recovery?: number;
};

/** Fewer are paid before they can be killed in the middle. */
const RECOVERED_ROWS_LEAST = 1_000;

const {
  kills: KILLS,
  rows: ROWS,
  seed: SEED,
  faults: FAULTS,
  ledgerLosses: LOSSES,
  olderCopies: OLDER_COPIES,
  eachPoint: EACH_POINT,
  lanes: LANES,
  recovery: RECOVERED_ROWS,
} = program(
  'npm run trial -- crash',
  'Kills paydrop while it pays, until nothing is left to pay, and compares files, answers and the books of the service.',
)
  .option('--kills <n>', 'kills, of as many batches as they take', wholeNumber(1), 100)
  .option('--rows <n>', 'rows of a batch', wholeNumber(1), 120)
  .option('--seed <n>', 'when it is killed, and what goes wrong', wholeNumber(0, 10_000_000), newSeed())
  .option('--faults <percent>', 'calls that go wrong', wholeNumber(0, 100), 0)
  .option(
    '--ledger-losses <n>',
    'ledgers that are deleted, damaged or replaced by an older copy',
    wholeNumber(0),
    0,
  )
  .option('--older-copies', 'each of these losses is an older copy that is put back', false)
  .option(
    '--each-point',
    'a batch for each named point, killed there and by chance, whatever the kills',
    false,
  )
  .option('--lanes <n>', 'batches at the same time', wholeNumber(1, 64), 1)
  .option(
    '--recovery <rows>',
    'instead of all this: how soon a batch of so many rows goes on after a kill',
    wholeNumber(RECOVERED_ROWS_LEAST),
  )
  .parse()
  .opts<Options>();

/** The most kills that one batch gets; most end by themselves before. */
const KILLS_A_BATCH = 25;
/** Half of them at the point, half by chance. */
const KILLS_A_POINT = 5;
const FILES_MOST = 3;

/** A quick service lets kills fall between writes of ours, a slow one into calls under way. */
const LATENCIES = ['0ms', '10ms', '40ms'] as const;

// Left alone, these would end us without the services that we have started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const startedAt = performance.now();
const reports: BatchReport[] = [];
let next = 0;

/** One after another until there were enough kills; several lanes share them. */
async function lane(): Promise<void> {
  while (EACH_POINT ? next < NAMED_POINTS.length : tallied(reports).kills < KILLS) {
    const seed = SEED * 100_000 + next;
    const point = EACH_POINT ? NAMED_POINTS[next] : undefined;
    next += 1;
    reports.push(await oneBatch(seed, point));
  }
}

async function oneBatch(seed: number, point: KillPoint | undefined): Promise<BatchReport> {
  const dice = seeded(seed);
  const files = EACH_POINT ? 1 : 1 + dice.below(FILES_MOST);
  const rows = Math.max(1, Math.round(ROWS / files));
  const sandboxArgs = ['--latency', dice.oneOf(LATENCIES)];
  const scene = await openScene({ rows, files, faultsPercent: FAULTS, seed: seed % 1_000_000, sandboxArgs });
  const { kills, losses } = tallied(reports);
  const killsMost = EACH_POINT ? KILLS_A_POINT : Math.max(1, Math.min(KILLS_A_BATCH, KILLS - kills));
  // Losses keep step with the kills.
  const lossesMost = Math.max(0, Math.ceil((LOSSES * Math.min(KILLS, kills + killsMost)) / KILLS) - losses);
  const report = await crashBatch(scene, {
    dice,
    killsMost,
    lossesMost: EACH_POINT ? 0 : lossesMost,
    ...(OLDER_COPIES ? { lossKinds: ['older copy'] as const } : {}),
    ...(point === undefined ? {} : { point }),
  });
  const isSound = report.violations.length === 0 && report.oddWords.length === 0;
  await scene.close(!isSound);
  tell(seed, report, isSound ? '' : ` kept in ${scene.folder}`);
  return report;
}

function tell(seed: number, report: BatchReport, kept: string): void {
  const { kills, losses, violations, oddWords, finishedMs } = report;
  process.stderr.write(
    `batch seed ${String(seed)}: ${String(kills.length)} kills, ${String(losses.length)} losses, finished in ${String(Math.round(finishedMs))} ms${kept}\n`,
  );
  for (const { kind, words } of violations) process.stderr.write(`  ${kind}: ${words}\n`);
  for (const words of oddWords) process.stderr.write(`  words: ${words}\n`);
}

async function killAll(): Promise<boolean> {
  await Promise.all(Array.from({ length: LANES }, lane));
  const { text, isSound } = describeCrash(reports, { seed: SEED, tookMs: performance.now() - startedAt });
  process.stdout.write(text);
  return isSound;
}

async function recover(rows: number): Promise<boolean> {
  process.stdout.write(describeRecovery(await measureRecovery(rows, SEED)));
  return true;
}

const isSound = await (RECOVERED_ROWS === undefined ? killAll() : recover(RECOVERED_ROWS));
process.exitCode = isSound ? 0 : 1;
