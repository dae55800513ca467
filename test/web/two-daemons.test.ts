// Two daemons that both serve one workspace, and what reaches a daemon that serves while it runs.
import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import type { TakeBeside } from '../../src/app/intake/take-dropped.ts';
import { Uploads } from '../../src/app/intake/uploads.ts';
import { FileThread } from '../../src/app/parts/file-thread.ts';
import { announced } from '../../src/app/workflow/take/same-bytes.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { releaseRows } from '../app/release.ts';
import { HEADER, lineTo, transfersOf } from '../app/desk.ts';
import { CONTAINER, processAt } from '../ledger/machines.ts';
import { openWeb, order, sent, type Told, until, type Web } from './with-web.ts';

/** Two daemons of one process cannot see each other: each may disturb the other while it takes a file, and then says 503. */
async function untilTaken(submit: () => Promise<readonly Told[]>): Promise<readonly Told[]> {
  for (;;) {
    const taken = (await submit()).filter(({ status }) => status === 200 || status === 202);
    if (taken.length > 0) return taken;
  }
}

let one: Web;
let other: Web;
beforeAll(async () => {
  one = await openWeb();
  other = await openWeb('', one.desk);
});
afterAll(async () => {
  await other.stop();
  await one.close();
});

it('pay an upload once that both are told to pay again at the same moment', async () => {
  const key = await one.key('Ledgerly');
  const content = `${[HEADER, lineTo('twice', 'T-1', '100')].join('\n')}\n`;
  const upload = async (): Promise<string> => {
    const { body } = await one.json('/api/v1/uploads', {
      ...sent('twice.csv', content),
      key,
    });
    return `/api/v1/uploads/${String(body['id'])}`;
  };
  const closed = (batch: unknown) =>
    until(one, `/api/v1/files/${String(batch)}`, ({ state }) => state === 'closed');
  const submission = `${await upload()}/submission`;
  const [first] = await untilTaken(async () => [await one.json(submission, { ...order({}), key })]);
  await closed(first?.body['batch']);
  for (let time = 2; time <= 3; time += 1) {
    const path = await upload();
    const bothTold = () =>
      Promise.all(
        [one, other, one, other].map((web) =>
          web.json(`${path}/submission`, { ...order({ again: true }), key }),
        ),
      );
    const batches = new Set((await untilTaken(bothTold)).map(({ body }) => body['batch']));
    expect(batches.size).toBe(1);
    // A key decides nothing: all of it waits for a person, who lets it go here.
    const [batch = ''] = [...batches].map(String);
    await until(one, `/api/v1/files/${batch}`, ({ outcomes }) => (outcomes as { held: number }).held === 1);
    expect(await transfersOf(one.paydrop)).toHaveLength(time - 1);
    const record = await one.paydrop.ledger.batch(batch);
    if (record === null) throw new Error('There is no such batch.');
    const meant = { by: 'Marie Ngo', reason: 'meant', rows: null, skip: false };
    await releaseRows(one.paydrop, record, meant);
    await closed(batch);
    expect(await transfersOf(one.paydrop)).toHaveLength(time);
  }
});

it('pay an upload once where one was killed before the bytes were removed, and the other stood still all the while', async () => {
  const key = await one.key('Ledgerly');
  const content = `${[HEADER, lineTo('still', 'S-1', '100')].join('\n')}\n`;
  const { body } = await one.json('/api/v1/uploads', {
    ...sent('still.csv', content),
    key,
  });
  const id = String(body['id']);
  const path = `/api/v1/uploads/${id}`;
  await until(one, path, ({ state }) => state === 'checked');
  const before = (await transfersOf(one.paydrop)).length;
  const still = Promise.withResolvers<Parameters<TakeBeside>[1]>();
  const standing = new Uploads(other.paydrop, (_, take) => still.resolve(take), new FileThread());
  const late = standing.submit(id, { skipRows: false, again: true, isProgram: true }, 'Ledgerly');
  const goOn = await still.promise;

  const folder = join(one.desk.workspace, 'uploads', id);
  cpSync(folder, `${folder}.kept`, { recursive: true });
  const submit = () => one.json(`${path}/submission`, { ...order({ again: true }), key });
  const [taken] = await untilTaken(async () => [await submit()]);
  const batch = taken?.body['batch'];
  await until(one, `/api/v1/files/${String(batch)}`, ({ state }) => state === 'closed');
  cpSync(`${folder}.kept`, folder, { recursive: true });

  await goOn();
  expect(await late).toEqual({ kind: 'known', batch });
  expect(await transfersOf(one.paydrop)).toHaveLength(before + 1);
});

it('keep the bytes of an upload that another one was taking when it died', async () => {
  const key = await one.key('Ledgerly');
  const content = `${[HEADER, lineTo('dying', 'D-1', '100')].join('\n')}\n`;
  const { body } = await one.json('/api/v1/uploads', { ...sent('dying.csv', content), key });
  const path = `/api/v1/uploads/${String(body['id'])}`;
  await until(one, path, ({ state }) => state === 'checked');
  const another = openSqlite(one.paydrop.workspace.ledgerPath, systemClock, processAt(CONTAINER));
  const file = await one.desk.write('dying.csv', content);
  await another.addBatch(await announced(one.paydrop, file, null));

  const submit = () => one.json(`${path}/submission`, { ...order({}), key });
  expect((await submit()).status).toBe(503);
  await another.close();
  const [taken] = await untilTaken(async () => [await submit()]);
  await until(one, `/api/v1/files/${String(taken?.body['batch'])}`, ({ state }) => state === 'closed');
});

it('obey another config also where they serve', async () => {
  const title = async (): Promise<unknown> =>
    (await one.json('/problems/batch_unknown', { key: null })).body['title'];
  expect(await title()).toBe('There is no batch of this name.');
  one.reload({ language: 'fr' });
  while ((await title()) === 'There is no batch of this name.') await one.paydrop.clock.sleep(20);
  expect(await title()).toMatch(/^Aucun|^Il n/);
});
