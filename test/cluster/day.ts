// `npm run trial -- day --files 1000 --most 100 --minutes 9`: a day of a large house in small. Files of all sizes come from many folders to nodes on one
// database, most of them in the morning, and one folder brings a heap at once. It tells whether nodes and folders have fair shares and whether memory grows;
// it fails where a small file was kept waiting by larger ones, or where an independent checker finds that any two books differ.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { cellsOf, HEADER } from '../bench/payment-files.ts';
import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { newSeed, seeded } from '../crash/seeded.ts';
import { checkAnswers } from '../invariants/check-answers.ts';
import { positive, program, wholeNumber } from '../program.ts';
import { openClusterScene, type Node } from './cluster-scene.ts';
import { at, type Dropped, tellWaits } from './who-waited.ts';

type Options = Readonly<
  Record<
    'nodes' | 'files' | 'least' | 'most' | 'folders' | 'heap' | 'minutes' | 'lanes' | 'latency' | 'seed',
    number
  >
>;

const options = program(
  'npm run trial -- day',
  'Drops a day of files into many folders of nodes that share a database, and tells who had to wait.',
)
  .option('--nodes <n>', 'nodes on the database', wholeNumber(1, 9), 3)
  .option('--files <n>', 'files of the day', wholeNumber(8), 1_000)
  .option('--least <n>', 'rows of the smallest', wholeNumber(1), 1)
  .option(
    '--most <n>',
    'rows of the largest; the logarithms of the sizes are spread evenly',
    wholeNumber(1),
    100,
  )
  .option('--folders <n>', 'folders that they come from', wholeNumber(2), 50)
  .option('--heap <n>', 'files that one of them brings at once', wholeNumber(0), 60)
  .option('--minutes <n>', 'the length of the day', positive, 9)
  .option('--lanes <n>', 'calls at once of all nodes together', wholeNumber(1), 32)
  .option('--latency <ms>', 'of the service', wholeNumber(0), 10)
  .option('--seed <n>', 'which files come when', wholeNumber(0, 10_000_000), newSeed())
  .parse()
  .opts<Options>();

/** Of the files that come one by one, so many come in the first quarter of the day. */
const MORNING = 0.4;

/** Beyond the day, what hangs is told as lost. */
const LIMIT_MS = 600_000;

const random = seeded(options.seed);
const startedAt = performance.now();
const dayMs = options.minutes * 60_000;
let dayFrom = 0;
const now = (): number => performance.now() - dayFrom;

function tell(words: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)}  ${words}\n`);
}

/** What comes when; the heap comes in the midst of the morning. */
function planned(): readonly Dropped[] {
  const size = (): number =>
    Math.round(options.least * Math.pow(options.most / options.least, random.roll()));
  return Array.from({ length: options.files }, (_none, index) => {
    const isHeap = index < options.heap;
    const inDay = random.roll() < MORNING ? random.roll() / 4 : 1 / 4 + (3 * random.roll()) / 4;
    return {
      name: `f${String(index).padStart(5, '0')}.csv`,
      folder: isHeap ? 0 : 1 + Math.floor(random.roll() * (options.folders - 1)),
      rows: size(),
      at: isHeap ? dayMs / 8 : inDay * dayMs,
      isHeap,
      confirmedAt: null,
      closedAt: null,
    };
  }).sort((one, other) => one.at - other.at);
}

const folderName = (folder: number): string => `team-${String(folder).padStart(2, '0')}`;

tell(`seed ${String(options.seed)}`);
const files = planned();
const rows = files.reduce((sum, file) => sum + file.rows, 0);
const cluster = await openClusterScene({
  files: 1,
  rows: 1,
  seed: options.seed,
  fsync: true,
  sandboxArgs: ['--latency', `${String(options.latency)}ms`, '--settle', '100ms'],
  config: `service: { concurrency: ${String(options.lanes)} }`,
});
const { database } = cluster;
const scene = {
  ...cluster.scene,
  files: files.map(({ name }) => join(cluster.scene.folder, name)),
  rows,
};
const nodes: Node[] = [];
const memory = new Map<string, { readonly at: number; readonly mb: number }[]>();

/** All rows of the day are payments to different people. */
async function write(): Promise<void> {
  let next = 0;
  for (const { name, rows: count } of files) {
    const lines = Array.from({ length: count }, (_none, index) => cellsOf(next + index, 'wallet').join(','));
    next += count;
    await writeFile(join(scene.folder, name), `${[HEADER.join(','), ...lines].join('\n')}\n`);
  }
}

async function drop({ name, folder }: Dropped): Promise<void> {
  const inbox = join(scene.workspace, 'inbox', folderName(folder));
  const beside = join(scene.folder, `dropped-${name}`);
  await mkdir(inbox, { recursive: true });
  await writeFile(beside, await readFile(join(scene.folder, name)));
  await rename(beside, join(inbox, name));
}

async function topUp(): Promise<void> {
  const { status } = await fetch(`${scene.sandbox.baseUrl}/sandbox/top-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': scene.sandbox.apiKey },
    body: JSON.stringify({ currency: 'XAF', amount: 1_000_000 * rows }),
  });
  if (status !== 200) throw new Error(`The sandbox takes no money: ${String(status)}.`);
}

