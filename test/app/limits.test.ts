// The limits of the config, at a desk: a row over a limit is not paid before a person has said so by name.
import { afterEach, describe, expect, it } from 'vitest';

import { isoTime } from '../../src/base/clock.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { parseConfig } from '../../src/app/config/config.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { endsOf, HEADER, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';
import { own, record } from '../ledger/own.ts';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function newDesk(): Promise<Desk> {
  const desk = await openDesk();
  desks.push(desk);
  return desk;
}

/** 100 CNY costs some 8 700 XAF with its fee, 1 000 CNY some 86 900. */
const SMALL = '100';
const LARGE = '1000';
const BY_MARIE = { by: 'Marie', reason: 'checked with the director', rows: null, skip: false };

async function released(paydrop: Paydrop, batch: string) {
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('There is no such batch.');
  return releaseRows(paydrop, record, BY_MARIE);
}

async function resumed(paydrop: Paydrop, batch: string) {
  const [result] = (await resumeBatches(paydrop, batch, PATIENT)) ?? [];
  if (result === undefined) throw new Error('Nothing was resumed.');
  return result;
}

it('a file over a limit stops at the last gate, still accepted: asked again once a person has let it go', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open('limits: { perFile: 50000 XAF }');
  const file = await desk.file('a.csv', [line('A-1', LARGE), line('A-2', SMALL)]);
  const { batch, waitingFor, state } = (await processBatch(paydrop, file, PATIENT)).summary;
  expect({ waitingFor, state }).toEqual({ waitingFor: 'operator', state: 'checked' });
  expect(await paydrop.ledger.batch(batch)).toMatchObject({ state: 'accepted', wait: { for: 'limits' } });
  expect((await resumed(paydrop, batch)).summary.waitingFor).toBe('operator');
  expect(await transfersOf(paydrop)).toHaveLength(0);
  expect(await released(paydrop, batch)).toMatchObject({ file: 'limits' });
  await resumed(paydrop, batch);
  expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid']);
});

describe('a limit of the config', () => {
  const limitsOf = (text: string) => parseConfig(`limits: { ${text} }`, 'c').limits;

  it('is none by default', () => {
    expect(parseConfig('', 'c').limits).toMatchObject({ perRow: null, perFile: null, perDay: null });
  });

  it('is an amount with its currency, or several', () => {
    expect(limitsOf('perRow: 5000000 XAF').perRow).toEqual({ XAF: '5000000' });
    expect(limitsOf('perDay: [5000000 XAF, 8000.50 EUR]').perDay).toEqual({ XAF: '5000000', EUR: '8000.5' });
  });

  it.each([
    'perRow: 5000000',
    'perRow: 5,000,000 XAF',
    'perRow: 0.5 XAF',
    'perRow: 5 XYZ',
    'perRow: []',
    'perRow: [5 XAF, 6 XAF]',
  ])('that reads %s is refused', (text) => expect(() => limitsOf(text)).toThrow(/such as 5000000 XAF/));
});

describe('a row over the limit of a row', () => {
  it('is held by over_row_limit with what it comes to, the others are paid, and a release pays it', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('limits: { perRow: 20000 XAF }');
    const path = await desk.file('salaries.csv', [line('A', SMALL), line('B', LARGE)]);
    const { summary } = await processBatch(paydrop, path, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'held over_row_limit']);
    const [, held] = await paydrop.ledger.rows(summary.batch, 0, 10);
    expect(held?.progress.hold?.reason.en).toMatch(
      /^This row comes to [\d,]+ XAF with fees; limits\.perRow allows 20,000 XAF: [\d,]+ XAF too much\./,
    );
    expect(await transfersOf(paydrop)).toHaveLength(1);
    expect((await released(paydrop, summary.batch)).released).toEqual(['3']);
    await resumed(paydrop, summary.batch);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'paid']);
    expect(await paydrop.ledger.history.verify()).toMatchObject({
      fault: null,
      rowFault: null,
      batchFault: null,
    });
  });
});

describe('a row whose price is beyond a limit', () => {
  it.each([
    ['feeShare: 0.1%', 'over_fee_limit', /^The fee is .* and limits\.feeShare allows 0\.1%\./],
    ['leastRates: { XAF/CNY: 1 }', 'under_rate_limit', /^One XAF brings 0\.\d+ CNY, and .* demands 1\./],
  ])('by %s is held by %s before anything is created, and a release pays it', async (limit, code, words) => {
    const desk = await newDesk();
    const paydrop = await desk.open(`limits: { ${limit} }`);
    const { summary } = await processBatch(
      paydrop,
      await desk.file('salaries.csv', [line('A', SMALL)]),
      PATIENT,
    );
    expect(await endsOf(paydrop, summary.batch)).toEqual([`held ${code}`]);
    expect(await transfersOf(paydrop)).toHaveLength(0);
    const [held] = await paydrop.ledger.rows(summary.batch, 0, 10);
    expect(held?.progress.hold?.reason.en).toMatch(words);
    expect((await released(paydrop, summary.batch)).released).toEqual(['2']);
    await resumed(paydrop, summary.batch);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
  });

  it.each(['leastRates: { XAFEUR: 1 }', 'leastRates: { XAF/EUR: 0 }', 'leastRates: { XAF/EUR: much }'])(
    'is not asked for by %s',
    (text) => expect(() => parseConfig(`limits: { ${text} }`, 'c')).toThrow(/leastRates/),
  );
});

