// A clerk in a browser takes from the payees what the rows of a new file lack: seen with where it comes from, entered by one click, undone and checked.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { visitor } from '../web/with-people.ts';
import { openWeb, order, sent, until, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const HEADER =
  'reference,destinationCountryIsoCode,transactionMode,deliveryMethod,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.firstName,receiver.lastName,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode';

const transfer = (
  reference: string,
  amount: string,
  name: string,
  account: string,
  city: string,
  swift: string,
) =>
  `${reference},CHN,B2C,bankTransfer,XAF,${amount},SALARY_PAYMENT,${name},${city},CHN,Holder,${account},${swift}`;

const fileOf = (...rows: readonly string[]): string => `${[HEADER, ...rows].join('\n')}\n`;
const PDF = '%PDF-1.4\n';

describe.skipIf(!hasBrowser)('a clerk in a browser', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  let page: Page;
  beforeAll(async () => {
    web = await openWeb();
    const rows = [
      transfer('N-1', '1000', 'Jean,Fotso', '6222020000004711', 'Guangzhou', 'ICBKCNBJ'),
      transfer('N-2', '1100', 'Ana,Biya', '6222020000004712', 'Shenzhen', 'BKCHCNBJ'),
    ];
    const { body } = await web.json('/api/v1/uploads', sent('november.csv', fileOf(...rows)));
    const path = `/api/v1/uploads/${String(body['id'])}`;
    await web.json(`${path}/documents`, sent('november.pdf', PDF));
    await until(web, path, ({ state }) => state !== 'checking');
    const batch = String((await web.json(`${path}/submission`, order({}))).body['batch']);
    await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'closed');
    await until(web, '/api/v1/payees', ({ data }) => (data as readonly unknown[]).length === 2);
    const marie = await visitor(web, 'Marie Ngo', 'checker');
    const { body: jean } = await marie.json('GET', `/files/${batch}/payee?row=2`);
    const said = { batch, row: '2', how: 'by telephone' };
    await marie.confirmed('POST', `/payees/${String(jean['id'])}/verified`, said);
    browser = await openBrowser();
    tab = await openTab(browser);
    ({ page } = tab);
    page.setDefaultTimeout(30_000);
    await comeIn(tab, web, 'Armand Mbarga', 'maker');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it('takes what two rows lack from the payees, and nothing for a third that pays elsewhere', async () => {
    const rows = [
      transfer('D-1', '1200', 'Jean,Fotso', '6222020000004711', '', ''),
      transfer('D-2', '1300', 'Ana,Biya', '6222 0200 0000 4712', '', 'BKCHCNBJ'),
      transfer('D-3', '1400', 'Ana,Biya', '6222020000004799', '', 'BKCHCNBJ'),
    ];
    await page.goto(`${web.url}/drop`);
    await page.locator('.dropzone input[type=file]').setInputFiles([
      { name: 'december.csv', mimeType: 'text/csv', buffer: Buffer.from(fileOf(...rows)) },
      { name: 'december.pdf', mimeType: 'application/pdf', buffer: Buffer.from(PDF) },
    ]);
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    const panel = page.getByLabel('The current cell');
    await panel
      .getByText('Empty cells known from payments to the same name and account: 3. Rows: 2.')
      .waitFor();
    const lines = (await panel.locator('li').allInnerTexts()).map((text) =>
      text.split('\n').filter((each) => each.startsWith('Row ')),
    );
    expect(lines).toEqual([
      ['Row 2 · City: Guangzhou', 'Row 2 · SWIFT code: ICBKCNBJ'],
      ['Row 3 · City: Shenzhen'],
    ]);
    await panel.getByRole('link', { name: 'november.csv · Row 3' }).waitFor();
    expect(
      await panel.getByText(/^Only the account was verified, .+ by Marie Ngo: by telephone$/).count(),
    ).toBe(1);
    expect(await obstacles(tab)).toEqual([]);
    const take = panel.getByRole('button', { name: 'Take from the payees' });
    await take.click();
    const typed = page.locator('.grid-cell.typed');
    await expect.poll(() => typed.count()).toBe(3);
    await take.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Undo', exact: true }).click();
    await typed.first().waitFor({ state: 'detached' });
    await take.click();
    await panel.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('3 cells were corrected here. Whoever approves the file sees them.').waitFor();
    await page.getByText('1 row is to be fixed').waitFor();
    expect(await take.count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('offers no more than may still be corrected', async () => {
    const uploads = /\/uploads\/[0-9a-f-]{36}$/;
    await page.route(uploads, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as object;
      await route.fulfill({ response, json: { ...json, corrected: 499 } });
    });
    await page.goto(`${web.url}/drop`);
    const row = transfer('F-1', '1600', 'Jean,Fotso', '6222020000004711', '', '');
    await page.locator('.dropzone input[type=file]').setInputFiles([
      { name: 'february.csv', mimeType: 'text/csv', buffer: Buffer.from(fileOf(row)) },
      { name: 'february.pdf', mimeType: 'application/pdf', buffer: Buffer.from(PDF) },
    ]);
    const panel = page.getByLabel('The current cell');
    await panel
      .getByText('Empty cells known from payments to the same name and account: 1. Rows: 1.')
      .waitFor();
    await page.unroute(uploads);
  });

  it('asks the payees once for each check, also where they cannot be told now', async () => {
    let asked = 0;
    await page.clock.install();
    await page.route('**/uploads/*/payees', async (route) => {
      asked += 1;
      await route.fulfill({ status: 503, json: { code: 'search_unusable', message: 'no index' } });
    });
    await page.goto(`${web.url}/drop`);
    const row = transfer('E-1', '1500', 'Jean,Fotso', '6222020000004711', '', '');
    // Alone: a document that comes behind its file is another check.
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'january.csv', mimeType: 'text/csv', buffer: Buffer.from(fileOf(row)) }]);
    await page.getByText('1 row is to be fixed').waitFor();
    await expect.poll(() => asked).toBe(1);
    await page.clock.runFor(60_000);
    expect(asked).toBe(1);
  });
});
