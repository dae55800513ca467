// A template that is filled in as it says can be paid, for every corridor that exists.
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import excel, { type Worksheet } from 'exceljs';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { loadCorridors } from '../../src/app/workflow/validate/check-rules.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { writeTemplate } from '../../src/app/desk/write-template.ts';
import type { PayoutCorridor } from '../../src/service/wire.ts';
import { agreesWithSchema } from '../../src/rows/pain001/read-message.ts';
import { canonicalOf, namedHeader } from '../../src/rows/known-columns.ts';
import { openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
let paydrop: Paydrop;
let corridors: readonly PayoutCorridor[];
let folder: string;

beforeAll(async () => {
  desk = await openDesk();
  paydrop = await desk.open();
  corridors = await loadCorridors(paydrop.service);
  folder = dirname(await desk.file('x.csv', []));
  await writeFile(join(folder, 'invoice.pdf'), '%PDF-1.7\n%%EOF\n');
});
afterAll(() => desk.close());

function corridorOf(id: string): PayoutCorridor {
  const corridor = corridors.find((each) => each.id === id);
  if (corridor === undefined) throw new Error(`There is no corridor ${id}.`);
  return corridor;
}

/** What a person types under a header. */
function typed(
  header: string,
  { minimumTransactionAmount, ...corridor }: PayoutCorridor,
  reference: string,
): string | number | null {
  const [party, field = header] = header.split('.');
  const values: Readonly<Record<string, string | number | null>> = {
    reference,
    // The header says it.
    payoutCorridorId: null,
    sourceCurrency: corridor.sourceCurrencies[0] ?? '',
    destinationAmount: Number(minimumTransactionAmount),
    sourceAmount: null,
    purposeOfRemittance: 'OTHER',
    attachment: 'invoice.pdf',
    countryIsoCode: party === 'sender' ? 'CMR' : corridor.destinationCountryIsoCode,
    email: 'li@example.cn',
    msisdn: '+8613800138000',
  };
  // A name without letters is none.
  const other = header.includes('.') && /name/i.test(field) ? 'Li Wei' : '0045718263';
  return field in values ? (values[field] ?? null) : other;
}

type Filled = { readonly path: string; readonly sheet: Worksheet; readonly headers: readonly string[] };

/** Makes a template, lets `fill` write into it, and saves it as a person would. */
async function fillTemplate(
  id: string,
  name: string,
  fill: (filled: Filled) => void,
  by: Paydrop = paydrop,
): Promise<string> {
  const path = join(folder, name);
  await writeTemplate(by, { corridor: id, path, mayReplace: true });
  const book = new excel.Workbook();
  await book.xlsx.readFile(path);
  const sheet = book.getWorksheet('Payments');
  if (sheet === undefined) throw new Error('The template has no sheet of payments.');
  const shown = (sheet.getRow(1).values as readonly (string | undefined)[]).flatMap((text) => text ?? []);
  // What people see in the header must be read as the column that it is.
  const headers = shown.map((text) => canonicalOf(text) ?? text);
  fill({ path, sheet, headers });
  await book.xlsx.writeFile(path);
  return path;
}

function expectPayable({ summary, words }: BatchResult, rows: number): void {
  const outcomes = { rejected: 0, pending: rows };
  expect(summary, said(words).join(' ')).toMatchObject({
    state: 'checked',
    outcomes,
  });
}

/** One row under the header, every column filled. */
const oneRow =
  (corridor: PayoutCorridor, reference = 'T-1') =>
  ({ sheet, headers }: Filled): void => {
    for (const [index, header] of headers.entries())
      sheet.getCell(2, index + 1).value = typed(header, corridor, reference);
  };

/** The same, but for the columns that may stay empty. */
const requiredOnly =
  (corridor: PayoutCorridor) =>
  ({ sheet, headers }: Filled): void => {
    const filled = new Set<string>();
    for (const [index, header] of headers.entries()) {
      const { note } = sheet.getCell(1, index + 1);
      const words = typeof note === 'string' ? note : (note.texts ?? []).map(({ text }) => text).join('');
      const group = header.split('.')[0]?.replace(/^.*Amount$/, 'amount') ?? '';
      const isFirst = words.startsWith('This or another') && !filled.has(group);
      if (isFirst) filled.add(group);
      if (words.startsWith('Required') || isFirst)
        sheet.getCell(2, index + 1).value = typed(header, corridor, 'T-1');
    }
  };

describe('a template', () => {
  it('with nothing filled in but what it calls required passes a check, whatever the corridor', async () => {
    const open = corridors.filter(({ isEnabled }) => isEnabled);
    expect(open.length).toBeGreaterThan(10);
    const check = async (corridor: PayoutCorridor): Promise<void> => {
      const path = await fillTemplate(corridor.id, `${corridor.id}.xlsx`, requiredOnly(corridor));
      expectPayable(await checkFile(paydrop, path), 1);
    };
    // Each check reads in processes of its own, which have two cores between them.
    const limit = pLimit(2);
    await Promise.all(open.map((corridor) => limit(check, corridor)));
  }, 120_000);

  it.each(['fra-eur-b2b-bank', 'chn-cny-c2c-alipay'])(
    'with every column filled in passes too (%s)',
    async (id) => {
      const path = await fillTemplate(id, `all-${id}.xlsx`, oneRow(corridorOf(id)));
      expectPayable(await checkFile(paydrop, path), 1);
    },
  );

  it('lets a program add its rows at the end, which is right under the header', async () => {
    const corridor = corridorOf('chn-cny-b2c-alipay');
    const path = await fillTemplate(corridor.id, 'appended.xlsx', ({ sheet, headers }) => {
      for (let row = 1; row <= 1_200; row++)
        sheet.addRow(headers.map((header) => typed(header, corridor, `T-${String(row)}`)));
      expect(sheet.getCell('A2').text).toBe('T-1');
      // Formats go further than choices: digits that are typed far below are still text.
      expect(sheet.getCell(1_201, headers.indexOf('delivery.msisdn') + 1).numFmt).toBe('@');
    });
    expectPayable(await checkFile(paydrop, path), 1_200);
  });

  it('says which sender it needs where the config names none', async () => {
    const bare = await desk.open('sender: {}');
    for (const id of ['chn-cny-b2b-bank', 'chn-cny-c2c-wechat']) {
      const corridor = corridorOf(id);
      const path = await fillTemplate(
        id,
        `no-sender-${id}.xlsx`,
        (filled) => {
          expect(filled.headers).toContain('sender.countryIsoCode');
          oneRow(corridor)(filled);
        },
        bare,
      );
      expectPayable(await checkFile(bare, path), 1);
    }
  });

  it('is paid like any file, also by an amount that is sent', async () => {
    const corridor = corridorOf('chn-cny-b2c-wechat');
    const path = await fillTemplate(corridor.id, 'paid.xlsx', (filled) => {
      oneRow(corridor, 'S-1')(filled);
      const { sheet, headers } = filled;
      sheet.getCell(2, headers.indexOf('destinationAmount') + 1).value = null;
      sheet.getCell(2, headers.indexOf('sourceAmount') + 1).value = 250_000;
    });
    const { summary, words } = await processBatch(paydrop, path, PATIENT);
    expect(summary.outcomes, said(words).join(' ')).toMatchObject({ paid: 1 });
    expect(summary.totals).toMatchObject([{ sourceCurrency: 'XAF', sendAmount: '250000' }]);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('that is a payment message is valid and payable as it comes, for every corridor of companies', async () => {
    await writeFile(join(folder, 'INV-0001.pdf'), '%PDF-1.7\n%%EOF\n');
    const debtors = 'iso20022: { debtors: [{ account: OUR-1 }] }';
    const own = await desk.open(debtors);
    for (const { id, isEnabled, transactionMode } of corridors) {
      if (!isEnabled) continue;
      const path = join(folder, `${id}.xml`);
      const written = writeTemplate(own, { corridor: id, path, mayReplace: true });
      if (transactionMode.startsWith('C')) await expect(written).rejects.toThrow('persons');
      else {
        await written;
        expect(agreesWithSchema(await readFile(path, 'utf8'))).toBe(true);
        expectPayable(await checkFile(own, path), 1);
      }
    }
  }, 60_000);

  it('as it comes has no payment in it', async () => {
    const path = await fillTemplate('chn-cny-b2b-bank', 'empty.xlsx', () => undefined);
    const { summary, words } = await checkFile(paydrop, path);
    expect(summary.state).toBe('refused');
    expect(said(words).join(' ')).toContain('Add the payments under the header');
  });

  it('marks what is required, keeps digits as text, and offers closed lists to choose from', async () => {
    await fillTemplate('chn-cny-b2b-bank', 'marked.xlsx', ({ sheet, headers }) => {
      const under = (header: string) => sheet.getCell(2, headers.indexOf(header) + 1);
      const head = (header: string) => sheet.getCell(1, headers.indexOf(header) + 1);
      expect(under('delivery.bankAccountNumber').numFmt).toBe('@');
      expect(under('destinationAmount').numFmt).toBe('#,##0.00');
      expect(under('purposeOfRemittance').dataValidation).toMatchObject({
        type: 'list',
        errorStyle: 'warning',
        formulae: ['"Goods,Services,Salary,Family,Education,Other"'],
      });
      expect(under('sourceCurrency').dataValidation).toMatchObject({
        type: 'list',
        formulae: ['"XAF,EUR,USD"'],
      });
      expect(under('receiver.countryIsoCode').dataValidation).toMatchObject({ type: 'list' });
      expect(under('destinationAmount').dataValidation).toMatchObject({ type: 'decimal' });
      expect(head('attachment').font).toMatchObject({ bold: true });
      expect(head('documentReferenceNumber').font.bold).not.toBe(true);
    });
  });

  it('explains every column and the limits on a sheet of its own, which nobody takes for payments', async () => {
    await fillTemplate('chn-cny-c2c-alipay', 'explained.xlsx', ({ sheet, headers }) => {
      const text: string[] = [];
      sheet.workbook
        .getWorksheet('Instructions')
        ?.eachRow((row) => row.eachCell((cell) => text.push(cell.text)));
      expect(text).toEqual(expect.arrayContaining(headers.map((header) => namedHeader(header).en)));
      expect(text[0]).toBe('Payments to China in CNY, by Alipay');
      expect(text.join(' ')).toContain('from 10.00 to 30,000.00 CNY');
      expect(text.join(' ')).toContain('One is enough: Wallet number, or Wallet email.');
      expect(sheet.workbook.getWorksheet('Lists')?.state).toBe('hidden');
      expect(sheet.workbook.getWorksheet('Lists')?.getCell('A1').text).toBe('China');
    });
  });
});

describe('no template is written', () => {
  const order = (changes: Partial<Parameters<typeof writeTemplate>[1]>) =>
    writeTemplate(paydrop, {
      corridor: 'chn-cny-b2b-bank',
      path: join(folder, 'none.xlsx'),
      mayReplace: false,
      ...changes,
    });

  it.each([
    ['chn-cny-b2b-bnak', 'chn-cny-b2b-bank'],
    ['nga', 'nga-ngn-b2b-bank'],
    ['CHN CNY B2C WeChat', 'chn-cny-b2c-wechat'],
  ])('for a corridor that there is not (%s), and the nearest comes first: %s', async (corridor, nearest) => {
    await expect(order({ corridor })).rejects.toThrow(`The nearest are ${nearest}`);
    expect(existsSync(join(folder, 'none.xlsx'))).toBe(false);
  });

  it('over a file that is there, unless that is asked for', async () => {
    const path = join(folder, 'mine.xlsx');
    await writeFile(path, 'filled in for an hour');
    await expect(order({ path })).rejects.toThrow('already');
    await order({ path, mayReplace: true });
    // Those who are to fill it in may open it, and it names nobody who is paid.
    expect((await stat(path)).mode & 0o777).toBe(0o644);
  });

  it.each([
    ['where there is no folder', 'nowhere/t.xlsx', 'There is no folder'],
    ['under the name of another kind of file', 't.csv', 'ends in .xlsx'],
  ])('%s', async (_, name, words) => {
    await expect(order({ path: join(folder, name) })).rejects.toThrow(words);
  });

  it('over a folder, whatever is asked for', async () => {
    const path = join(folder, 'folder.xlsx');
    await mkdir(path);
    await expect(order({ path, mayReplace: true })).rejects.toThrow('is a folder');
  });
});
