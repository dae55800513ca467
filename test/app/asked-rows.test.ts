// Rows that wait for a person because of what the file says, or what its name says: `check` and `run` agree, and one release pays them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { check, release, run } from '../../src/app/desk/commands.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { type Desk, endsOf, HEADER, line, lineTo, openDesk, PATIENT, transfersOf } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

describe('a file whose name says that it is not meant for payment', () => {
  it('is held whole, and paid once a person releases it', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('BROUILLON paie.csv', [
      lineTo('Li', 'A-1', '100'),
      lineTo('Wu', 'A-2', '200'),
    ]);
    const checked = await checkFile(paydrop, file);
    expect(checked.summary.check?.wouldHold).toEqual([
      { code: 'file_name_says', count: 2, rows: ['2', '3'] },
    ]);
    const { summary } = await processBatch(paydrop, file, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['held file_name_says', 'held file_name_says']);
    expect(await transfersOf(paydrop)).toEqual([]);
    await release(paydrop, summary.batch, {
      rows: null,
      by: 'Marie Fouda',
      reason: 'It is the final one.',
      skip: false,
    });
    await resumeBatches(paydrop, summary.batch, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'paid']);
  });
});

describe('the telephone of a wallet', () => {
  const withNumber = (number: string) => line('A-1', '100').replace('+8613800138000', number);
  const ends = async (number: string) => {
    const paydrop = await desk.open();
    const { summary } = await processBatch(
      paydrop,
      await desk.file('pay.csv', [withNumber(number)]),
      PATIENT,
    );
    return {
      ends: await endsOf(paydrop, summary.batch),
      rows: await paydrop.ledger.rows(summary.batch, 0, 9),
    };
  };

  it.each(['237677123456', '+237677123456', '00237677123456', '+33612345678'])(
    'that is one of a third country, %s, waits for a person',
    async (number) => expect((await ends(number)).ends).toEqual(['held telephone_elsewhere']),
  );

  it.each(['+8613800138000', '8613800138000', '008613800138000'])(
    'of the country itself, %s, is paid',
    async (number) => expect((await ends(number)).ends).toEqual(['paid']),
  );

  it.each(['＋８６１３８００１３８０００', '+٨٦١٣٨٠٠١٣٨٠٠٠'])(
    'in other digits, %s, goes out in plain ones',
    async (number) => {
      const found = await ends(number);
      expect(found.ends).toEqual(['paid']);
      expect(found.rows[0]?.payout?.deliveryMethodInfo['msisdn']).toBe('+8613800138000');
    },
  );

  it('without its country code is a row to fix that says what to write, where money goes to a telephone', async () => {
    const card = `A-3,CHN,B2C,unionpayCard,XAF,300,SALARY_PAYMENT,Li,Wei,CHN,13800138001,6200009655655089359`;
    const lines = [`${line('A-1', '100')},`, `${withNumber('138 0013 8000').replace('A-1', 'A-2')},`, card];
    const file = await desk.write('pay.csv', [`${HEADER},delivery.cardNumber`, ...lines, ''].join('\n'));
    const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
    const { summary } = await processBatch(paydrop, file, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'rejected', 'paid']);
    const [, rejected] = await paydrop.ledger.rows(summary.batch, 0, 9);
    expect(rejected?.rejections).toMatchObject([{ code: 'telephone_malformed' }]);
    expect(rejected?.rejections[0]?.words.en).toContain('Write +8613800138000');
  });
});

describe('a credit note', () => {
  it('holds the invoices of the same payee, above it and below, and no others', async () => {
    const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
    const other = lineTo('Wu', 'A-2', '300').replace(',Li,Wei,', ',Wu,Fang,');
    const lines = [
      lineTo('Li', 'A-1', '500'),
      lineTo('Li', 'AV-1', '-200'),
      other,
      lineTo('Li', 'A-3', '700'),
    ];
    const { summary } = await processBatch(paydrop, await desk.file('pay.csv', lines), PATIENT);
    const beside = 'held credit_note_beside';
    expect(await endsOf(paydrop, summary.batch)).toEqual([beside, 'rejected', 'paid', beside]);
  });
});

describe('columns that are not read', () => {
  it('are named by run and in the acknowledgement, as by check', async () => {
    const paydrop = await desk.open();
    const file = await desk.write(
      'pay.csv',
      [`${HEADER},Agence`, `${line('A-1', '100')},Akwa`, ''].join('\n'),
    );
    const { summary, about } = await processBatch(paydrop, file, PATIENT);
    expect(about?.join(' ')).toContain('"Agence"');
    const name = summary.answers.find((answer) => answer.endsWith('ack.json')) ?? '';
    const ack = JSON.parse(await readFile(join(desk.workspace, 'outbox', name), 'utf8')) as unknown;
    expect(ack).toMatchObject({ ignored: ['Agence'] });
  });
});

describe('a file of which not even the name can be used', () => {
  it('keeps none of the others of the command waiting', async () => {
    const paydrop = await desk.open();
    const honest = await desk.file('pay.csv', [line('A-1', '100')]);
    const odd = `${honest.slice(0, -'pay.csv'.length)}od\0d.csv`;
    const checked = await check(paydrop, [odd, honest], PATIENT);
    expect(checked.map((result) => exitCodeOf(result, 0))).toEqual([3, 0]);
    const { results } = await run(paydrop, [odd, honest], PATIENT, { again: false, by: [] });
    expect(results.map((result) => exitCodeOf(result, 0))).toEqual([3, 0]);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });
});
