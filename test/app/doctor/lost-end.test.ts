// Somebody who removes the newest batch from the ledger, with its rows, its sums and its events, leaves a valid chain. Two things still show it:
// the batch's folder, and the hash that somebody noted.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { examine } from '../../../src/app/desk/doctor.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { line, openDesk, PATIENT, type Desk } from '../desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const findingOf = async (paydrop: Paydrop, name: string) =>
  (await examine(paydrop)).find((finding) => finding.name === name);

function takeOut(id: string, before: string): void {
  const database = new DatabaseSync(join(desk.workspace, 'ledger.sqlite'));
  const seq = Number(database.prepare('SELECT min(seq) AS seq FROM groups WHERE batch = ?').get(id)?.['seq']);
  database.exec('DROP TRIGGER groups_stay; DROP TRIGGER groups_stay_as_they_are;');
  database.prepare('DELETE FROM groups WHERE seq >= ?').run(seq);
  for (const table of ['rows', 'row_states', 'transfers'])
    database.prepare(`DELETE FROM ${table} WHERE batch = ?`).run(id);
  database.prepare('DELETE FROM batches WHERE id = ?').run(id);
  database.prepare(`DELETE FROM spent WHERE scope = 'file' AND key = ?`).run(id);
  const amount = `(SELECT amount FROM spent WHERE scope = 'file' AND key = ?)`;
  database.prepare(`UPDATE spent SET amount = ${amount} WHERE scope = 'day'`).run(before);
  database.close();
}

it('doctor names the batch whose folder the ledger does not know, and the last event with its hash', async () => {
  const first = await desk.open();
  const one = await processBatch(first, await desk.file('a.csv', [line('A', '100')]), PATIENT);
  const two = await processBatch(first, await desk.file('b.csv', [line('B', '101')]), PATIENT);
  expect(await findingOf(first, 'batches')).toMatchObject({ ok: true });
  const noted = await findingOf(first, 'history');
  expect(noted?.words.en).toMatch(/^\d+ events, all unchanged; the last one has the hash [0-9a-f]{64}$/);
  expect(await findingOf(first, 'history')).toEqual(noted);
  await desk.shut();
  takeOut(two.summary.batch, one.summary.batch);
  const paydrop = await desk.open();
  const after = await findingOf(paydrop, 'history');
  expect(after).toMatchObject({ ok: true });
  expect(after?.words.en).not.toBe(noted?.words.en);
  const found = await findingOf(paydrop, 'batches');
  expect(found?.ok).toBe(false);
  expect(found?.words.en).toMatch(/does not know a batch .* paydrop rebuild .*b\.csv/);
});
