// A row carries the number that a person sees, because it names the payment for ever (the identity of CONTRACT 7).
import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { cellReference, columnLetters, nameCell } from '../../src/rows/cell.ts';
import { cellOf, headerOf } from '../../src/rows/row.ts';
import { readTable } from './read-table.ts';

const places = async (content: string) => (await readTable(content)).read.map(({ place }) => place);

describe('places', () => {
  it('the file of the identity examples has its one row at 2', async () => {
    const content = 'reference,destinationAmount\nA-1,100\n';
    expect(createHash('sha256').update(content).digest('hex')).toMatch(/^79c1bde8.*ac7c03$/);
    const { read, table } = await readTable(content);
    expect(read).toEqual([{ position: 0, place: '2', cells: ['A-1', '100'] }]);
    expect(table.headerPlace).toBe('1');
  });

  it('count the title, the header and blank rows; positions count payouts', async () => {
    const { read, table } = await readTable('Payroll\n\nreference,amount\n\nA,1\n , \nB,2\n\n');
    expect(table.headerPlace).toBe('3');
    expect(read.map(({ position, place }) => [position, place])).toEqual([
      [0, '5'],
      [1, '7'],
    ]);
    expect(table.rowCount).toBe(2);
  });

  it('a line end inside quotes starts no new row', async () => {
    expect(await places('reference,amount,note\nA,1,"x\r\ny\rz\nq"\nB,2,\n')).toEqual(['2', '3']);
  });

  it('a sep= line is row 1', async () => {
    expect(await places('sep=;\nreference;amount\nA;1\n')).toEqual(['3']);
  });

  it.each(['\n', '\r\n', '\r'])(
    'are the same for every line end (%j), also without one at the end',
    async (end) => {
      const lines = ['reference;amount', 'A;1', '', 'B;2'];
      expect(await places(lines.join(end))).toEqual(['2', '4']);
      expect(await places(lines.join(end) + end)).toEqual(['2', '4']);
    },
  );

  it('line ends may be mixed in one file', async () => {
    expect(await places('reference;amount\r\nA;1\nB;2\rC;3\r\n')).toEqual(['2', '3', '4']);
  });

  it('stay exact over many blocks of a large file, with and without quotes', async () => {
    const lines = Array.from({ length: 60_000 }, (_, index) =>
      index % 7 === 0 ? `"R-${index}","a\n""b"""` : `R-${index},plain`,
    );
    const { read, table } = await readTable(
      ['reference,amount,note', ...lines.map((line, index) => line.replace(',', `,${index + 1},`))].join(
        '\n',
      ),
    );
    expect(table.rowCount).toBe(60_000);
    expect(
      read.every(
        ({ place, position, cells }) => Number(place) === position + 2 && cells[0] === `R-${position}`,
      ),
    ).toBe(true);
  });
});

describe('cells', () => {
  it('are as written, one for each column, without trailing empty cells beyond the header', async () => {
    const { read } = await readTable('reference,amount,,note,,\nA, 1 ,," x ",,,\n');
    expect(read[0]?.cells).toEqual(['A', ' 1 ', '', ' x ']);
  });

  it('lose the one apostrophe that protects a formula character, and no other', async () => {
    const { read } = await readTable("reference,amount,note,city\n'=A,1,''+x,l'eau\n'B,2,'1,'\n");
    expect(read.map(({ cells }) => cells)).toEqual([
      ['=A', '1', "'+x", "l'eau"],
      ["'B", '2', "'1", "'"],
    ]);
  });

  it('keep control, bidi and zero-width characters for validation to judge', async () => {
    const { read } = await readTable('reference,amount,note\nA,1,x\u0007\u202e\u200by\n');
    expect(read[0]?.cells[2]).toBe('x\u0007\u202e\u200by');
  });

  it('are found by canonical name, and their header as the person wrote it', async () => {
    const { read, table } = await readTable('Référence; Montant \nA;1\n');
    const [row] = read;
    expect(row && cellOf(table, row, 'amount')).toBe('1');
    expect(row && cellOf(table, row, 'attachment')).toBe('');
    expect(headerOf(table, 'amount')).toBe('Montant');
    expect(headerOf(table, 'attachment')).toBe('attachment');
  });

  it('are named as the spreadsheet program names them', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnLetters)).toEqual([
      'A',
      'Z',
      'AA',
      'AZ',
      'BA',
      'ZZ',
      'AAA',
    ]);
    expect(cellReference('12', 2)).toBe('C12');
    expect(cellReference('Paie!12', 2)).toBe('Paie!C12');
    expect(nameCell('12', 2, ' Montant')).toEqual({
      en: 'row 12, column «Montant» (C12)',
      fr: 'ligne 12, colonne « Montant » (C12)',
      es: 'fila 12, columna «Montant» (C12)',
    });
    expect(nameCell('12', 2, ' ').en).toBe('row 12, column C (C12)');
  });
});

describe('reading again', () => {
  it('gives the same rows each time', async () => {
    const file = await readTable('reference,amount\nA,1\nB,2\n');
    expect(await Array.fromAsync(file.rows())).toEqual(file.read);
  });
});
