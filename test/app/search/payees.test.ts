// Everybody who was paid, read out of the ledger: by name and account, whoever was paid last first, and nobody whose money came back.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { Search } from '../../../src/app/desk/find.ts';
import { type PayeePlace, Payees } from '../../../src/app/desk/payees.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { openPeopleFile } from '../../../src/app/people/people-file.ts';
import { VerifiedAccounts } from '../../../src/app/people/verified-accounts.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { line, magic, openDesk, PATIENT, type Desk } from '../desk.ts';
import { type LeapClock, leapClock } from '../leap-clock.ts';

const NEVER = new AbortController().signal;

let clock: LeapClock;
let desk: Desk;
let search: Search;
let paydrop: Paydrop;
let payees: Payees;
beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
  paydrop = await desk.open();
  search = new Search(paydrop, false);
  payees = new Payees(search, null);
});
afterEach(async () => {
  await search.close();
  await desk.close();
});

async function paid(name: string, rows: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file(name, rows), PATIENT);
  await level();
  return summary.batch;
}

const level = (): Promise<void> => search.catchUp(NEVER, () => undefined);

const to = (name: string, reference: string, amount: string, digits = '138000'): string =>
  line(reference, amount).replace('Li,Wei', name).replace('138000', digits);

const page = (find: string | null, limit = 50, after: PayeePlace | null = null) =>
  payees.list({ find, after, limit, signal: NEVER });

const names = async (find: string | null = null): Promise<readonly string[]> =>
  (await page(find)).payees.map(({ name }) => name);

it('lists each payee once, whoever was paid last first', async () => {
  await paid('october.csv', [to('Jean,Fotso', 'O-1', '100', '131111'), to('Célestin,Mballa', 'O-2', '110')]);
  await paid('november.csv', [to('Jean,Fotso', 'N-1', '120', '132222')]);
  expect((await page(null)).payees).toMatchObject([
    { name: 'Jean Fotso', account: '••• 2222', accounts: 2, lastAmount: '120.00', lastCurrency: 'CNY' },
    { name: 'Célestin Mballa', account: '••• 8000', accounts: 1, lastAmount: '110.00' },
  ]);
});

it('takes one name in another order for the same payee, and another name for another one', async () => {
  await paid('a.csv', [to('Jean,Fotso', 'A-1', '100'), to('Jeanne,Fotso', 'A-2', '110')]);
  await paid('b.csv', [to('Fotso,JEAN', 'B-1', '120')]);
  expect(await names()).toEqual(['Fotso JEAN', 'Jeanne Fotso']);
});

it('finds by the beginning of a name, or the last four digits of any account that was paid', async () => {
  await paid('a.csv', [to('Célestin,Mballa', 'A-1', '100', '131111'), to('Jean,Fotso', 'A-2', '110')]);
  await paid('b.csv', [to('Célestin,Mballa', 'B-1', '120', '132222')]);
  for (const words of ['celes', 'mballa CÉLESTIN', '1111', '2222', '8613800131111'])
    expect([words, await names(words)]).toEqual([words, ['Célestin Mballa']]);
  for (const words of ['31111', '9990001111', 'celestin fotso', 'A-1', '100', 'a.csv'])
    expect([words, await names(words)]).toEqual([words, []]);
});

it('goes on behind the last one of a page', async () => {
  await paid(
    'a.csv',
    ['Ana', 'Bea', 'Cleo', 'Dora', 'Eva'].map((first, at) =>
      to(`${first},Ngo`, `A-${first}`, String(100 + at)),
    ),
  );
  const found: string[] = [];
  for (let after: PayeePlace | null = null, pages = 0; pages === 0 || after !== null; pages += 1) {
    const { payees: some, next }: Awaited<ReturnType<typeof page>> = await page('ngo', 2, after);
    found.push(...some.map(({ name }) => name));
    after = next;
  }
  expect(found).toEqual(['Eva Ngo', 'Dora Ngo', 'Cleo Ngo', 'Bea Ngo', 'Ana Ngo']);
});

it('tells accounts, sums, and the last payments with their rows', async () => {
  const first = await paid('a.csv', [to('Jean,Fotso', 'A-1', '100.10', '131111')]);
  const last = await paid('b.csv', [to('Jean,Fotso', 'B-1', '120'), to('Jean,Fotso', 'B-2', '130')]);
  const [payee] = (await page(null)).payees;
  const history = await payees.history(payee?.id ?? '', 'en', NEVER);
  expect(history).toMatchObject({
    name: 'Jean Fotso',
    sums: [{ currency: 'CNY', payments: 3, amount: '350.10' }],
    accounts: [
      { account: '••• 8000', payments: 2, batch: last, row: '3', verified: [] },
      { account: '••• 1111', payments: 1, batch: first, row: '2' },
    ],
  });
  expect(history?.payments.map(({ file, row }) => [file, row['reference']])).toEqual([
    ['b.csv', 'B-2'],
    ['b.csv', 'B-1'],
    ['a.csv', 'A-1'],
  ]);
  expect(await payees.history('nobody', 'en', NEVER)).toBeNull();
});

it('has nobody who was not paid, and nobody whose money came back', async () => {
  await paid('a.csv', [magic('A-1', '0100005').replace('Li,Wei', 'Jean,Fotso')]);
  expect(await names()).toEqual([]);
  await paid('b.csv', [magic('B-1', '0100001').replace('Li,Wei', 'Célestin,Mballa')]);
  const before = await names();
  for (let days = 0; (await names()).length > 0 && days < 10; days += 1) {
    clock.leap(86_400_000);
    await resumeBatches(paydrop, null, PATIENT);
    await level();
  }
  expect([before, await names()]).toEqual([['Célestin Mballa'], []]);
});

it('forgets whom somebody has erased, keeps the books, and knows whoever is paid after that', async () => {
  const file = openPeopleFile({ root: desk.workspace }, clock);
  const verified = new VerifiedAccounts(file);
  const known = new Payees(search, verified);
  const batch = await paid('a.csv', [to('Jean,Fotso', 'A-1', '100', '131111'), to('Ana,Biya', 'A-2', '110')]);
  const { id = '' } = (await known.ofRow(batch, '2')) ?? {};
  await known.verify(verified, id, { batch, row: '2', how: 'by telephone', decider: { by: 'Marie Ngo' } });
  const order = { by: 'Aline Biya', reason: 'asked to be forgotten' };
  expect(known.erase(file, 'nobody', order)).toBe(false);
  expect(known.erase(file, id, order)).toBe(true);
  await level();
  expect(await names()).toEqual(['Ana Biya']);
  expect([...verified.of(id).keys()]).toEqual([]);
  const payments = async (words: string): Promise<readonly unknown[]> =>
    (await search.find({ words, limit: 20 }, { own: null, reader: 'en', signal: NEVER })).payments.map(
      ({ row }) => row.receiver,
    );
  expect(await payments('fotso')).toEqual([]);
  expect(await payments('1111')).toEqual([]);
  expect(await payments('A-1')).toEqual(['Jean Fotso']);
  clock.leap(1_000);
  await paid('b.csv', [to('Jean,Fotso', 'B-1', '120', '131111')]);
  expect(await payments('fotso')).toEqual(['Jean Fotso']);
  expect((await known.history(id, 'en', NEVER))?.accounts).toMatchObject([{ payments: 1, verified: [] }]);
  file.database.close();
});
