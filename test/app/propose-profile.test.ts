// What paydrop proposes for a file that nobody has described yet, and what it has to ask.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import ExcelJS from 'exceljs';
import { minimatch } from 'minimatch';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/app/config/config.ts';
import { parseProfile } from '../../src/app/config/profile-file.ts';
import { proposeProfile, type Proposal } from '../../src/app/desk/propose-profile.ts';
import {
  profileText,
  readSaid,
  receiversOf,
  saveProfile,
  tryProfile,
} from '../../src/app/desk/try-profile.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { loadCorridors } from '../../src/app/workflow/validate/check-rules.ts';
import { saidOf, type TypedOfFile } from '../../src/app/desk/typed-words.ts';
import { FileRefused } from '../../src/rows/file-refused.ts';
import { readRows } from '../../src/rows/formats.ts';
import { plainHeader } from '../../src/rows/known-columns.ts';
import { readOptionsOf, underProfile } from '../../src/rows/profile.ts';
import { cellOf } from '../../src/rows/row.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import { openDesk, type Desk } from './desk.ts';
import { sameWords } from '../../src/base/language.ts';
import { said } from './said.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const NOTHING: TypedOfFile = { column: [], constant: [], value: [], split: [], same: [] };

const CONFIG = parseConfig('', 'the test');
const LIMITS = { rowsMax: 1_000, bytesMax: 1_000_000 };

async function propose(
  name: string,
  content: string | Uint8Array,
  words: Partial<TypedOfFile> = {},
): Promise<Proposal> {
  const stated = readSaid(await saidOf({ ...NOTHING, ...words }));
  const config = { ...CONFIG, fileProfiles: [], profilesPath: '' };
  return proposeProfile(await desk.write(name, content), config, stated);
}

async function tried({ workspace, sender, config, service }: Paydrop, path: string, proposal: Proposal) {
  const corridors = await loadCorridors(service);
  return tryProfile({ workspace, sender, config, path, corridors }, proposal);
}

/** Of a column without decimals beyond two. */
const sumOf = (text: string, header: string): string => {
  const [headers = '', ...rows] = text.split('\n');
  const at = headers.split(',').indexOf(header);
  const cents = rows.reduce((sum, row) => sum + Math.round(Number(row.split(',')[at]) * 100), 0);
  return String(cents / 100);
};

const takenFor = ({ columns }: Proposal) =>
  Object.fromEntries(columns.map(({ header, column }) => [header, column]));

/** Of a language whose headers nobody has listed. */
const POLISH = [
  'Wouri Sp. z o.o.;;;;;;;',
  ';;;;;;;',
  'Lp;Odbiorca;Kwota;Wal;Kraj;Cel;Kom;Uwagi',
  '1;Li Wei;1.250,50;CNY;Chine;Salaire;+8613800138000;a',
  '2;Wang Fang;980,00;CNY;Chine;Salaire;+8613800138001;b 2',
  '3;Zhang Min;1.500,25;CNY;Chine;Salaire;+8613800138002;',
].join('\r\n');

const MOBILE = ['Kom=delivery.msisdn'];

describe('a file whose headers nobody knows', () => {
  it('is guessed by its cells: what counts the rows is no amount, what may be anything is ignored', async () => {
    const proposal = await propose('Lohn Nov 2026.csv', POLISH);
    expect(takenFor(proposal)).toEqual({
      Lp: null,
      Odbiorca: 'receiver.name',
      Kwota: 'amount',
      Wal: 'currency',
      Kraj: 'destinationCountryIsoCode',
      Cel: 'purposeOfRemittance',
      Kom: null,
      Uwagi: null,
    });
    const amount = proposal.columns.find(({ column }) => column === 'amount');
    expect(amount).toMatchObject({
      letter: 'C',
      from: 'cells',
      confidence: 0.8,
      samples: ['1.250,50', '980,00', '1.500,25'],
    });
    expect(proposal).toMatchObject({ files: 'Lohn *.csv', headerPlace: '3', rows: 3 });
    // Where the money goes is asked, however well it looks.
    expect(proposal.questions.map(({ words }) => words.en)).toEqual([
      'Is «Kom» (G) where the money goes (delivery.msisdn)? Say --column "Kom=delivery.msisdn" or --column "Kom=ignore".',
    ]);
    expect(proposal.profile).toMatchObject({ name: 'lohn-nov', delimiter: ';', decimalMark: ',' });
  });

  it('is proposed from a workbook as well', async () => {
    const workbook = new ExcelJS.Workbook();
    const sheet = workbook.addWorksheet('Zahlungen');
    sheet.addRow(['Wouri GmbH']);
    sheet.addRow(['Odbiorca', 'Kwota', 'Kraj']);
    sheet.addRow(['Li Wei', 1250.5, 'Chine']);
    sheet.addRow(['Wang Fang', 980, 'Chine']);
    const proposal = await propose('zahlungen.xlsx', new Uint8Array(await workbook.xlsx.writeBuffer()));
    expect(takenFor(proposal)).toEqual({
      Odbiorca: 'receiver.name',
      Kwota: 'amount',
      Kraj: 'destinationCountryIsoCode',
    });
    expect(proposal.profile).toMatchObject({ sheet: 'Zahlungen', decimalMark: 'auto' });
  });

  it('takes what a person says over what it looks like', async () => {
    const proposal = await propose('lohn.csv', POLISH, { column: ['Lp=reference', 'Wal=ignore'] });
    expect(takenFor(proposal)).toMatchObject({ Lp: 'reference', Wal: null });
    expect(proposal.columns.find(({ header }) => header === 'Lp')).toMatchObject({
      from: 'stated',
      confidence: null,
    });
  });
});

