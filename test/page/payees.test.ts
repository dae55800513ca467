// The payees in a real browser: from the list to one of them, and an account that was verified, signed by who did.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line } from '../app/desk.ts';
import { openWeb, order, sent, until, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

describe.skipIf(!hasBrowser)('the payees in a browser', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    web = await openWeb();
    const lines = ['Célestin,Mballa', 'Jean,Fotso'].map((name, at) =>
      line(`N-${String(at)}`, String(100 + at)).replace('Li,Wei', name),
    );
    const { body } = await web.json(
      '/api/v1/uploads',
      sent('novembre.csv', `${[HEADER, ...lines].join('\n')}\n`),
    );
    const path = `/api/v1/uploads/${String(body['id'])}`;
    await until(web, path, ({ state }) => state !== 'checking');
    const batch = String((await web.json(`${path}/submission`, order({}))).body['batch']);
    await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'closed');
    await until(web, '/api/v1/payees', ({ data }) => (data as readonly unknown[]).length === 2);
    browser = await openBrowser();
    tab = await openTab(browser);
    await comeIn(tab, web, 'Marie Ngo', 'checker');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it('lead to one of them, whose account is verified by a signature', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/payees`);
    await page.getByRole('link', { name: 'Jean Fotso' }).waitFor();
    expect(await obstacles(tab)).toEqual([]);
    await page.getByLabel('Name, or last four digits of an account').fill('mball');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Jean Fotso' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Célestin Mballa' }).click();
    await page.getByRole('link', { name: 'novembre.csv · Row 2' }).waitFor();
    expect(await obstacles(tab)).toEqual([]);
    await page.getByRole('button', { name: 'Account verified' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('You asked Célestin Mballa about the account ••• 8000').waitFor();
    await dialog.getByLabel('Verified with whom, on which number').fill('himself, +237 655');
    await dialog.getByRole('button', { name: 'Account verified' }).click();
    await page.getByText(/verified .+ by Marie Ngo: himself, \+237 655/).waitFor();
  });

  it('put no whole account into an address', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/payees`);
    await page.getByLabel('Name, or last four digits of an account').fill('+86 138 0013 8000');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${web.url}/payees?find=8000`);
    await page.getByRole('link', { name: 'Jean Fotso' }).waitFor();
  });

  it('are told beside a row', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/payees?find=mballa`);
    await page.getByRole('link', { name: 'Célestin Mballa' }).click();
    await page.getByRole('link', { name: 'novembre.csv · Row 2' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(/verified .+ by Marie Ngo/).waitFor();
    await drawer.getByRole('link', { name: 'All about this payee' }).click();
    await page.getByRole('heading', { name: 'Célestin Mballa' }).waitFor();
  });
});
