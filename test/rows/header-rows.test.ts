// Headers of two rows, rows that explain or repeat the header, and accounts that stand in four columns.
import { describe, expect, it } from 'vitest';

import { ribOf } from '../../src/rows/cell.ts';
import { cellOf } from '../../src/rows/row.ts';
import { tableWords } from '../../src/rows/totals-row.ts';
import { fileOf, readTable, refusalOf } from './read-table.ts';

async function meanings(content: string): Promise<Readonly<Record<string, string | null>>> {
  const { table } = await readTable(content);
  return Object.fromEntries(table.columns.map(({ header, canonical }) => [header, canonical]));
}

async function cells(content: string, canonical: string): Promise<readonly string[]> {
  const { table, read } = await readTable(content);
  return read.map((row) => cellOf(table, row, canonical));
}

describe('a header of two rows', () => {
  it('takes from the upper row the names that are merged over both', async () => {
    const content = 'Matricule;Nom;RIB;Montants;\n;;;Brut;Net à payer\nM1;MBARGA;10005;250000;198500\n';
    expect(await meanings(content)).toEqual({
      Matricule: null,
      Nom: 'receiver.name',
      RIB: 'delivery.bankAccountNumber',
      Brut: null,
      'Net à payer': 'amount',
    });
  });

  it('is joined where a name alone says too little, or stands there twice', async () => {
    const content =
      'Supplier,Bank,,Amount,\nName,Name,Account No,Gross,Net\nAcme Ltd,NatWest,55779911,120.00,100.00\n';
    expect(await meanings(content)).toEqual({
      'Supplier Name': 'receiver.name',
      'Bank Name': 'bankName',
      'Account No': 'delivery.bankAccountNumber',
      Gross: null,
      'Net Amount': 'amount',
    });
  });

  it.each([
    ['Débiteur;;Créancier;;Paiement', 'Nom;IBAN;Nom;IBAN;Montant'],
    ['Payer;;Payee;;Payment', 'Name;IBAN;Name;IBAN;Amount'],
  ])('pays nobody to the account of who pays: %s', async (groups, names) => {
    const content = `${groups}\n${names}\nSanaga SA;FR76 PAYER;Étoile SARL;DE89 PAYEE;100\n`;
    expect(await cells(content, 'delivery.bankAccountNumber')).toEqual(['DE89 PAYEE']);
    expect(await cells(content, 'receiver.name')).toEqual(['Étoile SARL']);
  });

  it('is called the same in an answer, whose header has the joined names below the groups', async () => {
    const groups = 'Débiteur;;Créancier;;Paiement';
    const first = await meanings(`${groups}\nNom;IBAN;Nom;IBAN;Montant\nSanaga SA;A1;Étoile SARL;B2;100\n`);
    const names = Object.keys(first).join(';');
    expect(await meanings(`${groups}\n${names}\nSanaga SA;A1;Étoile SARL;B2;100\n`)).toEqual(first);
  });

  it.each([
    ['Débiteur;;Créancier;;Paiement', 'Nom;IBAN;Nom;IBAN;Montant', 'Sanaga SA;A1;Étoile SARL;B2;100'],
    ['Payer;;Payee;;Payment', 'Name;IBAN;Name;IBAN;Amount', 'Sanaga SA;A1;Étoile SARL;B2;100'],
    ['Matricule;Nom;RIB;Montants;', ';;;Brut;Net à payer', 'M1;MBARGA;10005;250000;198500'],
    ['', 'Code banque;Code guichet;N° compte;Clé RIB;Nom;Montant', '10005;00001;01234567890;11;MBARGA;5'],
    ['', 'Nom;Code banque;Code guichet;N° compte;Clé RIB;Montant', 'MBARGA;10005;00001;01234567890;11;5'],
  ])(
    'means the same in an answer that says what is wrong beside the first column: %s / %s',
    async (groups, names, row) => {
      const upper = groups === '' ? [] : [groups];
      const first = await meanings([...upper, names, row, ''].join('\n'));
      const beside = (line: string, cell: string) => line.split(';').toSpliced(1, 0, cell).join(';');
      const lines = [
        ...upper.map((line) => beside(line, '')),
        `${beside(Object.keys(first).join(';'), 'payout.error')};payout.batch;payout.row`,
        `${beside(row, 'This is wrong.')};20261122-0badcafe;4`,
      ];
      expect(await meanings(`${lines.join('\n')}\n`)).toEqual({
        ...first,
        ...{ 'payout.error': 'payout.error', 'payout.batch': 'payout.batch', 'payout.row': 'payout.row' },
      });
    },
  );

  it('is not made of a title and the header below it', async () => {
    const content = 'Société émettrice;SANAGA SA;;\nBénéficiaire;RIB;Montant;Motif\nÉtoile;10005;1250000;x\n';
    expect(Object.keys(await meanings(content))).toEqual(['Bénéficiaire', 'RIB', 'Montant', 'Motif']);
  });

  it('is not made of the header and its first row', async () => {
    const content = 'Name,Account number,Amount,Status\nNet,Total,5,\nAcme Ltd,123,6,\n';
    const { table, read } = await readTable(content);
    expect([table.headerPlace, read.length]).toEqual(['1', 2]);
  });
});

