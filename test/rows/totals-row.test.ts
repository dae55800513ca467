// A totals row is told from a payment and checked; it is neither returned nor counted as a row.
import { describe, expect, it } from 'vitest';

import { isSum, tableWords } from '../../src/rows/totals-row.ts';
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
    expect(table.totals).toMatchObject({
      place: '5',
      sums: [{ canonical: 'amount', sum: '1000.75', cell: 'C5' }],
    });
    expect(table.rowCount).toBe(2);
    expect(read.map(({ cells }) => cells[0])).toEqual(['A', 'B']);
  });

  it.each(['Total;;1000,74;;', ';;1000;;', 'TOTAL;;n/a;;'])(
    '«%s» with another sum refuses the file',
    async (totals) => {
      const refused = await refusalOf(fileOf(`${HEADER}${ROWS}${totals}\n`));
      expect(refused.code).toBe('totals_differ');
      expect(refused.message).toContain('row 4, column «Montant» (C4)');
      expect(refused.message).toContain('1,000.75');
    },
  );

  it('a difference names the cell that is no number', async () => {
    const refused = await refusalOf(fileOf(`${HEADER}${ROWS}C;Cid;ten;XAF;\nTotal;;1 010,75;;\n`));
    expect(refused.message).toContain('without «ten» in row 4');
  });

  it('that agrees names the cell that is no number, too', async () => {
    const { table } = await readTable(`${HEADER}${ROWS}C;Cid;ten;XAF;\nTotal;;1 000,75;;\n`);
    expect(tableWords(table).map(({ en }) => en)).toEqual([
      'Total in C5: 1,000.75, agrees with the 3 rows (without «ten» in row 4, column «Montant» (C4), which is not a number).',
    ]);
  });

  it('negative amounts count', async () => {
    const { table } = await readTable(`${HEADER}${ROWS}C;Cid;(0,75);XAF;\nTotal;;1000;;\n`);
    expect(table.totals?.sums).toEqual([{ canonical: 'amount', sum: '1000', cell: 'C5' }]);
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
    expect(table.totals?.sums).toMatchObject([{ canonical: 'amount', sum: '9007199254740993100' }]);
  });
});

