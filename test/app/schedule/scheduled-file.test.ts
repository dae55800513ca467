// A file in the folder of a schedule is checked and answered at once, and paid at the next time of the schedule: not before, and not twice.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { exitCodeOf } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from '../release.ts';
import { statusOfNamed } from '../../../src/app/desk/batch-status.ts';
import { release } from '../../../src/app/desk/commands.ts';
import { waitsForAnswer } from '../../../src/ledger/approval.ts';
import { approve, decline, REQUIRED } from '../approval/two-people.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { calendarClock, type CalendarClock } from './calendar-clock.ts';
import { said } from '../said.ts';

let clock: CalendarClock;
let desk: Desk;

beforeEach(async () => {
  clock = calendarClock('2026-11-20T10:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const salaries = (more = '') =>
  `schedules: [{ folder: salaries, cron: "0 9 28 * *", timeZone: Africa/Douala${more} }]`;

async function drop(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(desk.workspace, 'inbox', name);
  await mkdir(dirname(path), { recursive: true });
  await copyFile(await desk.file('dropped.csv', lines), path);
  return path;
}

async function resume(paydrop: Paydrop) {
  const results = await resumeBatches(paydrop, null, PATIENT);
  return results?.map(({ summary }) => summary) ?? [];
}

describe('a file in the folder of a schedule', () => {
  it('is acknowledged with its time, and paid then, over three months', async () => {
    const paydrop = await desk.open(salaries());
    for (const [month, day] of [
      ['2026-11', '2026-11-28T08:00:00.000Z'],
      ['2026-12', '2026-12-28T08:00:00.000Z'],
      ['2027-01', '2027-01-28T08:00:00.000Z'],
    ] as const) {
      clock.goTo(`${month}-20T10:00:00Z`);
      const path = await drop(`salaries/${month}.csv`, line(`${month}-1`, '100'), line(`${month}-2`, '200'));
      const { summary, words } = await processBatch(paydrop, path, PATIENT);
      expect(summary).toMatchObject({ state: 'scheduled', waitingFor: 'schedule', payAt: day });
      expect(exitCodeOf({ summary, words }, 0)).toBe(5);
      expect(said(words).join(' ')).toContain('09:00 (Africa/Douala)');
      const outbox = join(desk.workspace, 'outbox');
      const ack = JSON.parse(
        await readFile(join(outbox, `${month}.${summary.batch}.ack.json`), 'utf8'),
      ) as object;
      expect(ack).toMatchObject({ payAt: day, rows: 2 });
      const before = (await transfersOf(paydrop)).length;
      clock.goTo(`${month}-28T07:59:50Z`);
      expect(await resume(paydrop)).toMatchObject([{ state: 'scheduled' }]);
      expect(await transfersOf(paydrop)).toHaveLength(before);
      clock.goTo(day);
      expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 2 } }]);
      expect(await transfersOf(paydrop)).toHaveLength(before + 2);
      await rm(path);
    }
  });

  it('says its day in the question, in the answer to the approval, and at once in its state', async () => {
    const paydrop = await desk.open(`${salaries()}\n${REQUIRED}`);
    const DAY = 'It is paid on Saturday, 28 November 2026 at 09:00 (Africa/Douala)';
    const path = await drop('salaries/a.csv', line('A-1', '100'));
    const { summary, words } = await processBatch(paydrop, path, PATIENT);
    expect(summary).toMatchObject({ state: 'awaiting-approval', payAt: '2026-11-28T08:00:00.000Z' });
    expect(said(words).join(' ')).toContain(DAY);
    const answer = await approve(paydrop, summary.batch);
    expect(answer.words.en).toContain(DAY);
    expect(answer.words.en).toContain('pays it then');
    // No process has looked at it since.
    const [status] = (await statusOfNamed(paydrop, summary.batch))?.batches ?? [];
    expect(status).toMatchObject({ state: 'scheduled', waitingFor: 'schedule', place: 'scheduled' });
    expect(status?.words).toContain(DAY);
    expect(await resume(paydrop)).toMatchObject([{ state: 'scheduled' }]);
    clock.goTo('2026-11-28T08:00:00.000Z');
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 1 } }]);
  });

  it.each(['before', 'after'])('is cancelled whole by one command %s its approval', async (when) => {
    const paydrop = await desk.open(`${salaries()}\n${REQUIRED}`);
    const path = await drop('salaries/a.csv', line('A-1', '100'), line('A-2', '200'));
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    if (when === 'after') await approve(paydrop, batch);
    const order = { by: 'Marie', reason: 'wrong month', rows: null, skip: true, via: 'the test' };
    const cancelled = await release(paydrop, batch, order);
    expect(cancelled).toMatchObject({ end: { released: ['2', '3'] }, isDone: true, instead: null });
    // Nobody is asked about it any more.
    const known = await paydrop.ledger.batch(batch);
    expect(known === null || waitsForAnswer(known)).toBe(false);
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { rejected: 2 } }]);
    expect(await transfersOf(paydrop)).toEqual([]);
    const again = await release(paydrop, batch, order);
    expect(again).toMatchObject({
      instead: { en: expect.stringContaining(`paydrop status ${batch}`) as string },
    });
  });

  it('whose day has come before the approval is paid at once, and says so', async () => {
    const paydrop = await desk.open(`${salaries()}\n${REQUIRED}`);
    const { batch } = (await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT))
      .summary;
    clock.goTo('2026-11-28T08:00:01.000Z');
    const { words } = await approve(paydrop, batch);
    expect(words.en).not.toContain('It is paid on');
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 1 } }]);
  });

  it('that is declined is closed at once: nothing of it is left to wait for that time', async () => {
    const paydrop = await desk.open(`${salaries()}\n${REQUIRED}`);
    const path = await drop('salaries/a.csv', line('A-1', '100'), line('', '300'), line('', '300'));
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    expect(await decline(paydrop, batch)).toMatchObject({ kind: 'decided' });
    expect(await resume(paydrop)).toMatchObject([
      { state: 'closed', waitingFor: null, outcomes: { rejected: 3 } },
    ]);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('of which every row was paid before is closed at once, too', async () => {
    const paydrop = await desk.open(salaries());
    const rows = [line('A-1', '100'), line('A-2', '200')];
    await processBatch(paydrop, await desk.file('paid.csv', rows), PATIENT);
    const { summary } = await processBatch(
      paydrop,
      await drop('salaries/a.csv', ...rows.toReversed()),
      PATIENT,
    );
    expect(summary).toMatchObject({ state: 'closed', outcomes: { duplicate: 2 } });
  });

  it('with a row to fix is refused at once', async () => {
    const paydrop = await desk.open(salaries());
    const { summary } = await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', 'x')), PATIENT);
    expect(summary.state).toBe('refused');
  });

  it('keeps its time when the config changes later, and when the ledger is lost', async () => {
    const path = await drop('salaries/a.csv', line('A-1', '100'));
    await processBatch(await desk.open(salaries()), path, PATIENT);
    await desk.loseLedger();
    const paydrop = await desk.open('');
    await rebuildFile(paydrop, path, PATIENT);
    clock.goTo('2026-11-28T07:00:00Z');
    expect(await resume(paydrop)).toMatchObject([{ state: 'scheduled', payAt: '2026-11-28T08:00:00.000Z' }]);
    expect(await transfersOf(paydrop)).toEqual([]);
    clock.goTo('2026-11-28T08:00:01Z');
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 1 } }]);
  });

  it('is not paid again when the clock goes back behind its time', async () => {
    const paydrop = await desk.open(salaries());
    const path = await drop('salaries/a.csv', line('A-1', '100'));
    await processBatch(paydrop, path, PATIENT);
    clock.goTo('2026-11-28T09:00:00Z');
    await resume(paydrop);
    clock.goTo('2026-11-21T09:00:00Z');
    expect((await processBatch(paydrop, path, PATIENT)).isRepeated).toBe(true);
    clock.goTo('2026-11-28T12:00:00Z');
    await resume(paydrop);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('is paid once by several processes at the same moment', async () => {
    const first = await desk.open(salaries());
    await processBatch(first, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
    await desk.shut();
    clock.goTo('2026-11-28T08:00:01Z');
    const all = [await desk.open(salaries()), await desk.open(salaries())];
    await Promise.allSettled(all.map((paydrop) => resumeBatches(paydrop, null, PATIENT)));
    const last = await desk.open(salaries());
    await resume(last);
    expect(await transfersOf(last)).toHaveLength(1);
  });
});

describe('a time that was missed while paydrop was stopped', () => {
  it('is made good at once by default', async () => {
    const paydrop = await desk.open(salaries());
    await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
    clock.goTo('2026-11-30T12:00:00Z');
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 1 } }]);
  });

  it('is held where the config says so, until a person lets it go', async () => {
    const paydrop = await desk.open(salaries(', missed: hold'));
    await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
    clock.goTo('2026-11-30T12:00:00Z');
    const [held] = await resume(paydrop);
    expect(held).toMatchObject({ waitingFor: 'operator', outcomes: { pending: 1 } });
    const batch = await paydrop.ledger.batch(held?.batch ?? '');
    expect(batch?.wait?.words.en).toContain('Saturday, 28 November 2026 at 09:00 (Africa/Douala)');
    if (batch === null) throw new Error('The batch is there.');
    const order = { by: 'Ada', reason: 'agreed with all', rows: null, skip: false };
    expect(await releaseRows(paydrop, batch, order)).toMatchObject({ file: 'missed-time' });
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 1 } }]);
    expect((await paydrop.ledger.batch(batch.id))?.decisions).toMatchObject([
      { about: 'time', by: 'Ada', reason: 'agreed with all' },
    ]);
  });

  it('is what the file waits for on record, also when STOP has halted it meanwhile', async () => {
    const paydrop = await desk.open(salaries(', missed: hold'));
    await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
    clock.goTo('2026-11-30T12:00:00Z');
    const [held] = await resume(paydrop);
    const before = await paydrop.ledger.batch(held?.batch ?? '');
    const stop = join(paydrop.workspace.inbox, 'STOP');
    await writeFile(stop, '');
    const [halted] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(halted).toMatchObject({
      isStopped: true,
      words: [{ en: expect.stringContaining('STOP') as string }],
    });
    await rm(stop);
    expect(before?.wait?.for).toBe('missed-time');
    expect((await paydrop.ledger.batch(held?.batch ?? ''))?.wait).toEqual(before?.wait);
  });

  it('is cancelled where a person says so', async () => {
    const paydrop = await desk.open(salaries(', missed: hold'));
    await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
    clock.goTo('2026-11-30T12:00:00Z');
    const [held] = await resume(paydrop);
    const batch = await paydrop.ledger.batch(held?.batch ?? '');
    if (batch === null) throw new Error('The batch is there.');
    await releaseRows(paydrop, batch, { by: 'Ada', reason: 'paid by hand', rows: null, skip: true });
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 0, rejected: 1 } }]);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('is none when a restart or an outage made it late by less than an hour', async () => {
    const paydrop = await desk.open(salaries(', missed: hold'));
    await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
    clock.goTo('2026-11-28T08:55:00Z');
    expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { paid: 1 } }]);
  });
});

