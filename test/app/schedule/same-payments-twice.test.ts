// The payments of a standing file also exist under another name, are being taken by another process, or come in another file: each is paid once,
// and none is lost.
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { releaseRows } from '../release.ts';
import { resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { StandingFiles } from '../../../src/app/intake/standing-files.ts';
import { giveTo, runElsewhere } from '../../ledger/machines.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { calendarClock, type CalendarClock } from './calendar-clock.ts';
import { dropInto, QUICK, startWatching } from './watching.ts';
import { said } from '../said.ts';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-10-30T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const RENT = `schedules: [{ folder: rent, cron: "0 9 28 * *", timeZone: Africa/Douala, standing: true }]\n${QUICK}`;

const isScheduled = ({ state }: { readonly state: string }) => state === 'scheduled';
const isRefused = ({ state }: { readonly state: string }) => state === 'refused';
const isClosed = ({ state }: { readonly state: string }) => state === 'closed';

it('a standing file that is renamed is paid at its time under its new name', async () => {
  const paydrop = await desk.open(RENT);
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const daemon = startWatching(paydrop);
  await daemon.until(isScheduled);
  await rename(path, join(desk.workspace, 'inbox', 'rent', 'offices-2026.csv'));
  clock.goTo('2026-11-10T10:00:00Z');
  await daemon.until(isRefused);
  clock.goTo('2026-11-11T10:00:00Z');
  const { summary } = await daemon.until(isScheduled);
  expect(summary).toMatchObject({ file: { name: 'offices-2026.csv' }, payAt: '2026-11-28T08:00:00.000Z' });
  clock.goTo('2026-11-28T08:00:00Z');
  await daemon.until(isClosed);
  await daemon.stop();
  expect(daemon.told.filter(({ isRepeated }) => isRepeated)).toEqual([]);
  expect(await transfersOf(paydrop)).toHaveLength(1);
});

it('a copy of a standing file under another name is not paid beside it, its owner is told once, and it takes its place once that is gone', async () => {
  const paydrop = await desk.open(RENT);
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const daemon = startWatching(paydrop);
  const { summary } = await daemon.until(isScheduled);
  await copyFile(path, join(desk.workspace, 'inbox', 'rent', 'offices-2026.csv'));
  const waits = await daemon.until(({ batch }) => batch === summary.batch);
  expect(waits.isRepeated).toBe(true);
  expect(said(waits.words).join(' ')).toContain('also in the inbox as rent/offices.csv');
  expect(await readdir(join(desk.workspace, 'outbox'))).toContain(
    `offices-2026.${summary.batch}.duplicate.json`,
  );
  clock.goTo('2026-11-10T10:00:00Z');
  await daemon.look();
  await rm(path);
  clock.goTo('2026-11-11T10:00:00Z');
  await daemon.until(isRefused);
  clock.goTo('2026-11-12T10:00:00Z');
  expect((await daemon.until(isScheduled)).summary.file.name).toBe('offices-2026.csv');
  clock.goTo('2026-11-28T08:00:00Z');
  await daemon.until(isClosed);
  await daemon.stop();
  expect(daemon.told.filter(({ isRepeated }) => isRepeated)).toHaveLength(1);
  expect(await transfersOf(paydrop)).toHaveLength(1);
});

it('a copy that stands all the time is paid on no day that the other was, and takes its place on a later one', async () => {
  const paydrop = await desk.open(RENT);
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const daemon = startWatching(paydrop);
  await daemon.until(isScheduled);
  await copyFile(path, join(desk.workspace, 'inbox', 'rent', 'offices-2026.csv'));
  await daemon.until(isScheduled);
  const november = '2026-11-28T08:00:00.000Z';
  clock.goTo(november);
  await daemon.until(isClosed);
  clock.goTo('2026-11-29T08:00:00Z');
  await daemon.until(({ payAt }) => payAt === '2026-12-28T08:00:00.000Z');
  await daemon.look();
  await rm(path);
  // Whichever of the two has December by now: in the end it is the one that stands.
  for (const day of ['30T08', '30T09', '30T10']) {
    clock.goTo(`2026-11-${day}:00:00Z`);
    await daemon.look();
  }
  clock.goTo('2026-12-28T08:00:00Z');
  const december = await daemon.until(isClosed);
  await daemon.stop();
  expect(december.summary).toMatchObject({ file: { name: 'offices-2026.csv' }, outcomes: { paid: 1 } });
  const closed = (await paydrop.ledger.batches()).filter(isClosed);
  expect(closed.map(({ payAt }) => payAt?.at)).toEqual([november, '2026-12-28T08:00:00.000Z']);
});

it('a payment that a standing file still waits to make makes no row of another file a duplicate: it is held, and paid once the file was taken away and a person has released it', async () => {
  const paydrop = await desk.open(RENT);
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100'), line('RENT-2', '200')]);
  const daemon = startWatching(paydrop);
  await daemon.until(isScheduled);
  await dropInto(desk, 'urgent.csv', [line('RENT-1', '100')]);
  const { summary } = await daemon.until(({ file }) => file.name === 'urgent.csv');
  expect(await endsOf(paydrop, summary.batch)).toEqual(['held reference_undecided']);
  await rm(path);
  clock.goTo('2026-11-11T10:00:00Z');
  await daemon.until(isRefused);
  await daemon.stop();
  const urgent = await paydrop.ledger.batch(summary.batch);
  if (urgent === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, urgent, { by: 'Ama', reason: 'the file is gone', rows: null, skip: false });
  await resumeBatches(paydrop, summary.batch, PATIENT);
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
});

it('a time that another process was taking when it was killed is made by the one that saw it, also when it has passed by then', async () => {
  const paydrop = await desk.open(RENT);
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const parts = { beside: [], documents: [], seen: new Map(), rows: 1, folder: 'rent' };
  const file = { name: 'offices.csv', path, signature: '1', ...parts };
  const look = (standing: StandingFiles) =>
    standing.look([file], (words) => {
      throw new Error(words);
    });
  await look(new StandingFiles(paydrop));
  const [made] = await paydrop.ledger.batches();
  if (made === undefined) throw new Error('It was made.');
  await desk.loseLedger();
  await rm(join(desk.workspace, 'processing', made.id), { recursive: true });
  const next = await desk.open(RENT);
  // As a process that runs holds it while it copies the file.
  const { run } = await runElsewhere(next.workspace.ledgerPath);
  await next.ledger.addBatch({ ...made, state: 'taking' });
  giveTo(next.workspace.ledgerPath, made.id, run);
  const standing = new StandingFiles(next);
  expect(await look(standing)).toEqual([]);
  giveTo(next.workspace.ledgerPath, made.id, 'elsewhere/1/dead');
  clock.goTo('2026-11-28T08:00:01Z');
  expect(await look(standing)).toHaveLength(2);
  expect((await next.ledger.batches()).map(({ payAt }) => payAt?.at).sort()).toEqual([
    '2026-11-28T08:00:00.000Z',
    '2026-12-28T08:00:00.000Z',
  ]);
});
