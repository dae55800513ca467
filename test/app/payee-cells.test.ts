// What the payees have for empty cells of rows to fix: of exactly the name and the account of the row, out of payments that were made and are not erased.
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { Search } from '../../src/app/desk/find.ts';
import { Payees } from '../../src/app/desk/payees.ts';
import { WORK } from '../../src/app/intake/check-upload.ts';
import { readToFill } from '../../src/app/intake/upload-sheet.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { openPeopleFile, type PeopleFile } from '../../src/app/people/people-file.ts';
import { VerifiedAccounts } from '../../src/app/people/verified-accounts.ts';
import type { RowToFill } from '../../src/app/search/payee-tables.ts';
import { loadCorridors } from '../../src/app/workflow/validate/check-rules.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { readingOf } from '../../src/app/workflow/batch/read-batch-file.ts';
import type { PayeeCell } from '../../src/contract/uploads.ts';
import type { Profile } from '../../src/rows/profile.ts';
import { openDesk, PATIENT, type Desk } from './desk.ts';
import { type LeapClock, leapClock } from './leap-clock.ts';

const NEVER = new AbortController().signal;

const COLUMNS = [
  ...['reference', 'destinationCountryIsoCode', 'transactionMode', 'deliveryMethod', 'sourceCurrency'],
  ...['destinationAmount', 'purposeOfRemittance', 'receiver.firstName', 'receiver.lastName'],
  ...['receiver.city', 'receiver.countryIsoCode', 'delivery.bankAccountHolderFullName'],
  ...['delivery.bankAccountNumber', 'delivery.bankAccountSwiftCode'],
];

/** A transfer to a person; each part of it may be another, or empty. */
type Part = 'first' | 'last' | 'city' | 'holder' | 'account' | 'swift' | 'amount' | 'country';
const WHOLE: Readonly<Record<Part, string>> = {
  ...{ first: 'Wei', last: 'Li', city: 'Guangzhou', country: 'CHN', holder: 'Li Wei' },
  ...{ account: '6222 0212 3456 7890', swift: 'ICBKCNBJ', amount: '1000' },
};
const LACKING = { city: '', holder: '', swift: '' };

let count = 0;
function transfer(parts: Partial<Record<Part, string>> = {}): string {
  const { first, last, city, country, holder, account, swift, amount } = { ...WHOLE, ...parts };
  count += 1;
  const payment = [`R-${String(count)}`, 'CHN', 'B2C', 'bankTransfer', 'XAF', amount, 'SALARY_PAYMENT'];
  return [...payment, first, last, city, country, holder, account, swift].join(',');
}

let clock: LeapClock;
let desk: Desk;
let search: Search;
let paydrop: Paydrop;
let file: PeopleFile;
let verified: VerifiedAccounts;
let payees: Payees;
let folder: string;
beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock }, clock);
  paydrop = await desk.open();
  search = new Search(paydrop, false);
  file = openPeopleFile({ root: desk.workspace }, clock);
  verified = new VerifiedAccounts(file);
  payees = new Payees(search, verified);
  folder = await mkdtemp(join(tmpdir(), 'paydrop-sheet-'));
});
afterEach(async () => {
  await search.close();
  file.database.close();
  await desk.close();
  await rm(folder, { recursive: true });
});

const level = (): Promise<void> => search.catchUp(NEVER, () => undefined);

async function written(name: string, rows: readonly string[], columns = COLUMNS): Promise<string> {
  await desk.write(`${name}.pdf`, '%PDF-1.4\n');
  return desk.write(`${name}.csv`, `${[columns.join(','), ...rows].join('\n')}\n`);
}

async function paid(name: string, rows: readonly string[]): Promise<string> {
  const { summary } = await processBatch(paydrop, await written(name, rows), PATIENT);
  await level();
  return summary.batch;
}

