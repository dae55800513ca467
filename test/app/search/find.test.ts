// The search reads a ledger once and follows it from there; what it finds is what the ledger says at that moment.
import { readdirSync, statSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Search } from '../../../src/app/desk/find.ts';
import { migrate } from '../../../src/app/desk/migrate.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { removeOld } from '../../../src/app/parts/remove-old.ts';
import { FROM_START } from '../../../src/ledger/history.ts';
import type { FoundPayments } from '../../../src/contract/search.ts';
import { HURRIED, line, lineTo, openDesk, PATIENT, type Desk } from '../desk.ts';
import { type LeapClock, leapClock } from '../leap-clock.ts';

const NEVER = new AbortController().signal;
const INDEX = 'search-3.sqlite';

let clock: LeapClock;
let desk: Desk;
let searches: Search[];
beforeEach(async () => {
  clock = leapClock();
  searches = [];
  desk = await openDesk({ clock }, clock);
});
afterEach(async () => {
  for (const search of searches) await search.close();
  await desk.close();
});

const at = (name: string) => join(desk.workspace, name);

function searchOf(paydrop: Paydrop): Search {
  const search = new Search(paydrop, false);
  searches.push(search);
  return search;
}

const level = (search: Search): Promise<void> => search.catchUp(NEVER, () => undefined);

const ask = (search: Search, words: string, limit = 20, own: string | null = null): Promise<FoundPayments> =>
  search.find({ words, limit }, { own, reader: 'en', signal: NEVER });

/** The references of the payments that are found, and the names of the files. */
async function found(search: Search, words: string, own: string | null = null): Promise<readonly unknown[]> {
  const { files, payments } = await ask(search, words, 20, own);
  return [...files.map(({ file }) => file), ...payments.map(({ row }) => row['reference'])];
}

const named = (name: string, reference: string, amount: string): string =>
  lineTo(name, reference, amount).replace('Li,Wei', name);

const lines = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, row) => line(`A-${String(row)}`, String(1000 + row)));

async function paid(paydrop: Paydrop, name: string, rows: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file(name, rows), PATIENT);
  return summary.batch;
}

describe('what is found', () => {
  it('is what was paid before the index was made and after, the newest first', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'octobre.csv', [named('Célestin,Mballa', 'OCT-1', '100')]);
    const search = searchOf(paydrop);
    await level(search);
    const batch = await paid(paydrop, 'novembre.csv', [
      named('Célestin,Mballa', 'NOV-1', '110'),
      named('张,伟', 'NOV-2', '1234.50'),
    ]);
    await level(search);
    expect(await found(search, 'celestin')).toEqual(['NOV-1', 'OCT-1']);
    expect(await found(search, '张')).toEqual(['NOV-2']);
    expect(await found(search, '1,234.5 cny')).toEqual(['NOV-2']);
    expect(await found(search, 'novembre mballa')).toEqual(['NOV-1']);
    expect(await found(search, 'octobre')).toEqual(['octobre.csv', 'OCT-1']);
    expect(await found(search, batch)).toEqual(['novembre.csv', 'NOV-2', 'NOV-1']);
    expect(await found(search, 'nobody')).toEqual([]);
  });

  it('is a transfer by its id, ours and that of the service', async () => {
    const paydrop = await desk.open();
    const batch = await paid(paydrop, 'a.csv', [line('A-1', '100'), line('A-2', '101')]);
    const search = searchOf(paydrop);
    await level(search);
    const [, row] = await paydrop.ledger.rows(batch, 0, 2);
    const { transferId = '', externalId = '' } = row?.progress.transfer ?? {};
    expect(await found(search, transferId)).toEqual(['A-2']);
    expect(await found(search, ` ${externalId.toUpperCase()} `)).toEqual(['A-2']);
  });

  it('is an account by its last digits or all of them, and shown as its masked end', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [line('A-1', '100'), line('A-2', '101').replace('138000', '131111')]);
    const search = searchOf(paydrop);
    await level(search);
    for (const words of ['8000', '8613800138000', '+86 138 0013 8000'])
      expect(await found(search, words)).toEqual(['A-1']);
    for (const words of ['38000', '138000', '13800138000']) expect(await found(search, words)).toEqual([]);
    expect((await ask(search, '8000')).payments[0]?.row.account).toBe('••• 8000');
  });

  it('is nobody else’s file where a program asks', async () => {
    const paydrop = await desk.open();
    for (const [by, reference] of [
      ['Erp', 'E-1'],
      ['Rent', 'R-1'],
    ] as const) {
      const file = await desk.file(`${by}.csv`, [
        named('Jean,Fotso', reference, reference === 'E-1' ? '100' : '101'),
      ]);
      await processBatch(paydrop, file, PATIENT, false, [by]);
    }
    const search = searchOf(paydrop);
    await level(search);
    expect(await found(search, 'fotso')).toEqual(['R-1', 'E-1']);
    expect(await found(search, 'fotso', 'Erp')).toEqual(['E-1']);
    expect(await found(search, 'rent', 'Erp')).toEqual([]);
    expect(await found(search, 'fotso', 'Nobody')).toEqual([]);
    expect(await found(search, 'owner')).toEqual([]);
  });

  it('is a refused file by its name alone, followed or read anew', async () => {
    const paydrop = await desk.open();
    const followed = searchOf(paydrop);
    await level(followed);
    await paid(paydrop, 'nonsense-of-october.csv', [line('A-1', 'much')]);
    await level(followed);
    expect(await found(followed, 'nonsen')).toEqual(['nonsense-of-october.csv']);
    await followed.close();
    await rm(at(INDEX));
    const anew = searchOf(paydrop);
    await level(anew);
    expect(await found(anew, 'nonsen')).toEqual(['nonsense-of-october.csv']);
  });

  it('is a whole account among hundreds with its end, and may be more than is shown', async () => {
    const paydrop = await desk.open();
    const rows = Array.from({ length: 600 }, (_, row) =>
      line(`row${String(row)}x`, String(1000 + row)).replace('8613800138000', '8613800139000'),
    );
    await paid(paydrop, 'first.csv', [line('OWN-1', '100').replace('138000', '149000')]);
    await processBatch(paydrop, await desk.file('a.csv', rows), HURRIED);
    const search = searchOf(paydrop);
    await level(search);
    expect(await ask(search, '8613800149000')).toMatchObject({
      payments: [{ row: { reference: 'OWN-1' } }],
      isMore: false,
    });
    expect(await ask(search, '8613800159000')).toMatchObject({ payments: [], isMore: false });
    expect(await ask(search, 'row5x')).toMatchObject({ payments: [{}], isMore: false });
    expect(await ask(search, 'csv', 50)).toMatchObject({ files: [{}, {}], isMore: true });
  });
});

