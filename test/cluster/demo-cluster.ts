// `npm run demo:cluster`: three nodes on one database pay ten files. One is killed, one is frozen until the others have given it up, and the database
// crashes. It ends with a comparison with the books of the service, and with 1 where they differ. Everything runs on this machine, with play money.
import { setTimeout as wait } from 'node:timers/promises';

import { checkAnswers } from '../invariants/check-answers.ts';
import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { openClusterScene, type Node } from './cluster-scene.ts';
import { observe, type Seen } from './observe-cluster.ts';
import { carriersOf, isGoneOn, lastGroup, type Carrier } from './watch-cluster.ts';

const FILES = 10;
const ROWS = 200;
const LANES = 16;

/** What is recorded of all rows on their way to the end. */
const STEPS = 5 * FILES * ROWS;

/** Longer than a node is waited for. */
const FROZEN_MS = 8_000;

/** Its supervisor restarts a crashed database; here that takes so long. */
const DOWN_MS = 2_000;

/** Beyond this something hangs. */
const LIMIT_MS = 240_000;

const startedAt = performance.now();

function tell(words: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)}  ${words}\n`);
}

const cluster = await openClusterScene({
  files: FILES,
  rows: ROWS,
  sandboxArgs: ['--latency', '30ms'],
  config: `service: { concurrency: ${String(LANES)} }`,
  fsync: true,
});
const { scene, ledger, database } = cluster;
let last: Seen | null = null;
const nodes = new Map<string, Node>();

async function start(name: string, words: string): Promise<void> {
  nodes.set(name, await cluster.start(name));
  tell(`${name} ${words}`);
}

/** Looks until it is so; tells every second how far things are. */
async function until(isSo: (seen: Seen) => boolean): Promise<Seen> {
  for (let toldAt = -Infinity; ;) {
    const seen = await observe(ledger);
    if (seen !== null && isSo(seen)) return (last = seen);
    if (performance.now() - startedAt > LIMIT_MS) throw new Error('It takes too long.');
    if (performance.now() - toldAt > 1_000) {
      toldAt = performance.now();
      tell(seen === null ? '… the database does not answer' : progress(seen));
    }
    await wait(50);
  }
}

function progress({ files, closed, ended, carried }: Seen): string {
  const by = [...carried].sort().map(([node, count]) => `${node} has ${String(count)}`);
  const words = by.length === 0 ? '' : ` · files under way: ${by.join(', ')}`;
  return `… ${String(ended)} of ${String(FILES * ROWS)} rows ended · ${String(closed)} of ${String(files)} files closed${words}`;
}

/** Seconds until another run than this one records a row of these files; null where they were closed by then. */
async function goesOn(carrier: Pick<Carrier, 'run' | 'files'>): Promise<string | null> {
  const from = performance.now();
  const behind = await lastGroup(database);
  let isClosed = false;
  while (!(await isGoneOn(database, behind, carrier)) && !isClosed)
    isClosed = (await until(() => true)).closed === FILES;
  return isClosed ? null : ((performance.now() - from) / 1_000).toFixed(1);
}

function tellNext(seconds: string | null, of: string): void {
  tell(
    seconds === null ? `nothing was left to record ${of}` : `the next record ${of} came ${seconds} s later`,
  );
}

/** The files that a node has, by its name. */
async function filesOf(name: string): Promise<Carrier> {
  const found = (await carriersOf(database)).find((carrier) => carrier.name === name);
  return found ?? { name, run: '', files: [] };
}

/** The node that has most, of those that are not left out. */
function busiest(without: readonly string[]): Node {
  const [name] = [...(last?.carried ?? [])]
    .filter(([node]) => !without.includes(node))
    .sort(([, one], [, other]) => other - one)[0] ?? [
    [...nodes.keys()].find((node) => !without.includes(node)) ?? '',
  ];
  const node = nodes.get(name);
  if (node === undefined) throw new Error('There is a node.');
  return node;
}

async function ended(node: Node): Promise<number | null> {
  return (await node.process.ended).code;
}

let isSound = false;
try {
  await Promise.all(['n1', 'n2', 'n3'].map((name) => start(name, 'watches')));
  await cluster.drop();
  tell(`${String(FILES)} files of ${String(ROWS)} rows are dropped into the inbox that they share`);
  await until(({ moved }) => moved > STEPS * 0.15);
  const killed = busiest([]);
  const had = await filesOf(killed.name);
  killed.process.kill();
  tell(`${killed.name} is killed; it had ${String(had.files.length)} files under way`);
  tellNext(await goesOn(had), 'of these files, by another node,');
  // While rows are under way: the killed node starts again behind it.
  const underWay = (await carriersOf(database)).flatMap(({ files }) => files);
  await database.crash();
  tell(`the database crashes, with ${String(underWay.length)} files under way`);
  await wait(DOWN_MS);
  await database.restart();
  tell('the database is back');
  tellNext(await goesOn({ run: '', files: underWay }), 'of any row');
  const frozen = busiest([killed.name]);
  frozen.process.signal('SIGSTOP');
  const frozenAt = performance.now();
  tell(`${frozen.name} is frozen for ${String(FROZEN_MS / 1_000)} s`);
  await until(({ carried }) => !carried.has(frozen.name) || performance.now() - frozenAt > FROZEN_MS);
  tell(`${frozen.name} was given up after ${((performance.now() - frozenAt) / 1_000).toFixed(1)} s`);
  await start(killed.name, 'starts again');
  await wait(Math.max(0, FROZEN_MS - (performance.now() - frozenAt)));
  frozen.process.signal('SIGCONT');
  const code = await ended(frozen);
  tell(`${frozen.name} wakes up, finds that it was given up, and ends itself with ${String(code)}`);
  await start(frozen.name, 'starts again');
  await until(({ closed }) => closed === FILES);
  tell('all files are closed');
  for (const { process: node } of nodes.values()) node.signal('SIGTERM');
  const codes = await Promise.all([...nodes.values()].map(ended));
  isSound = (await judge()) && codes.every((each) => each === 0);
  if (!isSound) tell(`the nodes ended with ${codes.join(', ')}`);
} finally {
  for (const { process: node } of nodes.values()) node.kill();
  await cluster.close(!isSound);
}
process.exitCode = isSound ? 0 : 1;

/** The answers and the books of the service side by side. */
async function judge(): Promise<boolean> {
  const { batches, missing } = await collectBatches(scene);
  const service = await collectService(scene);
  const violations = checkAnswers(batches, service);
  const history = await ledger.history.verify();
  const isIntact = [history.fault, history.batchFault, history.rowFault, history.sumFault].every(
    (each) => each === null,
  );
  const paid = service.transfers.filter(({ status }) => status === 'paid').length;
  const failed = service.transfers.filter(({ status }) => status === 'failed').length;
  tell(
    `rows ${String(FILES * ROWS)} · transfers ${String(service.transfers.length)}, paid ${String(paid)}, failed on purpose ${String(failed)} · files without answers ${String(missing.length)}`,
  );
  tell(
    `differences between answers and books: ${String(violations.length)} · events in the history ${String(history.events)}, ${isIntact ? 'all unchanged' : 'CHANGED'}`,
  );
  for (const violation of violations.slice(0, 20)) tell(JSON.stringify(violation));
  return violations.length === 0 && missing.length === 0 && isIntact;
}
