// Lists in a real browser: a file is found among others, what was sent and not submitted is found again and removed, and work that was begun is there after
// the page was loaded anew.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

describe.skipIf(!hasBrowser)('lists in a browser', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    web = await openWeb('tracking: { pollEvery: 1s }');
    browser = await openBrowser();
    tab = await openTab(browser);
    await comeIn(tab, web, 'Armand Mbarga', 'maker', 'treasurer');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function dropped(name: string, ...lines: readonly string[]): Promise<void> {
    await tab.page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[HEADER, ...lines].join('\n')}\n`);
    const file = { name, mimeType: 'text/csv', buffer };
    await tab.page.locator('.dropzone input[type=file]').setInputFiles([file]);
    await tab.page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
  }

  it('find a file again that was sent and not submitted, and remove it', async () => {
    const { page } = tab;
    await dropped('first.csv', lineTo('one', 'ONE-1', '100'));
    await dropped('second.csv', line('TWO-1', '12x'));
    await page.goto(`${web.url}/drop`);
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    expect(await obstacles(tab)).toEqual([]);
    await page.getByRole('button', { name: 'Remove second.csv' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'second.csv' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'first.csv' }).click();
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: 'Ask for prices again' }).waitFor();
    const told = page.locator('main time').first();
    const before = await told.getAttribute('datetime');
    await page.reload();
    await told.waitFor();
    // The prices still hold: nobody asked for others.
    expect(await told.getAttribute('datetime')).toBe(before);
    await page.getByRole('button', { name: 'Ask for prices again' }).click();
    await expect.poll(() => told.getAttribute('datetime'), { timeout: 10_000 }).not.toBe(before);
    await page.getByRole('button', { name: /Submit 1 payment/ }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    await page.goto(`${web.url}/drop`);
    await page.getByRole('link', { name: 'first.csv' }).waitFor({ state: 'detached' });
  });

  it('show the files of a state, and those with some words', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/files`);
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'refused' });
    await page.getByText('No file matches.').waitFor();
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'All files' });
    await page.getByLabel('Find file, batch or person').fill('mbarga FIRST');
    await page.keyboard.press('Enter');
    await page.waitForURL(/find=mbarga\+FIRST/);
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    // The address says it all.
    await page.reload();
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    expect(await page.getByLabel('Find file, batch or person').inputValue()).toBe('mbarga FIRST');
    expect(await obstacles(tab)).toEqual([]);
  });

  it('have what was compared after the page was loaded anew', async () => {
    const { page } = tab;
    await page.goto(`${web.url}/reconcile`);
    await page.getByRole('button', { name: 'Reconcile the file' }).click();
    await page.getByText(/Nothing differs/).waitFor();
    await page.reload();
    await page.getByText(/Nothing differs/).waitFor();
    await page.goto(`${web.url}/reconcile`);
    await page.getByRole('row').getByRole('link').first().click();
    await page.getByText(/Nothing differs/).waitFor();
    expect(tab.faults).toEqual([]);
  });
});
