// What is proposed of a file that nobody has described yet, and what of it has to be asked.
import { readFile } from 'node:fs/promises';

import ExcelJS from 'exceljs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/app/config/config.ts';
import { parseProfile } from '../../src/app/config/profile-file.ts';
import { proposeProfile, type Proposal } from '../../src/app/desk/propose-profile.ts';
import { profileText, saveProfile } from '../../src/app/desk/save-profile.ts';
import { readStated, type StatedWords } from '../../src/app/desk/stated-reading.ts';
import { tryProfile } from '../../src/app/desk/try-profile.ts';
import { FileRefused } from '../../src/rows/file-refused.ts';
import { openDesk, type Desk } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const CONFIG = parseConfig('', 'the test');

async function propose(
  name: string,
  content: string | Uint8Array,
  words: Partial<StatedWords> = {},
): Promise<Proposal> {
  const stated = readStated({ column: [], constant: [], ...words });
  const config = { ...CONFIG, fileProfiles: [], profilesPath: '' };
  return proposeProfile(await desk.write(name, content), config as never, stated);
}

const takenFor = ({ columns }: Proposal) =>
  Object.fromEntries(columns.map(({ header, column }) => [header, column]));

const GERMAN = [
  'Wouri GmbH;;;;;;;',
  ';;;;;;;',
  'Lfd;Empfänger;Betrag;Whg;Land;Zweck;Mobil;Notiz',
  '1;Li Wei;1.250,50;CNY;Chine;Salaire;+8613800138000;a',
  '2;Wang Fang;980,00;CNY;Chine;Salaire;+8613800138001;b 2',
  '3;Zhang Min;1.500,25;CNY;Chine;Salaire;+8613800138002;',
].join('\r\n');

describe('a file whose headers nobody knows', () => {
  it('is guessed by its cells: what counts the rows is no amount, what may be anything is ignored', async () => {
    const proposal = await propose('Lohn Nov 2026.csv', GERMAN);
    expect(takenFor(proposal)).toEqual({
      Lfd: null,
      Empfänger: 'receiver.name',
      Betrag: 'amount',
      Whg: 'currency',
      Land: 'destinationCountryIsoCode',
      Zweck: 'purposeOfRemittance',
      Mobil: 'delivery.msisdn',
      Notiz: null,
    });
    const amount = proposal.columns.find(({ column }) => column === 'amount');
    expect(amount).toMatchObject({
      letter: 'C',
      from: 'cells',
      confidence: 0.8,
      samples: ['1.250,50', '980,00', '1.500,25'],
    });
    expect(proposal).toMatchObject({ files: 'Lohn *.csv', headerPlace: '3', rows: 3, questions: [] });
    expect(proposal.profile).toMatchObject({ name: 'lohn-nov', delimiter: ';', decimalMark: ',' });
  });

  it('is proposed from a workbook as well', async () => {
    const workbook = new ExcelJS.Workbook();
    const sheet = workbook.addWorksheet('Zahlungen');
    sheet.addRow(['Wouri GmbH']);
    sheet.addRow(['Empfänger', 'Betrag', 'Land']);
    sheet.addRow(['Li Wei', 1250.5, 'Chine']);
    sheet.addRow(['Wang Fang', 980, 'Chine']);
    const proposal = await propose('zahlungen.xlsx', new Uint8Array(await workbook.xlsx.writeBuffer()));
    expect(takenFor(proposal)).toEqual({
      Empfänger: 'receiver.name',
      Betrag: 'amount',
      Land: 'destinationCountryIsoCode',
    });
    expect(proposal.profile).toMatchObject({ sheet: 'Zahlungen', decimalMark: 'auto' });
  });

  it('takes what a person says over what it looks like', async () => {
    const proposal = await propose('lohn.csv', GERMAN, { column: ['Lfd=reference', 'Whg=ignore'] });
    expect(takenFor(proposal)).toMatchObject({ Lfd: 'reference', Whg: null });
    expect(proposal.columns.find(({ header }) => header === 'Lfd')).toMatchObject({
      from: 'stated',
      confidence: 1,
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
    expect(asked.questions.join(' ')).toMatch(/«1\.234».*--decimal-mark/);
    await expect(saveProfile(desk.workspace, 'a', asked, false)).rejects.toThrow('not saved');
    const said = await propose('a.csv', ambiguous, { decimalMark: '.' });
    expect(said).toMatchObject({ questions: [], profile: { decimalMark: '.' } });
  });

  it('that is no table at all is refused', async () => {
    await expect(propose('a.csv', 'Dear Sir,\n\nyours\n')).rejects.toThrow(FileRefused);
  });
});

describe('a proposal that is saved', () => {
  it('reads the file as it was shown', async () => {
    const proposal = await propose('Lohn Nov 2026.csv', GERMAN, { constant: ['sourceCurrency=XAF'] });
    const path = await saveProfile(desk.workspace, 'lohn', proposal, false);
    const saved = parseProfile(await readFile(path, 'utf8'), 'lohn', path);
    expect({ ...saved.profile, name: proposal.profile.name, columns: null }).toEqual({
      ...proposal.profile,
      columns: null,
    });
    expect(saved.files).toEqual(['Lohn *.csv']);
    expect(saved.profile.columns.get('betrag')).toBe('amount');
    expect(saved.text).toBe(profileText(proposal));
    await expect(saveProfile(desk.workspace, 'lohn', proposal, false)).rejects.toThrow('--replace');
    expect(await saveProfile(desk.workspace, 'lohn', proposal, true)).toBe(path);
  });

  it('shows what its rows still lack', async () => {
    const proposal = await propose('lohn.csv', GERMAN, {
      constant: ['transactionMode=B2C', 'deliveryMethod=WeChat', 'sourceCurrency=XAF'],
    });
    const path = await desk.write('lohn.csv', GERMAN);
    const trial = await tryProfile(await desk.open(), path, proposal.profile);
    expect(trial).toMatchObject({ rows: 3, payable: 0 });
    expect(trial.faults.map(({ column, rows }) => [column, rows])).toEqual([
      ['receiver.firstName', 3],
      ['receiver.lastName', 3],
    ]);
  });
});