describe('the index', () => {
  it('is private, has no name and no account as text, and is built anew once it is removed', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    const search = searchOf(paydrop);
    await level(search);
    for (const name of readdirSync(desk.workspace).filter((each) => each.startsWith('search')))
      expect(statSync(at(name)).mode & 0o777).toBe(0o600);
    for (const name of [INDEX, `${INDEX}-wal`, `${INDEX}-shm`]) await rm(at(name));
    expect(await found(search, 'fotso')).toEqual([]);
    await level(search);
    expect(await found(search, 'fotso')).toEqual(['A-1']);
  });

  it('goes on where it was killed, after whichever step', async () => {
    const paydrop = await desk.open();
    await processBatch(paydrop, await desk.file('a.csv', lines(450)), HURRIED);
    for (let isMore = true; isMore;) {
      const once = searchOf(paydrop);
      isMore = (await once.keeper.step()) === 'more';
      await once.close();
    }
    const search = searchOf(paydrop);
    expect(await found(search, 'A-449')).toEqual(['A-449']);
    expect(await found(search, 'A-0')).toEqual(['A-0']);
  });

  it('is written by two at once, and has everything once', async () => {
    const paydrop = await desk.open();
    await processBatch(paydrop, await desk.file('a.csv', lines(450)), HURRIED);
    const [one, other] = [searchOf(paydrop), searchOf(paydrop)];
    await Promise.all([level(one), level(other)]);
    await level(one);
    expect(await found(other, 'A-249')).toEqual(['A-249']);
    expect((await ask(one, 'xaf', 50)).payments).toHaveLength(50);
  });

  it('has what is paid while it is being built', async () => {
    const paydrop = await desk.open();
    await processBatch(paydrop, await desk.file('old.csv', lines(450)), HURRIED);
    const search = searchOf(paydrop);
    for (let step = 0; step < 3; step += 1) await search.keeper.step();
    await paid(paydrop, 'new.csv', [named('Jean,Fotso', 'N-1', '100')]);
    let steps = 0;
    while ((await found(search, 'fotso')).length === 0) {
      await search.keeper.step();
      expect((steps += 1)).toBeLessThan(50);
    }
    await level(search);
    expect(await found(search, 'fotso')).toEqual(['N-1']);
    expect(await found(search, 'A-0')).toEqual(['A-0']);
  });

  it('is built anew for another ledger, and for an older copy of its own', async () => {
    let paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    await desk.shut();
    await copyFile(at('ledger.sqlite'), at('copy'));
    paydrop = await desk.open();
    await paid(paydrop, 'b.csv', [named('Jean,Fotso', 'B-1', '101')]);
    const before = searchOf(paydrop);
    await level(before);
    await paid(paydrop, 'c.csv', [named('Jean,Fotso', 'C-1', '102')]);
    await level(before);
    await before.close();
    await desk.loseLedger();
    await copyFile(at('copy'), at('ledger.sqlite'));
    const older = searchOf(await desk.open('', 'nobody'));
    await level(older);
    expect(await found(older, 'fotso')).toEqual(['A-1']);
    await older.close();
    await desk.loseLedger();
    const other = searchOf(await desk.open('', 'nobody'));
    await level(other);
    expect(await found(other, 'fotso')).toEqual([]);
  });

  it('is kept where nothing is told of its last event, as while commits are under way', async () => {
    const paydrop = await desk.open();
    const search = searchOf(paydrop);
    await level(search);
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    await level(search);
    const { ino } = statSync(at(INDEX));
    const { history } = paydrop.ledger;
    const { events } = history;
    const isUnderWay = { isSo: true };
    const hidden: typeof events = async (of, after, limit) => {
      const page = await events(of, after, limit);
      return isUnderWay.isSo ? { events: [], next: after === FROM_START ? '0' : after } : page;
    };
    Object.assign(history, { events: hidden });
    const other = searchOf(paydrop);
    expect(await other.keeper.step()).toBe('done');
    isUnderWay.isSo = false;
    await level(other);
    expect(await found(other, 'fotso')).toEqual(['A-1']);
    expect(statSync(at(INDEX)).ino).toBe(ino);
  });

  it.each([
    ['before it is opened', false],
    ['while it is open', true],
  ])('that was damaged %s is built anew', async (_, isOpen) => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    const search = searchOf(paydrop);
    if (isOpen) await level(search);
    const size = isOpen ? statSync(at(INDEX)).size : 4096;
    await writeFile(at(INDEX), 'not a database, '.repeat(size / 16));
    await rm(at(`${INDEX}-wal`), { force: true });
    const asked = searchOf(paydrop);
    expect(await ask(asked, 'fotso')).toMatchObject({ payments: [], isWhole: false });
    await level(asked);
    expect(await found(asked, 'fotso')).toEqual(['A-1']);
  });

  it('waits for nobody who makes it, and for nobody who writes it', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    const suspended = new DatabaseSync(at(INDEX));
    suspended.exec('BEGIN IMMEDIATE');
    const search = searchOf(paydrop);
    expect(await search.keeper.step()).toBe('busy');
    expect(await ask(search, 'fotso')).toMatchObject({ payments: [], isWhole: false });
    suspended.exec('ROLLBACK');
    await level(search);
    suspended.exec('BEGIN IMMEDIATE');
    const other = searchOf(paydrop);
    expect(await found(other, 'fotso')).toEqual(['A-1']);
    suspended.close();
  });

  it('takes the names with it that an earlier version has left', async () => {
    await writeFile(at('search-0.sqlite'), '');
    await level(searchOf(await desk.open('', 'nobody')));
    expect(readdirSync(desk.workspace)).not.toContain('search-0.sqlite');
  });

  it('lies in the folder that the config names', async () => {
    const paydrop = await desk.open(`search: { folder: ${at('index/of-this-machine')} }`);
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    const search = searchOf(paydrop);
    await level(search);
    expect(await found(search, 'fotso')).toEqual(['A-1']);
    expect(readdirSync(at('index/of-this-machine'))[0]).toMatch(/^search-3-[0-9a-f]{8}\.sqlite$/);
    expect(readdirSync(desk.workspace)).not.toContain(INDEX);
  });

  it('has no place where machines share the ledger and no folder of this one is named', async () => {
    const paydrop = await desk.open('', 'nobody');
    const sharedLedger = { url: 'postgres://a@b/c', password: null, giveUpAfterMs: 5_000 };
    const search = searchOf({ ...paydrop, config: { ...paydrop.config, sharedLedger } });
    await expect(ask(search, 'fotso')).rejects.toThrow(/search\.folder/);
    expect(readdirSync(desk.workspace)).not.toContain(INDEX);
  });
});

describe('what goes', () => {
  it('goes with the ledger to another place, where it is made anew', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    const search = searchOf(paydrop);
    await level(search);
    await search.close();
    await desk.shut();
    const moveTo = { ledgerPath: at('moved.sqlite'), sharedLedger: null };
    await migrate({ ...paydrop.config, moveTo }, () => undefined);
    expect(readdirSync(desk.workspace)).not.toContain(INDEX);
  });

  it('goes with the retention of the archive, to the last letter', async () => {
    const paydrop = await desk.open(
      'retention: { archive: 1d }\ntracking: { pollEvery: 100ms, reversalWindow: 1h }',
    );
    await paid(paydrop, 'a.csv', [named('Jean,Fotsofotso', 'A-1', '100')]);
    const search = searchOf(paydrop);
    await level(search);
    clock.leap(3 * 86_400_000);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await removeOld(paydrop)).toHaveLength(1);
    await level(search);
    expect(await found(search, 'fotsofotso')).toEqual([]);
    expect(await found(search, 'a.csv')).toEqual([]);
    await search.close();
    expect((await readFile(at(INDEX))).includes('fotsofotso')).toBe(false);
  });
});
