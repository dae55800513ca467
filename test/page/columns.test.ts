// A file whose headers nobody knows, in a real browser: its columns are named once, tried on every row and kept, and the next file of its name is read without a
// question.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser } from 'playwright-core';

import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const COLUMNS = HEADER.split(',');
const UNKNOWN = COLUMNS.map((_, at) => `Zeile ${'ABCDEFGHIJK'.charAt(at)}`);

describe.skipIf(!hasBrowser)('columns that nobody knows', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    web = await openWeb();
    browser = await openBrowser();
    tab = await openTab(browser);
    await comeIn(tab, web, 'Armand Mbarga', 'maker');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function dropped(name: string, ...lines: readonly string[]): Promise<void> {
    await tab.page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[UNKNOWN.join(','), ...lines].join('\n')}\n`);
    await tab.page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
  }

  /** All but one, which is said as a value for every row. */
  async function named(): Promise<void> {
    const { page } = tab;
    await page.getByRole('link', { name: 'Match columns' }).click();
    const choice = (header: string) =>
      page.getByRole('combobox', { name: `What «${header}» is taken for`, exact: true });
    await choice(UNKNOWN[0] ?? '').waitFor();
    const missing = COLUMNS.indexOf('purposeOfRemittance');
    for (const [at, column] of COLUMNS.entries())
      await choice(UNKNOWN[at] ?? '').selectOption(at === missing ? 'ignore' : column);
  }

  async function purpose(): Promise<void> {
    await tab.page.getByLabel('What it is paid for').selectOption('Salary');
  }

  it('are named, tried, kept, and not asked about again', async () => {
    const { page } = tab;
    await dropped('Lohn 2026-11.csv', lineTo('Chen', 'Z-1', '100'), lineTo('Zhou', 'Z-2', '200'));
    await named();
    await page.getByText('0 of 2 rows can be paid').waitFor();
    expect(await obstacles(tab)).toEqual([]);
    await purpose();
    await page.getByText('2 of 2 rows can be paid').waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await page.getByText('Every row can be paid').waitFor();
    const saved = await readFile(join(web.paydrop.config.profilesPath, 'proposed', 'lohn.yaml'), 'utf8');
    expect(saved).toContain('Zeile A: reference');
    await dropped('Lohn 2026-12.csv', lineTo('Chen', 'Z-3', '100'));
    await page.getByText('Every row can be paid').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('are not kept under a name that another profile has, unless that is to be replaced', async () => {
    const { page } = tab;
    await named();
    await page.getByText('0 of 1 rows can be paid').waitFor();
    await purpose();
    await page.getByText('1 of 1 rows can be paid').waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.getByText('There is a profile of this name already.').waitFor();
    await page.getByRole('button', { name: 'Replace the one that is there' }).click();
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await page.getByText('Every row can be paid').waitFor();
  });

  it('are kept where rows lack only what is said later, and never where something is wrong with all of them', async () => {
    const { page } = tab;
    const save = page.getByRole('button', { name: /^Save/ });
    const isOff = () => save.getAttribute('aria-disabled');
    await dropped('Gehalt 2026-11.csv', lineTo('Chen', 'G-1', '100').replace(/,\+\d+$/, ',nobody'));
    await named();
    await page.getByText('0 of 1 rows can be paid').waitFor();
    expect(await isOff()).toBe('true');
    await dropped('Gehalt 2026-12.csv', lineTo('Chen', 'G-2', '100'));
    await named();
    await page.getByText('0 of 1 rows can be paid').waitFor();
    // The columns are tried at once, and read again once their names have come.
    await expect.poll(isOff, { timeout: 60_000 }).not.toBe('true');
    await save.click();
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    const saved = await readFile(join(web.paydrop.config.profilesPath, 'proposed', 'gehalt.yaml'), 'utf8');
    expect(saved).toContain('Zeile A: reference');
    expect(tab.faults).toEqual([]);
  });

  it('are asked for the amount by its header, where no column looks like one', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/drop`);
    const text = ['Name,Zahl,Land', 'CHEN Wenjie,1000,CN', 'LIN Hao,1001,CN', 'ZHOU Yulan,1002,CN'].join(
      '\n',
    );
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'Zahlen.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
    await page.getByRole('link', { name: 'Match columns' }).click();
    await page.getByText('say which of these it is: «Name», «Zahl», «Land».').waitFor();
    await page.getByLabel('The amount stands in the column').fill('zahl');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('0 of 3 rows can be paid').waitFor();
  });

  /** Both names in one column, and a telephone that is not said to be the wallet. */
  const PAYROLL = [
    'Référence,Nom et prénoms,Téléphone,Montant,Devise,Pays,Mode de paiement,Type de transaction,Motif',
    ...['NGO BIKOÏ Clarisse', 'Jean-Paul MBARGA', 'TALLA Aline', 'Fotso Emmanuel'].map(
      (name, at) =>
        `S-${String(at)},${name},+861380013800${String(at)},${String(100_000 + at)},XAF,Chine,Alipay,B2C,Salaire`,
    ),
  ].join('\n');

  it('take one apart that holds two, and let one speak for another, as samples show and by keyboard', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/drop`);
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'paie 2026-11.csv', mimeType: 'text/csv', buffer: Buffer.from(PAYROLL) }]);
    await page.getByRole('link', { name: 'Match columns' }).click();
    await page.getByRole('button', { name: /^Use it Split/ }).press('Enter');
    const samples = page.getByRole('table', { name: 'How «Nom et prénoms» is split' });
    await samples.waitFor();
    expect(await samples.getByRole('row').allTextContents()).toEqual([
      'In the fileLast nameFirst name',
      'NGO BIKOÏ ClarisseNGO BIKOÏClarisse',
      'Jean-Paul MBARGAMBARGAJean-Paul',
      'TALLA AlineTALLAAline',
    ]);
    await page.getByText('1 cell cannot be split this way').waitFor();
    await page.getByText('3 of 4 rows can be paid').waitFor();
    // Of one row that lacks both names one row is told, and what to do is done here.
    const fault = page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: 'Nom et prénoms' }) });
    expect(await fault.last().textContent()).toMatch(
      /^1Nom et prénoms.*«Match columns», in «One column that holds two», how to split it\.$/,
    );
    await page
      .getByRole('combobox', { name: 'What «Téléphone» is taken for' })
      .selectOption('receiver.msisdn');
    const asHint = page.getByRole('button', { name: /^Use it .* is the same as / });
    await asHint.press('Enter');
    await page.getByText('3 of 4 rows can be paid').waitFor();
    expect(await obstacles(tab)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Remove the filling of Wallet number' }).press('Enter');
    await page.getByText('0 of 4 rows can be paid').waitFor();
    await page.getByText(/^Other ways/).press('Enter');
    expect(await page.getByLabel('Missing column').inputValue()).toBe('delivery.msisdn');
    await page.getByLabel('The same as', { exact: true }).selectOption('receiver.msisdn');
    await page.getByRole('button', { name: 'Take it from there' }).press('Enter');
    await page.getByText('3 of 4 rows can be paid').waitFor();
    await page.getByRole('button', { name: /^Save/ }).press('Enter');
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await page.getByText('1 row is to be fixed').waitFor();
    const saved = await readFile(join(web.paydrop.config.profilesPath, 'proposed', 'paie.yaml'), 'utf8');
    expect(saved).toMatch(/by: capitals\nsame:\n {2}delivery.msisdn: receiver.msisdn\n/);
    await page.goto(`${web.url}/drop`);
    await page.locator('.dropzone input[type=file]').setInputFiles([
      {
        name: 'paie 2026-12.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(PAYROLL.replace('Fotso Emmanuel', 'FOTSO Emmanuel')),
      },
    ]);
    await page.getByText('Every row can be paid').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('of an unprepared payroll is payable after one round: what a word means, the currency by what it is, and a city', async () => {
    const { page } = tab;
    const name = 'bulletins 2026-11';
    const rows = [
      'Matricule;Nom et prénoms;Banque;IBAN;Net à payer;Motif',
      'M001;DIALLO Aminata;CBAO Groupe Attijariwafa Bank;SN08SN0100152000048500003035;250 000;Paiement salaire',
      'M002;NDIAYE Moussa;CBAO Groupe Attijariwafa Bank;SN78SN0100152000048500003036;310 500;Paiement salaire',
    ];
    await page.goto(`${web.url}/drop`);
    await page.locator('.dropzone input[type=file]').setInputFiles([
      { name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) },
      { name: `${name}.pdf`, mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
    ]);
    await page.getByRole('link', { name: 'Match columns' }).click();
    await page.getByRole('button', { name: 'Use it «Paiement salaire» means Salary' }).click();
    await page.getByRole('button', { name: 'Remove the meaning of «Paiement salaire»' }).click();
    await page.getByRole('button', { name: 'Use it «Paiement salaire» means Salary' }).click();
    await page.getByRole('button', { name: /^Use it Split/ }).click();
    await page.getByRole('button', { name: /^Use it .* is the same as / }).click();
    const currency = page.getByLabel('Currency of the amounts');
    expect(await currency.getByRole('option').allTextContents()).toEqual([
      'choose …',
      'XAF – what is sent',
      'XOF – what the receivers get',
    ]);
    await currency.selectOption('XOF');
    await page.getByRole('textbox', { name: 'City' }).fill('Dakar');
    expect(await obstacles(tab)).toEqual([]);
    await page.getByRole('button', { name: 'Use these answers' }).click();
    await page.getByText('2 of 2 rows can be paid').waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await page.getByText('Every row can be paid').waitFor();
    const saved = await readFile(join(web.paydrop.config.profilesPath, 'proposed', 'bulletins.yaml'), 'utf8');
    expect(saved).toMatch(/values:\n {2}purposeOfRemittance:\n {4}paiementsalaire: Salary\n/);
    expect(tab.faults).toEqual([]);
  });
});
