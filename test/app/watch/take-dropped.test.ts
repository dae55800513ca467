// Between the look at the inbox and the claim, other processes read and take files: nobody who writes meanwhile loses anything, and work that a
// kill, another disk or another daemon leaves half done is finished once.
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { InboxWatch, type ReadyFile } from '../../../src/app/workflow/ready-files.ts';
import { takeDropped, takeOrphans, type TakenDrop } from '../../../src/app/intake/take-dropped.ts';
import { claimFile, giveBack, type Claim } from '../../../src/inbox/claim-file.ts';
import { nameBetween } from '../../../src/inbox/take-file.ts';
import { endsOf, HEADER, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { leapClock } from '../leap-clock.ts';
import { giveTo } from '../../ledger/machines.ts';

/** Memory that every Linux offers as a file system of its own. */
const OTHER_DISK = '/dev/shm';
const hasOtherDisk = statSync(OTHER_DISK, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev;

const DEAD = 'elsewhere/1/dead';
const QUICK = 'intake: { settleFor: 10s, scanEvery: 10s }';
const WAITING = { timeout: 20_000, interval: 20 };

const clock = leapClock();
let desk: Desk;
let inbox: string;
const disks: string[] = [];
beforeEach(async () => {
  desk = await openDesk({ settleMs: 20, clock }, clock);
  inbox = join(desk.workspace, 'inbox');
  await mkdir(inbox, { recursive: true });
});
afterEach(async () => {
  await desk.close();
  for (const disk of disks.splice(0)) await rm(disk, { recursive: true });
});

async function otherDisk(): Promise<string> {
  const disk = await mkdtemp(join(OTHER_DISK, 'paydrop-'));
  disks.push(disk);
  return disk;
}

/** The same paydrop with some of its folders elsewhere. */
function moved(paydrop: Paydrop, folders: Partial<Paydrop['workspace']>): Paydrop {
  return { ...paydrop, workspace: { ...paydrop.workspace, ...folders } };
}

/** The one file that is ready once all has settled. */
async function readyIn(paydrop: Paydrop): Promise<ReadyFile> {
  const seen = new InboxWatch(paydrop);
  await seen.look();
  clock.leap(11_000);
  const { ready, waiting } = await seen.look();
  expect(waiting).toEqual([]);
  return ready[0] as ReadyFile;
}

async function drop(name: string, ...lines: readonly string[]): Promise<string> {
  await rename(await desk.file(name, lines), join(inbox, name));
  return join(inbox, name);
}

it('a marker that is newer than its file has it taken at the first look; one of an earlier file does not', async () => {
  const paydrop = await desk.open('intake: { settleFor: 10s, readyMarker: ".done" }');
  await Promise.all([drop('fresh.csv', line('A-1', '100')), drop('stale.csv', line('A-2', '100'))]);
  for (const name of ['fresh.csv.done', 'stale.csv.done']) await writeFile(join(inbox, name), '');
  await utimes(join(inbox, 'stale.csv.done'), 1, 1);
  const seen = new InboxWatch(paydrop);
  const { ready, waiting } = await seen.look();
  expect(ready.map(({ name }) => name)).toEqual(['fresh.csv']);
  expect(waiting.map(({ name, why }) => [name, why])).toEqual([['stale.csv', 'settling']]);
  clock.leap(11_000);
  expect((await seen.look()).ready.map(({ name }) => name)).toContain('stale.csv');
});

it('a daemon that was killed goes on with the wait for documents where it stood', async () => {
  await rename(
    await desk.write('bank.csv', `${HEADER},attachment\n${line('B-1', '100')},invoice.pdf\n`),
    join(inbox, 'bank.csv'),
  );
  const paydrop = await desk.open(`${QUICK}\npolicy: { documentsWait: 1h }`);
  const waited = async (): Promise<number> => {
    const daemon = new InboxWatch(paydrop);
    await daemon.look();
    clock.leap(11_000);
    const { waiting } = await daemon.look();
    expect(waiting).toMatchObject([{ why: 'documents', missing: ['invoice.pdf'] }]);
    return Date.parse(waiting[0]?.until ?? '');
  };
  const first = await waited();
  clock.leap(30 * 60_000);
  // What the disk tells of a time is not exact to the millisecond.
  expect(Math.abs((await waited()) - first)).toBeLessThan(1_000);
  // Later than that hour some minutes are left: what belongs to the file may just be coming.
  clock.leap(60 * 60_000);
  const late = (await waited()) - clock.now();
  expect(late).toBeGreaterThan(5 * 60_000);
  expect(late).toBeLessThan(6 * 60_000);
});

/** A file whose rows name these documents, in the inbox. */
async function dropNaming(name: string, ...documents: readonly string[]): Promise<void> {
  const rows = documents.map((each, index) => `${line(`${name}-${String(index)}`, '100')},${each}\n`);
  await rename(await desk.write(name, `${HEADER},attachment\n${rows.join('')}`), join(inbox, name));
}

async function settledLook(paydrop: Paydrop) {
  const daemon = new InboxWatch(paydrop);
  await daemon.look();
  clock.leap(11_000);
  return daemon.look();
}

it('a file that waits for one document needs the others too, from the first look that reads it', async () => {
  await dropNaming('ready.csv', 'contract.pdf');
  await dropNaming('waits.csv', 'contract.pdf', 'late.pdf');
  await writeFile(join(inbox, 'contract.pdf'), '%PDF-1.7');
  const { ready, waiting } = await settledLook(await desk.open(QUICK));
  expect(ready.map(({ name }) => name)).toEqual(['ready.csv']);
  expect(waiting).toMatchObject([{ name: 'waits.csv', why: 'documents', missing: ['late.pdf'] }]);
  expect(waiting[0]?.documents).toContain(join(inbox, 'contract.pdf'));
});

it('a corrected file takes along the document that it brings, and waits for none that an earlier batch may hold', async () => {
  const columns = `${HEADER},attachment,payout.batch,payout.row`;
  const came = (id: string, document: string) => `${line(id, '100')},${document},20261128-3f9a2c11,2\n`;
  const text = `${columns}\n${came('C-1', 'invoice.pdf')}${came('C-2', 'held-before.pdf')}`;
  await rename(await desk.write('bank.rejected.csv', text), join(inbox, 'bank.rejected.csv'));
  await writeFile(join(inbox, 'invoice.pdf'), '%PDF-1.7');
  const { ready, waiting } = await settledLook(await desk.open(QUICK));
  expect(waiting).toEqual([]);
  expect(ready[0]?.documents).toEqual([join(inbox, 'invoice.pdf')]);
});

it.each(['../../etc/passwd', '/etc/invoice.pdf', 'invoice.txt'])(
  'a name that no document can have (%s) is not waited for',
  async (name) => {
    await dropNaming('bank.csv', name);
    const { ready, waiting } = await settledLook(await desk.open(QUICK));
    expect(waiting).toEqual([]);
    expect(ready.map((file) => file.name)).toEqual(['bank.csv']);
  },
);

const take = (paydrop: Paydrop, file: ReadyFile) => takeDropped(paydrop, file, () => false);

function unexpected(error: unknown): void {
  throw error;
}

async function orphan(paydrop: Paydrop, path: string): Promise<Claim> {
  const claim = await claimFile(paydrop.workspace, path, DEAD, []);
  if (claim === null) throw new Error('It was not claimed.');
  return claim;
}

async function carried(drops: readonly TakenDrop[]) {
  return Promise.all(drops.map(({ carry }) => carry(PATIENT)));
}

const claims = async ({ workspace }: Paydrop) => readdir(workspace.processing);
const duplicates = async ({ workspace }: Paydrop) =>
  (await readdir(workspace.outbox)).filter((name) => name.endsWith('.duplicate.json'));

describe('a claim that another machine left, whose inbox is its own', () => {
  const SALARIES = `${QUICK}\nschedules: [{ folder: salaries, cron: "0 9 28 * *", timeZone: Africa/Douala }]`;

  /** Claimed by the other machine, which is dead. */
  async function left(opened: Paydrop) {
    const there = await mkdtemp(join(tmpdir(), 'paydrop-there-'));
    disks.push(there);
    await mkdir(join(there, 'salaries'));
    const path = join(there, 'salaries', 'a.csv');
    await writeFile(path, `${HEADER}\n${line('A-1', '100')}\n`);
    const other = moved(opened, { inbox: there });
    return { other, path, claim: await orphan(other, path) };
  }

  it('is taken up by the rules of the same folder here', async () => {
    const opened = await desk.open(SALARIES);
    await left(opened);
    const [result] = await carried(await takeOrphans(opened, unexpected));
    expect(result?.summary).toMatchObject({ state: 'scheduled', outcomes: { pending: 1 } });
  });

  it('stays where its file lies on the disk of the other, which takes it back', async () => {
    const opened = await desk.open(SALARIES);
    const { other, path, claim } = await left(opened);
    const between = join(path, '..', nameBetween(claim.claim, 'a.csv'));
    await rename(claim.path, between);
    expect(await takeOrphans(opened, unexpected)).toEqual([]);
    expect(await claims(opened)).toEqual([claim.claim]);
    expect(await takeOrphans(other, unexpected)).toEqual([]);
    expect(await readFile(path, 'utf8')).toContain('A-1');
    expect(await claims(opened)).toEqual([]);
  });
});

describe('written again between the look and the claim', () => {
  const places = hasOtherDisk ? ['the same disk', 'another disk'] : ['the same disk'];
  it.each(places)('a file on %s is given back, and paid when all of it has come', async (place) => {
    const opened = await desk.open(QUICK);
    if (place === 'another disk') inbox = await otherDisk();
    const paydrop = moved(opened, { inbox });
    const text = `${HEADER}\n${line('A-1', '100')}\n${line('A-2', '1500')}\n`;
    const path = join(inbox, 'salaries.csv');
    await writeFile(path, text);
    const file = await readyIn(paydrop);
    const half = text.indexOf('1500') + 2;
    await writeFile(path, text.slice(0, half));
    expect(await take(paydrop, file)).toBeNull();
    expect(await readdir(inbox)).toEqual(['salaries.csv']);
    expect(await claims(paydrop)).toEqual([]);
    await appendFile(path, text.slice(half));
    const again = await take(paydrop, await readyIn(paydrop));
    const end = await again?.carry(PATIENT);
    expect(await endsOf(paydrop, end?.summary.batch ?? '')).toEqual(['paid', 'paid']);
    expect(await readdir(inbox)).toEqual([]);
  });

  it('another file in its place is not taken as the one that had settled', async () => {
    const paydrop = await desk.open(QUICK);
    const path = await drop('salaries.csv', line('A-1', '100'));
    const file = await readyIn(paydrop);
    await drop('salaries.csv', line('A-1', '200'));
    expect(await take(paydrop, file)).toBeNull();
    expect(await readFile(path, 'utf8')).toContain(',200,');
  });

  it('a control file takes its file back with it, and neither is lost', async () => {
    const paydrop = await desk.open(QUICK);
    const path = await drop('salaries.csv', line('A-1', '100'));
    const control = join(inbox, 'salaries.control.json');
    await writeFile(control, '{ "rows": 1 }');
    const file = await readyIn(paydrop);
    await writeFile(control, '{ "ro');
    expect(await take(paydrop, file)).toBeNull();
    expect((await readdir(inbox)).sort()).toEqual(['salaries.control.json', 'salaries.csv']);
    expect(await readFile(control, 'utf8')).toBe('{ "ro');
    expect(await readFile(path, 'utf8')).toContain('A-1');
  });

  it.each(places)(
    'a file of %s whose name is taken goes back under one new name with all that is called like it',
    async (place) => {
      const opened = await desk.open(QUICK);
      if (place === 'another disk') inbox = await otherDisk();
      const paydrop = moved(opened, { inbox });
      const path = join(inbox, 'salaries.csv');
      await writeFile(path, `${HEADER}\n${line('A-1', '100')}\n`);
      await writeFile(join(inbox, 'salaries.control.json'), '{ "rows": 1 }');
      await writeFile(join(inbox, 'salaries.pdf'), 'of the first');
      await writeFile(join(inbox, 'salaries.png'), 'of the first');
      const { beside } = await readyIn(paydrop);
      const claim = (await claimFile(paydrop.workspace, path, paydrop.ledger.run, beside)) as Claim;
      await writeFile(path, `${HEADER}\n${line('B-1', '200')}\n`);
      await writeFile(join(inbox, 'salaries.png'), 'of the second file');
      await giveBack(claim);
      const names = (await readdir(inbox)).sort();
      const [lead = ''] = (names.find((name) => name.endsWith('.salaries.csv')) ?? '').split('salaries');
      expect(lead).toMatch(/^[0-9a-f]{8}\.$/);
      const group = ['control.json', 'csv', 'pdf'].map((extension) => `${lead}salaries.${extension}`);
      expect(names).toEqual([...group, 'salaries.csv', 'salaries.pdf', 'salaries.png'].sort());
      expect(await readFile(join(inbox, `${lead}salaries.csv`), 'utf8')).toContain('A-1');
      expect(await readFile(join(inbox, `${lead}salaries.pdf`), 'utf8')).toBe('of the first');
      expect(await claims(paydrop)).toEqual([]);
    },
  );

  it.skipIf(!hasOtherDisk)('so does one that a kill has left between two disks', async () => {
    const opened = await desk.open(QUICK);
    inbox = await otherDisk();
    const paydrop = moved(opened, { inbox });
    const path = join(inbox, 'salaries.csv');
    await writeFile(path, `${HEADER}\n${line('A-1', '100')}\n`);
    await writeFile(join(inbox, 'salaries.control.json'), '{ "rows": 1 }');
    const { beside, seen } = await readyIn(paydrop);
    const claim = (await claimFile(paydrop.workspace, path, paydrop.ledger.run, beside, seen)) as Claim;
    // As a kill leaves it that came when the spreadsheet had its name between the two disks.
    const between = join(inbox, nameBetween(claim.claim, 'salaries.csv'));
    await rename(claim.path, join(claim.folder, 'moved'));
    await copyFile(join(claim.folder, 'moved'), between);
    await rm(join(claim.folder, 'moved'));
    await writeFile(path, `${HEADER}\n${line('B-1', '200')}\n`);
    await giveBack(claim);
    const names = await readdir(inbox);
    expect(names).toHaveLength(3);
    expect(names.filter((name) => /^[0-9a-f]{8}\.salaries\.(?:csv|control\.json)$/.test(name))).toHaveLength(
      2,
    );
    expect(await readFile(path, 'utf8')).toContain('B-1');
  });

  it('a control file whose place is taken takes its file along to the new name', async () => {
    const paydrop = await desk.open(QUICK);
    const path = await drop('salaries.csv', line('A-1', '100'));
    const control = join(inbox, 'salaries.control.json');
    await writeFile(control, '{ "rows": 1 }');
    const { beside } = await readyIn(paydrop);
    const claim = (await claimFile(paydrop.workspace, path, paydrop.ledger.run, beside)) as Claim;
    await writeFile(control, '{ "rows": 99 }');
    await giveBack(claim);
    const names = await readdir(inbox);
    expect(names.filter((name) => /^[0-9a-f]{8}\.salaries\.(?:csv|control\.json)$/.test(name))).toHaveLength(
      2,
    );
    expect(names).toHaveLength(3);
    expect(await readFile(control, 'utf8')).toContain('99');
  });

  it('a document keeps its file in the inbox until it has settled too', async () => {
    const paydrop = await desk.open(QUICK);
    const header = `${HEADER},attachment`;
    await writeFile(join(inbox, 'salaries.csv'), `${header}\n${line('A-1', '100')},invoice.pdf\n`);
    const invoice = join(inbox, 'invoice.pdf');
    await copyFile('samples/invoices/APN-2026-1442.pdf', invoice);
    const file = await readyIn(paydrop);
    expect(file.documents).toEqual([invoice]);
    await writeFile(invoice, '%PDF-1.7 half');
    expect(await take(paydrop, file)).toBeNull();
    expect((await readdir(inbox)).sort()).toEqual(['invoice.pdf', 'salaries.csv']);
    expect(await claims(paydrop)).toEqual([]);
    await copyFile('samples/invoices/APN-2026-1442.pdf', invoice);
    const again = await take(paydrop, await readyIn(paydrop));
    expect((await again?.carry(PATIENT))?.summary.outcomes.paid).toBe(1);
    expect(await readdir(inbox)).toEqual([]);
  });

  it('a claimed file that its writer went on with after a kill is given back', async () => {
    const paydrop = await desk.open(QUICK);
    await drop('salaries.csv', line('A-1', '100'));
    const { path, beside, seen } = await readyIn(paydrop);
    const claim = await claimFile(paydrop.workspace, path, DEAD, beside, seen);
    await appendFile(claim?.path ?? '', `${line('A-2', '200')}\n`);
    expect(await takeOrphans(paydrop, unexpected)).toEqual([]);
    expect(await readFile(path, 'utf8')).toContain('A-2');
    expect(await claims(paydrop)).toEqual([]);
  });
});

describe('a claim that a kill left behind', () => {
  it.skipIf(!hasOtherDisk)(
    'with the same bytes again is ended, also with refused/ on another disk',
    async () => {
      const paydrop = moved(await desk.open(QUICK), { refused: await otherDisk() });
      const first = await desk.file('payroll.csv', [line('A-1', '100')]);
      const { summary } = await processBatch(paydrop, first, PATIENT);
      await copyFile(first, join(inbox, 'again.csv'));
      await orphan(paydrop, join(inbox, 'again.csv'));
      const [end] = await carried(await takeOrphans(paydrop, unexpected));
      expect(end).toMatchObject({ isRepeated: true });
      expect((await readdir(join(paydrop.workspace.refused, summary.batch))).sort()).toEqual([
        `again.${summary.batch}.duplicate.json`,
        'again.csv',
      ]);
      expect(await claims(paydrop)).toEqual([]);
    },
  );

  it('that cannot be taken is told, stays, and stops neither the daemon nor another file', async () => {
    const paydrop = await desk.open('intake: { settleFor: 10ms, scanEvery: 50ms }');
    const bad = await orphan(paydrop, await drop('bad.csv', line('A-1', '100')));
    // Its note has been damaged: nobody knows where it came from.
    await writeFile(join(bad.folder, '.claim.json'), '{');
    await drop('good.csv', line('A-2', '200'));
    const stopper = new AbortController();
    const troubles: string[] = [];
    const results: string[] = [];
    const ended = watch(paydrop, {
      signal: stopper.signal,
      onResult: ({ summary }) => void results.push(summary.file.name),
      onWaiting: () => undefined,
      onTrouble: (words) => void troubles.push(words),
    });
    await vi.waitFor(() => expect(results).toEqual(['good.csv']), WAITING);
    stopper.abort();
    await ended;
    expect(troubles).toHaveLength(1);
    expect(await readFile(bad.path, 'utf8')).toContain('A-1');
  });

  it('is taken by one of two daemons, and answered once', async () => {
    const both = [await desk.open(QUICK), await desk.open(QUICK)] as const;
    await orphan(both[0], await drop('payroll.csv', line('A-1', '100')));
    const drops = await Promise.all(both.map((paydrop) => takeOrphans(paydrop, unexpected)));
    const ends = await carried(drops.flat());
    expect(ends.map(({ summary, isRepeated }) => [summary.state, isRepeated === true])).toEqual([
      ['closed', false],
    ]);
    expect(await duplicates(both[0])).toEqual([]);
    expect(await transfersOf(both[0])).toHaveLength(1);
    expect(await claims(both[0])).toEqual([]);
  });

  it('is taken over once more from a process that was killed over it too', async () => {
    const paydrop = await desk.open(QUICK);
    const claim = await orphan(paydrop, await drop('payroll.csv', line('A-1', '100')));
    await rename(claim.folder, `${claim.folder}@${encodeURIComponent('elsewhere/2/dead')}`);
    const [end] = await carried(await takeOrphans(paydrop, unexpected));
    expect(end?.summary.outcomes.paid).toBe(1);
  });

  it('holding bytes that the same run had taken before is answered as a duplicate', async () => {
    const paydrop = await desk.open(QUICK);
    await drop('payroll.csv', line('A-1', '100'));
    const first = await take(paydrop, await readyIn(paydrop));
    const { summary } = (await first?.carry(PATIENT)) ?? {};
    await desk.file('payroll.csv', [line('A-1', '100')]);
    const second = await claimFile(
      paydrop.workspace,
      await drop('payroll.csv', line('A-1', '100')),
      DEAD,
      [],
    );
    giveTo(paydrop.workspace.ledgerPath, summary?.batch ?? '', DEAD);
    expect(second).not.toBeNull();
    const [end] = await carried(await takeOrphans(paydrop, unexpected));
    expect(end).toMatchObject({ isRepeated: true });
    expect(await duplicates(paydrop)).toHaveLength(1);
    expect(await readdir(join(paydrop.workspace.refused, summary?.batch ?? ''))).toContain('payroll.csv');
  });

  it('whose file had been taken is ended without a word', async () => {
    const paydrop = await desk.open(QUICK);
    const claim = await orphan(paydrop, await drop('payroll.csv', line('A-1', '100')));
    const text = await readFile(claim.path);
    const note = await readFile(join(claim.folder, '.claim.json'));
    const [end] = await carried(await takeOrphans(paydrop, unexpected));
    expect(end?.summary.outcomes.paid).toBe(1);
    // As a kill before the end of the claim leaves it.
    await mkdir(claim.folder);
    await writeFile(claim.path, text);
    await writeFile(join(claim.folder, '.claim.json'), note);
    expect(await takeOrphans(paydrop, unexpected)).toEqual([]);
    expect(await duplicates(paydrop)).toEqual([]);
    expect(await claims(paydrop)).toEqual([]);
  });
});
