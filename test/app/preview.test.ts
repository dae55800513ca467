// What a file would cost, to the minor unit, and what looks unusual about it; nothing is sent and nothing is remembered.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { grouped } from '../../src/base/decimal.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { describeShortfall } from '../../src/app/workflow/carry/stops.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { Unusual } from '../../src/app/workflow/check/unusual.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { PAYOUT } from '../delivery/due-row.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { isoTime } from '../../src/base/clock.ts';
import { blocks, payment } from '../rows/pain001/messages.ts';
import { said } from './said.ts';

let desk: Desk;
let paydrop: Paydrop;

beforeEach(async () => {
  desk = await openDesk();
  paydrop = await desk.open();
});
afterEach(() => desk.close());

/** The lines of a preview, its header left off. */
async function linesOf(answers: readonly string[]): Promise<readonly string[]> {
  const name = answers.find((answer) => answer.includes('.preview.')) ?? '';
  return (await readFile(join(desk.workspace, 'outbox', name), 'utf8')).trim().split('\n').slice(1);
}

describe('a preview', () => {
  it('costs what the run that follows it costs, and disturbs that run by nothing', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100.50'), line('A-2', '200')]);
    const { summary } = await previewFile(paydrop, file, PATIENT);
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await paydrop.ledger.batches()).toEqual([]);
    const ran = await processBatch(paydrop, file, PATIENT);
    expect(await endsOf(paydrop, ran.summary.batch)).toEqual(['paid', 'paid']);
    expect(summary.preview).toMatchObject([
      { sourceCurrency: 'XAF', debit: ran.summary.totals[0]?.debited, shortfall: '0' },
    ]);
    expect(await transfersOf(paydrop)).toHaveLength(2);
  });

  it('says to the minor unit what is missing of the balance', async () => {
    const poor = await openDesk({ balances: { XAF: '5000' } });
    const file = await desk.file('payroll.csv', [line('A-1', '1000')]);
    const { summary, words } = await previewFile(await poor.open(), file, PATIENT);
    await poor.close();
    const [cost] = summary.preview ?? [];
    expect(Number(cost?.shortfall)).toBe(Number(cost?.debit) - 5000);
    expect(said(words).join(' ')).toContain(`Missing: ${grouped(cost?.shortfall ?? '').en} XAF.`);
  });

  it.each([
    ['perRow: 10000 XAF', ['1 row would be held, because a limit does not allow it'], 'limits.perRow allows'],
    // What is held counts for nothing.
    [
      'perRow: 10000 XAF, perFile: 10000 XAF',
      ['1 row would be held, because a limit does not allow it'],
      'limits.perRow allows',
    ],
    ['feeShare: 0.1%', ['2 rows would be held, because a limit does not allow them'], 'limits.feeShare'],
    ['perFile: 20000 XAF', ['This file would come to', 'The file would stop until somebody'], null],
    ['perDay: 20000 XAF', ['The payments of today (UTC) would come to', 'The file would stop'], null],
  ])('says what the limits would hold or stop (%s), and a run does so', async (limit, told, warning) => {
    const limited = await desk.open(`limits: { ${limit} }\nsandbox: true`);
    const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', '200')]);
    const { words, summary } = await previewFile(limited, file, PATIENT);
    for (const text of told) expect(said(words).join(' ')).toContain(text);
    expect(said(words)).not.toContain('Every row can be paid.');
    if (warning !== null) expect((await linesOf(summary.answers)).join(' ')).toContain(warning);
    const ran = await processBatch(limited, file, { ...PATIENT, waitMs: 0 });
    expect(ran.summary.waitingFor).not.toBeNull();
  });

  it.each([
    ['the name', line('A-2', '101').replace('8613800138000', '8613800138001')],
    ['a middle name', line('A-2', '101').replace('Li,Wei', 'Li Ming,Wei').replace('38000', '38001')],
    ['the account', line('A-2', '101').replace('Li,Wei', 'Xu,Bo')],
  ])('counts what one payee gets in the file, found by %s, as a run does', async (_by, second) => {
    const limited = await desk.open('limits: { perPayeePerDay: 15000 XAF }\nsandbox: true');
    const third = line('A-3', '100').replace('Li,Wei', 'Ma,Jun').replace('38000', '38002');
    const file = await desk.file('payroll.csv', [line('A-1', '100'), second, third]);
    const { words, summary } = await previewFile(limited, file, PATIENT);
    expect(said(words).join(' ')).toContain('1 row would be held, because a limit does not allow it');
    const warned = (await linesOf(summary.answers)).map((each) => each.includes('limits.perPayeePerDay'));
    expect(warned.slice(0, 3)).toEqual([false, true, false]);
    expect(said(words).join(' ')).not.toContain('other files');
    const ran = await processBatch(limited, file, PATIENT);
    expect(await endsOf(limited, ran.summary.batch)).toEqual(['paid', 'held over_payee_limit', 'paid']);
    const next = await desk.file('next.csv', [line('A-4', '103').replace('Li,Wei', 'Ba,Jin')]);
    expect(said((await previewFile(limited, next, PATIENT)).words)).toContain(
      'What the payees get on the same day from other files is not counted here; a run counts it (limits.perPayeePerDay).',
    );
  });

  it('counts the rows of a message on their own days', async () => {
    const limits = 'limits: { perDay: 30000 XAF, perPayeePerDay: 25000 XAF, perFile: 90000 XAF }';
    const limited = await desk.open(
      `${limits}\niso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }`,
    );
    const [today, later] = [0, 40].map((days) => isoTime(Date.now() + days * 86_400_000).slice(0, 10));
    const paid = (reference: string, value: string) =>
      payment({ reference, amount: `<InstdAmt Ccy="CNY">${value}</InstdAmt>` });
    const text = blocks([
      [today ?? '', [paid('A-1', '201')]],
      [
        later ?? '',
        [
          paid('B-1', '202'),
          paid('B-2', '203'),
          paid('B-3', '204').replace('38000', '38001').replace('Li, Wei', 'Xu, Bo'),
        ],
      ],
    ]);
    const { words, summary } = await previewFile(limited, await desk.write('pay.xml', text), PATIENT);
    const told = said(words).join(' ');
    expect(told).toContain(`The payments of ${String(later)} (UTC) would come to`);
    expect(told).toContain('1 row would be held');
    expect(told).not.toContain('today');
    expect((await linesOf(summary.answers)).join(' ')).toContain(
      `the payments to this payee or account on ${String(later)} (UTC) would come to`,
    );
  });

  it('of a file within all limits says nothing of them', async () => {
    const limited = await desk.open('limits: { perRow: 900000 XAF, perDay: 900000 XAF }\nsandbox: true');
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { words } = await previewFile(limited, file, PATIENT);
    expect(said(words)).toContain('Every row can be paid.');
    expect(said(words).join(' ')).not.toContain('limit');
  });

  it('what is missing for rows without a price yet is not called 0', async () => {
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const file = await desk.file(`payroll@${day}.csv`, [line('T-1', '100'), line('T-2', '200')]);
    const { summary } = await processBatch(paydrop, file, PATIENT);
    const batch = await paydrop.ledger.batch(summary.batch);
    expect(batch).not.toBeNull();
    if (batch === null) return;
    const { en } = await describeShortfall(paydrop, batch, ['XAF']);
    expect(en).toContain('2 payments wait, and their prices are not known yet');
    expect(en).not.toContain('at least');
  });

  it('of a file with a row to fix prices the others and ends like a check', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100'), line('A-2', 'x')]);
    const result = await previewFile(paydrop, file, PATIENT);
    expect(exitCodeOf(result, 0)).toBe(4);
    expect(result.summary.outcomes).toMatchObject({ rejected: 1, pending: 1 });
    expect(result.summary.answers.map((name) => name.split('.').at(-2))).toEqual(['rejected', 'preview']);
  });

  it('of a file that cannot be read is a refusal', async () => {
    const file = await desk.file('payroll.csv', ['"']);
    expect(exitCodeOf(await previewFile(paydrop, file, PATIENT), 0)).toBe(3);
  });
});

