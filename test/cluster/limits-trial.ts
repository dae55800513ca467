// `npm run trial -- limits --nodes 4 --per-second 200 --lanes 32`: nodes on one database come and go while they pay, and what arrives at the service is
// counted: never more calls at once, in any second, or of money in a day than the config allows. With `--bears` the service has a limit of its own.
import { setTimeout as wait } from 'node:timers/promises';

import { addDecimals, compareDecimals, type DecimalText } from '../../src/base/decimal.ts';
import { collectService } from '../crash/collect-evidence.ts';
import { newSeed, seeded } from '../crash/seeded.ts';
import { program, wholeNumber } from '../program.ts';
import { CallMeter } from './call-meter.ts';
import { openClusterScene, type Node } from './cluster-scene.ts';
import { progressOf } from './watch-cluster.ts';

type Options = Readonly<
  Record<
    | 'nodes'
    | 'files'
    | 'rows'
    | 'lanes'
    | 'perSecond'
    | 'bears'
    | 'dayLimit'
    | 'changes'
    | 'latency'
    | 'seed',
    number
  >
>;

const options = program(
  'npm run trial -- limits',
  'Counts what nodes that come and go ask of a service together.',
)
  .option('--nodes <n>', 'nodes on the database', wholeNumber(1, 9), 4)
  .option('--files <n>', 'files that are dropped', wholeNumber(1, 26), 12)
  .option('--rows <n>', 'rows of each', wholeNumber(1), 100)
  .option('--lanes <n>', 'calls at once of all nodes together', wholeNumber(1), 32)
  .option('--per-second <n>', 'calls a second of all nodes together', wholeNumber(1), 200)
  .option('--bears <n>', 'calls a second that the service bears', wholeNumber(1), 1_000_000)
  .option('--day-limit <xaf>', 'what may be paid in a day; 0 for no limit', wholeNumber(0), 0)
  .option('--changes <n>', 'nodes that are killed, stopped, frozen or started', wholeNumber(0), 8)
  .option('--latency <ms>', 'of the service', wholeNumber(0), 20)
  .option('--seed <n>', 'what happens, and to whom', wholeNumber(0, 10_000_000), newSeed())
  .parse()
  .opts<Options>();

const LIMIT_MS = 300_000;
/** Nothing more is paid when nothing has moved for so long. */
const STILL_MS = 40_000;
const FROZEN_MS = 7_000;

const random = seeded(options.seed);
const startedAt = performance.now();

function tell(words: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)}  ${words}\n`);
}

tell(`seed ${String(options.seed)}`);
// Of a currency that a limit does not name nothing is paid.
const limits =
  options.dayLimit === 0
    ? ''
    : `limits: { perDay: [${String(options.dayLimit)} XAF, 1000000000 EUR, 1000000000 USD] }`;
const cluster = await openClusterScene({
  files: options.files,
  rows: options.rows,
  sandboxArgs: ['--latency', `${String(options.latency)}ms`],
  config: `service: { concurrency: ${String(options.lanes)}, requestsPerSecond: ${String(options.perSecond)} }\n${limits}`,
});
const { scene, database } = cluster;
const meter = new CallMeter(options.bears);
scene.watched.watch(meter.watcher);
const nodes = new Map<string, Node>();
let mostInADay: DecimalText = '0';

const running = (): Node[] => [...nodes.values()].filter(({ ended }) => ended === null);

async function start(name: string): Promise<void> {
  const node = await cluster.start(name);
  if (node.ended !== null)
    throw new Error(`${name} ended with ${String(node.ended.code)}: ${node.ended.stderr}`);
  nodes.set(name, node);
}

/** What left the account, or is on its way, as the service's own book says at this moment. */
async function look(): Promise<void> {
  const { books } = await collectService(scene);
  const xaf = books.find(({ currency }) => currency === 'XAF');
  const gone = addDecimals(xaf?.pendingAmount ?? '0', xaf?.debitedAmount ?? '0');
  if (compareDecimals(gone, mostInADay) > 0) mostInADay = gone;
}

/** One node is killed, ended, or frozen for longer than it is waited for; or one that has gone comes back. */
async function change(): Promise<void> {
  const gone = [...nodes.values()].filter(({ ended }) => ended !== null);
  const here = running();
  const back = gone.length > 0 && (here.length < 2 || random.roll() < 0.5) ? random.oneOf(gone) : null;
  if (back !== null) {
    await start(back.name);
    tell(`${back.name} starts`);
    return;
  }
  const { name, process: node } = random.oneOf(here);
  const how = random.oneOf(['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const);
  node.signal(how);
  tell(`${name} gets ${how}`);
  if (how === 'SIGSTOP') {
    await wait(FROZEN_MS);
    node.signal('SIGCONT');
  }
  await Promise.race([nodes.get(name)?.process.ended, wait(5_000, null, { ref: false })]);
}

let isSound = false;
try {
  await Promise.all(Array.from({ length: options.nodes }, (_, index) => start(`n${String(index + 1)}`)));
  await cluster.drop();
  let [steps, movedAt, changes] = [0, performance.now(), 0];
  let changeAt = performance.now() + 3_000;
  for (;;) {
    const seen = await progressOf(database);
    const now = performance.now();
    if (seen !== null && seen.steps > steps) [steps, movedAt] = [seen.steps, now];
    if (seen?.closed === options.files || now - movedAt > STILL_MS || now - startedAt > LIMIT_MS) break;
    if (changes < options.changes && now > changeAt) {
      changes += 1;
      await change();
      changeAt = performance.now() + 1_000 + 2_000 * random.roll();
    } else if (changes === options.changes)
      for (const { name, ended } of nodes.values()) if (ended !== null) await start(name);
    if (options.dayLimit > 0) await look();
    await wait(200);
  }
  const { calls, seconds, refused, mostAtOnce, worstSecond } = meter.seen;
  const closed = (await progressOf(database))?.closed ?? 0;
  tell(
    `${String(changes)} changes · ${String(closed)} of ${String(options.files)} files closed · ${String(calls)} calls in ${seconds.toFixed(1)} s, ${(calls / seconds).toFixed(1)} a second, refused ${String(refused)}`,
  );
  tell(
    `at once ${String(mostAtOnce)} of ${String(options.lanes)} · worst second ${String(worstSecond)} of ${String(options.perSecond)} · XAF of the day ${mostInADay} of ${String(options.dayLimit)}`,
  );
  isSound =
    mostAtOnce <= options.lanes &&
    worstSecond <= options.perSecond &&
    // Where nothing was paid, no limit was tried.
    closed > 0 &&
    (options.dayLimit === 0 || compareDecimals(mostInADay, String(options.dayLimit)) <= 0);
} finally {
  for (const { process: node } of nodes.values()) node.kill();
  await Promise.all([...nodes.values()].map(({ process: node }) => node.ended));
  await cluster.close();
}
process.exitCode = isSound ? 0 : 1;
