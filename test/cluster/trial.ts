// `npm run trial -- cluster --kills 40 --stops 10 --cuts 10 --crashes 4 --fail-overs 1 --lost 20`: nodes on one database are killed, frozen and cut off
// until they were given up, their database is crashed or lost, and its answers are, while they pay; an independent checker says whether anything was paid
// twice, any row was lost, or any two books differ.
import { setTimeout as wait } from 'node:timers/promises';

import { checkAnswers } from '../invariants/check-answers.ts';
import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { newSeed, seeded } from '../crash/seeded.ts';
import { program, wholeNumber } from '../program.ts';
import { openClusterScene, type Node } from './cluster-scene.ts';
import {
  carriersOf,
  groupsBehind,
  isGoneOn,
  lastGroup,
  progressOf,
  type Carrier,
  type Progress,
} from './watch-cluster.ts';

type Options = Readonly<
  Record<
    | 'nodes'
    | 'files'
    | 'rows'
    | 'kills'
    | 'stops'
    | 'cuts'
    | 'crashes'
    | 'failOvers'
    | 'lost'
    | 'lanes'
    | 'faults'
    | 'seed'
    | 'minutes'
    | 'limit',
    number
  >
>;

const options = program(
  'npm run trial -- cluster',
  'Disturbs nodes that share a database while they pay, and compares all books.',
)
  .option('--nodes <n>', 'nodes on the database', wholeNumber(2, 9), 3)
  .option('--files <n>', 'files that are dropped', wholeNumber(1, 26), 10)
  .option('--rows <n>', 'rows of each', wholeNumber(1), 200)
  .option('--kills <n>', 'nodes that are killed', wholeNumber(0), 6)
  .option('--stops <n>', 'nodes that are frozen for nine seconds', wholeNumber(0), 1)
  .option('--cuts <n>', 'nodes whose way to the database is silent for nine seconds', wholeNumber(0), 1)
  .option('--crashes <n>', 'crashes of the database', wholeNumber(0), 1)
  .option('--fail-overs <n>', 'losses of the database, whose standby takes over', wholeNumber(0), 0)
  .option('--lost <n>', 'commits whose answer is lost with the connection', wholeNumber(0), 1)
  .option('--lanes <n>', 'calls at once of all nodes together', wholeNumber(1), 16)
  .option('--faults <percent>', 'calls that go wrong', wholeNumber(0, 100), 0)
  .option('--seed <n>', 'when what happens, and what goes wrong', wholeNumber(0, 10_000_000), newSeed())
  .option('--minutes <n>', 'after which nothing more is disturbed', wholeNumber(1), 8)
  .option('--limit <minutes>', 'more, after which what hangs is told as lost', wholeNumber(1), 8)
  .parse()
  .opts<Options>();

const KINDS = ['kill', 'stop', 'cut', 'crash', 'fail-over', 'lost answer'] as const;
type Kind = (typeof KINDS)[number];

/** Longer than a node is waited for. */
const AWAY_MS = 9_000;
const DOWN_MS = 1_500;

/** Shorter than a node is waited for: it is not given up. */
const UNHEARD_MS = 2_000;

/** One that has come back and does not end by then never will. */
const END_MS = 60_000;

/** Of a row, from its registration to its end. */
const STEPS = 5;

const random = seeded(options.seed);
const startedAt = performance.now();
const gaps: Record<Kind, number[]> = {
  kill: [],
  stop: [],
  cut: [],
  crash: [],
  'fail-over': [],
  'lost answer': [],
};
const done: Record<Kind, number> = { kill: 0, stop: 0, cut: 0, crash: 0, 'fail-over': 0, 'lost answer': 0 };
/** Commits that the database made and nobody was told of. */
let unheard = 0;
const oddWords: string[] = [];

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
  config: `service: { concurrency: ${String(options.lanes)} }`,
  hasStandby: options.failOvers > 0,
});
const { database } = cluster;
const nodes = new Map<string, Node>();
const starting: Promise<void>[] = [];

/** Again and again, as a supervisor does: a node that starts while the database is away ends with 5. */
async function start(name: string): Promise<void> {
  while (!isLate()) {
    const node = await cluster.start(name);
    if (node.ended === null) {
      nodes.set(name, node);
      return;
    }
    noteEnd(node, [5]);
    await wait(200);
  }
}

