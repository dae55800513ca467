// Another process drops forty files of all kinds in any order while the daemon works. Then everything is looked up: each file is in one place,
// each row in one answer, and the service has made one transfer for each paid row.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { batchRows } from '../../../src/ledger/batch-rows.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { startPaydrop, type Started } from '../../crash/processes.ts';
import { openDesk, SENDER, transfersOf, type Desk } from '../desk.ts';
import { fortyFiles, type Dropped, type Fate } from './forty-files.ts';
import { waitingForOf } from '../../../src/ledger/batch-rules.ts';

let desk: Desk;
let inbox: string;
let sources: string;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20 });
  inbox = join(desk.workspace, 'inbox');
  sources = join(desk.workspace, 'sources');
  await mkdir(inbox, { recursive: true });
});
afterEach(() => desk.close());

/** Processes that start, drop, pay and stop on a machine that has other things to do. */
const LIMIT_MS = 120_000;

/** Longer than any pause of the process that drops. */
const CONFIG = `${SENDER}\nintake: { settleFor: 400ms, scanEvery: 1s }\n`;

async function startDaemon(): Promise<Started> {
  const config = join(desk.workspace, 'paydrop.yaml');
  await writeFile(config, CONFIG);
  const daemon = startPaydrop(['--config', config, '--workspace', desk.workspace, 'watch'], desk.sandbox);
  await daemon.said('watching');
  return daemon;
}

async function dropAll(plan: readonly Dropped[], seed: number): Promise<void> {
  const planPath = join(desk.workspace, 'plan.json');
  await writeFile(planPath, JSON.stringify(plan));
  const program = fileURLToPath(new URL('drop-files.ts', import.meta.url));
  const child = spawn(process.execPath, [program, sources, inbox, planPath, String(seed)], {
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(0);
}

/** What became of a file of this name. */
async function fateOf(paydrop: Paydrop, name: string): Promise<Fate> {
  const file = basename(name);
  const batch = (await paydrop.ledger.batches()).findLast(({ fileName }) => fileName === file);
  if (batch?.state === 'closed') return 'paid';
  if (batch !== undefined && waitingForOf(batch) === 'operator') return 'held';
  if (batch !== undefined && batch.state !== 'refused') return 'gone';
  const refused = (await filesBelow(paydrop.workspace.refused)).find((path) => basename(path) === file);
  if (refused === undefined) return existsIn(inbox, name);
  const beside = await readdir(join(refused, '..'));
  return beside.some(
    (other) => other.endsWith('.duplicate.json') && other.startsWith(file.replace(/\.\w+$/, '.')),
  )
    ? 'repeated'
    : 'refused';
}

async function existsIn(folder: string, name: string): Promise<Fate> {
  return (await lstat(join(folder, name)).catch(() => null)) === null ? 'gone' : 'stays';
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

async function checkAll(paydrop: Paydrop, plan: readonly Dropped[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const fates: Record<string, string> = {};
      for (const { name } of plan) fates[name] = await fateOf(paydrop, name);
      expect(inOrder(fates)).toEqual(inOrder(Object.fromEntries(plan.map(({ name, fate }) => [name, fate]))));
    },
    { timeout: LIMIT_MS, interval: 500 },
  );
}

/** Of two files with the same content that lie there at the same time either may come first. */
const TWINS = [
  ['again.csv', 'slow-1.csv'],
  ['unnamed.csv', 'unnamed.tsv'],
] as const;

function inOrder(fates: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const ordered = { ...fates };
  for (const [a, b] of TWINS)
    [ordered[a], ordered[b]] = [ordered[a] ?? '', ordered[b] ?? ''].sort() as [string, string];
  return ordered;
}

/** Originals and documents, by where they lie; answers are no files of somebody else. */
async function placesOf(name: string): Promise<readonly string[]> {
  const { workspace } = desk;
  const folders = ['inbox', 'processing', 'archive', 'refused'].map((folder) => join(workspace, folder));
  const all = (await Promise.all(folders.map(filesBelow))).flat();
  return all.filter((path) => basename(path) === basename(name));
}

async function checkPlacesAndRows(paydrop: Paydrop, plan: readonly Dropped[]): Promise<void> {
  for (const { name, fate, manner } of plan)
    if (fate !== 'gone' && manner !== 'folder')
      expect([name, await placesOf(name)]).toEqual([name, [expect.any(String)]]);
  const outbox = await readdir(paydrop.workspace.outbox);
  let paid = 0;
  for (const batch of await paydrop.ledger.batches()) {
    if (batch.state === 'refused') continue;
    const rows: string[] = [];
    for await (const row of batchRows(paydrop.ledger, batch.id)) {
      rows.push(row.row);
      if (row.progress.stage === 'paid') paid += 1;
    }
    const results = outbox.filter((name) => name.includes(`.${batch.id}.result.`));
    expect([batch.fileName, results]).toEqual([batch.fileName, [expect.any(String)]]);
    expect(rows).toHaveLength(batch.rows);
  }
  await checkReferences(paydrop, plan, outbox);
  const transfers = await transfersOf(paydrop);
  expect(transfers.filter(({ status }) => status === 'paid')).toHaveLength(paid);
  expect(transfers).toHaveLength(paid);
}

/** Each reference of a paid file stands in one result, and those of files that were not taken in none. */
async function checkReferences(
  paydrop: Paydrop,
  plan: readonly Dropped[],
  outbox: readonly string[],
): Promise<void> {
  const csvs = outbox.filter((name) => name.endsWith('.result.csv'));
  const texts = await Promise.all(csvs.map((name) => readFile(join(paydrop.workspace.outbox, name), 'utf8')));
  for (const { name, fate, references } of plan)
    for (const reference of references) {
      const lines = texts
        .flatMap((text) => text.split('\n'))
        .filter((text) => text.startsWith(`${reference},`));
      const isInCsv = name.endsWith('.csv') && fate === 'paid';
      expect([reference, lines.length]).toEqual([reference, isInCsv ? 1 : 0]);
    }
}

it.each([
  { daemons: 1, seed: 20_261_121 },
  { daemons: 2, seed: 7 },
])('forty files, $daemons daemons, seed $seed', { timeout: LIMIT_MS + 60_000 }, async ({ daemons, seed }) => {
  const plan = await fortyFiles(sources);
  expect(plan.length).toBeGreaterThanOrEqual(40);
  const started: Started[] = [];
  for (let daemon = 0; daemon < daemons; daemon++) started.push(await startDaemon());
  const paydrop = await desk.open();
  await dropAll(plan, seed);
  await checkAll(paydrop, plan);
  for (const { signal } of started) signal('SIGTERM');
  // The held file waits for a person: for the daemon that has it something is left to do.
  const codes = await Promise.all(started.map(({ ended }) => ended.then(({ code }) => code ?? -1)));
  expect(codes.filter((code) => code !== 0 && code !== 5)).toEqual([]);
  expect(Math.max(...codes)).toBe(5);
  expect(await readdir(join(desk.workspace, 'processing'))).toHaveLength(1);
  await checkPlacesAndRows(paydrop, plan);
});