/** What the check of an upload finds in these rows. */
async function toFill(
  rows: readonly string[],
  columns = COLUMNS,
  profile: Profile | null = null,
): Promise<readonly RowToFill[]> {
  const path = await written('dropped', rows, columns);
  const { workspace, sender, config } = paydrop;
  const sheet = { folder, version: 1 };
  const corridors = await loadCorridors(paydrop.service);
  const job = { path, bytes: 1, now: clock.now(), sheet, profile, corridors, workspace, sender };
  await WORK.does({ ...job, config: readingOf(config) }, () => undefined, NEVER);
  return (await Array.fromAsync(readToFill(sheet))).flat();
}

async function cells(rows: readonly string[], most = 500, columns = COLUMNS): Promise<readonly PayeeCell[]> {
  await toFill(rows, columns);
  return payees.cellsFor(readToFill({ folder, version: 1 }), most, NEVER);
}

/** The columns with what is offered there. */
const offered = async (...rows: readonly string[]): Promise<readonly string[]> =>
  (await cells(rows)).map(({ row, index, text }) => `${row} ${COLUMNS[index] ?? ''}=${text}`);

it('has for empty cells what a payment to the same name and account had, with where it comes from', async () => {
  const batch = await paid('november', [transfer()]);
  const found = await cells([transfer({ ...LACKING, amount: '1100' })]);
  expect(found.map(({ index, text }) => [COLUMNS[index], text])).toEqual([
    ['receiver.city', 'Guangzhou'],
    ['delivery.bankAccountHolderFullName', 'Li Wei'],
    ['delivery.bankAccountSwiftCode', 'ICBKCNBJ'],
  ]);
  expect(found[0]).toMatchObject({
    row: '2',
    position: 0,
    from: { batch, file: 'november.csv', row: '2', verified: null },
  });
});

it('knows a name in another order and an account in other groups, and no other name or account', async () => {
  await paid('november', [transfer()]);
  const rows = [
    transfer({ ...LACKING, first: 'LI', last: 'wei', account: '6222-0212-3456-7890' }),
    transfer({ ...LACKING, first: 'Wen' }),
    transfer({ ...LACKING, account: '6222021234567891' }),
    transfer({ ...LACKING, account: '' }),
    transfer({ ...LACKING, first: '' }),
  ];
  expect(await offered(...rows)).toEqual([
    '2 receiver.city=Guangzhou',
    '2 delivery.bankAccountHolderFullName=Li Wei',
    '2 delivery.bankAccountSwiftCode=ICBKCNBJ',
  ]);
});

it('leaves alone what the file says, rows without a fault, and faults of another kind', async () => {
  await paid('november', [transfer()]);
  const rows = [
    transfer({ city: '', amount: '1100' }),
    transfer({ amount: '1200' }),
    transfer({ swift: 'no', amount: '1300' }),
    transfer({ amount: '' }),
  ];
  expect(await offered(...rows)).toEqual(['2 receiver.city=Guangzhou']);
});

it('knows no payment through another corridor: one name with one number may be another account in another country', async () => {
  const columns = [
    ...['reference', 'destinationCountryIsoCode', 'transactionMode', 'deliveryMethod', 'sourceCurrency'],
    ...['destinationAmount', 'purposeOfRemittance', 'documentReferenceNumber', 'receiver.registeredName'],
    ...['receiver.registrationNumber', 'receiver.address', 'receiver.city', 'receiver.countryIsoCode'],
    ...['delivery.bankAccountHolderFullName', 'delivery.bankAccountNumber', 'delivery.bankAccountSwiftCode'],
  ];
  const trade = (country: string, amount: string, address: string, city: string, swift: string): string => {
    const payment = [`T-${amount}`, country, 'B2B', 'bankTransfer', 'XAF', amount, 'EXPORTED_GOODS', 'INV-1'];
    const to = ['Acme Trading', 'REG-1', address, city, country, 'Acme Trading', '00123456789', swift];
    return [...payment, ...to].join(',');
  };
  await desk.write('trade.pdf', '%PDF-1.4\n');
  const text = [columns.join(','), trade('IND', '50000', 'Marine Drive 1', 'Mumbai', 'HDFCINBB')].join('\n');
  await processBatch(paydrop, await desk.write('trade.csv', `${text}\n`), PATIENT);
  await level();
  const rows = [trade('VNM', '900000', '', '', ''), trade('IND', '60000', '', '', '')];
  const found = await cells(rows, 500, columns);
  expect(found.map(({ row, index, text: value }) => [row, columns[index], value])).toEqual([
    ['3', 'receiver.address', 'Marine Drive 1'],
    ['3', 'receiver.city', 'Mumbai'],
    ['3', 'delivery.bankAccountSwiftCode', 'HDFCINBB'],
  ]);
});

