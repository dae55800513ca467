// What a file costs does not grow with what was paid before: counted in the lines that the ledger gives, and by how it looks for them, never in time.
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';

import { afterEach, expect, it, vi } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { bringUpToDate, settleRebuilt } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { isVouchedFor, vouchFor } from '../../src/inbox/vouched-archive.ts';
import { writeManifest } from '../../src/inbox/manifest.ts';
import { age } from '../bench/aged-ledger.ts';
import { cellsOf, HEADER } from '../bench/payment-files.ts';
import { openDesk, PATIENT, type Desk } from './desk.ts';

const CONFIG = 'limits: { perPayeePerDay: 900000000 XAF }\npolicy: { newAccount: hold }';
const ROWS = 5;

let desk: Desk;
afterEach(() => desk.close());

/** Lines by statement. */
type Work = ReadonlyMap<string, number>;

async function counted(work: () => Promise<unknown>): Promise<Work> {
  const all = vi.spyOn(StatementSync.prototype, 'all');
  const others = (['get', 'run'] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  await work();
  const lines = new Map<string, number>();
  const note = ({ sourceSQL }: StatementSync, found: number): void => {
    lines.set(sourceSQL, (lines.get(sourceSQL) ?? 0) + found);
  };
  for (const [index, result] of all.mock.results.entries())
    note(all.mock.contexts[index] as StatementSync, (result.value as readonly unknown[]).length);
  for (const { mock } of others) for (const statement of mock.contexts) note(statement as StatementSync, 1);
  return lines;
}

/** The payments of the first payees; without references where `named` says nothing. */
function fileOf(name: string, named: string): Promise<string> {
  const rows = Array.from({ length: ROWS }, (_none, index) =>
    cellsOf(index, 'wallet').with(0, named === '' ? '' : `${named}-${String(index)}`),
  );
  return desk.write(name, `${[HEADER, ...rows].map((cells) => cells.join(',')).join('\n')}\n`);
}

/** More earlier payments to a payee than are looked at. */
const FEW = 30;

/** What two files to payees who were paid so many times cost. */
async function workAfter(batches: number): Promise<Work> {
  desk = await openDesk();
  const first = await desk.open(CONFIG);
  await bringUpToDate(first, PATIENT);
  await processBatch(first, await fileOf('first.csv', 'FIRST'), PATIENT);
  await desk.shut();
  age(desk.workspace, { batches, rows: ROWS, payees: ROWS, days: 700 });
  const paydrop = await desk.open(CONFIG);
  for (const [name, reference] of [
    ['named.csv', 'N'],
    ['unnamed.csv', ''],
  ] as const)
    await fileOf(name, reference);
  return counted(async () => {
    await bringUpToDate(paydrop, PATIENT);
    await settleRebuilt(paydrop);
    await processBatch(paydrop, await fileOf('named.csv', 'N'), PATIENT);
    await processBatch(paydrop, await fileOf('unnamed.csv', ''), PATIENT);
  });
}

/** A scan of what holds the history, or of the whole of an index. */
const READS_ALL =
  /^(?:SCAN (?!named\b|mine\b|accounts\b|waiting\b|json_each\b)\w+\b(?! USING (?:COVERING )?INDEX (?:batches_open|batches_restless|orders_open)\b)|SEARCH \w+ USING .*INDEX \w+$)/;
/** One step from its end. */
const LAST_GROUP = /FROM groups ORDER BY seq DESC LIMIT 1$/;

it('gives as many lines of the ledger whatever was paid before, and reads no table through', async () => {
  const few = await workAfter(FEW);
  await desk.close();
  vi.restoreAllMocks();
  const many = await workAfter(300);
  const grown = [...many].filter(([statement, lines]) => lines > 2 * (few.get(statement) ?? 0) + 20);
  expect(grown).toEqual([]);
  const database = new DatabaseSync(join(desk.workspace, 'ledger.sqlite'));
  const through = [...many.keys()]
    .filter((statement) => !LAST_GROUP.test(statement))
    .flatMap((statement) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
      const scans = plan.map(({ detail }) => String(detail)).filter((step) => READS_ALL.test(step));
      return scans.map((step) => ({ step, statement }));
    });
  database.close();
  expect(through).toEqual([]);
});

it('asks nothing for its time alone: the answer with the corridors has shown it', async () => {
  desk = await openDesk();
  const paydrop = await desk.open();
  const balances = vi.spyOn(paydrop.service, 'balances');
  const { summary } = await processBatch(paydrop, await fileOf('paid.csv', 'P'), PATIENT);
  expect(summary.outcomes).toMatchObject({ paid: ROWS });
  expect(balances).not.toHaveBeenCalled();
});

it('a manifest that another ledger writes ends the trust in the archive, one of its own does not', async () => {
  desk = await openDesk();
  const { workspace, ledger } = await desk.open();
  vouchFor(workspace, ledger.id);
  const write = (by: string): void => {
    const file = { name: 'a.csv', sha256: '0' };
    writeManifest(
      workspace,
      { epoch: 1, ledger: by, batch: '20261120-00000000', file },
      {},
      workspace.processing,
    );
  };
  write(ledger.id);
  expect(isVouchedFor(workspace, ledger.id)).toBe(true);
  write('another');
  expect([ledger.id, 'another'].map((each) => isVouchedFor(workspace, each))).toEqual([false, false]);
});
