// Old files are removed: none unless the config says so, none that can still change, and never one that keeps a file from being paid twice.
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { FROM_START } from '../../../src/ledger/history.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { examine } from '../../../src/app/desk/doctor.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { findOld, removeOld } from '../../../src/app/parts/remove-old.ts';
import { dueAnswers } from '../../../src/app/parts/due-answers.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { isoTime } from '../../../src/base/clock.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';

const DAY_MS = 86_400_000;
const RETENTION = 'retention: { archive: 100d, outbox: 30d }\ntracking: { reversalWindow: 20d }';

let desk: Desk;
let clock: LeapClock;
beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ settleMs: 20, clock }, clock);
});
afterEach(() => desk.close());

async function paid(paydrop: Paydrop): Promise<string> {
  const { summary } = await processBatch(
    paydrop,
    await desk.file('payroll.csv', [line('A-1', '100')]),
    PATIENT,
  );
  expect(summary.state).toBe('closed');
  return summary.batch;
}

/** Passes days, and looks at what has ended as a daemon does. */
async function days(paydrop: Paydrop, count: number): Promise<void> {
  clock.leap(count * DAY_MS);
  await resumeBatches(paydrop, null, PATIENT);
}

const archived = async ({ workspace }: Paydrop) =>
  (await readdir(workspace.archive, { recursive: true })).filter((name) => name.endsWith('payroll.csv'));

it('nothing is removed unless the config says so', async () => {
  const paydrop = await desk.open();
  await paid(paydrop);
  await days(paydrop, 4_000);
  expect(await removeOld(paydrop)).toEqual([]);
  expect((await examine(paydrop)).find(({ name }) => name === 'retention')?.words.en).toBe(
    'everything is kept',
  );
});

it('answers go first, then the archive, and the same file is still known', async () => {
  const paydrop = await desk.open(RETENTION);
  const batch = await paid(paydrop);
  await writeFile(join(paydrop.workspace.outbox, 'of-somebody-else.csv'), 'x');
  await days(paydrop, 25);
  expect(await removeOld(paydrop)).toEqual([]);
  await days(paydrop, 10);
  expect((await examine(paydrop)).find(({ name }) => name === 'retention')?.words.en).toMatch(
    /0 archived batches and [3-9] answers/,
  );
  await removeOld(paydrop);
  expect(await readdir(paydrop.workspace.outbox)).toEqual(['of-somebody-else.csv']);
  expect(await archived(paydrop)).toHaveLength(1);
  await days(paydrop, 70);
  expect(await findOld(paydrop)).toMatchObject([{ batch: { id: batch }, answers: [] }]);
  await removeOld(paydrop);
  expect(await archived(paydrop)).toEqual([]);
  expect(await removeOld(paydrop)).toEqual([]);
  // A second look finds nothing missing, and the ledger says when it was removed.
  expect(await resumeBatches(paydrop, null, PATIENT)).toEqual([]);
  const { events } = await paydrop.ledger.history.events({ batch, position: null }, FROM_START, 1_000);
  expect(events.map(({ event }) => event).filter((event) => event.startsWith('removed'))).toEqual([
    'removed by retention: outbox',
    'removed by retention: archive',
  ]);
  expect(await paydrop.ledger.history.verify()).toMatchObject({ fault: null, batchFault: null });
  const books = desk.sandbox.books();
  const again = await processBatch(paydrop, await desk.file('again.csv', [line('A-1', '100')]), PATIENT);
  expect(again.isRepeated).toBe(true);
  expect(desk.sandbox.books()).toEqual(books);
});

it('of several daemons that look at the same moment each thing is removed by one, and nobody fails', async () => {
  const several = await Promise.all([desk.open(RETENTION), desk.open(RETENTION), desk.open(RETENTION)]);
  const [first] = several;
  const batch = await paid(first);
  await days(first, 120);
  const answers = (await findOld(first)).flatMap((old) => old.answers);
  const removed = (await Promise.all(several.map(removeOld))).flat();
  expect(removed.flatMap((old) => old.answers).toSorted()).toEqual(answers.toSorted());
  expect(removed.filter((old) => old.archived !== null)).toHaveLength(1);
  expect(await archived(first)).toEqual([]);
  const { events } = await first.ledger.history.events({ batch, position: null }, FROM_START, 1_000);
  const told = events.filter(({ event }) => event.startsWith('removed') && event.includes('archive'));
  expect(told).toHaveLength(1);
});