describe('lines below the rows that pay nobody', () => {
  const SIGNED = 'Réf;Bénéficiaire;Montant;Devise;Note\nA;Ann;1 000,50;XAF;\nB;Bob;0,25;XAF;\n';

  it.each([
    ['below a total', 'TOTAL;;1000,75;;\n;;;;Douala\n;;;;Signature du DRH\n', ['Douala', 'Signature du DRH']],
    ['below a bare total', ';;1000,75;;\n\n;;;;Douala\n', ['Douala']],
    ['without a total', ';;;;Douala\n', ['Douala']],
    ['above a total too', ';;;;deux salariés\nTotal;;1000,75;;\n;;;;Douala\n', ['deux salariés', 'Douala']],
    ['in words', 'Total;;1000,75;;\nTotal en lettres;;;;mille francs\n', ['Total en lettres mille francs']],
    ['in lines shorter than a row', 'Total;;1000,75\n;;;XAF\n', ['XAF']],
    ['in a column of names', 'Total;;1000,75;;\nVisa DRH;Le Directeur;;;\n', ['Visa DRH Le Directeur']],
    ['in a column of amounts', 'Total;;1000,75;;\n;La Comptable;Le DAF;;\n', ['La Comptable Le DAF']],
    [
      'with a day in them',
      'Total;;1000,75;;\nFait à Douala, le 23/11/2026;;;;\n',
      ['Fait à Douala, le 23/11/2026'],
    ],
    [
      'with a day in the column of amounts',
      'Total;;1000,75;;\n;;Fait à Douala, le 26/11/2026;;\n;;;La Direction Générale;\n',
      ['Fait à Douala, le 26/11/2026', 'La Direction Générale'],
    ],
    ['with digits alone in words', 'Total;;1000,75;;\n;;2e copie, 3 pages;;\n', ['2e copie, 3 pages']],
  ])('%s: are not read, and said', async (_, below, texts) => {
    const { table, read } = await readTable(`${SIGNED}${below}`);
    expect(table.footer).toMatchObject({ count: texts.length, texts });
    expect(table.rowCount).toBe(2);
    expect(read.map(({ cells }) => cells[0])).toEqual(['A', 'B']);
  });

  it.each([
    ['Visa DAF;;;;', 'Visa DAF'],
    [';Visa du Directeur Financier;;;', 'Visa du Directeur Financier'],
    ['Visa DAF;Visa DG;;;', 'Visa DAF Visa DG'],
    [';Approuvé par Mme Ngo;;;', 'Approuvé par Mme Ngo'],
    ['Bon pour accord;;;;', 'Bon pour accord'],
    ['Ngo Marie, contrôle interne;;;;', 'Ngo Marie, contrôle interne'],
  ])('«%s» closes a list without a total', async (row, text) => {
    const { table, read } = await readTable(`${SIGNED}${row}\n`);
    expect(table.footer).toMatchObject({ count: 1, texts: [text] });
    expect(read.map(({ cells }) => cells[0])).toEqual(['A', 'B']);
  });

  // A name may be a payee whose amount is missing, and a reference a payment whose other cells are.
  it.each([
    ['a name alone', ';Jean Mbarga;;;'],
    ['a reference', 'C-3;;;;'],
    ['a reference of words', 'SAL NOV 003;;;;'],
    ['one word', 'Visiteur;;;;'],
    ['a card', ';Visa 4111 1111 1111 1111;;;'],
    ['a name and a reference', 'Visa DAF;Jean Mbarga;;;'],
    ['an amount', 'Visa DAF;;5;;'],
  ])('%s without a total is a row, and no line below the list', async (_, row) => {
    const { table, read } = await readTable(`${SIGNED}${row}\n`);
    expect(table).toMatchObject({ footer: null, rowCount: 3 });
    expect(read).toHaveLength(3);
  });

  it('a signature between the payments is a row like the others, because the list goes on', async () => {
    const { table, read } = await readTable(`${SIGNED}Visa DAF;;;;\nC;Cid;5,00;XAF;\n`);
    expect(table).toMatchObject({ footer: null, rowCount: 4 });
    expect(read.map(({ place }) => place)).toEqual(['2', '3', '4', '5']);
  });

  it('do not keep the total from being checked', async () => {
    const refused = await refusalOf(fileOf(`${SIGNED}TOTAL;;9999,99;;\n;;;;Douala\n;;;;Signature\n`));
    expect(refused.code).toBe('totals_differ');
    expect(refused.message).toContain('1,000.75');
  });

  it.each(['C-3;;;;', 'C-3;Cid;;;', ';;12;;', ';;12;;Visa'])(
    '«%s» is none of them, and the total above it is checked all the same',
    async (row) => {
      const { table, read } = await readTable(`${SIGNED}TOTAL;;1000,75;;\n;;;;Douala\n${row}\n`);
      expect(table.totals?.place).toBe('4');
      expect(read.map(({ place }) => place)).toEqual(['2', '3', '6']);
      expect((await refusalOf(fileOf(`${SIGNED}TOTAL;;1000,76;;\n${row}\n`))).code).toBe('totals_differ');
    },
  );

  it('a payment below a total takes it for no total, and no line between them is lost', async () => {
    const { table, read } = await readTable(`${SIGNED}TOTAL;;1000,75;;\n;;;;Douala\nC;Cid;5,00;XAF;\n`);
    expect(table).toMatchObject({ totals: null, footer: null, rowCount: 5 });
    expect(read.map(({ place }) => place)).toEqual(['2', '3', '4', '5', '6']);
  });

  it('sums between the payments are none of theirs', async () => {
    const sheet = `Réf;Bénéficiaire;Montant\nA;Ann;5\nSous-total;;5\nB;Bob;7\nSous-total;;7\nTOTAL;;12\n`;
    const { table } = await readTable(sheet);
    expect(table.totals?.sums).toEqual([{ canonical: 'amount', sum: '12', cell: 'C6' }]);
    expect(table.rowCount).toBe(4);
  });

  it.each(['Sous-total Production', 'Subtotal (page 1)', 'À reporter', 'Report', 'Report page précédente'])(
    'a sum over some rows where names stand (%s) is none of theirs, whatever it is called',
    async (label) => {
      const rows = `A;Ann;5\n;${label};5\nB;Bob;7\n;${label};7\n;Total général;12\n`;
      const { table, read } = await readTable(`Réf;Bénéficiaire;Montant\n${rows}`);
      expect(table.totals?.sums).toEqual([{ canonical: 'amount', sum: '12', cell: 'C6' }]);
      const sums = read.map(({ cells }) => isSum(cells, table.columns));
      expect(sums).toEqual([false, true, false, true]);
    },
  );

  it('a sum carried from one page to the next is never a payment, in whatever column it is called so', async () => {
    const page = 'Nom;Téléphone;Net à payer\n';
    const sheet = `${page}Ann;650000001;5\n;À reporter;5\n${page};Report;5\nBob;650000002;7\n;TOTAL;12\n`;
    const { table, read } = await readTable(sheet);
    expect(table.totals?.sums).toMatchObject([{ sum: '12' }]);
    expect(read.map(({ cells }) => isSum(cells, table.columns))).toEqual([false, true, true, false]);
  });

  it('a total with which such a sum is counted is refused with the sum that is not', async () => {
    const sheet = `Réf;Bénéficiaire;Montant\n;Report;5\nB;Bob;7\nTOTAL;;12\n`;
    const { message, words } = await refusalOf(fileOf(sheet));
    expect(message).toContain('add up to 7 (without «5» in row 2, column «Montant» (C2), which is a sum');
    expect(words.fr).toContain('est 7 (sans « 5 », ligne 2');
  });

  it.each([
    ['Report SARL', ''],
    ['Reporter Mba', ''],
    ['Report', '650000001'],
    ['À reporter', '650000001'],
    ['Sous-total Production', '650000001'],
  ])('a payee called %s (telephone «%s») is paid', async (name, telephone) => {
    const { table } = await readTable(`Nom;Téléphone;Net à payer\nAnn;650000002;5\n${name};${telephone};7\n`);
    expect(isSum([name, telephone, '7'], table.columns)).toBe(false);
    expect(table.sums.get('amount')).toBe('12');
  });

  it('an average, or the least and the most of the payments, is none of theirs', async () => {
    const sheet = `Name,Net pay\nAda Ngo,100\nBo Mba,300\nTotal,400\nAverage,200\nMoyenne,200\nMinimum,100\n`;
    const { table } = await readTable(sheet);
    expect(table.totals?.sums).toEqual([{ canonical: 'amount', sum: '400', cell: 'B4' }]);
    const { columns } = table;
    expect(['Average', 'Minimum', 'Average Mba'].map((name) => isSum([name, '200'], columns))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('a row that was cut off is a fault of the file where no total stands above it', async () => {
    expect((await refusalOf(fileOf('Note;Bénéficiaire;Montant\nx;Ann;5\n12\n'))).code).toBe('row_too_short');
  });

  it('cells that moved beyond the header are a fault of the file', async () => {
    expect((await refusalOf(fileOf(`${SIGNED}Total;;1000,75;;\n;;;;;;C;Cid;5\n`))).code).toBe('row_too_wide');
  });
});
