// `npm run trial -- migration --files 20 --rows 5000`: a ledger with files in every state moves to a database while rows are under way, is paid on there by
// three nodes, moves back, and is paid to the end. An independent checker says whether anything was paid twice, any row was lost, or any two books differ.
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';

import { systemClock } from '../../src/base/clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger, type LedgerPlace } from '../../src/ledger/open-ledger.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { openScene } from '../crash/crash-scene.ts';
import { startPaydrop, type Ended, type Started } from '../crash/processes.ts';
import { checkAnswers } from '../invariants/check-answers.ts';
import { program, wholeNumber } from '../program.ts';
import { ClusterDatabase } from './cluster-database.ts';
import { progressOf, type Progress } from './watch-cluster.ts';

type Options = Readonly<Record<'files' | 'rows' | 'nodes' | 'lanes' | 'due' | 'minutes', number>>;

const options = program(
  'npm run trial -- migration',
  'Moves a ledger to a database and back while its files are paid, and compares all books.',
)
  .option('--files <n>', 'files that are dropped', wholeNumber(6, 26), 20)
  .option('--rows <n>', 'rows of each', wholeNumber(40), 5_000)
  .option('--nodes <n>', 'nodes on the database', wholeNumber(1, 9), 3)
  .option('--lanes <n>', 'calls at once', wholeNumber(1), 32)
  .option('--due <minutes>', 'after which scheduled and standing files are paid', wholeNumber(1), 4)
  .option('--minutes <n>', 'after which what hangs is told as lost', wholeNumber(1), 60)
  .parse()
  .opts<Options>();

/** The folders of the inbox that have rules of their own; all files but one each lie in the inbox's `plain`. */
const ROLES = ['approved', 'asked', 'later', 'standing'] as const;
type Folder = 'plain' | (typeof ROLES)[number];

/** Above it rows are held: one in twenty of those that say what is sent, which is from 100.25 to 399.25. */
const MOST_EUR = 100 + Math.floor(Math.min(300, options.rows) * 0.95);

/** Of all steps of all rows: when the ledger moves there, and back. */
const MOVES_AT = [0.25, 0.55] as const;

const STEPS = 5 * options.files * options.rows;
const startedAt = performance.now();
const faults: string[] = [];

function tell(words: string): void {
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(7)}  ${words}\n`);
}

const isLate = (): boolean => performance.now() - startedAt > options.minutes * 60_000;

/** Once a day, the first time some minutes from now. */
function cronOf(minutes: number): string {
  const at = new Date(Date.now() + minutes * 60_000);
  return `"${String(at.getUTCMinutes())} ${String(at.getUTCHours())} * * *"`;
}

const due = cronOf(options.due);
const scene = await openScene({
  files: options.files,
  rows: options.rows,
  sandboxArgs: ['--settle', '50ms'],
  config: [
    'metrics: { listen: null }',
    'intake: { settleFor: 100ms, scanEvery: 1s }',
    'tracking: { pollEvery: 2s }',
    `service: { concurrency: ${String(options.lanes)} }`,
    `limits: { perRow: [1000000000 XAF, ${String(MOST_EUR)} EUR, 1000000000 USD] }`,
    'tenants: [{ folder: plain }, { folder: approved, policy: { approval: required } }, { folder: asked, policy: { approval: required } }]',
    `schedules: [{ folder: later, cron: ${due}, timeZone: UTC }, { folder: standing, cron: ${due}, timeZone: UTC, standing: true }]`,
  ].join('\n'),
});
const database = await ClusterDatabase.start({ fsync: true });
const url = `postgres://postgres@127.0.0.1:${String(database.port)}/postgres?schema=paydrop`;
const path = join(scene.workspace, 'ledger.sqlite');
const shared: LedgerPlace = { url, password: null, giveUpAfterMs: 5_000 };
const inFile = join(scene.folder, 'paydrop.yaml');
const service = { baseUrl: scene.sandbox.baseUrl, apiKey: scene.sandbox.apiKey };

