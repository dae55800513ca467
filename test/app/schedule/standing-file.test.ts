// A file that stays in the folder of a schedule is paid at every time of the schedule, once each, for as long as it is there.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from '../release.ts';
import { StandingFiles } from '../../../src/app/intake/standing-files.ts';
import { inboxEntries } from '../../../src/inbox/inbox-entries.ts';
import { folderNow } from '../../../src/inbox/manifest.ts';
import { externalId } from '../../../src/payouts/payout.ts';
import { giveTo, runElsewhere } from '../../ledger/machines.ts';
import { approve, sendBack } from '../approval/two-people.ts';
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
const isAsked = ({ state }: { readonly state: string }) => state === 'awaiting-approval';
const isClosed = ({ state }: { readonly state: string }) => state === 'closed';

function noTrouble(words: string): void {
  throw new Error(words);
}

async function close(paydrop: Paydrop, id: string): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, batch, { by: 'Ama', reason: 'paid by hand', rows: null, skip: true });
}

async function series({ ledger }: Paydrop) {
  const batches = await ledger.batches();
  return batches
    .map(({ fileId, state, payAt }) => ({
      day: fileId.split('#')[1],
      state,
      withdrawn: payAt?.standing?.withdrawn,
    }))
    .sort((a, b) => ((a.day ?? '') < (b.day ?? '') ? -1 : 1));
}

