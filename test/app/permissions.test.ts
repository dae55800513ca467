// Who else may look into the folders: a group may drop files and fetch answers where the folders say so, and doctor names every folder that is too open.
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { examinePermissions } from '../../src/app/desk/doctor.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { line, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

async function modesIn(folder: string): Promise<ReadonlySet<number>> {
  const names = await readdir(folder);
  return new Set(await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o777)));
}

it('answers are for their owner alone, and for the group too where it may read the outbox', async () => {
  const paydrop = await desk.open();
  const { outbox, archive } = paydrop.workspace;
  await processBatch(paydrop, await desk.file('a.csv', [line('A-1', '100')]), PATIENT);
  expect(await modesIn(outbox)).toEqual(new Set([0o600]));
  await chmod(outbox, 0o2750);
  const { summary } = await processBatch(paydrop, await desk.file('b.csv', [line('A-2', '200')]), PATIENT);
  const ofSecond = (await readdir(outbox)).filter((name) => name.startsWith('b.'));
  for (const name of ofSecond) expect((await stat(join(outbox, name))).mode & 0o777).toBe(0o640);
  const { batch } = summary;
  expect(await modesIn(join(archive, batch.slice(0, 4), batch.slice(4, 6), batch))).toEqual(new Set([0o600]));
});

it('a group may drop and fetch; what is more open than that is named with its remedy', async () => {
  const { workspace } = await desk.open();
  await chmod(workspace.inbox, 0o2770);
  await chmod(workspace.outbox, 0o2750);
  expect(await examinePermissions({ workspace })).toMatchObject({ ok: true });
  await chmod(workspace.inbox, 0o777);
  await chmod(workspace.outbox, 0o770);
  await chmod(workspace.archive, 0o750);
  const { ok, words } = await examinePermissions({ workspace });
  expect(ok).toBe(false);
  expect(words.en).toContain(`chmod o-rwx ${workspace.inbox}`);
  expect(words.en).toContain(`chmod g-w,o-rwx ${workspace.outbox}`);
  expect(words.en).toContain(`chmod go-rwx ${workspace.archive}`);
});
