// `npm run crash:cluster -- --kills 6 --stops 2 --crashes 2`: nodes on one database are killed, frozen until they were given up, and their database is
// crashed, while they pay; an independent checker says whether anything was paid twice, any row was lost, or any two books differ.
import { setTimeout as wait } from 'node:timers/promises';

import { checkAnswers } from '../invariants/check-answers.ts';
import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { seeded } from '../crash/seeded.ts';
import { program, wholeNumber } from '../program.ts';
import { openClusterScene, type Node } from './cluster-scene.ts';
import { observe, type Seen } from './observe-cluster.ts';

type Options = {
  readonly nodes: number;
  readonly files: number;
  readonly rows: number;
  readonly kills: number;
  readonly stops: number;
  readonly crashes: number;
  readonly faults: number;
  readonly seed: number;
  readonly limit: number;
};

const options = program(
  'npm run crash:cluster --',
  'Disturbs nodes that share a database while they pay, and compares all books.',
)
  .option('--nodes <n>', 'nodes on the database', wholeNumber(2, 9), 3)
  .option('--files <n>', 'files that are dropped', wholeNumber(1, 100), 10)
  .option('--rows <n>', 'rows of each', wholeNumber(1), 200)
  .option('--kills <n>', 'nodes that are killed', wholeNumber(0), 6)
  .option('--stops <n>', 'nodes that are frozen for nine seconds', wholeNumber(0), 1)
  .option('--crashes <n>', 'crashes of the database', wholeNumber(0), 1)
  .option('--faults <percent>', 'calls that go wrong', wholeNumber(0, 100), 0)
  .option('--seed <n>', 'when what happens, and what goes wrong', wholeNumber(0, 10_000_000), process.pid)
  .option('--limit <minutes>', 'after which what hangs is told as lost', wholeNumber(1), 8)
  .parse()
  .opts<Options>();

const FROZEN_MS = 9_000;
const DOWN_MS = 1_500;

const random = seeded(options.seed);
const startedAt = performance.now();
const gaps: Record<'kill' | 'stop' | 'crash', number[]> = { kill: [], stop: [], crash: [] };
const wrongEnds: string[] = [];

