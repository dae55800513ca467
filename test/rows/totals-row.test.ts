// A totals row is told from a payment, checked, and neither given out nor counted.
import { describe, expect, it } from 'vitest';

import { fileOf, readTable, refusalOf } from './read-table.ts';

const HEADER = 'Réf;Bénéficiaire;Montant;Devise;Note\n';
const ROWS = 'A;Ann;1 000,50;XAF;\nB;Bob;0,25;XAF;\n';

describe('a totals row', () => {
  it.each([
    'TOTAL;;1 000,75;;',
    ';Total;1000,75;XAF;',
    ';;1.000,75;;',
    ';;1000,75;XAF;',
    ';;1000,75;;Total général :',
    'Total novembre 2026;;1 000,75;;2 salariés',
    'Totaux;;1 000,750 FCFA;;',
    'Somme;;1000,75',
    ';;1000,75',
  ])('«%s» is recognised', async (totals) => {
    const { table, read } = await readTable(`${HEADER}${ROWS}\n${totals}\n;;;;\n`);
    expect(table.totals).toEqual({ place: '5', sums: [{ canonical: 'amount', sum: '1000.75' }] });
    expect(table.rowCount).toBe(2);
    expect(read.map(({ cells }) => cells[0])).toEqual(['A', 'B']);
  });

  it.each(['Total;;1000,74;;', ';;1000;;', 'TOTAL;;n/a;;'])(
    '«%s» with another sum refuses the file',
    async (totals) => {
      const refused = await refusalOf(fileOf(`${HEADER}${ROWS}${totals}\n`));
      expect(refused.code).toBe('totals_differ');
      expect(refused.message).toContain('row 4, column «Montant» (C4)');
      expect(refused.message).toContain('1000.75');
    },
  );

  it('a difference names the cell that is no number', async () => {
    const refused = await refusalOf(fileOf(`${HEADER}${ROWS}C;Cid;ten;XAF;\nTotal;;1 010,75;;\n`));
    expect(refused.message).toContain('without «ten» in row 4');
  });

  it('negative amounts count', async () => {
    const { table } = await readTable(`${HEADER}${ROWS}C;Cid;(0,75);XAF;\nTotal;;1000;;\n`);
    expect(table.totals?.sums).toEqual([{ canonical: 'amount', sum: '1000' }]);
  });

  it('every amount column that it fills is checked', async () => {
    const header = 'reference,sourceAmount,destinationAmount\n';
    const { table } = await readTable(`${header}A,5,\nB,,7\nC,6,\nTotal,11,7\n`);
    expect(table.totals?.sums).toHaveLength(2);
    expect((await refusalOf(fileOf(`${header}A,5,\nB,,7\nTotal,5,8\n`))).code).toBe('totals_differ');
  });

  it('its own number helps to tell the mark', async () => {
    expect(
      (await readTable('Réf;Montant\nA;1.234\nB;1.000\nTotal;2.234,00\n')).table.decimalMarks.get('amount'),
    ).toBe(',');
  });

  it.each(['C;TOTAL CAMEROUN SA;1000,75;XAF;', 'Total;Cid;1000,75;XAF;', 'C;;1000,75;XAF;'])(
    '«%s» is a payment',
    async (row) => {
      expect((await readTable(`${HEADER}${ROWS}${row}\n`)).table).toMatchObject({
        rowCount: 3,
        totals: null,
      });
    },
  );

  it('a row with nothing but an amount is a payment where the file names nobody', async () => {
    expect((await readTable('amount,currency\n5,XAF\n5,XAF\n')).table).toMatchObject({
      rowCount: 2,
      totals: null,
    });
  });

  it('the only row is a payment, whatever it looks like', async () => {
    expect((await readTable(`${HEADER};;5;;\n`)).table).toMatchObject({ rowCount: 1, totals: null });
  });

  it('a total of exact decimals is exact far beyond floating point', async () => {
    const rows = Array.from({ length: 1_000 }, (_, index) => `R${index};9007199254740993,1`).join('\n');
    const { table } = await readTable(`Réf;Montant\n${rows}\nTotal;9007199254740993100,00\n`);
    expect(table.totals?.sums).toEqual([{ canonical: 'amount', sum: '9007199254740993100' }]);
  });
});