/** What nobody should have to read, and ends that nobody asked for. */
function noteEnd({ name, ended }: Node, codes: readonly (number | null)[]): void {
  const { code = null, stderr = '' } = ended ?? {};
  if (!codes.includes(code)) oddWords.push(`${name} ended with ${String(code)}: ${stderr.slice(-2_000)}`);
  else if (/^\s+at .+[):]\d*|node:internal/m.test(stderr)) oddWords.push(`${name}: ${stderr.slice(-2_000)}`);
}

const isOver = (seen: Progress): boolean => seen.closed === options.files;
const minutes = (): number => (performance.now() - startedAt) / 60_000;
const isLate = (): boolean => minutes() > options.minutes + options.limit;

async function see(): Promise<Progress> {
  for (;;) {
    const seen = await progressOf(database);
    if (seen !== null) return seen;
    await wait(20);
  }
}

/** Seconds until another run has recorded a row of these files; null where nothing was left of them to record. */
async function untilGoneOn(behind: number, carrier: Pick<Carrier, 'run' | 'files'>): Promise<number | null> {
  const from = performance.now();
  while (!(await isGoneOn(database, behind, carrier))) {
    if (isLate() || performance.now() - from > 60_000) return null;
    await wait(10);
  }
  return (performance.now() - from) / 1_000;
}

function note(kind: Kind, name: string, seconds: number | null): void {
  done[kind] += 1;
  if (seconds !== null) gaps[kind].push(seconds);
  tell(`${kind} ${name}: next record ${seconds === null ? 'never seen' : `after ${seconds.toFixed(2)} s`}`);
}

function running(): Node[] {
  return [...nodes.values()].filter(({ ended }) => ended === null);
}

/** A node with files under way, once there is one; null where all is over. */
async function victim(): Promise<{ readonly node: Node; readonly carrier: Carrier } | null> {
  while (!isLate() && !isOver(await see())) {
    const found = (await carriersOf(database)).flatMap((carrier) => {
      const node = running().find(({ name }) => name === carrier.name);
      return node === undefined ? [] : [{ node, carrier }];
    });
    if (found.length > 0) return random.oneOf(found);
    await wait(50);
  }
  return null;
}

async function kill(): Promise<void> {
  const found = await victim();
  if (found === null) return;
  const { node, carrier } = found;
  const behind = await lastGroup(database);
  node.process.kill();
  // As a supervisor does.
  const restarted = node.process.ended.then(() => start(node.name));
  starting.push(restarted);
  note('kill', node.name, await untilGoneOn(behind, carrier));
}

/** Away for longer than it is waited for: the others go on, and it ends by itself. */
async function away(kind: Kind, leave: (node: Node) => void, comeBack: (node: Node) => void): Promise<void> {
  const found = await victim();
  if (found === null) return;
  const { node, carrier } = found;
  const behind = await lastGroup(database);
  leave(node);
  const from = performance.now();
  note(kind, node.name, await untilGoneOn(behind, carrier));
  await wait(Math.max(0, AWAY_MS - (performance.now() - from)));
  comeBack(node);
  await Promise.race([node.process.ended, wait(END_MS, null, { ref: false })]);
  noteEnd(node, [5]);
  node.process.kill();
  await node.process.ended;
  starting.push(start(node.name));
}

const stop = (): Promise<void> =>
  away(
    'stop',
    ({ process: each }) => each.signal('SIGSTOP'),
    ({ process: each }) => each.signal('SIGCONT'),
  );

const cut = (): Promise<void> =>
  away(
    'cut',
    ({ gate }) => gate.silence(),
    ({ gate }) => gate.open(),
  );

/** Seconds from the moment at which the database is there again, or another one in its place, to the next record of any row. */
async function ofDatabase(kind: Kind, disturb: () => Promise<void>): Promise<void> {
  const files = (await carriersOf(database)).flatMap((carrier) => carrier.files);
  if (files.length === 0) return;
  await disturb();
  note(kind, 'the database', await untilGoneOn(await lastGroup(database), { run: '', files }));
}

const crash = (): Promise<void> =>
  ofDatabase('crash', async () => {
    await database.crash();
    await wait(DOWN_MS);
    await database.restart();
  });