describe('a standing file', () => {
  it('is paid twelve times in twelve months, with its references, and stays where it is', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100'), line('RENT-2', '200')]);
    const daemon = startWatching(paydrop);
    for (let month = 0; month < 12; month += 1) {
      const { summary } = await daemon.until(isScheduled);
      clock.goTo(summary.payAt ?? '');
      const closed = await daemon.until(isClosed);
      expect(closed.summary).toMatchObject({ batch: summary.batch, outcomes: { paid: 2 } });
    }
    await daemon.stop();
    const made = await series(paydrop);
    expect(made.map(({ day }) => day?.slice(0, 7))).toEqual([
      ...['2026-11', '2026-12', '2027-01', '2027-02', '2027-03', '2027-04', '2027-05'],
      ...['2027-06', '2027-07', '2027-08', '2027-09', '2027-10', '2027-11'],
    ]);
    expect(made.filter(({ state }) => state === 'closed')).toHaveLength(12);
    expect(await readdir(join(desk.workspace, 'inbox', 'rent'))).toEqual(['offices.csv']);
    // Each month waits for real calls and real files; a machine that does much else takes its time.
  }, 90_000);

  it('has the ids of its bytes and its day', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const { summary } = await daemon.until(isScheduled);
    clock.goTo('2026-11-28T08:00:00Z');
    await daemon.until(isClosed);
    await daemon.stop();
    const [row] = await paydrop.ledger.rows(summary.batch, 0, 1);
    const fileId = `${summary.file.sha256}#2026-11-28`;
    expect(row?.progress.transfer?.externalId).toBe(externalId(fileId, '2', 'transfer', 1));
    expect(summary.batch).toMatch(/^20261030-[0-9a-f]{8}-20261128$/);
  });

  it('that is taken away is not paid, and its owner is told; put back it is paid at the next time', async () => {
    const paydrop = await desk.open(RENT);
    const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const { summary } = await daemon.until(isScheduled);
    const away = join(desk.workspace, 'offices.csv');
    await rename(path, away);
    clock.goTo('2026-10-30T11:00:00Z');
    const withdrawn = await daemon.until(({ state }) => state === 'refused');
    expect(withdrawn.summary.batch).toBe(summary.batch);
    expect(said(withdrawn.words).join(' ')).toContain('removed from its folder');
    await rename(away, path);
    await daemon.until(isScheduled);
    clock.goTo('2026-11-28T08:00:00Z');
    expect((await daemon.until(isClosed)).summary.outcomes.paid).toBe(1);
    await daemon.stop();
  });

  it('that is replaced is paid as it stands, and what it paid before is no duplicate of it', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100'), line('', '300')]);
    const daemon = startWatching(paydrop);
    await daemon.until(isScheduled);
    clock.goTo('2026-11-28T08:00:00Z');
    await daemon.until(isClosed);
    await daemon.until(isScheduled);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100'), line('', '300'), line('RENT-3', '50')]);
    clock.goTo('2026-11-28T12:00:00Z');
    await daemon.until(({ state }) => state === 'refused');
    const { summary } = await daemon.until(isScheduled);
    expect(summary.payAt).toBe('2026-12-28T08:00:00.000Z');
    clock.goTo('2026-12-28T08:00:00Z');
    const paid = await daemon.until(isClosed);
    await daemon.stop();
    expect(await endsOf(paydrop, paid.summary.batch)).toEqual(['paid', 'paid', 'paid']);
  });

  it('that is replaced while its approval is awaited is asked for as it stands now, and paid at its time', async () => {
    const paydrop = await desk.open(`policy: { approval: required }\n${RENT}`);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const first = await daemon.until(isAsked);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100'), line('RENT-2', '50')]);
    clock.goTo('2026-11-01T10:00:00Z');
    const withdrawn = await daemon.until(({ state }) => state === 'refused');
    expect(withdrawn.summary.batch).toBe(first.summary.batch);
    expect(said(withdrawn.words).join(' ')).toContain('removed from its folder, or replaced');
    const { batch } = (await daemon.until(isAsked)).summary;
    expect(await approve(paydrop, first.summary.batch)).toMatchObject({ code: 'approval_not_asked' });
    expect(await approve(paydrop, batch)).toMatchObject({ kind: 'decided' });
    expect((await paydrop.ledger.batch(batch))?.wait?.for).toBe('schedule');
    clock.goTo('2026-11-28T08:00:00Z');
    const paid = await daemon.until(isClosed);
    expect(paid.summary).toMatchObject({ batch, outcomes: { paid: 2 } });
    await daemon.stop();
  });

  it('cannot be approved by whom its control file names as the one that brings it', async () => {
    const paydrop = await desk.open(`policy: { approval: required }\n${RENT}`);
    const folder = join(desk.workspace, 'inbox', 'rent');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'offices.control.json'), '{ "rows": 1, "submittedBy": "Paul" }');
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const { batch } = (await daemon.until(isAsked)).summary;
    expect(await paydrop.ledger.batch(batch)).toMatchObject({
      submittedBy: ['Paul'],
      approval: { kind: 'asked' },
    });
    expect(await approve(paydrop, batch, 'PAUL')).toMatchObject({ code: 'approval_same_person' });
    expect(await approve(paydrop, batch, 'Marie')).toMatchObject({ kind: 'decided' });
    await daemon.stop();
  });

  it('that is sent back is not asked about at once: it still lies where it was, and nobody has brought it again', async () => {
    const paydrop = await desk.open(`policy: { approval: required }\n${RENT}`);
    const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const { batch } = (await daemon.until(isAsked)).summary;
    await daemon.stop();
    await sendBack(paydrop, batch);
    const [result] = (await resumeBatches(paydrop, batch, PATIENT)) ?? [];
    expect(result?.summary.state).toBe('closed');
    expect(await processBatch(paydrop, path, PATIENT)).toMatchObject({
      isRepeated: true,
      summary: { batch },
    });
  });

  it('that is taken away while its approval is awaited is withdrawn by whoever goes on with it', async () => {
    const paydrop = await desk.open(`policy: { approval: required }\n${RENT}`);
    const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const { batch } = (await daemon.until(isAsked)).summary;
    await daemon.stop();
    await rm(path);
    const [result] = (await resumeBatches(paydrop, batch, PATIENT)) ?? [];
    expect(result?.summary.state).toBe('refused');
    const late = await approve(paydrop, batch);
    expect(late).toMatchObject({ kind: 'refused', code: 'approval_not_asked' });
    expect(late.words).toMatchObject({
      en: 'It was withdrawn: its file was removed from its folder, or replaced. Nothing of it is paid.',
    });
  });

  it('whose folder cannot be read while its approval is awaited stays asked, and is not paid', async () => {
    const paydrop = await desk.open(`policy: { approval: required }\n${RENT}`);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    const { batch } = (await daemon.until(isAsked)).summary;
    await daemon.stop();
    await rename(join(desk.workspace, 'inbox', 'rent'), join(desk.workspace, 'away'));
    const resume = async () => (await resumeBatches(paydrop, batch, PATIENT))?.[0]?.summary;
    expect(await resume()).toMatchObject({ state: 'awaiting-approval' });
    await approve(paydrop, batch);
    clock.goTo('2026-11-28T08:00:00Z');
    expect(await resume()).toMatchObject({ state: 'scheduled', waitingFor: 'schedule' });
    await rename(join(desk.workspace, 'away'), join(desk.workspace, 'inbox', 'rent'));
    expect(await resume()).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
  });

  it('does not make the same payments in another file pass: by its bytes, by its references, or by its rows', async () => {
    const paydrop = await desk.open(RENT);
    const rows = [line('RENT-1', '100'), line('', '300')];
    await dropInto(desk, 'rent/offices.csv', rows);
    const daemon = startWatching(paydrop);
    await daemon.until(isScheduled);
    clock.goTo('2026-11-28T08:00:00Z');
    await daemon.until(isClosed);
    await daemon.stop();
    expect((await processBatch(paydrop, await desk.file('same.csv', rows), PATIENT)).isRepeated).toBe(true);
    const other = await processBatch(paydrop, await desk.file('other.csv', [...rows, '']), PATIENT);
    expect(await endsOf(paydrop, other.summary.batch)).toEqual([
      // The next time of the file has the reference too, and is not decided.
      'held reference_undecided',
      'held same_payment_recently',
    ]);
  });

  it('is one batch a time, whichever process is faster, and nobody is told of a duplicate', async () => {
    const [first, second] = [await desk.open(RENT), await desk.open(RENT)];
    const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const file = {
      name: 'offices.csv',
      path,
      signature: '1',
      beside: [],
      documents: [],
      seen: new Map(),
      rows: 1,
      folder: 'rent',
    };
    expect(await new StandingFiles(first).look([file], noTrouble)).toHaveLength(1);
    expect(await new StandingFiles(second).look([file], noTrouble)).toEqual([]);
    const [made] = await first.ledger.batches();
    if (made === undefined) throw new Error('It was made.');
    await desk.loseLedger();
    const third = await desk.open(RENT);
    // As a process that runs holds it while it copies the file.
    const { run } = await runElsewhere(third.workspace.ledgerPath);
    await third.ledger.addBatch({ ...made, state: 'taking' });
    giveTo(third.workspace.ledgerPath, made.id, run);
    expect(await new StandingFiles(third).look([file], noTrouble)).toEqual([]);
    expect(await readdir(join(desk.workspace, 'outbox'))).toEqual([]);
  });

  it('is made again by the process after one that was killed while it copied the file', async () => {
    const paydrop = await desk.open(RENT);
    const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const file = {
      name: 'offices.csv',
      path,
      signature: '1',
      beside: [],
      documents: [],
      seen: new Map(),
      rows: 1,
      folder: 'rent',
    };
    await new StandingFiles(paydrop).look([file], noTrouble);
    const [made] = await paydrop.ledger.batches();
    if (made === undefined) throw new Error('It was made.');
    await desk.loseLedger();
    // Its manifest is written once all is copied.
    const folder = folderNow(paydrop.workspace, made.id) ?? '';
    for (const name of await readdir(folder)) if (name.startsWith('batch.')) await rm(join(folder, name));
    const next = await desk.open(RENT);
    await next.ledger.addBatch({ ...made, state: 'taking' });
    giveTo(next.workspace.ledgerPath, made.id, 'elsewhere/1/dead');
    expect(await new StandingFiles(next).look([file], noTrouble)).toHaveLength(1);
    expect(await next.ledger.batches()).toMatchObject([{ id: made.id, state: 'checking' }]);
  });

  it('with a row to fix is refused once for a time, not at every look', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', 'x')]);
    const daemon = startWatching(paydrop);
    await daemon.until(({ state }) => state === 'refused');
    await dropInto(desk, 'rent/other.csv', [line('RENT-2', '100')]);
    await daemon.until(isScheduled);
    await daemon.stop();
    expect(daemon.told.filter(({ summary }) => summary.state === 'refused')).toHaveLength(1);
    // A restart finds in the ledger that it was told.
    const again = startWatching(await desk.open(RENT));
    await rm(join(desk.workspace, 'inbox', 'rent', 'other.csv'));
    await again.until(({ file, state }) => file.name === 'other.csv' && state === 'refused');
    await again.stop();
    expect(again.told.map(({ summary }) => summary.file.name)).toEqual(['other.csv']);
  });

  it('that asks for a day of its own is refused', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices@2026-12-01.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    expect(said((await daemon.until(({ state }) => state === 'refused')).words).join(' ')).toContain(
      '2026-12-01',
    );
    await daemon.stop();
    expect((await inboxEntries(join(desk.workspace, 'inbox'))).map(({ name }) => name)).toEqual([
      'rent/offices@2026-12-01.csv',
    ]);
  });
});