/** With what the sandbox opens, not so many rows can be paid. */
async function topUp(): Promise<void> {
  for (const currency of ['XAF', 'EUR', 'USD']) {
    const { status } = await fetch(`${scene.sandbox.baseUrl}/sandbox/top-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': scene.sandbox.apiKey },
      body: JSON.stringify({ currency, amount: 1_000_000 * options.files * options.rows }),
    });
    if (status !== 200) throw new Error(`The sandbox takes no money: ${String(status)}.`);
  }
}

function folderOf(index: number): Folder {
  return ROLES[index - (scene.files.length - ROLES.length)] ?? 'plain';
}

async function drop(): Promise<void> {
  const documents = (await readdir(scene.folder)).filter((name) => name.endsWith('.pdf'));
  for (const [index, file] of scene.files.entries()) {
    const folder = join(scene.workspace, 'inbox', folderOf(index));
    await mkdir(folder, { recursive: true });
    const mark = basename(file, '.csv').slice(-1).toUpperCase();
    for (const name of documents.filter((each) => each.endsWith(`-${mark}.pdf`)))
      await copyFile(join(dirname(file), name), join(folder, name));
    await copyFile(file, join(folder, basename(file)));
  }
}

function start(config: string, command: readonly string[]): Started {
  return startPaydrop(['--config', config, '--workspace', scene.workspace, ...command], service);
}

async function must(config: string, command: readonly string[], codes = [0]): Promise<Ended> {
  const ended = await start(config, command).ended;
  const { code, stdout, stderr } = ended;
  if (!codes.includes(code ?? -1))
    faults.push(`${command.join(' ')} ended with ${String(code)}: ${stdout}${stderr}`);
  return ended;
}

async function watching(config: string): Promise<Started> {
  const node = start(config, ['watch']);
  await Promise.race([node.said('watching').catch(() => undefined), node.ended]);
  return node;
}

const PROGRESS = `
  SELECT (SELECT coalesce(sum(CASE stage WHEN 'ready' THEN 0 WHEN 'quoted' THEN 1 WHEN 'created' THEN 2 WHEN 'confirming' THEN 3
                                         WHEN 'confirmed' THEN 4 ELSE 5 END), 0) FROM row_states) AS steps,
         (SELECT count(*) FROM batches WHERE state = 'closed') AS closed`;

/** From the file, past the process that pays. */
function progressInFile(): Promise<Progress | null> {
  const file = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  const found = file.prepare(PROGRESS).get();
  file.close();
  return Promise.resolve({ steps: Number(found?.['steps']), closed: Number(found?.['closed']) });
}

async function until(
  progress: () => Promise<Progress | null>,
  isSo: (seen: Progress) => boolean,
): Promise<void> {
  for (let toldAt = performance.now(); !isLate();) {
    const seen = await progress();
    if (seen !== null && isSo(seen)) return;
    if (seen !== null && performance.now() - toldAt > 15_000) {
      toldAt = performance.now();
      tell(
        `… ${((100 * seen.steps) / STEPS).toFixed(1)} % of the steps, ${String(seen.closed)} files closed`,
      );
    }
    await wait(200);
  }
}

async function inIt<T>(place: LedgerPlace, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger(place, systemClock);
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** What stands in the ledger between two processes: told, and its history checked. */
async function look(place: LedgerPlace): Promise<readonly BatchRecord[]> {
  return inIt(place, async (ledger) => {
    const batches = await ledger.batches();
    const stages = new Map<string, number>();
    for (const { id } of batches)
      for (const [stage, count] of await ledger.stageCounts(id))
        stages.set(stage, (stages.get(stage) ?? 0) + count);
    const states = batches.map(({ state, wait: waits }) =>
      waits === null ? state : `${state}, waits for ${waits.for}`,
    );
    const counts = [...new Set(states)]
      .sort()
      .map((each) => `${String(states.filter((other) => other === each).length)} ${each}`);
    const { fault, batchFault, rowFault, sumFault, events } = await ledger.history.verify();
    const wrong = [fault, batchFault, rowFault, sumFault].filter((each) => each !== null);
    faults.push(...wrong.map((each) => `the history: ${JSON.stringify(each)}`));
    tell(`batches: ${counts.join(' · ')}`);
    tell(
      `rows: ${[...stages].map(([stage, count]) => `${String(count)} ${stage}`).join(', ')} · ${String(events)} events, ${String(wrong.length)} faults`,
    );
    return batches;
  });
}

async function move(config: string, from: LedgerPlace, to: LedgerPlace, target: string): Promise<void> {
  tell('the ledger before the move');
  await look(from);
  const since = performance.now();
  await must(config, ['migrate', '--to', target]);
  tell(`moved in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
  await look(to);
  const left = await start(config, ['resume', '--wait', '0']).ended;
  if (left.code !== 5 || !left.stderr.includes('was moved to'))
    faults.push(`the old ledger can still be worked with: ${String(left.code)} ${left.stderr}`);
}

function fileOf(batches: readonly BatchRecord[], folder: Folder): readonly BatchRecord[] {
  const names = scene.files.flatMap((file, index) => (folderOf(index) === folder ? [basename(file)] : []));
  return batches.filter(({ fileName }) => names.includes(basename(fileName)));
}

/** A question is there once the file was checked. */
async function approve(config: string, place: LedgerPlace, folder: Folder): Promise<void> {
  for (;;) {
    const [batch] = fileOf(await inIt(place, (ledger) => ledger.batches()), folder);
    if (batch?.approval?.kind === 'asked') {
      await must(config, ['approve', batch.id, '--by', 'Marie']);
      tell(`${folder} is approved`);
      return;
    }
    if (isLate()) throw new Error('Nobody was asked.');
    await wait(500);
  }
}

/** Carried out, or on record: a busy owner comes to it later than the command waits. */
const RELEASED = [0, 5];

/** All rows that are held now, of each file. */
async function release(config: string, place: LedgerPlace, some: (index: number) => boolean): Promise<void> {
  const held = await inIt(place, async (ledger) => {
    const found: string[] = [];
    for (const { id } of await ledger.batches())
      if (((await ledger.stageCounts(id)).get('held') ?? 0) > 0) found.push(id);
    return found;
  });
  if (held.length === 0) return;
  for (const [, id] of [...held.entries()].filter(([index]) => some(index)))
    await must(config, ['release', id, '--by', 'Ama', '--reason', 'the amount is right'], RELEASED);
  tell(`rows of ${String(held.length)} files are held; those of some are released`);
}

let isSound = false;
const running: Started[] = [];
try {
  tell(
    `${String(options.files)} files of ${String(options.rows)} rows, ${String(options.files * options.rows)} together`,
  );
  await topUp();
  const first = await watching(inFile);
  running.push(first);
  await drop();
  await approve(inFile, path, 'approved');
  await until(progressInFile, ({ steps }) => steps > STEPS * MOVES_AT[0]);
  first.kill();
  await first.ended;
  tell('killed, with rows under way');

  await move(inFile, path, shared, url);
  const nodes: Started[] = [];
  const configs: string[] = [];
  for (let index = 0; index < options.nodes; index += 1) {
    const config = join(scene.folder, `n${String(index + 1)}.yaml`);
    await copyFile(inFile, config);
    await writeFile(config, `\nledger: ${url}\ncluster: { node: n${String(index + 1)} }\n`, { flag: 'a' });
    configs.push(config);
  }
  const [inDatabase = ''] = configs;
  nodes.push(...(await Promise.all(configs.map(watching))));
  running.push(...nodes);
  tell(`${String(options.nodes)} nodes go on`);
  await approve(inDatabase, shared, 'asked');
  await release(inDatabase, shared, (index) => index % 2 === 0);
  await until(
    () => progressOf(database),
    ({ steps }) => steps > STEPS * MOVES_AT[1],
  );
  for (const node of nodes) node.kill();
  await Promise.all(nodes.map(({ ended }) => ended));
  tell('all nodes are killed, with rows under way');

  await move(inDatabase, shared, path, `sqlite:${path}`);
  const last = await watching(inFile);
  running.push(last);
  tell('one goes on with the file');
  // All but tomorrow's copy of the standing file; what is held is released as it comes.
  const isOver = async (): Promise<boolean> =>
    ((await progressInFile())?.closed ?? 0) >= options.files || isLate();
  await until(progressInFile, ({ steps }) => steps > STEPS * 0.98);
  while (!(await isOver())) {
    await release(inFile, path, () => true);
    await wait(5_000);
  }
  tell(isLate() ? 'NOT all files are closed' : 'all files are closed');
  last.signal('SIGTERM');
  const { code, stderr } = await last.ended;
  // Tomorrow's copy is left.
  if (code !== 0 && code !== 5) faults.push(`watch ended with ${String(code)}: ${stderr}`);
  const batches = await look(path);
  const standing = fileOf(batches, 'standing').map(({ fileId, state }) => `${fileId.slice(64)} ${state}`);
  tell(`standing: ${standing.sort().join(' · ')}`);
  if (standing.length !== 2) faults.push('the standing file should have two batches');
  isSound = await judge(batches);
} finally {
  for (const node of running) node.kill();
  await Promise.all(running.map(({ ended }) => ended));
  if (!isSound) tell(`kept in ${scene.folder}`);
  await scene.close(!isSound);
  await database.stop();
}
process.exitCode = isSound ? 0 : 1;

async function judge(batches: readonly BatchRecord[]): Promise<boolean> {
  const collected = await collectBatches(scene);
  // Its copies are known by their day: the one that was paid is the one that is closed.
  const day = fileOf(batches, 'standing')
    .find(({ state }) => state === 'closed')
    ?.fileId.slice(65);
  const evidence = collected.batches.map((batch, index) =>
    folderOf(index) === 'standing' && day !== undefined ? { ...batch, day } : batch,
  );
  const bookkept = await collectService(scene);
  const violations = checkAnswers(evidence, bookkept);
  const count = (kind: string): string => String(violations.filter((found) => found.kind === kind).length);
  tell(
    `rows ${String(scene.rows)} · transfers ${String(bookkept.transfers.length)} · files without answers ${String(collected.missing.length)} · twice ${count('double')} · lost ${count('lost')} · differences ${count('difference')} · faults ${String(faults.length)}`,
  );
  for (const wrong of [...violations.slice(0, 20).map((each) => JSON.stringify(each)), ...faults])
    tell(wrong);
  return [violations, collected.missing, faults].every((each) => each.length === 0);
}