describe('a file whose headers are known', () => {
  it('is certain where every cell bears out its header, and less where some do not', async () => {
    const proposal = await propose(
      'a.csv',
      'Référence,Montant,Devise,Pays\nA-1,10.50,CNY,Chine\nA-2,11.75,?,Chine\n',
    );
    expect(proposal.columns.map(({ confidence }) => confidence)).toEqual([1, 1, 0.5, 1]);
  });

  it('is not guessed about where a mark decides about money', async () => {
    const ambiguous = 'reference;sourceAmount\nA-1;1.234\nA-2;5.678\n';
    const asked = await propose('a.csv', ambiguous);
    expect(asked.questions.map(({ words }) => words.en).join(' ')).toMatch(/«1\.234».*--decimal-mark/);
    await expect(saveProfile(desk.workspace, 'a', asked, false, true)).rejects.toThrow('not saved');
    const said = await propose('a.csv', ambiguous, { decimalMark: '.' });
    expect(said).toMatchObject({ questions: [], profile: { decimalMark: '.' } });
  });

  it('that is no table at all is refused', async () => {
    await expect(propose('a.csv', 'Dear Sir,\n\nyours\n')).rejects.toThrow(FileRefused);
  });
});

describe('a proposal that is saved', () => {
  it('reads the file as it was shown', async () => {
    const proposal = await propose('Lohn Nov 2026.csv', POLISH, {
      column: MOBILE,
      constant: ['sourceCurrency=XAF'],
    });
    const path = await saveProfile(desk.workspace, 'lohn', proposal, false, true);
    const saved = parseProfile(await readFile(path, 'utf8'), 'lohn', sameWords(path));
    expect({ ...saved.profile, name: proposal.profile.name, columns: null }).toEqual({
      ...proposal.profile,
      columns: null,
    });
    expect(saved.files).toEqual(['Lohn *.csv']);
    expect(saved.profile.columns.get('kwota')).toBe('amount');
    expect(saved.text).toBe(profileText(proposal));
    await expect(saveProfile(desk.workspace, 'lohn', proposal, false, true)).rejects.toThrow('--replace');
    expect(await saveProfile(desk.workspace, 'lohn', proposal, true, true)).toBe(path);
  });

  it.each([
    ['2026-11.csv', '[0-9][0-9][0-9][0-9]-[0-9][0-9].csv'],
    ['novembre.csv', 'novembre.csv'],
    ['Lohn 11.csv', 'Lohn *.csv'],
    ['*.csv', '\\*.csv'],
    ['@@@@@@@@.csv', '\\@\\@\\@\\@\\@\\@\\@\\@.csv'],
    ['paie {a,b} [x] (2).csv', 'paie \\{a,b\\} \\[x\\] \\(*\\).csv'],
  ])('of %j is for files called %s', async (name, files) => {
    expect((await propose(name, POLISH, { column: MOBILE })).files).toBe(files);
  });

  it.each([
    ['Fournisseurs S48.xlsx', ['Fournisseurs S49.xlsx', 'Fournisseurs S50.xlsx', 'Fournisseurs S01.xlsx']],
    ['Paie M11 2026.csv', ['Paie M12 2026.csv', 'Paie M1 2027.csv']],
    ['Salaires T4 2026.csv', ['Salaires T1 2027.csv']],
    ['payments-Q3.csv', ['payments-Q4.csv', 'payments-Q1.csv']],
    ['virements nov 2026.csv', ['virements déc 2026.csv', 'virements janvier 2027.csv']],
    ['export_20261128_0815.csv', ['export_20261205_0902.csv']],
    ['Nómina noviembre.csv', ['Nómina diciembre.csv']],
  ] as const)('of %j is for next month\u2019s files too', async (name, next) => {
    const { files } = await propose(name.replace(/xlsx$/, 'csv'), POLISH, { column: MOBILE });
    for (const each of [name, ...next].map((one) => one.replace(/xlsx$/, 'csv')))
      expect([each, minimatch(each, files)]).toEqual([each, true]);
    // And not for the files of everybody.
    for (const each of ['clients.csv', 'Autres fournisseurs.xlsx', 'liste.csv'])
      expect([each, minimatch(each, files)]).toEqual([each, false]);
  });

  it.each(['policy: { approval: required }', 'folder: paris'])(
    'does not take the place of one with a %s, which it would lose',
    async (more) => {
      const proposal = await propose('lohn.csv', POLISH, {
        column: MOBILE,
        constant: ['sourceCurrency=XAF'],
      });
      const path = await desk.write('lohn.yaml', more);
      await expect(saveProfile(dirname(path), 'lohn', proposal, true, true)).rejects.toThrow('would be lost');
      expect(await readFile(path, 'utf8')).toBe(more);
    },
  );

  it('shows what its rows still lack', async () => {
    const proposal = await propose('lohn.csv', POLISH, {
      column: MOBILE,
      constant: ['transactionMode=B2C', 'deliveryMethod=WeChat', 'sourceCurrency=XAF'],
    });
    const path = await desk.write('lohn.csv', POLISH);
    const trial = await tried(await desk.open(), path, proposal);
    expect(trial).toMatchObject({ rows: 3, payable: 0 });
    expect(trial?.faults.map(({ column, rows }) => [column, rows])).toEqual([
      ['receiver.firstName', 3],
      ['receiver.lastName', 3],
    ]);
  });

  it('of rows that differ in what is wrong, quotes one as an example', async () => {
    const odd = POLISH.replace('980,00', 'x980').replace('1.500,25', 'y1500');
    const proposal = await propose('lohn.csv', POLISH, { column: MOBILE });
    const trial = await tried(await desk.open(), await desk.write('lohn.csv', odd), proposal);
    const unread = trial?.faults.find(({ code }) => code === 'amount_not_a_number');
    expect(unread?.rows).toBe(2);
    expect(unread?.words.en).toMatch(/^For example, row 5: "x980" cannot be read/);
  });
});