const CLOSED = `SELECT record::json ->> 'fileName' AS name FROM batches WHERE state IN ('closed', 'refused')`;
/** Files that had no confirm when they were asked about last, and have one now. */
const CONFIRMED = `
  SELECT f.record::json ->> 'fileName' AS name FROM batches f
   WHERE f.record::json ->> 'fileName' = ANY ($1)
     AND EXISTS (SELECT 1 FROM row_states s WHERE s.batch = f.id AND s.stage IN ('confirmed', 'paid', 'failed'))`;
const WORK = `
  SELECT coalesce(b.note::json ->> 'node', r.host) AS node, count(DISTINCT g.batch)::int AS files, sum(g.last - g.seq + 1)::int AS events
    FROM groups g JOIN runs r ON r.run = g.run LEFT JOIN beats b ON b.run = g.run WHERE g.from_position IS NOT NULL GROUP BY 1 ORDER BY 1`;

async function look(open: Map<string, Dropped>): Promise<void> {
  const unconfirmed = [...open.values()].filter(({ confirmedAt }) => confirmedAt === null);
  const names = unconfirmed.map(({ name, folder }) => `${folderName(folder)}/${name}`);
  for (const { name } of await database.ask(CONFIRMED, [
    [...names, ...unconfirmed.map((file) => file.name)],
  ])) {
    const file = open.get(basename(String(name)));
    if (file !== undefined) file.confirmedAt = now();
  }
  for (const { name } of await database.ask(CLOSED)) {
    const key = basename(String(name));
    const file = open.get(key);
    if (file === undefined) continue;
    file.closedAt = now();
    open.delete(key);
  }
}

async function weigh(): Promise<void> {
  for (const { name, process: node } of nodes) {
    const status = await readFile(`/proc/${String(node.pid)}/status`, 'utf8');
    const mb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_000;
    memory.set(name, [...(memory.get(name) ?? []), { at: now(), mb }]);
  }
}

let isSound = false;
try {
  await write();
  await topUp();
  nodes.push(
    ...(await Promise.all(
      Array.from({ length: options.nodes }, (_none, index) => cluster.start(`n${String(index + 1)}`)),
    )),
  );
  tell(
    `${String(files.length)} files, ${String(rows)} rows of ${String(options.folders)} folders, ${String(options.nodes)} nodes`,
  );
  dayFrom = performance.now();
  const open = new Map<string, Dropped>();
  let next = 0;
  let weighedAt = -Infinity;
  while ((next < files.length || open.size > 0) && now() < dayMs + LIMIT_MS) {
    for (let file = files[next]; file !== undefined && file.at <= now(); file = files[next]) {
      open.set(file.name, file);
      await drop(file);
      next += 1;
    }
    await look(open);
    if (now() - weighedAt > dayMs / 36) {
      weighedAt = now();
      await weigh();
      tell(
        `… ${String(next)} files dropped, ${String(open.size)} open · MB ${nodes.map(({ name }) => `${name} ${(memory.get(name)?.at(-1)?.mb ?? 0).toFixed(0)}`).join(', ')}`,
      );
    }
    await wait(200);
  }
  tell(open.size > 0 ? `NOT all files are closed: ${String(open.size)}` : 'all files are closed');
  const work = await database.ask(WORK);
  for (const { process: node } of nodes) node.signal('SIGTERM');
  const codes = await Promise.all(nodes.map(async ({ process: node }) => (await node.ended).code));
  tell(`nodes ended with ${codes.join(', ')}`);
  report(work);
  const isFair = tellWaits(files, tell);
  isSound = (await judge()) && isFair && codes.every((code) => code === 0);
} finally {
  for (const { process: node } of nodes) node.kill();
  await cluster.close(!isSound);
}
process.exitCode = isSound ? 0 : 1;

function report(work: readonly Record<string, unknown>[]): void {
  const all = work.reduce((sum, { events }) => sum + Number(events), 0);
  for (const { node, files: carried, events } of work)
    tell(
      `${String(node)}: ${String(carried)} files, ${((100 * Number(events)) / all).toFixed(1)} % of the records`,
    );
  for (const [name, weights] of memory) {
    const of = (from: number, to: number): number =>
      at(
        0.5,
        weights.filter((each) => each.at >= from * dayMs && each.at < to * dayMs).map(({ mb }) => mb),
      );
    const quarters = [0, 1, 2, 3].map((quarter) => of(quarter / 4, (quarter + 1) / 4).toFixed(0));
    tell(
      `${name}: MB by quarter of the day ${quarters.join(', ')}; most ${Math.max(...weights.map(({ mb }) => mb)).toFixed(0)}`,
    );
  }
}

async function judge(): Promise<boolean> {
  const { batches, missing } = await collectBatches(scene);
  const service = await collectService(scene);
  const violations = checkAnswers(batches, service);
  const { fault, batchFault, rowFault, sumFault, events } = await cluster.ledger.history.verify();
  const faults = [fault, batchFault, rowFault, sumFault].filter((each) => each !== null);
  const count = (kind: string): string => String(violations.filter((found) => found.kind === kind).length);
  tell(
    `rows ${String(rows)} · transfers ${String(service.transfers.length)} · files without answers ${String(missing.length)} · twice ${count('double')} · lost ${count('lost')} · differences ${count('difference')} · faults of the history ${String(faults.length)} of ${String(events)} events`,
  );
  for (const violation of violations.slice(0, 20)) tell(JSON.stringify(violation));
  return [violations, missing, faults].every((each) => each.length === 0);
}
