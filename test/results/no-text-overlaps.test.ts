// What a person sees of an answer in LibreOffice: each workbook is printed there, and no two words may stand on one place. It is tried where
// LibreOffice and the tools of poppler are installed.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import excel from 'exceljs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { PATIENT } from '../app/desk.ts';
import { openPaydrop, type TestPaydrop } from '../samples/with-paydrop.ts';

const run = promisify(execFile);

const canPrint = (
  await Promise.all(
    [['soffice', '--version'] as const, ['pdftotext', '-v'] as const].map(([program, flag]) =>
      run(program, [flag]).then(
        () => true,
        () => false,
      ),
    ),
  )
).every(Boolean);

type Word = {
  readonly text: string;
  readonly page: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

const WORD = /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<\/word>/g;

async function wordsOf(pdf: string): Promise<readonly Word[]> {
  const { stdout } = await run('pdftotext', ['-bbox', pdf, '-'], { maxBuffer: 100_000_000 });
  return stdout.split('<page ').flatMap((page, number) =>
    Array.from(page.matchAll(WORD), ([, left, top, right, bottom, text = '']) => ({
      ...{ text, page: number, left: Number(left), right: Number(right) },
      ...{ top: Number(top), bottom: Number(bottom) },
    })),
  );
}

/** The boxes of two lines of one cell touch; words over each other share more than a third of their height. */
const SHARED_LEAST = 1 / 3;

function overlaps(words: readonly Word[]): readonly string[] {
  return words.flatMap((one, index) =>
    words.slice(index + 1).flatMap((other) => {
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      const isOver = width > 1 && height > (one.bottom - one.top) * SHARED_LEAST;
      return one.page === other.page && isOver ? [`${one.text} / ${other.text}`] : [];
    }),
  );
}

const HEADER = ['Nom et prénoms', 'Pays', 'Type de transaction', 'Mode de paiement', 'N° de portefeuille'];
const MORE = ['Net à payer', 'Devise', 'Motif', 'Référence'];

/** More than a page has room for. */
const ROWS = 120;

describe.skipIf(!canPrint)('printed by LibreOffice', () => {
  let test: TestPaydrop;
  const pdfs = new Map<string, readonly Word[]>();

  beforeAll(async () => {
    test = await openPaydrop('skip-rows');
    const workbook = new excel.Workbook();
    const sheet = workbook.addWorksheet("Paie d'août");
    sheet.addRow(['Société Wouri SARL, état des salaires du mois de novembre, établi à Douala']);
    sheet.addRow([...HEADER, 'Prénom', ...MORE]);
    for (let row = 1; row <= ROWS; row += 1)
      sheet.addRow([
        ...['NGO BIKOÏ', 'Chine', row % 3 === 0 ? 'mensuel' : 'B2C', 'Alipay', `+861380013${7000 + row}`],
        // Every third row has four faults, every fourth equals the one before.
        ...[row % 3 === 0 ? '' : 'Clarisse', row % 3 === 0 ? -1 : 400_000, 'XAF', 'Salaire'],
        row % 4 === 0 ? '' : `S-${String(row)}`,
      ]);
    const path = join(test.desk, 'paie.xlsx');
    await workbook.xlsx.writeFile(path);
    await previewFile(test.paydrop, path, PATIENT);
    await processBatch(test.paydrop, path, PATIENT);
    const { outbox } = test.paydrop.workspace;
    const books = (await readdir(outbox)).filter((name) => name.endsWith('.xlsx'));
    const profile = `-env:UserInstallation=file://${test.desk}/office`;
    const paths = books.map((name) => join(outbox, name));
    await run('soffice', [profile, '--headless', '--convert-to', 'pdf', '--outdir', test.desk, ...paths]);
    for (const name of books)
      pdfs.set(name.split('.').at(-2) ?? '', await wordsOf(join(test.desk, name.replace(/xlsx$/, 'pdf'))));
  }, 120_000);
  afterAll(() => test.close());

  it.each(['rejected', 'preview', 'result'])('no text of %s stands over another', (kind) => {
    const words = pdfs.get(kind) ?? [];
    expect(words.length).toBeGreaterThan(50);
    expect(overlaps(words)).toEqual([]);
  });

  it.each([
    ['rejected', 'payout.error'],
    ['preview', 'payout.row'],
    ['result', 'payout.outcome'],
  ])('%s has its header on each page, and no column on a page of its own', (kind, column) => {
    const words = pdfs.get(kind) ?? [];
    const ofRows = words.filter(({ text }) => /^\+861380013/.test(text)).map(({ page }) => page);
    const pages = new Set(ofRows);
    expect(pages.size).toBeGreaterThan(1);
    const headers = words.filter(({ text }) => text === column).map(({ page }) => page);
    expect(headers.filter((page) => pages.has(page))).toEqual([...pages]);
    expect(words.filter(({ text, top }) => text === 'SANDBOX' && top < 40).map(({ page }) => page)).toEqual(
      expect.arrayContaining([...pages]),
    );
    // The rows come one page after the other: none has a second part behind the last row.
    expect(Math.max(...pages)).toBe(pages.size);
  });

  it('would be seen where a row has no room for its words', () => {
    const word = { text: 'a', page: 1, left: 10, right: 40, top: 10, bottom: 22 };
    expect(overlaps([word, { ...word, text: 'b', top: 15, bottom: 27 }])).toEqual(['a / b']);
    expect(overlaps([word, { ...word, text: 'b', top: 22, bottom: 34 }])).toEqual([]);
    expect(overlaps([word, { ...word, text: 'b', page: 2 }])).toEqual([]);
  });
});