describe('what is a date, a number of an employee or the payer is', () => {
  it.each([
    ['2020-01-05', '2021-11-30'],
    ['20200105', '20211130'],
    ['05/01/2020', '30/11/2021'],
    ['05-01-2020', '30-11-2021'],
    ['1001', '1002'],
  ])('no account: %s', async (one, other) => {
    const proposal = await propose(
      'a.csv',
      `Référence,Montant,Embauche\nA-1,10.50,${one}\nA-2,11.75,${other}\n`,
    );
    expect(takenFor(proposal)['Embauche']).toBeNull();
    expect(proposal.questions).toEqual([]);
  });

  it('an account that is the same in every row is nobody\u2019s to ask about, and neither is a debtor\u2019s', async () => {
    const text =
      'Référence,Montant,Kto,debtor_acc\nA-1,10.50,1234567890123,2234567890123\nA-2,11.75,1234567890123,3234567890124\n';
    expect((await propose('a.csv', text)).questions).toEqual([]);
  });

  it('a column that looks like an account is asked about and not taken', async () => {
    const text = 'Référence,Montant,Kto\nA-1,10.50,1234567890123\nA-2,11.75,2234567890124\n';
    const asked = await propose('a.csv', text);
    expect(takenFor(asked)['Kto']).toBeNull();
    expect(asked.questions.map(({ words }) => words.en).join()).toContain(
      '--column "Kto=delivery.bankAccountNumber"',
    );
    await expect(saveProfile(desk.workspace, 'a', asked, false, true)).rejects.toThrow('Kto');
    const said = await propose('a.csv', text, { column: ['Kto=delivery.bankAccountNumber'] });
    expect(said.questions).toEqual([]);
  });
});

describe('the amount', () => {
  const table = (header: string, rows: readonly string[]) => [header, ...rows].join('\n');

  it('is what is left to pay, not what it is counted from', async () => {
    const proposal = await propose(
      'a.csv',
      table('Emp ID,Odbiorca,Basic Pay,Bonus,Netto', [
        '90110,Li Wei,1000,90,870',
        '90145,Wang Fang,2000,120,1730',
      ]),
    );
    expect(takenFor(proposal)).toMatchObject({ Netto: 'amount', 'Basic Pay': null, 'Emp ID': null });
  });

  it.each(['Net imposable', 'Payment run', 'Salary grade', 'Total units'])(
    'is asked for where the only number stands under «%s»',
    async (header) => {
      const proposal = await propose('a.csv', table(`Odbiorca,${header}`, ['Li Wei,1234', 'Wang Fang,2345']));
      expect(takenFor(proposal)).toMatchObject({ [header]: null });
      expect(proposal.questions.map(({ words }) => words.en).join()).toContain(`«${header}»`);
    },
  );

  it('is asked for where several columns may be it', async () => {
    const text = table('Odbiorca,Kwota,Razem', ['Li Wei,1000,1200', 'Wang Fang,2000,2500']);
    const asked = await propose('a.csv', text);
    expect(takenFor(asked)).toMatchObject({ Kwota: null, Razem: null });
    expect(asked.questions.map(({ words }) => words.en).join()).toContain(
      '«Kwota» (B: 1000 | 2000), «Razem» (C: 1200 | 2500)',
    );
    expect(await tried(await desk.open(), await desk.write('a.csv', text), asked)).toBeNull();
    const said = await propose('a.csv', text, { column: ['Razem=amount'] });
    expect(said).toMatchObject({ questions: [] });
    expect(takenFor(said)).toMatchObject({ Razem: 'amount', Kwota: null });
  });

  it.each([
    ['Gross,VAT,Net', ['680.51,113.42,567.09', '9075.61,1512.60,7563.01'], 'Net', 'Gross'],
    ['Montant HT,TVA,Montant TTC', ['1000,192,1192', '500,96,596'], 'Montant HT', 'Montant TTC'],
    ['Amount,Gross value', ['100,119', '200,238'], 'Amount', 'Gross value'],
    ['Net amount,Invoice value', ['100,119', '200,200'], 'Net amount', 'Invoice value'],
    ['Importe,Importe bruto', ['100,119', '200,238'], 'Importe', 'Importe bruto'],
    ['Betrag,Bruttobetrag', ['100,119', '200,238'], 'Betrag', 'Bruttobetrag'],
    ['Amount,Net amount', ['100,119', '200,238'], 'Amount', 'Net amount'],
  ])('of «%s» is asked for with samples, and taken once it is said', async (headers, rows, one, other) => {
    const text = table(`Supplier,Currency,${headers}`, [`Li Wei,EUR,${rows[0]}`, `Wang Fang,EUR,${rows[1]}`]);
    const asked = await propose('a.csv', text);
    expect(takenFor(asked)).toMatchObject({ [one]: null, [other]: null });
    const words = asked.questions.map(({ words }) => words.en).join();
    expect(words).toContain(`«${one}» (`);
    expect(words).toMatch(/: \S+ \| \S+\)/);
    for (const [said, left] of [
      [one, other],
      [other, one],
    ] as const) {
      const proposal = await propose('a.csv', text, { column: [`${said}=amount`] });
      expect(proposal.questions).toEqual([]);
      expect(takenFor(proposal)).toMatchObject({ [said]: 'amount', [left]: null });
      const saved = parseProfile(profileText(proposal), 'a', null).profile;
      const options = { ...LIMITS, ...readOptionsOf(saved) };
      const read = underProfile(await readRows(await desk.write('a.csv', text), options), saved);
      expect(read.table.sums.get('amount')).toBe(sumOf(text, said));
    }
    const refusal = await checkFile(await desk.open(), await desk.write('a.csv', text));
    // Of two headers that paydrop does not know, the proposal asks.
    expect(said(refusal.words).join()).toMatch(new RegExp(`«${other}»|paydrop profile a\\.csv`));
  });

  it.each([
    'Net à payer,Salaire brut',
    'Amount to pay,Gross',
    'Amount,VAT amount',
    'Amount,Unit price',
    'Net pay,Total earnings',
  ])(
    'of «%s» is not asked for: the header says what is paid, or nobody could mean the other',
    async (headers) => {
      const text = table(`Supplier,Currency,${headers}`, ['Li Wei,EUR,100,119', 'Wang Fang,EUR,200,238']);
      const proposal = await propose('a.csv', text);
      expect(proposal.questions).toEqual([]);
      const [paid = ''] = headers.split(',');
      expect(takenFor(proposal)).toMatchObject({ [paid]: 'amount' });
    },
  );

  it('that another column says again in every row is not asked for', async () => {
    const text = table('Supplier,Currency,Amount,Gross', [
      'Li Wei,EUR,100.00,100',
      'Wang Fang,EUR,200,200.0',
    ]);
    expect((await propose('a.csv', text)).questions).toEqual([]);
  });

  it('is never a gross pay, a year or a count of hours', async () => {
    const text = table('Odbiorca,Year,Gross Pay,Hours', ['Li Wei,2025,1000,173', 'Wang Fang,2026,2000,180']);
    await expect(propose('a.csv', text)).rejects.toThrow(FileRefused);
  });
});