it('a standing file goes on where it was when the ledger is lost: nothing is paid again, and nothing early', async () => {
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const daemon = startWatching(await desk.open(RENT));
  await daemon.until(isScheduled);
  clock.goTo('2026-11-28T08:00:00Z');
  await daemon.until(isClosed);
  await daemon.until(isScheduled);
  await daemon.stop();
  await desk.loseLedger();
  const paydrop = await desk.open(RENT);
  expect(await rebuildFile(paydrop, path, PATIENT)).toHaveLength(2);
  clock.goTo('2026-11-29T08:00:00Z');
  await resumeBatches(paydrop, null, PATIENT);
  expect(await series(paydrop)).toMatchObject([
    { day: '2026-11-28', state: 'closed' },
    { day: '2026-12-28', state: 'accepted' },
  ]);
  const again = startWatching(paydrop);
  clock.goTo('2026-12-28T08:00:00Z');
  await again.until(isClosed);
  await again.stop();
  expect((await series(paydrop)).filter(({ state }) => state === 'closed')).toHaveLength(2);
});

it('a standing file that cannot be read keeps the others from nothing, and is told', async () => {
  const paydrop = await desk.open(RENT);
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const file = {
    name: 'offices.csv',
    path,
    signature: '1',
    beside: [],
    documents: [],
    seen: new Map(),
    rows: 1,
    folder: 'rent',
  };
  const gone = { ...file, path: `${path}.gone.csv` };
  const told: string[] = [];
  const made = await new StandingFiles(paydrop).look([gone, file], (words) => told.push(words));
  expect([made.length, told.length]).toEqual([1, 1]);
});