it('a file is cancelled before its time where a person says so, and nobody can have it paid before', async () => {
  const paydrop = await desk.open(salaries());
  const path = await drop('salaries/a.csv', line('A-1', '100'), line('A-2', '200'));
  const { summary } = await processBatch(paydrop, path, PATIENT);
  const batch = await paydrop.ledger.batch(summary.batch);
  if (batch === null) throw new Error('The batch is there.');
  const order = { by: 'Ada', reason: 'wrong month', rows: null };
  expect(await releaseRows(paydrop, batch, { ...order, skip: false })).toMatchObject({
    file: null,
    released: [],
  });
  expect(await resume(paydrop)).toMatchObject([{ state: 'scheduled' }]);
  expect(await releaseRows(paydrop, batch, { ...order, skip: true })).toMatchObject({ released: ['2', '3'] });
  expect(await resume(paydrop)).toMatchObject([{ state: 'closed', outcomes: { rejected: 2 } }]);
  expect(await transfersOf(paydrop)).toEqual([]);
});

describe('while a file waits for its day', () => {
  it('the same reference in another file is undecided, also weeks before, and nobody is told that it was paid', async () => {
    const paydrop = await desk.open(salaries());
    const lines = [line('EMP-1', '100'), line('EMP-2', '200')];
    const first = await processBatch(paydrop, await drop('salaries/a.csv', ...lines), PATIENT);
    expect(first.summary.state).toBe('scheduled');
    clock.goTo('2026-11-27T10:00:00Z');
    const again = await processBatch(
      paydrop,
      await desk.file('b.csv', [...lines, line('N-1', '50')]),
      PATIENT,
    );
    expect(await endsOf(paydrop, again.summary.batch)).toEqual([
      'held reference_undecided',
      'held reference_undecided',
      'paid',
    ]);
  });

  it('the corrected one says which rows it leaves out', async () => {
    const paydrop = await desk.open(salaries());
    await processBatch(
      paydrop,
      await drop('salaries/a.csv', line('EMP-1', '100'), line('EMP-2', '200')),
      PATIENT,
    );
    const { words } = await processBatch(
      paydrop,
      await drop('salaries/a.csv', line('EMP-1', '100'), line('EMP-3', '200')),
      PATIENT,
    );
    expect(said(words).join(' ')).toMatch(/still to be paid by batch .*: row 3/);
  });
});

it('the original of a run stays where it is', async () => {
  const paydrop = await desk.open(salaries());
  await processBatch(paydrop, await drop('salaries/a.csv', line('A-1', '100')), PATIENT);
  expect(await readdir(join(desk.workspace, 'inbox', 'salaries'))).toEqual(['a.csv']);
});