describe('a header that can be read', () => {
  it('and says something else is believed, whatever its cells look like', async () => {
    const proposal = await propose(
      'a.csv',
      [
        'Vendor Category,State,Status,Department,Language,Approver Email,Debit Currency,Nationality,Invoice,Amount',
        'Road Works,CA,APPROVED,IT,FR,alice@x.test,XAF,FRA,I-1,100.50',
        'House Building,AL,VERIFIED,HR,DE,alice@x.test,XAF,DEU,I-2,200.25',
      ].join('\n'),
    );
    const taken = Object.entries(takenFor(proposal)).filter(([, column]) => column !== null);
    expect(taken).toEqual([
      ['Debit Currency', 'sourceCurrency'],
      ['Invoice', 'documentReferenceNumber'],
      ['Amount', 'amount'],
    ]);
  });

  it.each(['Description', 'Project Name', 'Contact Person', 'City of work'])(
    '«%s» holds no names of payees',
    async (header) => {
      const proposal = await propose('a.csv', `${header},Amount,Currency\nNov Work,5,EUR\nOld Town,6,EUR\n`);
      expect(takenFor(proposal)).toMatchObject({ [header]: null });
    },
  );

  it('is enough where it is the only one that paydrop knows', async () => {
    const proposal = await propose('a.csv', 'Matricule;Net à payer\nM001;198500\nM002;241750\n');
    expect(takenFor(proposal)).toEqual({ Matricule: null, 'Net à payer': 'amount' });
    expect(proposal.profile.header).toBe(1);
    const said = await propose('a.csv', 'Matricule;Net à payer\nM001;198500\nM002;241750\n', {
      column: ['Matricule=reference'],
    });
    expect(said.profile.header).toBe('auto');
  });
});

describe('a file without a header', () => {
  const BARE = [
    'Étoile SARL;10005000010123456789012;Facture 1;1250000',
    'Soleil SA;10005000010123456789045;Facture 2;850000',
    'Total;;;2100000',
  ].join('\n');

  it('is proposed by the letters of its columns, and where the money goes is asked', async () => {
    const proposal = await propose('bare.csv', BARE);
    expect(proposal).toMatchObject({ headerPlace: '0', rows: 2, profile: { header: 'none' } });
    expect(takenFor(proposal)).toEqual({ A: 'receiver.name', B: null, C: null, D: 'amount' });
    expect(proposal.questions.map(({ words }) => words.en).join()).toContain(
      '--column "B=delivery.bankAccountNumber"',
    );
  });

  it('is read by the profile that is saved, its answers too, and no other file by it', async () => {
    const proposal = await propose('bare.csv', BARE, { column: ['B=delivery.bankAccountNumber'] });
    const { profile } = parseProfile(profileText(proposal), 'bare', sameWords('here'));
    const read = async (content: string) => {
      const path = await desk.write('again.csv', content);
      const { table, rows } = underProfile(
        await readRows(path, { ...LIMITS, ...readOptionsOf(profile) }),
        profile,
      );
      return (await Array.fromAsync(rows())).map((row) => [
        row.place,
        ...['receiver.name', 'delivery.bankAccountNumber', 'amount', 'payout.batch'].map((column) =>
          cellOf(table, row, column),
        ),
      ]);
    };
    const [first, second] = BARE.split('\n');
    expect(await read(BARE)).toEqual([
      ['1', 'Étoile SARL', '10005000010123456789012', '1250000', ''],
      ['2', 'Soleil SA', '10005000010123456789045', '850000', ''],
    ]);
    expect(
      await read(`A;B;C;D;payout.error;payout.batch;payout.row\n${String(second)};x;20261123-aa;2\n`),
    ).toEqual([['2', 'Soleil SA', '10005000010123456789045', '850000', '20261123-aa']]);
    await expect(read(`${String(first)};more\n`)).rejects.toMatchObject({ code: 'layout_changed' });
  });

  it('is proposed from a workbook as well', async () => {
    const workbook = new ExcelJS.Workbook();
    const sheet = workbook.addWorksheet('Liste');
    sheet.addRow(['Étoile SARL', 'CM2110005000010123456789012', 1250000]);
    sheet.addRow(['Soleil SA', 'CM2110005000010123456789045', 850000.5]);
    const proposal = await propose('bare.xlsx', new Uint8Array(await workbook.xlsx.writeBuffer()));
    expect(takenFor(proposal)).toEqual({ A: 'receiver.name', B: null, C: 'amount' });
    expect(proposal).toMatchObject({ rows: 2, profile: { header: 'none', sheet: 'Liste' } });
  });
});