describe('a payee over the limit of a day', () => {
  it('is held by over_payee_limit, across files too', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('limits: { perPayeePerDay: 20000 XAF }');
    const first = await processBatch(
      paydrop,
      await desk.file('a.csv', [line('A', '100'), line('B', '101')]),
      PATIENT,
    );
    expect(await endsOf(paydrop, first.summary.batch)).toEqual(['paid', 'paid']);
    const second = await processBatch(paydrop, await desk.file('b.csv', [line('C', '102')]), PATIENT);
    expect(await endsOf(paydrop, second.summary.batch)).toEqual(['held over_payee_limit']);
    await released(paydrop, second.summary.batch);
    await resumed(paydrop, second.summary.batch);
    expect(await endsOf(paydrop, second.summary.batch)).toEqual(['paid']);
  });
});

it('an account over the limit of a day is held under another name too, and with another field beside it', async () => {
  const desk = await newDesk();
  const paydrop = await desk.open('limits: { perPayeePerDay: 10000 XAF }');
  const rows = [`${line('A', '100')},`, `${line('B', '101').replace('Li,Wei', 'Lo,Wan')},lo@example.cn`];
  const file = await desk.write('a.csv', `${[`${HEADER},delivery.email`, ...rows].join('\n')}\n`);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'held over_payee_limit']);
});

describe.each([
  [
    'perFile',
    /This file would come to [\d,]+ XAF with fees; limits\.perFile allows 20,000 XAF: [\d,]+ XAF too much\./,
  ],
  [
    'perDay',
    /The payments of today \(UTC\) would come to [\d,]+ XAF with fees; limits\.perDay allows 20,000 XAF/,
  ],
])('a file over %s', (name, words) => {
  it('stops before its first payment and says by how much; only a release lets it go on, and the decision stays', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(`limits: { ${name}: 20000 XAF }`);
    const path = await desk.file('salaries.csv', [line('A', '100'), line('B', '101'), line('C', '102')]);
    const stopped = await processBatch(paydrop, path, PATIENT);
    const { batch } = stopped.summary;
    expect(stopped.summary.waitingFor).toBe('operator');
    expect(exitCodeOf(stopped, PATIENT.waitMs)).toBe(5);
    expect(said(stopped.words).join(' ')).toMatch(words);
    expect(said(stopped.words).join(' ')).toMatch(/Not sent: 3 rows of [\d,]+ XAF\. .*paydrop release/);
    expect(await transfersOf(paydrop)).toEqual([]);
    expect((await resumed(paydrop, batch)).summary.waitingFor).toBe('operator');
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await released(paydrop, batch)).toMatchObject({ released: [], file: 'limits' });
    expect(await paydrop.ledger.batch(batch)).toMatchObject({
      decisions: [{ about: 'limits', by: 'Marie', reason: BY_MARIE.reason }],
    });
    const paid = await resumed(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid', 'paid']);
    expect(exitCodeOf(paid, PATIENT.waitMs)).toBe(0);
  });

  it('is cancelled whole or not at all: nothing of it while an earlier call may still pay a row', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(`limits: { ${name}: 20000 XAF }`);
    const path = await desk.file('salaries.csv', [line('A', '100'), line('B', '101'), line('C', '102')]);
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    const [, row] = await paydrop.ledger.rows(batch, 0, 2);
    if (row === undefined) throw new Error('The row is there.');
    const mayArriveUntil = isoTime(paydrop.clock.now() + 60_000);
    const progress = { ...row.progress, mayArriveUntil };
    await record(paydrop.ledger, row, { progress, dueAt: 0, event: 'test' });
    const known = await own(paydrop.ledger, batch);
    const order = { ...BY_MARIE, skip: true };
    expect(await releaseRows(paydrop, known, order)).toMatchObject({ released: [], left: [{ row: '3' }] });
    expect(await endsOf(paydrop, batch)).toEqual(['quoted', 'quoted', 'quoted']);
    expect((await resumed(paydrop, batch)).summary.waitingFor).toBe('operator');
  });

  it('is cancelled as a whole where a person says that it is wrong, and the corrected one is paid', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(`limits: { ${name}: 20000 XAF }`);
    const path = await desk.file('salaries.csv', [line('A', '100'), line('B', '101'), line('C', '102')]);
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('There is no such batch.');
    const order = { ...BY_MARIE, reason: 'ten times too much', skip: true };
    expect(await releaseRows(paydrop, record, order)).toMatchObject({
      released: ['2', '3', '4'],
      file: null,
    });
    expect((await resumed(paydrop, batch)).summary.state).toBe('closed');
    expect(await endsOf(paydrop, batch)).toEqual(Array(3).fill('rejected cancelled'));
    expect(await transfersOf(paydrop)).toEqual([]);
    const again = await processBatch(paydrop, await desk.file('salaries.csv', [line('A', '10')]), PATIENT);
    expect(again.summary.outcomes.paid).toBe(1);
  });
});

describe('the limit of a day', () => {
  it('counts what was paid before the limit was set, and what fails counts no more', async () => {
    const desk = await newDesk();
    const failing = line('B', '101').replace('+8613800138000', '+8613800100002');
    const free = await desk.open();
    await processBatch(free, await desk.file('a.csv', [line('A', '100'), failing]), PATIENT);
    await desk.shut();
    const paydrop = await desk.open('limits: { perDay: 20000 XAF }');
    const fits = await processBatch(paydrop, await desk.file('b.csv', [line('C', '103')]), PATIENT);
    expect(await endsOf(paydrop, fits.summary.batch)).toEqual(['paid']);
    const over = await processBatch(paydrop, await desk.file('c.csv', [line('D', '104')]), PATIENT);
    expect(over.summary.waitingFor).toBe('operator');
  });

  it('that does not name a currency lets nothing of it go', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('limits: { perDay: 20000 EUR }');
    const { words } = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), HURRIED);
    expect(said(words).join(' ')).toMatch(/limits\.perDay names no amount in XAF/);
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});
