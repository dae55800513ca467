// Files as other programs write them, and the exact rows that must come out.
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { readAmount } from '../../src/rows/read-amount.ts';
import { cellOf } from '../../src/rows/row.ts';
import { csvFormOf, readFileAt, type ReadTable } from './read-table.ts';

const fixture = (name: string) => readFileAt(fileURLToPath(new URL(`fixtures/${name}`, import.meta.url)));

/** Place, then the named columns as text, then the amount as it is understood. */
const read = ({ table, read: rows }: ReadTable, ...columns: readonly string[]) =>
  rows.map((row) => {
    const amount = readAmount(cellOf(table, row, 'amount'), table.decimalMarks.get('amount') ?? '.');
    return [
      row.place,
      ...columns.map((name) => cellOf(table, row, name)),
      'amount' in amount ? amount.amount : amount.fault,
    ];
  });

describe('exports of other programs', () => {
  it('LibreOffice, French payroll under a title, UTF-8 and semicolons', async () => {
    const file = await fixture('paie.libreoffice.csv');
    expect(read(file, 'reference', 'receiver.lastName', 'receiver.firstName', 'delivery.msisdn')).toEqual([
      ['5', 'P-001', 'Ndongo', 'Éloïse', '+8613800138000', '1250.5'],
      ['6', 'P-002', "N'Guessan", 'Bœuf, André', '+8613800138001', '12980'],
      ['8', 'P-003', 'Mba "Junior"', 'Zoë', '+8613800138002', '0.75'],
    ]);
    expect(file.table.form).toMatchObject({
      delimiter: ';',
      encoding: { name: 'utf-8', bom: false },
      newline: '\n',
    });
    expect(file.table.totals).toMatchObject({
      place: '9',
      sums: [{ canonical: 'amount', sum: '14231.25', cell: 'F9' }],
    });
    expect(file.table.unknown.map(({ header }) => header)).toEqual(['Matricule']);
  });

  it('LibreOffice, Spanish suppliers, tabs and every text quoted, an address of two lines', async () => {
    const file = await fixture('proveedores.libreoffice.tsv');
    expect(
      read(file, 'receiver.name', 'delivery.bankAccountNumber', 'receiver.address', 'receiver.city'),
    ).toEqual([
      [
        '2',
        'Compañía Marítima S.A.',
        '0012345678901234567890',
        'C/ Alcalá, 5\n2º izq.',
        'Madrid',
        '1234567.89',
      ],
      ['3', 'Niño & Hijos', '0098765432109876543210', 'Plaza Mayor 1', 'Cádiz', '250'],
    ]);
    expect(file.table.form).toMatchObject({ delimiter: '\t', decimalMark: '.' });
  });

  it('LibreOffice, English suppliers, UTF-16 with a mark', async () => {
    const file = await fixture('suppliers.libreoffice-utf16.csv');
    expect(read(file, 'reference', 'receiver.name', 'attachment')).toEqual([
      ['2', 'S-1', 'Łódź Trading & Co', 'S-1.pdf', '10500'],
      ['3', 'S-2', '北京贸易公司', 'S-2.pdf', '99.95'],
    ]);
    expect(csvFormOf(file).encoding).toEqual({ name: 'utf-16le', bom: true });
  });

  it('Excel, French transfers, Windows-1252, no-break spaces, euro signs and a total', async () => {
    const file = await fixture('virements.excel-fr-1252.csv');
    expect(read(file, 'receiver.name', 'delivery.bankAccountNumber', 'documentReferenceNumber')).toEqual([
      ['2', 'Société L’Œuvre', '00012345678901', 'FA-1', '1234.56'],
      ['3', 'Électricité ; Gaz', '00012345678902', 'FA-2', '12000'],
    ]);
    expect(file.table.form).toEqual({
      kind: 'csv',
      delimiter: ';',
      encoding: { name: 'windows-1252', bom: false },
      newline: '\r\n',
      sepLine: false,
      decimalMark: ',',
    });
    expect(file.table.totals?.sums).toEqual([{ canonical: 'amount', sum: '13234.56', cell: 'G4' }]);
  });

  it('Excel, French salaries in XAF, UTF-8 with a mark, narrow no-break spaces, protected telephone numbers', async () => {
    const file = await fixture('salaires.excel-fr-utf8-bom.csv');
    expect(read(file, 'receiver.name', 'deliveryMethod', 'delivery.msisdn')).toEqual([
      ['2', 'Ébolo Jean', 'alipay', '+8613800138000', '152000'],
      ['3', 'Mbarga Zoé', 'wechat', '+8613800138001', '98500'],
    ]);
    expect(csvFormOf(file).encoding).toEqual({ name: 'utf-8', bom: true });
    expect(file.table.indexOf.has('reference')).toBe(false);
  });

  it('Excel, Spanish payments, points between thousands', async () => {
    const file = await fixture('pagos.excel-es-1252.csv');
    expect(read(file, 'receiver.name')).toEqual([
      ['2', 'Peña e Hijos', '1234567.89'],
      ['3', 'Muñoz, S.L.', '1500'],
    ]);
  });

  it('a sep= line', async () => {
    const file = await fixture('sep-line.excel.csv');
    expect(read(file, 'receiver.name')).toEqual([['3', 'Acme, Inc.', '1500.25']]);
    expect(csvFormOf(file).sepLine).toBe(true);
  });

  it('bars, CR alone and apostrophes', async () => {
    const file = await fixture('zahlung.swiss.txt');
    expect(read(file, 'receiver.name')).toEqual([
      ['2', 'Müller AG', '1234.5'],
      ['3', 'Élan SA', '12500'],
    ]);
    expect(file.table.form).toMatchObject({ delimiter: '|', newline: '\r' });
  });

  it('UTF-16 big-endian; a cell that is no number decides nothing', async () => {
    const file = await fixture('ledger.utf16be.csv');
    expect(read(file, 'documentReferenceNumber', 'receiver.name')).toEqual([
      ['2', 'I-1', 'Smith, Jones & Co', 'not_a_number'],
      ['3', 'I-2', 'Ada Ltd', '1250.5'],
    ]);
  });
});