describe('a list of receivers', () => {
  const PAY = 'Matricule;Net à payer;Devise\nM001;198500;XAF\n;6;XAF\nM009;5;XAF\nM002;241750;XAF\n';
  const STAFF =
    'Matricule,Nom et prénom,Numéro de compte,Ville\nM001,MBARGA Jean,0012345678901,Yaoundé\nM002,NGONO Claire,0012345678902,\n';
  const SAID = { column: ['Matricule=reference'], by: 'Matricule' };

  async function withList(pay: string, list: string | Uint8Array, name = 'staff.csv'): Promise<Proposal> {
    const receivers = await desk.write(name, list);
    const stated = { ...NOTHING, ...SAID };
    const config = { ...CONFIG, fileProfiles: [], profilesPath: '' } as never;
    const path = await desk.write('pay.csv', pay);
    return proposeProfile(
      path,
      config,
      readSaid(await saidOf(stated), await receiversOf({ ...stated, receivers }, config)),
    );
  }

  /** What each row says under the profile as it is saved, and what is wrong with it. */
  async function readBy(proposal: Proposal, pay: string) {
    const { profile } = parseProfile(profileText(proposal), 'pay', sameWords('here'));
    const path = await desk.write('again.csv', pay);
    const file = await readRows(path, { ...LIMITS, ...readOptionsOf(profile) });
    const { table, rows } = underProfile(file, profile);
    return (await Array.fromAsync(rows())).map((row) => [
      ...['receiver.name', 'delivery.bankAccountNumber', 'receiver.city', 'amount'].map((column) =>
        cellOf(table, row, column),
      ),
      ...(row.faults ?? []).map(({ words }) => words.en),
    ]);
  }

  it('says of each row who is paid and where; a row that is not in it is one to fix', async () => {
    const proposal = await withList(PAY, STAFF);
    expect(proposal.questions).toEqual([]);
    expect(await readBy(proposal, PAY)).toEqual([
      ['MBARGA Jean', '0012345678901', 'Yaoundé', '198500'],
      ['', '', '', '6', 'The row does not say who is paid.'],
      ['', '', '', '5', '«M009» is not in the list of receivers of the profile.'],
      ['NGONO Claire', '0012345678902', '', '241750'],
    ]);
  });

  it('stops a row that names another account', async () => {
    const pay = 'Matricule;RIB;Net à payer\nM001;00 1234 5678 901;5\nM002;999;6\n';
    expect((await readBy(await withList(pay, STAFF), pay)).map((row) => row.slice(4))).toEqual([
      [],
      [
        'The row names another account for «M002» than the list of receivers in the profile. Correct the row or the list.',
      ],
    ]);
  });

  it.each([
    ['says two things of one', `${STAFF}M001,MBARGA Jean,0012345678999,Yaoundé\n`, 'Row 4 of the list'],
    ['names nobody', `${STAFF},EYENGA Paul,0012345678999,\n`, 'names nobody'],
    ['has lost digits', STAFF.replace('0012345678901', '1.23457E+11'), 'Row 2 of the list'],
    ['has a wrong IBAN', STAFF.replace('0012345678902', 'FR7630006000011234567890188'), 'Row 3 of the list'],
    ['has another key', STAFF.replace('Matricule', 'Code'), 'no column «Matricule»'],
  ])('that %s is not kept', async (_, list, words) => {
    await expect(withList(PAY, list)).rejects.toThrow(words);
  });

  it('whose accounts a workbook keeps as numbers is not kept', async () => {
    const workbook = new ExcelJS.Workbook();
    const sheet = workbook.addWorksheet('Staff');
    sheet.addRow(['Matricule', 'Nom et prénom', 'Numéro de compte']);
    sheet.addRow(['M001', 'MBARGA Jean', 12345678901]);
    const list = new Uint8Array(await workbook.xlsx.writeBuffer());
    await expect(withList(PAY, list, 'staff.xlsx')).rejects.toThrow('Row 2 of the list');
  });

  it('is said together with the header by which rows name one of it', async () => {
    await expect(receiversOf({ receivers: 'staff.csv', by: undefined }, CONFIG)).rejects.toThrow('--by');
  });

  it('that somebody writes by hand is held to the same rules', () => {
    const yaml = (said: string) => `receivers: { by: Nr, list: { '1': { ${said} } } }`;
    expect(() => parseProfile(yaml('amount: "5"'), 'a', sameWords('here'))).toThrow('amount');
    expect(() => parseProfile(yaml('IBAN: FR7630006000011234567890188'), 'a', sameWords('here'))).toThrow(
      'IBAN',
    );
  });
});

