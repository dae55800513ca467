// One payment that comes again in another file: under another reference, written another way, or a month later under the same reference.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { statusOf } from '../../src/app/desk/batch-status.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { endsOf, HEADER, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

const DAY_MS = 86_400_000;
const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-11-02T08:00:00Z');
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

let files = 0;
async function pay(paydrop: Paydrop, lines: readonly string[], header = HEADER): Promise<string> {
  files += 1;
  // No two files of two months are equal byte by byte.
  const text = [`${header},month`, ...lines.map((row) => `${row},${String(files)}`)].join('\n');
  const path = await desk.write(`file-${String(files)}.csv`, `${text}\n`);
  return (await processBatch(paydrop, path, PATIENT)).summary.batch;
}

async function release(paydrop: Paydrop, id: string): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  await releaseRows(paydrop, batch, { by: 'Ama', reason: 'meant', rows: null, skip: false });
  await resumeBatches(paydrop, id, PATIENT);
}

function later(days: number): void {
  clock.goTo(new Date(clock.now() + days * DAY_MS).toISOString());
}

/** Payments of twenty people, each on an account of their own. */
const people = (reference: (person: string) => string): readonly string[] =>
  Array.from({ length: 20 }, (_none, index) => {
    const person = String(index + 1).padStart(2, '0');
    return line(reference(person), String(1000 + index)).replace('8613800138000', `86138001380${person}`);
  });

const counted = async (paydrop: Paydrop, id: string): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {};
  for (const end of await endsOf(paydrop, id)) counts[end] = (counts[end] ?? 0) + 1;
  return counts;
};

describe('a payroll that is exported again', () => {
  it('under other references is held (same_payment_other_reference), and one release pays it', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(
      paydrop,
      people((person) => `EXP1-${person}`),
    );
    const again = await pay(
      paydrop,
      people((person) => `EXP2-${person}`),
    );
    expect(await counted(paydrop, again)).toEqual({ 'held same_payment_other_reference': 20 });
    expect(await transfersOf(paydrop)).toHaveLength(20);
    await release(paydrop, again);
    expect(await counted(paydrop, again)).toEqual({ paid: 20 });
  });

  it('first without references and then with them is held', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(
      paydrop,
      people(() => ''),
    );
    const again = await pay(
      paydrop,
      people((person) => `E-${person}`),
    );
    expect(await counted(paydrop, again)).toEqual({ 'held same_payment_other_reference': 20 });
  });

  it('with some corrections is one question: the corrected rows wait with the others (file_paid_before), and status says so', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    const first = await pay(
      paydrop,
      people((person) => `EXP1-${person}`),
    );
    const corrected = people((person) => `EXP2-${person}`).map((row, index) =>
      index < 3 ? row.replace(`,${String(1000 + index)},`, ',1500,') : row,
    );
    const again = await pay(paydrop, corrected);
    expect(await counted(paydrop, again)).toEqual({
      'held file_paid_before': 3,
      'held same_payment_other_reference': 17,
    });
    const batch = await paydrop.ledger.batch(again);
    if (batch === null) throw new Error('The batch is there.');
    expect((await statusOf(paydrop, batch)).words).toContain(
      `17 of 20 rows were paid before by batch ${first}`,
    );
    await release(paydrop, again);
    expect(await counted(paydrop, again)).toEqual({ paid: 20 });
  });

  it('is paid where both name different document numbers, or the window is over', async () => {
    const header = `${HEADER},documentReferenceNumber`;
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, [`${line('A-1', '100')},INV-1`], header);
    expect(await counted(paydrop, await pay(paydrop, [`${line('B-1', '100')},INV-2`], header))).toEqual({
      paid: 1,
    });
    expect(await counted(paydrop, await pay(paydrop, [`${line('C-1', '100')},inv 2`], header))).toEqual({
      'held same_payment_other_reference': 1,
    });
    expect(await counted(paydrop, await pay(paydrop, [`${line('D-1', '100')},`], header))).toEqual({
      'held same_payment_other_reference': 1,
    });
    later(6);
    expect(await counted(paydrop, await pay(paydrop, [line('E-1', '100')]))).toEqual({ paid: 1 });
  });

  it('one row of two makes no question of the file', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, [line('A-1', '100')]);
    const next = await pay(paydrop, [line('B-1', '100'), line('B-2', '200')]);
    expect(await endsOf(paydrop, next)).toEqual(['held same_payment_other_reference', 'paid']);
  });
});

