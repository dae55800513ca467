// `npm run crash -- --kills 200 --rows 120 --seed 7 --faults 5 --ledger-losses 10`: real processes are killed until so many kills have happened,
// or with `--each-point` at every named moment, and an independent checker says whether anybody was paid twice, any row was lost, or any two
// books differ.
import { parseArgs } from 'node:util';

import { crashBatch, type BatchReport } from './crash-batch.ts';
import { openScene } from './crash-scene.ts';
import { describeCrash, tallied } from './describe-crash.ts';
import { NAMED_POINTS, type KillPoint } from './kill-points.ts';
import { describeRecovery, measureRecovery } from './recovery.ts';
import { seeded } from './seeded.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    rows: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(process.pid) },
    faults: { type: 'string', default: '0' },
    'ledger-losses': { type: 'string', default: '0' },
    /** A batch for each named point, killed there and by chance in turns, whatever the number of kills. */
    'each-point': { type: 'boolean', default: false },
    lanes: { type: 'string', default: '1' },
    /** Instead of all this: how long a batch of so many rows takes to go on after a kill. */
    recovery: { type: 'string' },
  },
});

const KILLS = Number(values.kills);
const ROWS = Number(values.rows);
const SEED = Number(values.seed);
const FAULTS = Number(values.faults);
const EACH_POINT = values['each-point'];
const LOSSES = Number(values['ledger-losses']);

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
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  const { text, isSound } = describeCrash(reports, { seed: SEED, tookMs: performance.now() - startedAt });
  process.stdout.write(text);
  return isSound;
}

async function recover(rows: number): Promise<boolean> {
  process.stdout.write(describeRecovery(await measureRecovery(rows, SEED)));
  return true;
}

const isSound = await (values.recovery === undefined ? killAll() : recover(Number(values.recovery)));
process.exitCode = isSound ? 0 : 1;
