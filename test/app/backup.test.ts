// The drill of docs/first-year.md: pay half, back up, pay on, lose the ledger, restore, go on. Nothing is paid twice and nothing is lost, with the folders
// or without them; and a restored ledger is seen as the older copy that it is.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { backUp } from '../../src/app/desk/backup.ts';
import { restore } from '../../src/app/desk/restore.ts';
import { isBehind } from '../../src/app/workflow/batch/epoch.ts';
import { resumeBatches, processBatch } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { removeStop } from '../../src/inbox/stop-file.ts';
import { verifyHistory } from '../../src/ledger/sqlite/verify-history.ts';
import { endsOf, HURRIED, line, lineTo, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

let desk: Desk;
let below: string;

beforeEach(async () => {
  desk = await openDesk();
  below = await mkdtemp(join(tmpdir(), 'paydrop-backups-'));
});
afterEach(async () => {
  await desk.close();
  await rm(below, { recursive: true });
});

/** A file paid, another one read and not yet paid, and a backup of that; then the second one is paid, and a third one. */
async function workOn() {
  const file = await desk.file('paid.csv', [line('A-1', '100')]);
  const paid = (await processBatch(await desk.open(), file, PATIENT)).summary.batch;
  const path = await desk.file('open.csv', [lineTo('Ama', 'B-1', '200'), lineTo('Kofi', 'B-2', '300')]);
  await desk.shut();
  const { config, ...stopped } = await desk.open('', 'nobody');
  const open = (await processBatch({ config, ...stopped }, path, HURRIED)).summary.batch;
  // While another process has the ledger open.
  const { path: backup } = await backUp(config, below);
  await desk.shut();
  await resumeBatches(await desk.open(), null, PATIENT);
  const later = await desk.file('later.csv', [lineTo('Efua', 'C-1', '400')]);
  const late = (await processBatch(await desk.open(), later, PATIENT)).summary.batch;
  expect(await transfersOf(await desk.open())).toHaveLength(4);
  await desk.loseLedger();
  return { config, backup, paid, open, later, late };
}

async function expectPaidOnce({ paid, open, late }: Awaited<ReturnType<typeof workOn>>): Promise<void> {
  const paydrop = await desk.open();
  expect(await transfersOf(paydrop)).toHaveLength(4);
  for (const [batch, ends] of [
    [paid, ['paid']],
    [open, ['paid', 'paid']],
    [late, ['paid']],
  ] as const)
    expect(await endsOf(paydrop, batch)).toEqual(ends);
}

describe('a backup that is restored', () => {
  it('beside the folders that stand names the file that came later; rebuilt, every row is paid once', async () => {
    const work = await workOn();
    // Somebody looks first, which makes an empty ledger.
    await expect(resumeBatches(await desk.open(), null, PATIENT)).rejects.toThrow(/may have been lost/);
    await desk.shut();
    expect(await restore(work.config, work.backup)).toMatchObject({ batches: 2, open: 1, isStopped: false });
    await expect(resumeBatches(await desk.open(), null, PATIENT)).rejects.toThrow(
      /paydrop rebuild ".*later\.csv"/,
    );
    await rebuildFile(await desk.open(), work.later, PATIENT);
    await resumeBatches(await desk.open(), null, PATIENT);
    await expectPaidOnce(work);
  });

  it('in the place of everything is stopped, and an older copy; rebuilt, every row is paid once', async () => {
    const work = await workOn();
    for (const folder of ['inbox', 'processing', 'archive', 'refused', 'outbox'])
      await rm(join(desk.workspace, folder), { recursive: true });
    expect(await restore(work.config, work.backup)).toMatchObject({ batches: 2, open: 1, isStopped: true });
    const paydrop = await desk.open();
    const restored = await paydrop.ledger.batch(work.open);
    expect(restored !== null && isBehind(paydrop, restored)).toBe(true);
    await expect(resumeBatches(paydrop, null, PATIENT)).rejects.toThrow(/Nothing was sent/);
    expect(removeStop(paydrop.workspace)).toBe(true);
    await rebuildFile(paydrop, work.later, PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    await expectPaidOnce(work);
  });
});

describe('a backup', () => {
  it('is not restored beside a process that has its ledger, over a ledger, or after its history was changed', async () => {
    await processBatch(await desk.open(), await desk.file('a.csv', [line('A-1', '100')]), PATIENT);
    const { config } = await desk.open();
    const { path } = await backUp(config, below);
    const elsewhere = { ...config, workspacePath: join(below, 'workspace') };
    await expect(restore(elsewhere, path)).rejects.toThrow(/paydrop is at work on the ledger/);
    await desk.shut();
    expect(await restore(elsewhere, path)).toMatchObject({ batches: 1, open: 0 });
    await expect(restore(elsewhere, path)).rejects.toThrow(/never writes over a ledger/);
    const database = new DatabaseSync(join(path, 'ledger.sqlite'));
    database.exec('DROP TRIGGER groups_stay_as_they_are');
    database.exec("UPDATE groups SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 1");
    database.close();
    await rm(elsewhere.workspacePath, { recursive: true });
    await expect(restore(elsewhere, path)).rejects.toThrow(/damaged or changed/);
    expect(await readdir(elsewhere.workspacePath)).not.toContain('ledger.sqlite');
  });

  it('holds a sound ledger, the folders and the config, and no key', async () => {
    const file = await desk.file('paid.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(await desk.open(), file, PATIENT)).summary;
    const { config } = await desk.open();
    await desk.write('profiles/salaries.yaml', 'files: "salaries*"');
    const configPath = await desk.write('paydrop.yaml', 'language: fr');
    await desk.write('service.key', 'secret');
    const { path, history } = await backUp({ ...config, configPath }, below);
    expect((await readdir(join(path, 'config'), { recursive: true })).sort()).toEqual([
      'paydrop.yaml',
      'profiles',
      join('profiles', 'salaries.yaml'),
    ]);
    const archived = join('archive', batch.slice(0, 4), batch.slice(4, 6), batch, 'paid.csv');
    expect(await readFile(join(path, archived))).toEqual(await readFile(file));
    const { isSound, ...end } = history ?? {};
    expect(isSound).toBe(true);
    expect(await verifyHistory(join(path, 'ledger.sqlite'))).toMatchObject(end);
  });

  it('that was cut short is none, and makes room for the next', async () => {
    const { config } = await desk.open();
    await expect(backUp(config, join(below, 'away'))).rejects.toThrow(/does not create it/);
    await expect(backUp(config, desk.workspace)).rejects.toThrow(/lost with it/);
    await mkdir(join(below, 'paydrop-20261129T020000Z.partial'));
    await expect(restore(config, join(below, 'paydrop-20261129T020000Z.partial'))).rejects.toThrow(
      /not a finished backup/,
    );
    await processBatch(await desk.open(), await desk.file('a.csv', [line('A-1', '100')]), PATIENT);
    await backUp(config, below);
    expect(await readdir(below)).toEqual([expect.stringMatching(/^paydrop-\d{8}T\d{6}Z$/)]);
  });
});
