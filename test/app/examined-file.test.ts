// What `check` and `preview` say of a file: how many payments and how much, what is wrong in which rows, and what a run would hold.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../src/app/config/config.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import { check, run } from '../../src/app/desk/commands.ts';
import { inPassing, withPaydrop } from '../../src/app/desk/open-desk.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { endsOf, HEADER, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const EVERY_ROW = 'Every row can be paid.';
const bare = (amount: string) => line('', amount);

describe('rows of one file that are the same payment', () => {
  const SAME = [bare('100'), line('A-2', '100'), bare('200'), bare('100')];
  const EQUAL =
    'Rows 2 and 5 are the same payment and have no reference: "run" would hold both. If you mean to pay each, give each its own reference; if not, delete the extra ones.';

  it('without a reference are named by check, which then says of no file that every row can be paid', async () => {
    const { words, summary } = await checkFile(await desk.open(), await desk.file('pay.csv', SAME));
    expect(said(words)).toContain(EQUAL);
    expect(said(words)).not.toContain(EVERY_ROW);
    expect(summary.outcomes).toMatchObject({ held: 2, pending: 2, rejected: 0 });
    expect(summary.check?.wouldHold).toEqual([{ code: 'equal_rows', count: 2, rows: ['2', '5'] }]);
  });

  it('are named by preview, cost nothing there, and are what a run holds', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('pay.csv', SAME);
    const preview = await previewFile(paydrop, file, PATIENT);
    expect(said(preview.words)).toContain(EQUAL);
    expect(said(preview.words)).not.toContain(EVERY_ROW);
    expect(preview.summary.outcomes).toMatchObject({ held: 2, pending: 2 });
    const ran = await processBatch(paydrop, file, PATIENT);
    expect(await endsOf(paydrop, ran.summary.batch)).toEqual([
      'held equal_rows',
      'paid',
      'paid',
      'held equal_rows',
    ]);
    expect(ran.summary.totals[0]?.debited).toBe(preview.summary.preview?.[0]?.debit);
  });

  it('under nearly the same reference are named too', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('pay.csv', [line('INV-7', '100'), line('inv 07', '100')]);
    const { words, summary } = await checkFile(paydrop, file);
    expect(said(words).join(' ')).toContain(
      'Rows 2 and 3 are the same payment under nearly the same reference',
    );
    const ran = await processBatch(paydrop, file, PATIENT);
    expect(await endsOf(paydrop, ran.summary.batch)).toEqual([
      'held similar_reference',
      'held similar_reference',
    ]);
    expect(ran.summary.outcomes.held).toBe(summary.outcomes.held);
  });

  it('under two references of their own are no concern of a check', async () => {
    const file = await desk.file('pay.csv', [line('A-1', '100'), line('B-2', '100'), bare('100')]);
    expect(said((await checkFile(await desk.open(), file)).words)).toContain(EVERY_ROW);
  });
});