it('a daemon that looks once in a day pays at the hour all the same', async () => {
  const paydrop = await desk.open(RENT.replace('scanEvery: 60ms', 'scanEvery: 1d'));
  const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
  const file = {
    name: 'offices.csv',
    path,
    signature: '1',
    beside: [],
    documents: [],
    seen: new Map(),
    rows: 1,
    folder: 'rent',
  };
  const [drop] = await new StandingFiles(paydrop).look([file], noTrouble);
  await drop?.carry(PATIENT);
  clock.goTo('2026-11-28T07:59:59Z');
  const daemon = startWatching(paydrop);
  expect((await daemon.until(isClosed)).summary.outcomes.paid).toBe(1);
  await daemon.stop();
});

describe('times of a standing file that passed while paydrop was stopped', () => {
  it('one is made good at once', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    await daemon.until(isScheduled);
    await daemon.stop();
    clock.goTo('2026-12-02T08:00:00Z');
    const again = startWatching(await desk.open(RENT));
    expect((await again.until(isClosed)).summary.outcomes.paid).toBe(1);
    expect((await again.until(isScheduled)).summary.payAt).toBe('2026-12-28T08:00:00.000Z');
    await again.stop();
  });

  it('one that took the place of another before its time is made good at once too', async () => {
    // The disk tells when it was laid there, by its own clock.
    clock.goTo('2036-01-10T10:00:00Z');
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    await daemon.until(isScheduled);
    await daemon.stop();
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '120')]);
    clock.goTo('2036-01-28T08:30:00Z');
    const late = await desk.open(RENT);
    const again = startWatching(late);
    expect((await again.until(isClosed)).summary.outcomes.paid).toBe(1);
    expect((await again.until(isScheduled)).summary.payAt).toBe('2036-02-28T08:00:00.000Z');
    await again.stop();
    expect(await series(late)).toContainEqual({ day: '2036-01-28', state: 'closed', withdrawn: undefined });
  });

  it('of several each is held, and the next one is scheduled', async () => {
    const paydrop = await desk.open(RENT);
    await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(paydrop);
    await daemon.until(isScheduled);
    await daemon.stop();
    clock.goTo('2027-02-02T08:00:00Z');
    const late = await desk.open(RENT);
    const again = startWatching(late);
    const held = new Set<string>();
    let scheduled = '';
    while (held.size < 3 || scheduled === '') {
      const { summary } = await again.until(() => true);
      if (summary.waitingFor === 'operator') held.add(summary.payAt ?? '');
      if (summary.state === 'scheduled') scheduled = summary.payAt ?? '';
    }
    await again.stop();
    expect([...held].sort()).toEqual([
      '2026-11-28T08:00:00.000Z',
      '2026-12-28T08:00:00.000Z',
      '2027-01-28T08:00:00.000Z',
    ]);
    expect(scheduled).toBe('2027-02-28T08:00:00.000Z');
    expect((await late.service.transfers({})).value.transfers).toEqual([]);
  });

  it('of several that were held one that nobody decided about stays held when the others are closed, also in a rebuilt ledger', async () => {
    const path = await dropInto(desk, 'rent/offices.csv', [line('RENT-1', '100')]);
    const daemon = startWatching(await desk.open(RENT));
    await daemon.until(isScheduled);
    await daemon.stop();
    clock.goTo('2027-02-02T08:00:00Z');
    const late = await desk.open(RENT);
    const again = startWatching(late);
    const held = new Set<string>();
    while (held.size < 3) {
      const { summary } = await again.until(({ waitingFor }) => waitingFor === 'operator');
      held.add(summary.batch);
    }
    await again.stop();
    const [first = '', second = '', third = ''] = [...held].sort((a, b) =>
      a.slice(-8) < b.slice(-8) ? -1 : 1,
    );
    for (const id of [first, second]) await close(late, id);
    await resumeBatches(late, null, PATIENT);
    expect(await late.ledger.batch(second)).toMatchObject({ state: 'closed' });
    expect(await late.ledger.batch(third)).toMatchObject({ state: 'accepted', wait: { for: 'missed-time' } });
    await desk.loseLedger();
    const rebuilt = await desk.open(RENT);
    await rebuildFile(rebuilt, path, PATIENT);
    await resumeBatches(rebuilt, null, PATIENT);
    expect(await rebuilt.ledger.batch(third)).toMatchObject({
      state: 'accepted',
      wait: { for: 'missed-time' },
    });
    expect(await transfersOf(rebuilt)).toEqual([]);
  });
});

