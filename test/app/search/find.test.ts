// The search reads a ledger once and follows it from there; what it finds is what the ledger says at that moment.
import { readdirSync, statSync } from 'node:fs';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Search } from '../../../src/app/desk/find.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { removeOld } from '../../../src/app/parts/remove-old.ts';
import { HURRIED, line, lineTo, openDesk, PATIENT, type Desk } from '../desk.ts';
import { type LeapClock, leapClock } from '../leap-clock.ts';

const NEVER = new AbortController().signal;

let clock: LeapClock;
let desk: Desk;
let searches: Search[];
beforeEach(async () => {
  clock = leapClock();
  searches = [];
  desk = await openDesk({ clock }, clock);
});
afterEach(async () => {
  for (const search of searches) search.close();
  await desk.close();
});

const at = (name: string) => join(desk.workspace, name);

function searchOf(paydrop: Paydrop): Search {
  const search = new Search(paydrop);
  searches.push(search);
  return search;
}

const level = (search: Search): Promise<void> => search.catchUp(NEVER, () => undefined);

/** The references of the payments that are found, and the names of the files. */
async function found(search: Search, words: string, own: string | null = null): Promise<readonly unknown[]> {
  const { files, payments } = await search.find({ words, limit: 20 }, { own, reader: 'en' });
  return [...files.map(({ file }) => file), ...payments.map(({ row }) => row['reference'])];
}

const named = (name: string, reference: string, amount: string): string =>
  lineTo(name, reference, amount).replace('Li,Wei', name);

async function paid(paydrop: Paydrop, name: string, lines: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file(name, lines), PATIENT);
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

  it('is an account by its last digits, and shown as its masked end', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [line('A-1', '100'), line('A-2', '101').replace('138000', '131111')]);
    const search = searchOf(paydrop);
    await level(search);
    for (const words of ['8000', '138000', '+86 138 0013 8000'])
      expect(await found(search, words)).toEqual(['A-1']);
    const { payments } = await search.find({ words: '8000', limit: 1 }, { own: null, reader: 'en' });
    expect(payments[0]?.row.account).toBe('••• 8000');
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
    for (const name of ['search.sqlite', 'search.sqlite-wal', 'search.sqlite-shm']) await rm(at(name));
    expect(await found(search, 'fotso')).toEqual([]);
    await level(search);
    expect(await found(search, 'fotso')).toEqual(['A-1']);
  });

  it('goes on where it was killed, after whichever step', async () => {
    const paydrop = await desk.open();
    const lines = Array.from({ length: 250 }, (_, row) => line(`A-${String(row)}`, String(1000 + row)));
    await processBatch(paydrop, await desk.file('a.csv', lines), HURRIED);
    for (let isMore = true; isMore;) {
      const once = searchOf(paydrop);
      isMore = await once.keeper.step();
      once.close();
    }
    const search = searchOf(paydrop);
    expect(await found(search, 'A-249')).toEqual(['A-249']);
    expect(await found(search, 'A-0')).toEqual(['A-0']);
  });

  it('is written by two at once, and has everything once', async () => {
    const paydrop = await desk.open();
    const lines = Array.from({ length: 250 }, (_, row) => line(`A-${String(row)}`, String(1000 + row)));
    await processBatch(paydrop, await desk.file('a.csv', lines), HURRIED);
    const [one, other] = [searchOf(paydrop), searchOf(paydrop)];
    await Promise.all([level(one), level(other)]);
    await level(one);
    expect(await found(other, 'A-249')).toEqual(['A-249']);
    expect((await one.find({ words: 'xaf', limit: 50 }, { own: null, reader: 'en' })).payments).toHaveLength(
      50,
    );
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
    before.close();
    await desk.loseLedger();
    await copyFile(at('copy'), at('ledger.sqlite'));
    const older = searchOf(await desk.open('', 'nobody'));
    await level(older);
    expect(await found(older, 'fotso')).toEqual(['A-1']);
    older.close();
    await desk.loseLedger();
    const other = searchOf(await desk.open('', 'nobody'));
    await level(other);
    expect(await found(other, 'fotso')).toEqual([]);
  });

  it('of another version is built anew, and so is a damaged one', async () => {
    const paydrop = await desk.open();
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    await writeFile(
      at('search.sqlite'),
      'not a database, and longer than the header of one would be '.repeat(20),
    );
    const search = searchOf(paydrop);
    await level(search);
    expect(await found(search, 'fotso')).toEqual(['A-1']);
  });
});

describe('what goes', () => {
  it('goes with the retention of the archive', async () => {
    const paydrop = await desk.open(
      'retention: { archive: 1d }\ntracking: { pollEvery: 100ms, reversalWindow: 1h }',
    );
    await paid(paydrop, 'a.csv', [named('Jean,Fotso', 'A-1', '100')]);
    const search = searchOf(paydrop);
    await level(search);
    clock.leap(3 * 86_400_000);
    await resumeBatches(paydrop, null, PATIENT);
    expect(await removeOld(paydrop)).toHaveLength(1);
    await level(search);
    expect(await found(search, 'fotso')).toEqual([]);
    search.keeper.close();
    await rm(at('search.sqlite'));
    const anew = searchOf(paydrop);
    await level(anew);
    expect(await found(anew, 'fotso')).toEqual([]);
    expect(await found(anew, 'a.csv')).toEqual([]);
  });
});