describe('a column of the file that says what was paid', () => {
  const withStatus = async (...words: readonly string[]) => withColumn('Status', words);
  const withColumn = async (name: string, words: readonly string[]) => {
    const rows = words.map((word, index) => `${line(`A-${String(index + 1)}`, String(100 + index))},${word}`);
    const [header = ''] = (await readFile(await desk.file('x.csv', []), 'utf8')).split('\n');
    return desk.write('pay.csv', [`${header},${name}`, ...rows, ''].join('\n'));
  };

  it('has those rows held, and check and preview say so before', async () => {
    const paydrop = await desk.open();
    const file = await withStatus('Paid', 'pending', 'COMPLETED', 'Payé', 'to be paid', '');
    const { words, summary } = await checkFile(paydrop, file);
    expect(said(words).join(' ')).toContain(
      'Rows 2, 4 and 5 are paid, or not to be paid, as the file itself says',
    );
    expect(said(words)).not.toContain(EVERY_ROW);
    expect(summary.check?.wouldHold).toEqual([{ code: 'said_paid', count: 3, rows: ['2', '4', '5'] }]);
    expect((await previewFile(paydrop, file, PATIENT)).summary.outcomes).toMatchObject({ held: 3 });
    const ran = await processBatch(paydrop, file, PATIENT);
    const held = 'held said_paid';
    expect(await endsOf(paydrop, ran.summary.batch)).toEqual([held, 'paid', held, held, 'paid', 'paid']);
  });

  it.each([
    ['Is paid', ['true', 'no', 'Oui', '0', '✓'], ['2', '4', '6']],
    ['Date paid', ['2026-11-01', '', '-'], ['2']],
    ['Payment State', ['In Payment', 'Not Paid', 'Reversed', 'Partially Paid', 'Posted'], ['2', '4', '5']],
    ['Statut', ['À valider', 'Validé', 'Cadre', 'Soumis', 'Non échu'], ['2', '5']],
    ['Bon à payer', ['Oui', '', 'En litige', 'BAP', '12/11/2026', '✓'], ['3', '4']],
    ['Observations', ['NE PAS PAYER - litige', 'Virement urgent', 'déjà payé par chèque'], ['2', '4']],
    ['备注', ['已付', '请尽快付款'], ['2']],
    ['Payment block', ['A', '', '-'], ['2']],
    ['Acompte versé', ['0', '', '25 000'], ['4']],
    ['Annulé', ['X', ''], ['2']],
  ])('may be called %s', async (header, words, rows) => {
    const paydrop = await desk.open();
    const { summary } = await checkFile(paydrop, await withColumn(header, words));
    expect(summary.check?.wouldHold).toEqual([{ code: 'said_paid', count: rows.length, rows }]);
  });

  it('holds what the same payee is owed, beside a credit note', async () => {
    const paydrop = await desk.open();
    const file = await withColumn('Type de pièce', ['FA', 'Avoir', 'Facture']);
    const { summary, words } = await checkFile(paydrop, file);
    expect(summary.check?.wouldHold).toEqual([
      { code: 'said_paid', count: 1, rows: ['3'] },
      { code: 'credit_note_beside', count: 2, rows: ['2', '4'] },
    ]);
    expect(said(words).join(' ')).toContain('the credit note is row 3');
    const ran = await processBatch(paydrop, file, PATIENT);
    const beside = 'held credit_note_beside';
    expect(await endsOf(paydrop, ran.summary.batch)).toEqual([beside, 'held said_paid', beside]);
  });

  it('says nothing where nobody has filled it', async () => {
    const { words } = await checkFile(await desk.open(), await withColumn('Validé', ['', '']));
    expect(said(words)).toContain(EVERY_ROW);
  });

  it('says nothing where a profile takes it for nothing', async () => {
    await desk.write('profiles/own.yaml', 'files: [pay.csv]\ncolumns: { Status: ignore }\n');
    const paydrop = await desk.open();
    const { words } = await checkFile(paydrop, await withStatus('Paid'));
    expect(said(words)).toContain(EVERY_ROW);
  });
});

describe('a check', () => {
  it('leaves no workspace where there was none, only the file to correct', async () => {
    const folder = join(desk.workspace, 'not-yet');
    const config = loadConfig({ workspace: folder });
    const signal = new AbortController().signal;
    const read = (path: string) =>
      inPassing(config, (passing) => withPaydrop(passing, (paydrop) => check(paydrop, [path], { signal })));
    const good = await desk.file('good.csv', [line('A-1', '100')]);
    const [result] = await read(good);
    expect(said(result?.words ?? [])).toEqual([EVERY_ROW]);
    expect(existsSync(folder)).toBe(false);
    const [wrong] = await read(await desk.file('wrong.csv', [line('A-1', 'x')]));
    expect(await readdir(folder)).toEqual(['outbox']);
    expect(await readdir(join(folder, 'outbox'))).toEqual(wrong?.summary.answers);
  });

  it('says how many payments there are and how much, by currency, rows to fix among them', async () => {
    const lines = [line('A-1', '1000'), line('A-2', '250.50').replace('Li,Wei', ',Wei'), line('A-3', '5')];
    const { summary } = await checkFile(await desk.open(), await desk.file('pay.csv', lines));
    expect(summary.check).toMatchObject({
      payments: 3,
      sums: [{ currency: 'CNY', rows: 3, amount: '1255.50' }],
      rejected: 2,
    });
  });

  it('groups what is wrong by column and words, with the rows', async () => {
    const wrong = (reference: string) => line(reference, '100').replace('Li,Wei', ',Wei');
    const lines = [
      wrong('A-1'),
      wrong('A-2'),
      wrong('A-3'),
      line('A-4', '100'),
      wrong('A-5'),
      line('A-6', 'x'),
    ];
    const { about, summary } = await checkFile(await desk.open(), await desk.file('pay.csv', lines));
    expect(about).toEqual([
      '5 rows to fix:',
      expect.stringMatching(/^ {2}Rows 2–4 and 6, First name \(receiver\.firstName\): /),
      expect.stringMatching(/^ {2}Row 7, Amount to receive \(destinationAmount\): "x" cannot be read/),
    ]);
    expect(summary.check?.faults.map(({ count, rows }) => [count, rows])).toEqual([
      [4, ['2–4', '6']],
      [1, ['7']],
    ]);
  });

  it('of words that differ in every row shows ten groups at most, and says how many more there are', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => line(`A-${String(index)}`, `x${String(index)}`));
    const { about } = await checkFile(await desk.open(), await desk.file('pay.csv', lines));
    expect(about).toHaveLength(2);
    expect(about?.[1]).toMatch(
      /^ {2}Rows 2–31, Amount to receive \(destinationAmount\): For example, row 2: "x0"/,
    );
  });

  it('of many words quotes a row as an example only where the others of its group say something else', async () => {
    const wrong = (index: number) => line(`A-${String(index)}`, index === 0 ? '10' : `x${String(index)}`);
    const lines = Array.from({ length: 30 }, (_, index) => wrong(index).replace('Li,Wei', ',Wei'));
    const { about, summary } = await checkFile(await desk.open(), await desk.file('pay.csv', lines));
    expect(about?.[1]).toMatch(/^ {2}Rows 2–31, First name \(receiver\.firstName\): (?!For example)/);
    const [, faulty] = summary.check?.faults ?? [];
    expect(faulty).toMatchObject({ count: 29, rows: ['3–31'] });
    expect(faulty?.message).toMatch(/^For example, row 3: "x1" cannot be read/);
  });

  it('and a run that refuses the file say the same', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('pay.csv', [line('A-1', '100'), line('A-2', 'ten')]);
    const { about } = await checkFile(paydrop, file);
    const ran = await processBatch(paydrop, file, PATIENT);
    expect(ran.summary.state).toBe('refused');
    expect(ran.about).toEqual(about);
    expect(said(ran.words)[0]).toMatch(/^1 row of 2 cannot be paid as written.* Correct it in /);
  });
});

