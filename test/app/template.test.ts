// What a template yields, filled in as it says, can be paid: for every corridor that there is.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import excel from 'exceljs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/check-file.ts';
import type { Paydrop } from '../../src/app/compose.ts';
import { loadCorridors } from '../../src/app/load-corridors.ts';
import { writeTemplate } from '../../src/app/write-template.ts';
import type { PayoutCorridor } from '../../src/service/wire.ts';
import { openDesk, type Desk } from './desk.ts';

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

/** What a person types under a header. */
function typed(header: string, { minimumTransactionAmount, ...corridor }: PayoutCorridor): string | number {
  const [party, field = header] = header.split('.');
  const values: Readonly<Record<string, string | number>> = {
    reference: 'T-1',
    payoutCorridorId: corridor.id,
    sourceCurrency: corridor.sourceCurrencies[0] ?? '',
    destinationAmount: Number(minimumTransactionAmount),
    purposeOfRemittance: 'OTHER',
    attachment: 'invoice.pdf',
    countryIsoCode: party === 'sender' ? 'CMR' : corridor.destinationCountryIsoCode,
    email: 'li@example.cn',
  };
  return values[field] ?? '0045718263';
}

describe('a template', () => {
  it('filled in by hand passes a check, whatever the corridor', async () => {
    const open = corridors.filter(({ isEnabled }) => isEnabled);
    expect(open.length).toBeGreaterThan(10);
    for (const corridor of open) {
      const path = join(folder, `${corridor.id}.xlsx`);
      await writeTemplate(paydrop, { corridor: corridor.id, path, mayReplace: false });
      const book = new excel.Workbook();
      await book.xlsx.readFile(path);
      const sheet = book.getWorksheet('Payments');
      sheet?.getRow(1).eachCell((cell, column) => {
        sheet.getCell(2, column).value = typed(cell.text, corridor);
      });
      await book.xlsx.writeFile(path);
      const { summary, words } = await checkFile(paydrop, path);
      expect(summary.outcomes, `${corridor.id}: ${words.join(' ')}`).toMatchObject({
        rejected: 0,
        pending: 1,
      });
    }
  });

  it('as it comes has no payment in it', async () => {
    const path = join(folder, 'empty.xlsx');
    await writeTemplate(paydrop, { corridor: corridors[0]?.id ?? '', path, mayReplace: false });
    const { summary, words } = await checkFile(paydrop, path);
    expect(summary.state).toBe('refused');
    expect(words.join(' ')).toContain('Add the payments under the header');
  });

  it('marks what is required, keeps digits as text, and offers closed lists to choose from', async () => {
    const path = join(folder, 'marked.xlsx');
    const bank = corridors.find(({ deliveryMethod }) => deliveryMethod === 'bankTransfer');
    await writeTemplate(paydrop, { corridor: bank?.id ?? '', path, mayReplace: false });
    const book = new excel.Workbook();
    await book.xlsx.readFile(path);
    const sheet = book.getWorksheet('Payments');
    const headers = sheet?.getRow(1).values as readonly string[];
    const under = (header: string) => sheet?.getCell(2, headers.indexOf(header));
    expect(under('delivery.bankAccountNumber')?.numFmt).toBe('@');
    expect(under('purposeOfRemittance')?.dataValidation).toMatchObject({ type: 'list' });
    expect(sheet?.getCell(1, headers.indexOf('attachment')).font).toMatchObject({ bold: true });
  });

  it('of a corridor that there is not names some that there are, and writes nothing', async () => {
    const path = join(folder, 'none.xlsx');
    const order = { corridor: 'chn-cny-nothing', path, mayReplace: false };
    await expect(writeTemplate(paydrop, order)).rejects.toThrow(/There are chn-/);
    expect(existsSync(path)).toBe(false);
  });

  it('never replaces a file unless it is told to', async () => {
    const path = join(folder, 'x.csv');
    const order = { corridor: corridors[0]?.id ?? '', path };
    await expect(writeTemplate(paydrop, { ...order, mayReplace: false })).rejects.toThrow('already');
    await writeTemplate(paydrop, { ...order, mayReplace: true });
  });
});
