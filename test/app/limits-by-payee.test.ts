// The limit of a payee and a day holds however the payee and the account are written.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { endsOf, HEADER, line, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** 100 CNY costs some 8 700 XAF with its fee: two are over the limit. */
const LIMIT = 'limits: { perPayeePerDay: 15000 XAF }\npolicy: { onInvalidRows: skip-rows }';

async function endsOfRows(header: string, rows: readonly string[]): Promise<readonly string[]> {
  const paydrop = await desk.open(LIMIT);
  const path = await desk.write('salaries.csv', `${[header, ...rows].join('\n')}\n`);
  return endsOf(paydrop, (await processBatch(paydrop, path, PATIENT)).summary.batch);
}

const first = line('A', '100');
const other = (written: string): string =>
  line('B', '101').replace('Li,Wei', 'Xu,Bo').replace('+8613800138000', written);

it.each([
  ['0086 before it', '008613800138000'],
  ['no plus', '8613800138000'],
  ['a full-width digit', '+861380013800０'],
  ['an Arabic digit', '+861380013800٠'],
])('one telephone number with %s is one account', async (_name, written) => {
  expect(await endsOfRows(HEADER, [first, other(written)])).toEqual(['paid', 'held over_payee_limit']);
});

it('a column that no corridor asks for makes no other account', async () => {
  const rows = [`${first},x`, `${other('+8613800138000')},y`];
  expect(await endsOfRows(`${HEADER},delivery.note`, rows)).toEqual(['paid', 'held over_payee_limit']);
});

it('another telephone number of another person has a limit of its own', async () => {
  expect(await endsOfRows(HEADER, [first, other('+8613800138001')])).toEqual(['paid', 'paid']);
});

const BANK =
  'reference,payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.firstName,receiver.lastName,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode,attachment';

const bank = (name: string, amount: string, account: string, swift: string): string =>
  `${name},sen-xof-b2c-bank,XAF,${amount},SALARY_PAYMENT,${name},Diop,Dakar,SEN,${name} Diop,${account},${swift},contract.pdf`;

it.each([
  ['another SWIFT code', 'SN08 1234 5678', 'CBAOSNDA'],
  ['no SWIFT code', 'SN08 1234 5678', ''],
  ['an underscore behind', 'SN0812345678_', 'SGSNSNDA'],
  ['hyphens', 'sn08-1234-5678', 'SGSNSNDAXXX'],
])('one account at a bank with %s is one account', async (_name, account, swift) => {
  await desk.write('contract.pdf', '%PDF-1.4\n');
  const rows = [bank('Awa', '5000', 'SN08 1234 5678', 'SGSNSNDA'), bank('Binta', '6000', account, swift)];
  expect(await endsOfRows(BANK, rows)).toEqual(['paid', 'held over_payee_limit']);
});

it.each([
  ['Li,Wеi', 'a letter of another script'],
  ['Wei,Li', 'its names the other way round'],
  ['Li Ming,Wei', 'a name between'],
  ['LÏ,wei', 'accents and capitals'],
])('one person called %s, with %s, is one payee on two accounts', async (name) => {
  const elsewhere = line('B', '101').replace('Li,Wei', name).replace('+8613800138000', '+8613800138001');
  expect(await endsOfRows(HEADER, [first, elsewhere])).toEqual(['paid', 'held over_payee_limit']);
});
