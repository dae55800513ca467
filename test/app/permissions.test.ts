// Who else may look into the folders: a group may drop files and fetch answers where the folders say so, and doctor names every folder that is too open.
import { chmod, mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { examinePermissions } from '../../src/app/desk/doctor.ts';
import { inboxStatus } from '../../src/app/desk/inbox-status.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { HEADER, line, openDesk, PATIENT, type Desk } from './desk.ts';

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

it.skipIf(process.getuid?.() === 0)(
  'a file that may not be taken out of its folder waits, and says whose right is missing',
  async () => {
    const { workspace, ...paydrop } = await desk.open();
    const folder = join(workspace.inbox, 'shop');
    await mkdir(folder);
    await writeFile(join(folder, 'a.csv'), `${HEADER}\n${line('A-1', '100')}\n`);
    await utimes(join(folder, 'a.csv'), 0, 0);
    await chmod(folder, 0o500);
    const { files } = await inboxStatus({ ...paydrop, workspace });
    await chmod(folder, 0o700);
    expect(files).toMatchObject([{ name: 'shop/a.csv', why: 'unwritable' }]);
    expect(files[0]?.words).toContain('give its user the right to write there');
  },
);