describe('what a person says', () => {
  it.each([
    [
      'the header that says who is paid, although others hold names too',
      'Service;Supplier (Benef.) Title;Total\nParks and Roads;Wouri Sarl;5000\nCity Hall;B2 Trading Co;650\nOld Town;Kribi Bois;7000\n',
      { Service: null, 'Supplier (Benef.) Title': 'receiver.name', Total: 'amount' },
    ],
    [
      'none where several hold names and no header says whose',
      'Service;Chef;Total;Currency\nParks and Roads;Li Wei;5000;XAF\nCity Hall;Wang Fang;650;XAF\n',
      { Service: null, Chef: null, Total: 'amount', Currency: 'currency' },
    ],
    [
      'the one with letters, not the one of codes beside it',
      'Supplier Name;Supplier Name(T);Total\n204632;Wouri Bois Sarl;5000\n204633;Kribi Bois;650\n',
      { 'Supplier Name': null, 'Supplier Name(T)': 'receiver.name', Total: 'amount' },
    ],
  ])('the name is that of %s', async (_, content, expected) => {
    const proposal = await propose('people.csv', content);
    expect(takenFor(proposal)).toEqual(expected);
    const names = Object.values(expected).filter((column) => column === 'receiver.name');
    expect([...proposal.profile.columns.values()].filter((column) => column === 'receiver.name')).toEqual(
      names,
    );
  });

  it('a column that says the same as another in every row is read with it; one that differs is asked about', async () => {
    const content = 'Ref,Amount,Currency,Payment currency\nA,5,EUR,EUR\nB,6,XAF,XAF\n';
    const proposal = await propose('twice.csv', content);
    expect(proposal.questions).toEqual([]);
    expect(takenFor(proposal)['Payment currency']).toBe('currency');
    expect(
      parseProfile(profileText(proposal), 'twice', sameWords('twice')).profile.columns.get('paymentcurrency'),
    ).toBe('currency');
    const differing = await propose('twice.csv', content.replace('XAF,XAF', 'XAF,EUR'));
    expect(differing.questions).toHaveLength(1);
    // Either may be the right one, so neither is proposed.
    expect(takenFor(differing)).toMatchObject({ Currency: null, 'Payment currency': null });
  });

  it('a firm beside the name of who is paid is asked about where a row names both', async () => {
    const both = await propose(
      'firms.csv',
      'Company,Vendor name,Amount\nOwn SA,Ada SARL,500\nOwn SA,Bo SARL,600\n',
    );
    expect(both.questions.map(({ words }) => words.en)).toEqual([
      expect.stringContaining('«Company» and «Vendor name» both mean receiver.name'),
    ]);
    expect(takenFor(both)).toMatchObject({ Company: null, 'Vendor name': null });
    const either = await propose('either.csv', 'Company,Vendor name,Amount\nAda SARL,,500\n,Bo Mba,600\n');
    expect(either.questions).toEqual([]);
  });

  it('no column that a layout of the market ignores is taken for anything, and the layout is named', async () => {
    const text =
      'RazorpayX Account Number,Payout Amount (in Rupees),Payout Mode,Fund Account Number,Contact Name\n2323230000000001,10.50,NEFT,50100000000011,Asha Rao\n2323230000000001,20.50,NEFT,50100000000022,Ravi Nair\n';
    const proposal = await propose('payouts.csv', text);
    expect(proposal.layout).toBe('RazorpayX bulk payouts');
    expect(takenFor(proposal)['RazorpayX Account Number']).toBeNull();
    expect(proposal.questions).toEqual([]);
  });

  it('is held against the control file, which asks and does not end the proposal', async () => {
    await desk.write('a.csv.control.json', '{ "rows": 3, "sum": "22.25" }');
    const proposal = await propose('a.csv', 'Ref,Amount\nA,10.50\nB,11.75\n');
    expect(takenFor(proposal)).toEqual({ Ref: 'reference', Amount: 'amount' });
    expect(proposal.questions.map(({ words }) => words.en)).toEqual([expect.stringContaining('3')]);
    await expect(saveProfile(desk.workspace, 'a', proposal, false, true)).rejects.toThrow('3');
  });

  it('must name a column that there is', async () => {
    await expect(propose('a.csv', POLISH, { column: ['Odbiroca=receiver.name'] })).rejects.toThrow(
      'The file has no column «Odbiroca». Did you mean «Odbiorca»?',
    );
  });

  it('gives a word of the file its meaning, in the column where it stands', async () => {
    const text = 'Référence,Montant,Motif\nA-1,10.50,Warenlieferung\nA-2,11.75,Salaire\n';
    const proposal = await propose('a.csv', text, { value: ['Warenlieferung=EXPORTED_GOODS'] });
    expect(proposal.profile.values).toEqual(
      new Map([['purposeOfRemittance', new Map([['warenlieferung', 'EXPORTED_GOODS']])]]),
    );
    const path = await saveProfile(desk.workspace, 'a', proposal, false, true);
    expect(parseProfile(await readFile(path, 'utf8'), 'a', sameWords(path)).profile.values).toEqual(
      proposal.profile.values,
    );
    await expect(propose('a.csv', text, { value: ['Lohn=SALARY_PAYMENT'] })).rejects.toThrow('No cell');
  });

  it('of a constant is told what may be one', async () => {
    await expect(propose('a.csv', POLISH, { constant: ['foo=bar'] })).rejects.toThrow(
      '"foo" is not a column of paydrop',
    );
    await expect(propose('a.csv', POLISH, { constant: ['amount=5'] })).rejects.toThrow(
      'cannot be the same in every row',
    );
  });

  it('is not asked again about two columns of one meaning', async () => {
    const text = 'Référence,Montant,Devise,Currency\nA-1,10.50,CNY,XAF\n';
    const asked = await propose('a.csv', text);
    expect(asked.questions.map(({ words }) => words.en).join()).toContain('--column "Currency=ignore"');
    const said = await propose('a.csv', text, { column: ['Currency=ignore'] });
    expect(said.questions).toEqual([]);
  });
});

describe('what is typed of a file', () => {
  const typed = (words: Partial<TypedOfFile>) => saidOf({ ...NOTHING, ...words });

  it('may have an equals sign in a header, a word or a value: a column of ours has none', async () => {
    expect(
      await typed({
        column: ['Brut=Net=amount'],
        constant: ['purposeOfRemittance=Net=30'],
        value: ['a=b=wechat', '2=B2B', '1=B2C', '1=paid'],
        same: ['amount=Net=Brut'],
      }),
    ).toMatchObject({
      columns: { 'Brut=Net': 'amount' },
      constants: { purposeOfRemittance: 'Net=30' },
      // As they were typed: a word may mean two things in two columns.
      values: [
        ['a=b', 'wechat'],
        ['2', 'B2B'],
        ['1', 'B2C'],
        ['1', 'paid'],
      ],
      same: { amount: 'Net=Brut' },
    });
  });

  it.each(['=amount', 'Montant=', 'Montant'])('has two sides: %s', async (column) => {
    await expect(typed({ column: [column] })).rejects.toThrow('with an equals sign between two names');
  });
});

