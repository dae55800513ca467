// The files that the benchmarks pay: every row another payee, whole amounts, the columns of a real payroll.
import { closeSync, openSync, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import excel from 'exceljs';

export const HEADER = [
  'reference',
  'payoutCorridorId',
  'sourceCurrency',
  'destinationAmount',
  'purposeOfRemittance',
  'documentReferenceNumber',
  'attachment',
  'receiver.firstName',
  'receiver.lastName',
  'receiver.registeredName',
  'receiver.address',
  'receiver.city',
  'receiver.countryIsoCode',
  'delivery.msisdn',
  'delivery.bankAccountNumber',
  'delivery.bankAccountHolderFullName',
  'Matricule',
  'Service',
  'Site',
  'Commentaire',
] as const;

export type FileKind = 'wallet' | 'bank';

/** Rows written together: large enough that calls do not count. */
const CHUNK_ROWS = 10_000;

/** Twenty columns; `bank` rows carry a document. */
export function cellsOf(index: number, kind: FileKind): readonly string[] {
  const isBank = kind === 'bank';
  const id = String(index + 1).padStart(7, '0');
  return [
    `PAY-${id}`,
    isBank ? 'chn-cny-b2b-bank' : 'chn-cny-b2c-alipay',
    'XAF',
    String(100 + (index % 900)),
    isBank ? 'SERVICE_CHARGES' : 'SALARY_PAYMENT',
    `DOC-${id}`,
    isBank ? 'invoice.pdf' : '',
    isBank ? '' : 'Mei',
    isBank ? '' : `Zhang ${id}`,
    isBank ? `Supplier ${id} Ltd` : '',
    '12 Nanjing Road',
    'Shanghai',
    'CHN',
    isBank ? '' : `+86138${id}9`,
    isBank ? `62170000${id}9999` : '',
    isBank ? `Supplier ${id} Ltd` : '',
    `M${id}`,
    'Production',
    'Douala Bonanjo',
    'paid by transfer',
  ];
}

export async function writeCsv(path: string, rows: number, kind: FileKind = 'wallet'): Promise<void> {
  const file = openSync(path, 'w');
  writeSync(file, `${HEADER.join(',')}\n`);
  for (let from = 0; from < rows; from += CHUNK_ROWS) {
    const length = Math.min(CHUNK_ROWS, rows - from);
    writeSync(
      file,
      Array.from({ length }, (_none, index) => `${cellsOf(from + index, kind).join(',')}\n`).join(''),
    );
  }
  closeSync(file);
  if (kind === 'bank') await writeFile(join(dirname(path), 'invoice.pdf'), '%PDF-1.4\n% bench\n%%EOF\n');
}

export async function writeXlsx(path: string, rows: number): Promise<void> {
  const book = new excel.stream.xlsx.WorkbookWriter({ filename: path, useStyles: true });
  const sheet = book.addWorksheet('Payroll');
  sheet.addRow(HEADER).commit();
  for (let index = 0; index < rows; index++) sheet.addRow(cellsOf(index, 'wallet')).commit();
  sheet.commit();
  await book.commit();
}