describe('what looks unusual', () => {
  it('is asked once for a payee who has many rows: a search passes all of them', async () => {
    const searches: string[] = [];
    const paidTo = (payee: string): Promise<[]> => {
      searches.push(payee);
      return Promise.resolve([]);
    };
    const unusual = new Unusual({ paidTo }, new Map());
    for (const name of ['Li', 'Li', 'Wang', 'Li'])
      await unusual.look('2', { ...PAYOUT, receivingParty: { firstName: name, lastName: 'Wei' } });
    expect(searches).toHaveLength(2);
  });

  const to = (reference: string, amount: string, name: string, msisdn: string) =>
    line(reference, amount).replace('Li,Wei', `Li,${name}`).replace('+8613800138000', msisdn);

  it('is said of ten times the last payment, a new account, and an account of two receivers', async () => {
    const known = await desk.file('october.csv', [to('O-1', '100', 'Wei', '+8613800138000')]);
    await processBatch(paydrop, known, PATIENT);
    const file = await desk.file('november.csv', [
      to('N-1', '1000', 'Wei', '+8613800138000'),
      to('N-2', '999.99', 'Wei', '+8613800138999'),
      to('N-3', '100', 'Na', '+8613800138999'),
      to('N-4', '100', 'Jing', '+8613800138777'),
    ]);
    const { summary, words } = await previewFile(paydrop, file, PATIENT);
    const lines = await linesOf(summary.answers);
    expect(lines[0]).toContain('ten times the last payment to this receiver (100.00 CNY');
    expect(lines[1]).toContain('went to another account');
    expect(lines[1]).not.toContain('ten times');
    expect(lines[2]).toContain('Row 3 pays another receiver on the same account');
    expect(lines[3]).not.toMatch(/times|account/);
    expect(said(words).join(' ')).toContain('3 rows look unusual');
  });
});