function tell(words: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)}  ${words}\n`);
}

tell(`seed ${String(options.seed)}`);
const cluster = await openClusterScene({
  files: options.files,
  rows: options.rows,
  faultsPercent: options.faults,
  seed: options.seed,
  sandboxArgs: ['--latency', '20ms'],
});
const nodes = new Map<string, Node>();
const starting: Promise<void>[] = [];

/** Again and again, as a supervisor does: a node that starts while the database is away ends with 5. */
async function start(name: string): Promise<void> {
  while (!isLate()) {
    const node = await cluster.start(name).catch(() => null);
    if (node === null) await wait(500);
    else return void nodes.set(name, node);
  }
}

const isOver = (seen: Seen): boolean => seen.closed === options.files;
const isLate = (): boolean => performance.now() - startedAt > options.limit * 60_000;

async function see(): Promise<Seen> {
  for (;;) {
    const seen = await observe(cluster.ledger);
    if (seen !== null) return seen;
    await wait(20);
  }
}

/** Seconds until any row of any file moves. */
async function nextRecord(before: Seen, from: number): Promise<number | null> {
  for (;;) {
    const seen = await see();
    if (seen.moved > before.moved) return (performance.now() - from) / 1_000;
    if (isOver(seen) || isLate()) return null;
    await wait(10);
  }
}

function note(kind: keyof typeof gaps, name: string, seconds: number | null): void {
  if (seconds !== null) gaps[kind].push(seconds);
  tell(`${kind} ${name}: next record after ${seconds === null ? '–' : `${seconds.toFixed(2)} s`}`);
}

function shuffled<T>(things: readonly T[]): readonly T[] {
  return things
    .map((thing) => ({ thing, at: random.roll() }))
    .sort((one, other) => one.at - other.at)
    .map(({ thing }) => thing);
}

function running(): Node[] {
  return [...nodes.values()].filter(({ ended }) => ended === null);
}

async function kill(): Promise<void> {
  const node = random.oneOf(running());
  const before = await see();
  node.process.kill();
  note('kill', node.name, await nextRecord(before, performance.now()));
  // As a supervisor does.
  starting.push(node.process.ended.then(() => start(node.name)));
}

async function stop(): Promise<void> {
  const node = random.oneOf(running());
  const before = await see();
  node.process.signal('SIGSTOP');
  const from = performance.now();
  note('stop', node.name, await nextRecord(before, from));
  await wait(Math.max(0, FROZEN_MS - (performance.now() - from)));
  node.process.signal('SIGCONT');
  const { code } = await node.process.ended;
  if (code !== 5) wrongEnds.push(`${node.name} woke up and ended with ${String(code)}`);
  starting.push(start(node.name));
}

async function crash(): Promise<void> {
  const before = await see();
  await cluster.database.crash();
  await wait(DOWN_MS);
  await cluster.database.start();
  note('crash', 'the database', await nextRecord(before, performance.now()));
}

let isSound = false;
try {
  await Promise.all(Array.from({ length: options.nodes }, (_, index) => start(`n${String(index + 1)}`)));
  await cluster.drop();
  const due = shuffled([
    ...Array.from({ length: options.kills }, () => kill),
    ...Array.from({ length: options.stops }, () => stop),
    ...Array.from({ length: options.crashes }, () => crash),
  ]);
  let done = 0;
  for (const disturb of due) {
    // Evenly over the way.
    const all = 5 * options.files * options.rows;
    let seen = await see();
    while (!isOver(seen) && !isLate() && seen.moved < (all * (done + 0.5)) / (due.length + 1)) {
      await wait(20);
      seen = await see();
    }
    if (isOver(seen) || isLate()) break;
    while (running().length < 2) await wait(50);
    await disturb();
    done += 1;
  }
  for (let seen = await see(); !isOver(seen) && !isLate(); seen = await see()) await wait(100);
  tell(
    `${String(done)} of ${String(due.length)} disturbances done; ${isLate() ? 'NOT all files are closed' : 'all files are closed'}`,
  );
  await Promise.all(starting);
  for (const { process: node } of running()) node.signal('SIGTERM');
  await Promise.all([...nodes.values()].map(({ process: node }) => node.ended));
  isSound = await judge();
} finally {
  for (const { process: node } of nodes.values()) node.kill();
  await cluster.close(!isSound);
}
process.exitCode = isSound ? 0 : 1;

async function judge(): Promise<boolean> {
  const { scene, ledger } = cluster;
  const { batches, missing } = await collectBatches(scene);
  const service = await collectService(scene);
  const violations = checkAnswers(batches, service);
  const { fault, batchFault, rowFault, sumFault, events } = await ledger.verifyHistory();
  const faults = [fault, batchFault, rowFault, sumFault].filter((each) => each !== null);
  tell(
    `rows ${String(scene.rows)} · transfers ${String(service.transfers.length)} · files without answers ${String(missing.length)} · violations ${String(violations.length)} · faults of the history ${String(faults.length)} of ${String(events)} events`,
  );
  for (const violation of violations.slice(0, 20)) tell(JSON.stringify(violation));
  for (const wrong of [...wrongEnds, ...faults.map((each) => JSON.stringify(each))]) tell(wrong);
  for (const [kind, seconds] of Object.entries(gaps)) tell(`${kind}: ${spread(seconds)}`);
  return [violations, missing, faults, wrongEnds].every((each) => each.length === 0);
}

function spread(seconds: readonly number[]): string {
  const sorted = [...seconds].sort((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  return sorted.length === 0 ? 'none' : `${String(sorted.length)}, median ${at(0.5)} s, most ${at(1)} s`;
}