describe('without references the same payment is held (same_payment_recently)', () => {
  const first = line('', '100');
  it.each([
    ['exactly', HEADER, first],
    ['with hyphens in the telephone', HEADER, first.replace('+8613800138000', '+86-138-0013-8000')],
    ['with 0086 for +86', HEADER, first.replace('+86', '0086')],
    ['with an accent in the name', HEADER, first.replace('Li,Wei', 'Lî,Wei')],
    ['with first and last name swapped', HEADER, first.replace('Li,Wei', 'Wei,Li')],
    ['with a column of e-mail', `${HEADER},delivery.email`, `${first},li@example.cn`],
    ['with another holder', `${HEADER},delivery.bankAccountHolderFullName`, `${first},Somebody Else`],
    ['to another name', HEADER, first.replace('Li,Wei', 'Xu,Bo')],
    ['with capitals', HEADER, first.replace('Li,Wei', 'LI,WEI')],
  ])('%s', async (_name, header, row) => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, [first, line('', '700')]);
    const other = `${line('', '800')}${header === HEADER ? '' : ','}`;
    expect(await endsOf(paydrop, await pay(paydrop, [row, other], header))).toEqual([
      'held same_payment_recently',
      'paid',
    ]);
  });

  it('another account or another amount is another payment', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, [first]);
    const rows = [first.replace('+8613800138000', '+8613800138001'), line('', '101')];
    expect(await endsOf(paydrop, await pay(paydrop, rows))).toEqual(['paid', 'paid']);
  });

  it('at a bank, whatever stands between the digits and however the SWIFT code and the name are written', async () => {
    const header =
      'payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.registeredName,receiver.address,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode,attachment';
    const row = (name: string, account: string, swift: string, amount = '500') =>
      `chn-cny-b2b-bank,XAF,${amount},EXPORTED_GOODS,"${name}",Road 1,Yiwu,CHN,Yiwu Hengda,${account},${swift},i.pdf`;
    await desk.write('i.pdf', '%PDF-1.4\n');
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, [row('Yiwu Hengda Co., Ltd', '1208020109200614873', 'ICBKCNBJ')], header);
    const writings = [
      row('Yiwu Hengda Co. Ltd', '1208020109200614873', 'ICBKCNBJ'),
      row('Yiwu Hengda Co., Ltd', '1208-0201-0920-0614-873', 'ICBKCNBJ'),
      row('Yiwu Hengda Co., Ltd', '1208020109200614873', 'ICBKCNBJXXX'),
    ];
    for (const [index, written] of writings.entries()) {
      const other = row('Foshan Jinpeng', `62220210011160245${String(index)}`, 'ICBKCNBJ');
      expect((await endsOf(paydrop, await pay(paydrop, [written, other], header)))[0]).toBe(
        'held same_payment_recently',
      );
    }
  });
});

describe('a payroll by the numbers of the employees', () => {
  const employees = (amounts: readonly number[]): readonly string[] =>
    people((person) => `EMP-${person}`)
      .slice(0, amounts.length)
      .map((row, index) => row.replace(`,${String(1000 + index)},`, `,${String(amounts[index])},`));
  const SAME = [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007];

  it('is held in December (paid_in_earlier_period), and one release pays it; in January as well, with other amounts', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, employees(SAME));
    later(30);
    const december = await pay(paydrop, employees(SAME));
    expect(await counted(paydrop, december)).toEqual({ 'held paid_in_earlier_period': 8 });
    await release(paydrop, december);
    expect(await counted(paydrop, december)).toEqual({ paid: 8 });
    later(31);
    const january = await pay(paydrop, employees([...SAME.map((amount) => amount + 50), 2000]));
    expect(await counted(paydrop, january)).toEqual({
      'held paid_in_earlier_period': 8,
      'held file_paid_before': 1,
    });
    await release(paydrop, january);
    expect(await counted(paydrop, january)).toEqual({ paid: 9 });
  });

  it('that comes twice in one month is a duplicate, however many months it was paid before', async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    await pay(paydrop, employees(SAME));
    later(30);
    await release(paydrop, await pay(paydrop, employees(SAME)));
    const again = await pay(paydrop, [...employees(SAME), line('NEW', '55')]);
    expect(await counted(paydrop, again)).toMatchObject({ 'duplicate duplicate_reference': 8 });
    // Those of the last days: December, and the one that is new.
    expect(await transfersOf(paydrop)).toHaveLength(9);
  });

  it("October's answer, saved as the file of November, is held and not called a duplicate", async () => {
    const paydrop = await desk.open(SKIP_ROWS);
    const october = await pay(paydrop, people(() => '').slice(0, 5));
    later(30);
    const rows = people(() => '')
      .slice(0, 5)
      .map((row, index) => `${row},${String(index + 2)},${october}`);
    const november = await pay(paydrop, rows, `${HEADER},payout.row,payout.batch`);
    expect(await counted(paydrop, november)).toEqual({ 'held paid_in_earlier_period': 5 });
    await release(paydrop, november);
    expect(await counted(paydrop, november)).toEqual({ paid: 5 });
  });
});