describe('a row below the header', () => {
  it.each([
    '(texte);(12 chiffres);(FCFA)',
    'e.g. John Smith;e.g. 0123456789;e.g. 100.00',
    'nom complet;compte bancaire;montant',
    ';;(XAF)',
  ])('that explains the columns is told and not read: %s', async (guide) => {
    const { table, read } = await readTable(
      `Nom complet;Numéro de compte;Montant à payer\n${guide}\nAda;12;5\n`,
    );
    expect(read.map(({ place }) => place)).toEqual(['3']);
    expect(tableWords(table).map(({ en }) => en)).toEqual([
      'Row 2 says what belongs into each column. It is not read.',
    ]);
  });

  it.each(['Ada;12;five', 'Ada;;five', 'Ada;unknown;5', ';;'])(
    'that only has a fault is a row: %s',
    async (row) => {
      const { table } = await readTable(`Nom complet;Numéro de compte;Montant\n${row}\nBob;13;6\n`);
      expect([table.guide, table.rowCount]).toEqual([null, row === ';;' ? 1 : 2]);
    },
  );

  it('with a currency is a payment, also where neither its account nor its amount is one', async () => {
    const { table } = await readTable(
      'Name,Account number,Amount,Currency\nAda,unknown,five,EUR\nBob,13,6,EUR\n',
    );
    expect([table.guide, table.rowCount]).toEqual([null, 2]);
  });

  it('that repeats the header, as each page of a list does, is not read', async () => {
    const header = 'Supplier;Bank account;Amount';
    const { table, read } = await readTable(`${header}\nAcme;12;5\n${header}\nBeta;13;6\n`);
    expect(read.map(({ place }) => place)).toEqual(['2', '4']);
    expect([table.rowCount, table.sums.get('amount')]).toEqual([2, '11']);
  });
});

describe('an account in four columns', () => {
  const HEADER = 'Nom;Code banque;Code guichet;N° compte;Clé RIB;Montant';

  it('is paid whole', async () => {
    const content = `${HEADER}\nMBARGA;10005;00001;01234567890;${key('10005', '00001', '01234567890')};5\n`;
    expect(await cells(content, 'delivery.bankAccountNumber')).toEqual([
      `100050000101234567890${key('10005', '00001', '01234567890')}`,
    ]);
    const { table } = await readTable(content);
    expect(table.unknown).toEqual([]);
  });

  it('has its zeros back where the key proves them, and is none where the key does not fit', () => {
    expect(ribOf(['10005', '1', '1234567890', key('10005', '00001', '01234567890')])).toBe(
      `100050000101234567890${key('10005', '00001', '01234567890')}`,
    );
    expect(ribOf(['10005', '00001', '01234567890', '00'])).toBeNull();
    expect(ribOf(['', '00001', '01234567890', '12'])).toBeNull();
    // The published example of a French account.
    expect(ribOf(['20041', '01005', '0500013M026', '06'])).toBe('20041010050500013M02606');
  });

  it('stays one column where a part is missing', async () => {
    const content = 'Nom;Code banque;N° compte;Montant\nMBARGA;10005;01234567890;5\n';
    expect(await cells(content, 'delivery.bankAccountNumber')).toEqual(['01234567890']);
  });

  function key(bank: string, branch: string, account: string): string {
    const left = (89n * BigInt(bank) + 15n * BigInt(branch) + 3n * BigInt(account)) % 97n;
    return String(97n - left).padStart(2, '0');
  }
});

describe('two sums of which one is what is left to pay', () => {
  it('are asked about where they differ: a bill may be paid in part', async () => {
    const content =
      'Vendor,Num,Amount,Open Balance\nShenzhen Parts,8841,4500.00,4500.00\nYiwu,112,12300.50,2300.50\n';
    expect(await refusalOf(fileOf(content))).toMatchObject({ code: 'column_twice' });
  });
});

describe('a column of a firm', () => {
  it('beside the names of persons is who they work for, and not who is paid', async () => {
    const content = 'Société;Nom;Prénom;Net à payer\nSNG;MBARGA;Paul;285000\nSNG;ATEBA;Rose;310500\n';
    expect(await meanings(content)).toEqual({
      ...{ Société: null, Nom: 'receiver.lastName', Prénom: 'receiver.firstName', 'Net à payer': 'amount' },
    });
    expect(await meanings('Société;Montant\nBois SA;5\n')).toMatchObject({
      Société: 'receiver.registeredName',
    });
  });
});

describe('columns without a name to the left of the others', () => {
  it('are the labels of the rows where the first has text in every row, and mean nothing', async () => {
    const content = ',,reference,amount\n0,x,A,1\n1,,B,2\n,,Total,3\n';
    expect(await cells(content, 'reference')).toEqual(['A', 'B']);
    expect(await cells(content, 'amount')).toEqual(['1', '2']);
  });

  it('show that a cell has moved where one row has text there', async () => {
    const { code, message } = await refusalOf(fileOf(',reference,amount\n,A,1\nB,2,\n'));
    expect([code, message]).toEqual(['header_missing_above_cells', expect.stringContaining('row 3')]);
  });
});