it('a standing file whose hour is moved on a day that was paid pays what was added since, and nothing again', async () => {
  clock.goTo('2026-11-27T10:00:00Z');
  const rows = [line('RENT-1', '100'), line('RENT-2', '200')];
  await dropInto(desk, 'rent/offices.csv', rows);
  const daemon = startWatching(await desk.open(RENT));
  await daemon.until(isScheduled);
  clock.goTo('2026-11-28T08:00:00Z');
  await daemon.until(isClosed);
  await daemon.until(isScheduled);
  await daemon.stop();
  await desk.shut();
  clock.goTo('2026-11-28T10:00:00Z');
  await dropInto(desk, 'rent/offices.csv', [...rows, line('RENT-3', '300')]);
  const paydrop = await desk.open(RENT.replace('0 9 28', '0 15 28'));
  const again = startWatching(paydrop);
  const { summary } = await again.until(isScheduled);
  expect(summary.payAt).toBe('2026-11-28T14:00:00.000Z');
  clock.goTo('2026-11-28T14:00:00Z');
  await again.until(({ batch, state }) => batch === summary.batch && state === 'closed');
  await again.stop();
  expect(await endsOf(paydrop, summary.batch)).toEqual([
    'duplicate duplicate_reference',
    'duplicate duplicate_reference',
    'paid',
  ]);
  expect(await transfersOf(paydrop)).toHaveLength(3);
});