it.each([
  ['bank', { city: '', holder: '', swift: 'ABOCCNBJ' }],
  ['country of the receiver', { ...LACKING, country: 'VNM' }],
  ['city', { holder: '', swift: '', city: 'Foshan' }],
  ['holder', { city: '', swift: '', holder: 'Chen Fang' }],
])('has nothing of a payment with another %s than the row says', async (_, parts) => {
  await paid('november', [transfer()]);
  expect(await offered(transfer({ ...parts, amount: '1100' }))).toEqual([]);
});

it('takes another writing of the same for the same', async () => {
  await paid('november', [transfer()]);
  const row = transfer({
    city: ' GUANGZHOU',
    swift: '',
    holder: 'WEI, Li'.replace(',', ''),
    country: 'China',
  });
  expect(await offered(row.replace(',1000,', ',1100,'))).toEqual([
    '2 delivery.bankAccountSwiftCode=ICBKCNBJ',
  ]);
});

it('has no SWIFT code for a row that names a bank, because no payment says which bank its file named', async () => {
  await paid('november', [transfer()]);
  const columns = [...COLUMNS, 'bankName'];
  const rows = [`${transfer({ ...LACKING, amount: '1100' })},Agricultural Bank of China`];
  const found = await cells(rows, 500, columns);
  expect(found.map(({ index }) => columns[index])).toEqual([
    'receiver.city',
    'delivery.bankAccountHolderFullName',
  ]);
});

it('has all cells of a row from one payment, the newest that has any', async () => {
  await paid('october', [transfer({ city: 'Foshan', amount: '900' })]);
  await paid('november', [transfer({ city: 'Shenzhen', holder: 'Chen Fang', swift: 'ABOCCNBJ' })]);
  const found = await cells([transfer({ ...LACKING, amount: '1100' })]);
  expect(found.map(({ text, from }) => [text, from.file])).toEqual([
    ['Shenzhen', 'november.csv'],
    ['ABOCCNBJ', 'november.csv'],
  ]);
});

it('tells no account as verified for a row that means another bank', async () => {
  const first = await paid('october', [transfer({ amount: '900' })]);
  await paid('november', [transfer({ city: 'Foshan', swift: 'ABOCCNBJ' })]);
  const { id = '' } = (await payees.ofRow(first, '2')) ?? {};
  const of = { batch: first, row: '2', how: 'by telephone' };
  await payees.verify(verified, id, { ...of, decider: { by: 'Marie' } });
  const [other] = await cells([transfer({ ...LACKING, swift: 'ABOCCNBJ', amount: '1100' })]);
  expect(other).toMatchObject({ text: 'Foshan', from: { file: 'november.csv', verified: null } });
});

it('takes the newest payment that has the value, and before it the one whose account was verified', async () => {
  const first = await paid('october', [transfer({ city: 'Foshan', amount: '900' })]);
  await paid('november', [transfer({ city: 'Shenzhen' })]);
  const row = transfer({ ...LACKING, amount: '1100' });
  expect((await offered(row))[0]).toBe('2 receiver.city=Shenzhen');
  const { id = '' } = (await payees.ofRow(first, '2')) ?? {};
  await payees.verify(verified, id, {
    batch: first,
    row: '2',
    how: 'by telephone',
    decider: { by: 'Marie' },
  });
  const [city] = await cells([row]);
  expect(city).toMatchObject({
    text: 'Foshan',
    from: { file: 'october.csv', verified: { by: 'Marie', how: 'by telephone' } },
  });
  await payees.withdraw(verified, id, { batch: first, row: '2', how: 'in doubt', by: 'Aline' });
  expect((await cells([row]))[0]).toMatchObject({ text: 'Shenzhen', from: { verified: null } });
});