describe('what the same text in every row would mend', () => {
  const WALLET = 'delivery.msisdn';
  const writing = async (column: string, text: string) => {
    const index = HEADER.split(',').indexOf(column);
    const cells = line('A-1', '100').split(',').with(index, text);
    return desk.write('pay.csv', [HEADER, cells.join(','), ''].join('\n'));
  };
  const without = async (column: string) => {
    const at = HEADER.split(',').indexOf(column);
    const rows = [HEADER, line('A-1', '100'), line('A-2', '200')];
    return desk.write('pay.csv', rows.map((row) => row.split(',').toSpliced(at, 1).join(',')).join('\n'));
  };

  it.each([
    [WALLET, "'8613800138000"],
    [WALLET, '’+8613800138000'],
    [WALLET, "''+8613800138000"],
    ['destinationAmount', "'100"],
  ])('an apostrophe before a number is named as the cause (%s: %s)', async (column, text) => {
    const { about, summary } = await checkFile(await desk.open(), await writing(column, text));
    expect(summary.outcomes).toMatchObject({ rejected: 1 });
    expect(about?.join(' ')).toContain('It begins with an apostrophe');
  });

  it('a telephone number behind the apostrophe that marks text is read, and one with letters has no apostrophe', async () => {
    const paydrop = await desk.open();
    expect(
      (await checkFile(paydrop, await writing(WALLET, "'+8613800138000"))).summary.outcomes,
    ).toMatchObject({ rejected: 0 });
    expect((await checkFile(paydrop, await writing(WALLET, 'O’Neil'))).about?.join(' ')).not.toContain(
      'apostrophe',
    );
  });

  it.each([
    ['sourceCurrency', 'Send currency'],
    ['purposeOfRemittance', 'Purpose'],
  ])('a column that is missing (%s) can be said once, by a command ready to copy', async (column, header) => {
    const { words } = await checkFile(await desk.open(), await without(column));
    expect(said(words).at(-1)).toBe(
      `The file has no column for ${header}. What is the same in every row can be said once, for all files like this one: paydrop profile pay.csv --constant "${header}=…" --save.`,
    );
  });

  it.each(['refuse-file', 'skip-rows'])('a run says the same under %s, as its last word', async (policy) => {
    const paydrop = await desk.open(`policy: { onInvalidRows: ${policy} }`);
    const { results } = await run(paydrop, [await without('purposeOfRemittance')], PATIENT, {
      again: false,
      by: [],
    });
    expect(results.map(({ summary }) => summary.outcomes.rejected)).toEqual([2]);
    expect(said(results[0]?.words ?? []).at(-1)).toBe(
      'The file has no column for Purpose. What is the same in every row can be said once, for all files like this one: paydrop profile pay.csv --constant "Purpose=…" --save.',
    );
  });

  it('a column that is empty in one row is none that is missing', async () => {
    const file = await writing('purposeOfRemittance', '');
    await desk.write('pay.csv', `${(await readFile(file, 'utf8')).trim()}\n${line('A-2', '100')}\n`);
    expect(said((await checkFile(await desk.open(), file)).words).join(' ')).not.toContain('--constant');
  });
});