it('an answer that is still to be brought to an account stays, however old', async () => {
  const [keyFile, account] = [await desk.write('erp.password', 'secret\n'), 'erp'];
  const paydrop = await desk.open(`${RETENTION}
sftp: [{ name: ${account}, host: 127.0.0.1, hostKey: "SHA256:${'A'.repeat(43)}", user: erp, passwordFile: "${keyFile}", push: /in }]`);
  const { exchange } = paydrop.ledger;
  await exchange.hold(account, isoTime(clock.now()));
  const batch = await paid(paydrop);
  const { sha256 } = (await paydrop.ledger.batch(batch)) ?? { sha256: '' };
  const [path, target] = ['/out/payroll.csv', join(paydrop.workspace.inbox, 'erp', 'out', 'payroll.csv')];
  await exchange.addPull({
    ...{
      account,
      path,
      target,
      bytes: 1,
      modifiedMs: 0,
      temporary: '',
      number: null,
      run: paydrop.ledger.run,
    },
    ...{ sha256, remoteSha256: sha256, phase: 'done', fetchedAt: isoTime(clock.now()) },
  });
  await days(paydrop, 35);
  const [erp] = paydrop.config.sftpAccounts ?? [];
  if (erp === undefined) throw new Error('There is an account.');
  const due = await dueAnswers(paydrop, erp, new Map());
  expect(due.map(({ name }) => name.split('.')[2])).toEqual(['ack', 'result', 'reconciliation', 'summary']);
  expect(await removeOld(paydrop)).toEqual([]);
  // One is there, and the server has gone away over the next.
  const brought = (name: string, signature: string, phase: 'uploaded' | 'delivered') =>
    exchange.noteAnswer({
      account,
      name,
      signature,
      phase,
      sha256: '',
      remoteBytes: 1,
      at: isoTime(clock.now()),
    });
  for (const [index, { name, signature }] of due.slice(0, 2).entries())
    await brought(name, signature, index === 0 ? 'delivered' : 'uploaded');
  await removeOld(paydrop);
  const left = due.slice(1).map(({ name }) => name);
  expect((await readdir(paydrop.workspace.outbox)).sort()).toEqual(left.toSorted());
  for (const { name, signature } of due) await brought(name, signature, 'delivered');
  await removeOld(paydrop);
  expect(await readdir(paydrop.workspace.outbox)).toEqual([]);
});

it('what the service may still reverse stays, however old', async () => {
  const paydrop = await desk.open('retention: { archive: 1d }\ntracking: { reversalWindow: 20d }');
  await paid(paydrop);
  await days(paydrop, 15);
  expect(await removeOld(paydrop)).toEqual([]);
  // Past its window, but nobody has looked since: the last look is still due.
  clock.leap(10 * DAY_MS);
  expect(await removeOld(paydrop)).toEqual([]);
  await resumeBatches(paydrop, null, PATIENT);
  expect(await removeOld(paydrop)).toHaveLength(1);
});

it('a batch that is not finished stays, however old', async () => {
  const paydrop = await desk.open('retention: { archive: 1d, outbox: 1d }');
  const file = await desk.file('payroll.csv', [magic('A-1', '0060000')]);
  await processBatch(paydrop, file, { ...PATIENT, waitMs: 0 });
  clock.leap(500 * DAY_MS);
  expect(await removeOld(paydrop)).toEqual([]);
});

it('a removal that a kill cut short is ended by the next', async () => {
  const paydrop = await desk.open(RETENTION);
  const batch = await paid(paydrop);
  const folder = join(paydrop.workspace.archive, batch.slice(0, 4), batch.slice(4, 6));
  await mkdir(join(folder, `${batch}.removed`));
  await writeFile(join(folder, `${batch}.removed`, 'left.csv'), 'x');
  await utimes(folder, clock.now() / 1_000, clock.now() / 1_000);
  for (const count of [25, 100]) await days(paydrop, count);
  await removeOld(paydrop);
  expect(await readdir(folder)).toEqual([]);
  expect(isoTime(clock.now()) > ((await paydrop.ledger.batch(batch))?.finished?.at ?? '')).toBe(true);
});