it('brings no other name: the holder of the account only where that is the payee', async () => {
  await paid('november', [transfer({ holder: 'Chen Fang' })]);
  expect(await offered(transfer({ ...LACKING, amount: '1100' }))).toEqual([
    '2 receiver.city=Guangzhou',
    '2 delivery.bankAccountSwiftCode=ICBKCNBJ',
  ]);
});

it('has nothing of a payment that failed, or whose money came back', async () => {
  const [failing, returning] = ['62220210100005', '62220210100001'];
  await paid('failed', [transfer({ account: failing })]);
  expect(await offered(transfer({ ...LACKING, account: failing, amount: '1100' }))).toEqual([]);
  await paid('back', [transfer({ account: returning })]);
  const row = transfer({ ...LACKING, account: returning, amount: '1100' });
  const before = await offered(row);
  // The index does not hear of it.
  for (let days = 0; (await offered(row)).length > 0 && days < 10; days += 1) {
    clock.leap(86_400_000);
    await resumeBatches(paydrop, null, PATIENT);
  }
  expect([before.length, await offered(row)]).toEqual([3, []]);
});

it('has nothing of whom somebody has erased, at once, and what came after that', async () => {
  const batch = await paid('november', [transfer()]);
  const { id = '' } = (await payees.ofRow(batch, '2')) ?? {};
  payees.erase(file, id, { by: 'Aline Biya', reason: 'asked to be forgotten' });
  const row = transfer({ ...LACKING, amount: '1100' });
  expect(await offered(row)).toEqual([]);
  clock.leap(1_000);
  await paid('december', [transfer({ city: 'Foshan', amount: '1200' })]);
  expect((await offered(row))[0]).toBe('2 receiver.city=Foshan');
});

it('gives no more cells than may be corrected', async () => {
  await paid('november', [transfer()]);
  const rows = Array.from({ length: 5 }, (_, at) => transfer({ ...LACKING, amount: String(1_100 + at) }));
  expect((await cells(rows, 7)).map(({ position }) => position)).toEqual([0, 0, 0, 1, 1, 1, 2]);
});

it('reads rows to fix in pieces, and each of them once', async () => {
  const rows = Array.from({ length: 500 }, (_, at) => transfer({ ...LACKING, amount: String(1_100 + at) }));
  await toFill(rows);
  const pieces = await Array.fromAsync(readToFill({ folder, version: 1 }));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300);
  expect(pieces.flat().map(({ position }) => position)).toEqual(rows.map((_, at) => at));
});

it('asks nothing where a file has no cell for it, or a profile has words of its own', async () => {
  const columns = COLUMNS.filter((name) => name !== 'receiver.city');
  const without = transfer(LACKING).split(',').toSpliced(COLUMNS.indexOf('receiver.city'), 1).join(',');
  const canonical = (all: readonly RowToFill[]) =>
    all.flatMap((row) => row.cells.map((cell) => cell.canonical));
  const others = ['delivery.bankAccountHolderFullName', 'delivery.bankAccountSwiftCode'];
  expect(canonical(await toFill([without], columns))).toEqual(others);
  const profile: Profile = {
    ...{ name: 'own', columns: new Map(), constants: new Map(), split: new Map(), same: new Map() },
    ...{ says: new Map(), values: new Map([['receiver.city', new Map([['gz', 'Guangzhou']])]]) },
    ...{ scale: null, receivers: null, delimiter: 'auto', encoding: 'auto', decimalMark: 'auto' },
    ...{ sheet: null, header: 'auto', layout: null, message: {} },
  } as unknown as Profile;
  expect(canonical(await toFill([transfer(LACKING)], COLUMNS, profile))).toEqual(others);
});
