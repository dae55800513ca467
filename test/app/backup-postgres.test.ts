// The drill of docs/first-year.md with the ledger in PostgreSQL: the database is kept by its own means and the folders by `backup`; all is lost, put back and known
// as an older copy. Nothing is paid twice, nothing is lost, and the books agree. A restore without the dump is refused.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { backUp } from '../../src/app/desk/backup.ts';
import { Findings } from '../../src/app/desk/reconcile-batch.ts';
import { periodOf, reconcilePeriod } from '../../src/app/desk/reconcile-period.ts';
import { restore } from '../../src/app/desk/restore.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { isoTime, systemClock } from '../../src/base/clock.ts';
import { removeStop } from '../../src/inbox/stop-file.ts';
import { type PostgresServer, startPostgres } from '../postgres/server.ts';
import { endsOf, HURRIED, line, lineTo, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

const FOLDERS = ['inbox', 'processing', 'archive', 'refused', 'outbox'];

let server: PostgresServer;
let desk: Desk;
let below: string;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());
beforeEach(async () => {
  await inServer('DROP DATABASE IF EXISTS postgres WITH (FORCE)', 'CREATE DATABASE postgres');
  desk = await openDesk();
  below = await mkdtemp(join(tmpdir(), 'paydrop-backups-'));
});
afterEach(async () => {
  await desk.close();
  await rm(below, { recursive: true });
});

const open = (service?: 'nobody') => desk.open(`ledger: "${server.url}"`, service);

/** Past the database of the ledger. */
async function inServer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url.replace(/postgres$/, 'template1') });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** What pg_dump and pg_restore do, for which the packages have no program. */
const dump = () =>
  inServer('DROP DATABASE IF EXISTS dump WITH (FORCE)', 'CREATE DATABASE dump TEMPLATE postgres');
const putDumpBack = () =>
  inServer('DROP DATABASE IF EXISTS postgres WITH (FORCE)', 'CREATE DATABASE postgres TEMPLATE dump');

/** A file paid, another one read and not yet paid, and a backup of that; then the second one is paid, and a third one; and the database is lost. */
async function workOn() {
  const file = await desk.file('paid.csv', [line('A-1', '100')]);
  const paid = (await processBatch(await open(), file, PATIENT)).summary.batch;
  const path = await desk.file('open.csv', [lineTo('Ama', 'B-1', '200'), lineTo('Kofi', 'B-2', '300')]);
  await desk.shut();
  const paydrop = await open('nobody');
  const half = (await processBatch(paydrop, path, HURRIED)).summary.batch;
  await desk.shut();
  await dump();
  const backup = await backUp(paydrop.config, below);
  expect(backup.history).toBeNull();
  await resumeBatches(await open(), null, PATIENT);
  const later = await desk.file('later.csv', [lineTo('Efua', 'C-1', '400')]);
  const late = (await processBatch(await open(), later, PATIENT)).summary.batch;
  expect(await transfersOf(await open())).toHaveLength(4);
  await desk.shut();
  await inServer('DROP DATABASE postgres WITH (FORCE)', 'CREATE DATABASE postgres');
  return { config: paydrop.config, backup: backup.path, paid, half, later, late };
}

async function expectPaidOnce({ paid, half, late }: Awaited<ReturnType<typeof workOn>>): Promise<void> {
  const paydrop = await open();
  expect(await transfersOf(paydrop)).toHaveLength(4);
  for (const [batch, ends] of [
    [paid, ['paid']],
    [half, ['paid', 'paid']],
    [late, ['paid']],
  ] as const)
    expect(await endsOf(paydrop, batch)).toEqual(ends);
  const today = isoTime(systemClock.now()).slice(0, 10);
  const days = { from: today, to: today };
  const period = periodOf(days);
  if (period === null) throw new Error('Today is a day.');
  const findings = new Findings();
  await reconcilePeriod(paydrop, days, period, findings, PATIENT);
  expect([findings.rows, findings.differences]).toEqual([4, []]);
}

describe('a backup of a workspace whose ledger is in PostgreSQL', () => {
  it('restored beside the folders that stand names the file that came later; rebuilt, the books agree', async () => {
    const work = await workOn();
    await expect(resumeBatches(await open(), null, PATIENT)).rejects.toThrow(/may have been lost/);
    await desk.shut();
    await putDumpBack();
    expect(await restore(work.config, work.backup)).toMatchObject({ batches: 2, open: 1, isStopped: false });
    await expect(resumeBatches(await open(), null, PATIENT)).rejects.toThrow(
      /paydrop rebuild ".*later\.csv"/,
    );
    await rebuildFile(await open(), work.later, PATIENT);
    await resumeBatches(await open(), null, PATIENT);
    await expectPaidOnce(work);
  });

  it('restored in the place of everything is stopped; rebuilt, the books agree', async () => {
    const work = await workOn();
    for (const folder of FOLDERS) await rm(join(desk.workspace, folder), { recursive: true });
    await putDumpBack();
    expect(await restore(work.config, work.backup)).toMatchObject({ batches: 2, open: 1, isStopped: true });
    const paydrop = await open();
    await expect(resumeBatches(paydrop, null, PATIENT)).rejects.toThrow(/Nothing was sent/);
    expect(removeStop(paydrop.workspace)).toBe(true);
    await rebuildFile(paydrop, work.later, PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    await expectPaidOnce(work);
  });

  it('says that the database is not in it, and how to keep that', async () => {
    const program = [join(import.meta.dirname, '../../src/paydrop.js'), '--workspace', desk.workspace];
    const env = { ...process.env, PAYDROP_LEDGER_URL: server.url };
    const { stdout } = await promisify(execFile)(execPath, [...program, 'backup', below], { env });
    expect(stdout).toContain('in a database, and not in this backup: back it up with pg_dump');
  });

  it('is not restored before the dump is back, and changes no folder', async () => {
    const work = await workOn();
    await rm(join(desk.workspace, 'archive'), { recursive: true });
    await expect(restore(work.config, work.backup)).rejects.toThrow(
      /is not the one of this backup\. Nothing was restored\. Put the dump .*pg_restore/,
    );
    expect(await transfersOf(await open())).toHaveLength(4);
    await desk.shut();
    await putDumpBack();
    expect(await restore(work.config, work.backup)).toMatchObject({ batches: 2 });
  });
});