describe('a file that nothing is known of', () => {
  /** A payment entry of an ERP: a column that stands twice, and the amount is called after what was paid. */
  const ENTRY = [
    'Name,Paid Amount,Account Currency,Account Currency,Payment Type,Party Name',
    'ACC-1,125000,XAF,XAF,Pay,Ada SARL',
    'ACC-2,99000,XAF,XAF,Pay,Bo SARL',
  ].join('\n');

  it('is shown with its columns, although one of them stands twice, and what was paid is asked about', async () => {
    const proposal = await propose('entry.csv', ENTRY);
    expect(proposal.columns.map(({ header }) => header)).toContain('Paid Amount');
    expect(takenFor(proposal)['Paid Amount']).toBeNull();
    const asked = proposal.questions.map(({ words }) => words.en).join('\n');
    expect(asked).toContain('«Paid Amount» (B: 125000 | 99000)');
    expect(asked).toContain('--column "Paid Amount=amount"');
  });

  it('is shown as far as it is said, while something is still asked', async () => {
    const stated = { column: ['Paid Amount=amount'] };
    const proposal = await propose('entry.csv', ENTRY, stated);
    expect(takenFor(proposal)['Paid Amount']).toBe('amount');
    const path = await desk.write('entry.csv', ENTRY);
    expect(await tried(await desk.open(), path, proposal)).toBeNull();
    const named = await propose('entry.csv', ENTRY, { column: [...stated.column, 'Name=ignore'] });
    expect(named.questions).toEqual([]);
    expect(takenFor(named)['Party Name']).toBe('receiver.name');
  });

  it.each([
    ['no column of amounts', 'reference,Nom\nA-1,Ngo\n', 'amount_column_missing'],
    ['no header', 'eins\nzwei\n', 'header_not_found'],
  ])('never sends to the command that looked at it: %s', async (_what, text, code) => {
    const refusal = await propose('a.csv', text).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(FileRefused);
    expect(refusal).toMatchObject({ code });
    const { words } = refusal as FileRefused;
    for (const said of [words.en, words.fr])
      expect(said).not.toMatch(/paydrop profile [^"]*"? (?:propose|let)|« paydrop profile/);
    expect(words.en).not.toContain('paydrop profile');
  });
});

describe('what no list says', () => {
  const STAFF = [
    'Matricule,Nom,Prénom,Net à payer,Compte Alipay',
    'M1,Ngo,Ada,125000,+8613800138000',
    'M2,Abena,Eli,225000,+8613800138001',
  ].join('\n');
  const trialOf = async (content: string, words: Partial<TypedOfFile> = {}) => {
    const proposal = await propose('paie.csv', content, words);
    const trial = await tried(await desk.open(), await desk.write('paie.csv', content), proposal);
    return { proposal, trial };
  };
  const columnsOf = (asks: NonNullable<Awaited<ReturnType<typeof tryProfile>>>['asks'] = []) =>
    asks.map(({ column, likely }) => [column, likely?.en ?? null]);

  it('is asked for at once, with the words that may be written, and the likely one', async () => {
    const { proposal, trial } = await trialOf(STAFF);
    expect(columnsOf(trial?.asks)).toEqual([
      ['destinationCountryIsoCode', 'China'],
      ['transactionMode', 'Employee (B2C)'],
      ['deliveryMethod', null],
      ['currency', null],
      // What is received may be paid from several balances.
      ['sourceCurrency', null],
      ['purposeOfRemittance', 'Salary'],
    ]);
    // The profile is kept before it is said, and reads the columns as they were confirmed.
    expect(trial).toMatchObject({ payable: 0, mayBeSaved: true });
    const path = await saveProfile(desk.workspace, 'paie', proposal, false, true, null, trial?.asks);
    const text = await readFile(path, 'utf8');
    expect(text).toMatch(/#   transactionMode: .*Employee \(B2C\)/);
    expect(parseProfile(text, 'paie', null).profile.columns.get('netapayer')).toBe('amount');
  });

  it('is enough: once each is said with one of those words, every row is payable', async () => {
    const constant = ['Country=China', 'Transaction type=Employee (B2C)', 'Payment method=Alipay'];
    const { trial } = await trialOf(STAFF, { constant: [...constant, 'Currency=XAF', 'Purpose=Salary'] });
    expect(trial).toMatchObject({ rows: 2, payable: 2, asks: [] });
  });

  it('is said in each language with words that are read back', async () => {
    const { trial } = await trialOf(STAFF);
    for (const language of ['en', 'fr'] as const) {
      const constant = (trial?.asks ?? []).map(({ column, choices, likely }) => {
        const wallet = choices.find(({ en }) => en === 'Alipay' || en === 'XAF');
        return `${plainHeader(column)[language]}=${(likely ?? wallet)?.[language] ?? ''}`;
      });
      expect((await trialOf(STAFF, { constant })).trial).toMatchObject({ payable: 2 });
    }
  });

  it('is asked for where every IBAN is mistyped: its column is understood all the same', async () => {
    const content = [
      'creditor_name,creditor_account_IBAN,creditor_agent_BIC,payment_amount,currency',
      'Ada SARL,DE68210501700024690959,DEUTDEFF,100.50,EUR',
      'Bo SARL,DE44500105175407123457,DEUTDEFF,200.50,EUR',
    ].join('\n');
    const { trial } = await trialOf(content);
    expect(trial?.faults.map(({ code }) => code)).toContain('iban_wrong');
    expect(trial).toMatchObject({ payable: 0, mayBeSaved: true });
  });

  it('is not asked for where something is wrong with every row', async () => {
    const { trial } = await trialOf(STAFF.replaceAll('+86', 'x'));
    expect(trial).toMatchObject({ payable: 0, mayBeSaved: false });
  });

  it('of one column for accounts and wallets proposes which speaks for which', async () => {
    const content = [
      'Beneficiary,Account holder,Currency,Amount,Country,Transaction type,Payment method,Purpose,Wallet,SWIFT,Address,City,Invoice file',
      'Ada SARL,Ada SARL,XAF,100000,China,Supplier,Bank transfer,Goods,6222021234567890123,BKCHCNBJ,Rue 1,Beijing,a.pdf',
      'Bo SARL,Bo SARL,XAF,200000,China,Supplier,Bank transfer,Goods,6222021234567890456,BKCHCNBJ,Rue 2,Beijing,a.pdf',
    ].join('\n');
    const { trial } = await trialOf(content);
    expect(trial?.hints).toEqual([
      { kind: 'same', column: 'delivery.bankAccountNumber', other: 'delivery.msisdn' },
    ]);
    // A word where an account belongs is none.
    const { trial: without } = await trialOf(content.replace('6222021234567890456', 'at the counter'));
    expect(without?.hints).toEqual([]);
  });
});

describe('a purpose that is none', () => {
  const PURPOSES = (purposes: readonly string[]) =>
    [
      'Référence,Nom,Prénom,Montant,Devise,Pays,Mode de paiement,Type de transaction,N° de portefeuille,Motif',
      ...purposes.map(
        (purpose, at) =>
          `S-${String(at)},Ngo,Ada,10000${String(at)},XAF,Chine,Alipay,B2C,+861380013800${String(at)},${purpose}`,
      ),
    ].join('\n');
  const trialOf = async (purposes: readonly string[], value: readonly string[] = []) => {
    const content = PURPOSES(purposes);
    const proposal = await propose('paie.csv', content, { value });
    return tried(await desk.open(), await desk.write('paie.csv', content), proposal);
  };
  const meant = (trial: Awaited<ReturnType<typeof trialOf>>) =>
    trial?.hints.map((hint) => (hint.kind === 'value' ? [hint.word, hint.value.en] : [hint.kind]));

  it('is supposed to mean the one purpose that it names, once for each word', async () => {
    const words = ['Paiement salaire', 'paiement salaire', 'Salire', 'Salaire', 'Loyer'];
    expect(meant(await trialOf(words))).toEqual([['Paiement salaire', 'Salary']]);
    const value = ['Paiement salaire=Salary', 'Salire=Salaire'];
    expect(await trialOf(words, value)).toMatchObject({ payable: 4, hints: [] });
  });

  it('is supposed to mean nothing where it may mean two things', async () => {
    const words = ['Salaire et marchandises', 'Facture fournisseur 113', 'Prime', '???'];
    words.push('Annulation du salaire', 'Pas un salaire', 'Remboursement salaire', 'Salaire payé', 'Wares');
    expect(meant(await trialOf(words))).toEqual([]);
    expect(meant(await trialOf(['Paiement salaire'], ['Paiement salaire=Salires']))).toEqual([]);
  });

  it('is one of a few, for nobody confirms many at once', async () => {
    const words = Array.from({ length: 9 }, (_, at) => `Salaire ${'ABCDEFGHI'.charAt(at)}x`);
    expect(meant(await trialOf(words))).toHaveLength(5);
  });
});

describe('a column that holds both names', () => {
  const text = [
    'Référence,Nom et prénoms,Montant,Devise,Pays,Mode de paiement,Type de transaction,N° de portefeuille,Motif',
    'S-1,NGO BIKOÏ Clarisse,100000,XAF,Chine,Alipay,B2C,+8613800138000,Salaire',
    'S-2,Jean-Paul MBARGA,100001,XAF,Chine,Alipay,B2C,+8613800138001,Salaire',
    'S-3,Fotso Emmanuel,100002,XAF,Chine,Alipay,B2C,+8613800138002,Salaire',
  ].join('\n');
  const split = ['Nom et prénoms=receiver.lastName,receiver.firstName,capitals'];

  it('is shown as it would be split, with what cannot be', async () => {
    const { splits } = await propose('paie.csv', text, { split });
    expect(splits).toEqual([
      {
        header: 'Nom et prénoms',
        into: ['receiver.lastName', 'receiver.firstName'],
        samples: [
          { cell: 'NGO BIKOÏ Clarisse', parts: ['NGO BIKOÏ', 'Clarisse'] },
          { cell: 'Jean-Paul MBARGA', parts: ['MBARGA', 'Jean-Paul'] },
        ],
        whole: 1,
      },
    ]);
  });

  it('pays what it splits, and leaves the rest to be fixed under its own header', async () => {
    const proposal = await propose('paie.csv', text, { split });
    const path = await desk.write('paie.csv', text);
    const trial = await tried(await desk.open(), path, proposal);
    expect(trial).toMatchObject({ rows: 3, payable: 2 });
    expect(new Set(trial?.faults.map(({ column }) => column))).toEqual(new Set(['Nom et prénoms']));
  });

  it('is suggested where every cell that is shown can be split', async () => {
    const good = text.split('\n').slice(0, 3).join('\n');
    const trial = await tried(
      await desk.open(),
      await desk.write('paie.csv', good),
      await propose('paie.csv', good),
    );
    expect(trial).toMatchObject({ payable: 0 });
    const into = ['receiver.lastName', 'receiver.firstName'];
    expect(trial?.hints).toEqual([{ kind: 'split', header: 'Nom et prénoms', into, by: 'capitals' }]);
  });

  it('is never saved while nothing could be paid', async () => {
    const proposal = await propose('paie.csv', text);
    await expect(saveProfile(desk.workspace, 'paie', proposal, false, false)).rejects.toThrow(
      'every row of the file',
    );
  });
});
