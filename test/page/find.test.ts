// The search from every screen, by keys alone, in a real browser.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line } from '../app/desk.ts';
import { openWeb, order, sent, until, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

describe.skipIf(!hasBrowser)('the search in a browser', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  let batch: string;
  beforeAll(async () => {
    web = await openWeb();
    const content = `${HEADER}\n${line('NOV-1', '100').replace('Li,Wei', 'Célestin,Mballa')}\n`;
    const { body } = await web.json('/api/v1/uploads', sent('novembre.csv', content));
    const path = `/api/v1/uploads/${String(body['id'])}`;
    await until(web, path, ({ state }) => state !== 'checking');
    batch = String((await web.json(`${path}/submission`, order({}))).body['batch']);
    await until(web, `/api/v1/files/${batch}`, ({ state }) => state === 'closed');
    browser = await openBrowser();
    tab = await openTab(browser);
    await comeIn(tab, web, 'Aline Fotso', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it('opens with Ctrl-K, and its first payment with two keys more', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/files`);
    await page.getByRole('link', { name: 'novembre.csv' }).waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Words').waitFor();
    await page.keyboard.type('celestin');
    await dialog.getByRole('link', { name: /Célestin Mballa · ••• 8000 · NOV-1/ }).waitFor();
    expect(await dialog.getByRole('status').textContent()).toBe('One found.');
    expect(await obstacles(tab)).toEqual([]);
    // To mark a text or to look closer closes nothing.
    await dialog.getByText('novembre.csv').click();
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Control+k');
    await dialog.getByLabel('Words').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${web.url}/files/${batch}?row=2`);
    await page.getByRole('dialog').getByText('Célestin Mballa').first().waitFor();
  });

  it('says so where there is nothing, and closes with Escape', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/money`);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Words').waitFor();
    await page.keyboard.type('nobody at all');
    await page.getByText('Nothing on record has these words.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