/** The database has made a commit, and its answer never arrives: the node has to find out by itself, and goes on. */
async function loseAnswer(): Promise<void> {
  const found = await victim();
  if (found === null) return;
  const { node, carrier } = found;
  node.gate.deafen();
  const behind = await lastGroup(database);
  const from = performance.now();
  let groups = 0;
  while (groups === 0 && performance.now() - from < UNHEARD_MS) {
    await wait(5);
    groups = await groupsBehind(database, behind, carrier.run);
  }
  node.gate.hangUp();
  unheard += groups;
  note('lost answer', node.name, await untilGoneOn(await lastGroup(database), { ...carrier, run: '' }));
  if (node.ended !== null) noteEnd(node, []);
}

const failOver = (): Promise<void> => ofDatabase('fail-over', () => database.failOver());

function shuffled<T>(things: readonly T[]): readonly T[] {
  return things
    .map((thing) => ({ thing, at: random.roll() }))
    .sort((one, other) => one.at - other.at)
    .map(({ thing }) => thing);
}

let isSound = false;
try {
  await Promise.all(Array.from({ length: options.nodes }, (_, index) => start(`n${String(index + 1)}`)));
  await cluster.drop();
  const due = shuffled(
    (
      [
        [kill, options.kills],
        [stop, options.stops],
        [cut, options.cuts],
        [crash, options.crashes],
        [failOver, options.failOvers],
        [loseAnswer, options.lost],
      ] as const
    ).flatMap(([disturb, times]) => Array.from({ length: times }, () => disturb)),
  );
  for (const [index, disturb] of due.entries()) {
    // Evenly over the way.
    const all = STEPS * options.files * options.rows;
    let seen = await see();
    while (!isOver(seen) && !isLate() && seen.steps < (all * (index + 0.5)) / (due.length + 1)) {
      await wait(50);
      seen = await see();
    }
    while (!isOver(seen) && running().length < 2) await wait(50);
    if (isOver(seen) || minutes() > options.minutes) break;
    await disturb();
  }
  for (let seen = await see(); !isOver(seen) && !isLate(); seen = await see()) await wait(100);
  tell(isLate() ? 'NOT all files are closed' : 'all files are closed');
  await Promise.all(starting);
  const left = running();
  for (const { process: node } of left) node.signal('SIGTERM');
  for (const node of left) {
    await node.process.ended;
    // With work left it says so.
    noteEnd(node, isLate() ? [0, 5] : [0]);
  }
  isSound = await judge();
} finally {
  for (const { process: node } of nodes.values()) node.kill();
  if (!isSound) tell(`kept in ${cluster.scene.folder}`);
  await cluster.close(!isSound);
}
process.exitCode = isSound ? 0 : 1;

async function judge(): Promise<boolean> {
  const { scene, ledger } = cluster;
  const { batches, missing } = await collectBatches(scene);
  const service = await collectService(scene);
  const violations = checkAnswers(batches, service);
  const { fault, batchFault, rowFault, sumFault, events } = await ledger.history.verify();
  const faults = [fault, batchFault, rowFault, sumFault].filter((each) => each !== null);
  const count = (kind: string): string => String(violations.filter((found) => found.kind === kind).length);
  tell(
    `rows ${String(scene.rows)} · transfers ${String(service.transfers.length)} · files without answers ${String(missing.length)} · twice ${count('double')} · lost ${count('lost')} · differences ${count('difference')} · odd words ${String(oddWords.length)} · faults of the history ${String(faults.length)} of ${String(events)} events`,
  );
  for (const violation of violations.slice(0, 20)) tell(JSON.stringify(violation));
  for (const wrong of [...oddWords, ...faults.map((each) => JSON.stringify(each))]) tell(wrong);
  for (const kind of KINDS) tell(`${kind}: ${String(done[kind])}, ${spread(gaps[kind])}`);
  tell(`commits whose answer was lost: ${String(unheard)}`);
  tell(`seconds ${JSON.stringify(gaps)}`);
  return [violations, missing, faults, oddWords].every((each) => each.length === 0);
}

function spread(seconds: readonly number[]): string {
  const sorted = [...seconds].sort((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  return sorted.length === 0
    ? 'none measured'
    : `median ${at(0.5)} s, 95 of 100 within ${at(0.95)} s, most ${at(1)} s`;
}
