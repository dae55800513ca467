// A maker proposes how files are read; a treasurer sees on the page which column the money would go to, and confirms or deletes it. Its author does neither for others.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture, type Tab } from './with-browser.ts';

const OTHER = '+8613900139000';

/** A monthly file whose last column, which nobody reads, holds another telephone number. */
const monthly = (name: string): string =>
  `${HEADER},Tel contact\n${lineTo(name, `${name}-1`, '100')},${OTHER}\n`;

describe.skipIf(!hasBrowser)('proposed profiles in a browser', () => {
  let web: Web;
  let browser: Browser;
  let mallory: Tab;
  let joe: Tab;
  beforeAll(async () => {
    web = await openWeb();
    browser = await openBrowser();
    [mallory, joe] = await Promise.all([openTab(browser), openTab(browser)]);
    await comeIn(mallory, web, 'Mallory Essomba', 'maker', 'treasurer');
    await comeIn(joe, web, 'Joe Tchoua', 'treasurer', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  /** From the screen that matches the columns of a file. */
  async function proposed(
    file: string,
    name: string,
    account: 'delivery.msisdn' | 'Tel contact',
  ): Promise<void> {
    const { page } = mallory;
    await page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(monthly(name));
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: file, mimeType: 'text/csv', buffer }]);
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await page.goto(`${page.url()}/columns`);
    const taken = (header: string) => page.getByLabel(`What «${header}» is taken for`);
    await taken('Tel contact').waitFor();
    if (account === 'Tel contact') {
      await taken('delivery.msisdn').selectOption('ignore');
      await taken('Tel contact').selectOption('delivery.msisdn');
    }
    await page.getByLabel('Name of the profile').fill(name);
    await page.locator('.tag').filter({ hasText: '1 of 1 rows can be paid' }).waitFor();
    await page.getByRole('button', { name: 'Save, and check the file again' }).click();
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
  }

  it('are told to who may confirm them, with their columns in words and a masked sample', async () => {
    await joe.page.goto(`${web.url}/`);
    await joe.page.getByText('Nothing waits for you.').waitFor();
    await proposed('salaries 2027-01.csv', 'salaries', 'delivery.msisdn');
    const { page } = joe;
    // At once, without a reload.
    await page.getByRole('link', { name: 'Reading rules 1' }).waitFor();
    await page.getByText(/Confirm how files named salaries .* are read/).waitFor();
    await page.getByRole('link', { name: 'Reading rules 1' }).click();
    await page.getByText(/Mallory Essomba proposes to read files named salaries/).waitFor();
    await page.getByRole('row', { name: /delivery\.msisdn ••• \d{4} Wallet number/ }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain(OTHER);
    expect(await obstacles(joe)).toEqual([]);
    await picture(joe, 'profiles-proposed');
    await page.setViewportSize({ width: 390, height: 844 });
    // The badge stands outside the closed menu.
    await page.getByRole('button', { name: 'Menu 1' }).waitFor();
    expect(await obstacles(joe)).toEqual([]);
    await picture(joe, 'profiles-proposed');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('are never confirmed by their author', async () => {
    const { page } = mallory;
    await page.goto(`${web.url}/profiles`);
    await page.getByRole('button', { name: 'Delete the proposal salaries' }).waitFor();
    expect(await page.getByRole('button', { name: 'Confirm with passkey' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /Reading rules \d/ }).count()).toBe(0);
  });

  // The menu reads the same address: what it was told while the screen was on its way stands on the screen too.
  it('are on the screen where their answer comes between its drawing and its first look', async () => {
    const { page } = mallory;
    await page.addInitScript(`
      const whole = fetch;
      const drawn = () => new Promise((resolve) => {
        new MutationObserver((_, seen) => {
          if (document.querySelector('h1') === null) return;
          seen.disconnect();
          resolve();
        }).observe(document, { childList: true, subtree: true });
      });
      fetch = async (address, init) => {
        if (!String(address).endsWith('/profiles')) return whole(address, init);
        const waits = drawn();
        const text = await (await whole(address, init)).text();
        await waits;
        return new Response(text);
      };
    `);
    const answered = page.waitForResponse('**/api/v1/profiles');
    await page.route('**/assets/profiles-*.js', async (route) => {
      await (await answered).finished();
      await route.continue();
    });
    await page.goto(`${web.url}/profiles`);
    await page.getByRole('button', { name: 'Delete the proposal salaries' }).waitFor();
    expect(mallory.faults).toEqual([]);
  });

  it('read the files of everybody once a treasurer has confirmed them with a passkey', async () => {
    const { page } = joe;
    await page.getByRole('button', { name: 'Confirm with passkey' }).click();
    await page
      .getByText('The profile “salaries” reads everybody’s files of its names from now on.')
      .waitFor();
    await page.getByRole('row', { name: /salaries .*Mallory Essomba, confirmed by Joe Tchoua/ }).waitFor();
    await page.getByRole('link', { name: 'Reading rules', exact: true }).waitFor();
    await page.goto(`${web.url}/audit`);
    await page.getByRole('row', { name: /Joe Tchoua confirmed how files are read salaries/ }).waitFor();
  });

  it('show in red each column that would be read as something else', async () => {
    await proposed('salaries 2027-02.csv', 'salaries', 'Tel contact');
    const { page } = joe;
    await page.goto(`${web.url}/profiles`);
    await page.getByText('It would take the place of the profile of this name').waitFor();
    await page.getByRole('row', { name: /Tel contact ••• 9000 Wallet number not read/ }).waitFor();
    expect(await page.locator('tbody .bad-text').allInnerTexts()).toEqual(
      expect.arrayContaining(['not read', 'Wallet number']),
    );
    expect(await page.locator('tbody .bad-text').count()).toBe(2);
    expect(await obstacles(joe)).toEqual([]);
    await picture(joe, 'profiles-replaced');
    await page.getByRole('button', { name: 'Delete the proposal salaries' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The proposal “salaries” is deleted.').waitFor();
    await page.getByRole('row', { name: /salaries .*confirmed by Joe Tchoua/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Confirm with passkey' }).count()).toBe(0);
    expect([...mallory.faults, ...joe.faults]).toEqual([]);
  });
});
