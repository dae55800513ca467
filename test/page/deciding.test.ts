// What people decide at the page, in a real browser: everything is stopped and goes on, a file is paused, held rows are tried and released, and the books are
// held against each other; what was done is told in words.
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser, Page } from 'playwright-core';

import { HEADER, lineTo, transfersOf } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

describe.skipIf(!hasBrowser)('deciding in a browser', () => {
  let web: Web;
  let browser: Browser;
  let armand: Tab;
  let marie: Tab;
  beforeAll(async () => {
    web = await openWeb('tracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [armand, marie] = await Promise.all([openTab(browser), openTab(browser)]);
    await comeIn(armand, web, 'Armand Mbarga', 'maker');
    await comeIn(marie, web, 'Marie Ngo', 'checker', 'treasurer', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function submitted(name: string, ...lines: readonly string[]): Promise<string> {
    const { page } = armand;
    await page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[HEADER, ...lines].join('\n')}\n`);
    await page.locator('.dropzone input[type=file]').setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: /Submit \d+ payment/ }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    return page.url().split('/').at(-1) ?? '';
  }

  const isNow = (page: Page, words: string): Promise<void> =>
    page.locator('main .tag').filter({ hasText: words }).first().waitFor({ timeout: 30_000 });

  async function say(page: Page, reason: string, action: string): Promise<void> {
    await page.getByRole('dialog').getByRole('textbox').fill(reason);
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
  }

  async function decide(page: Page, reason: string, action: string): Promise<void> {
    await page.getByLabel('Reason, for the record').fill(reason);
    await page.getByRole('button', { name: action }).click();
  }

  it('stops everything at once for everybody, and goes on when a checker lifts it', async () => {
    await marie.page.goto(`${web.url}/files`);
    await armand.page.goto(`${web.url}/`);
    await armand.page.getByRole('button', { name: 'STOP' }).click();
    await say(armand.page, 'wrong account', 'Stop everything');
    for (const { page } of [armand, marie])
      await page.getByRole('alert').filter({ hasText: 'Armand Mbarga: wrong account' }).waitFor();
    await marie.page.getByText(/\(\d+ seconds? ago|\(now\)/).waitFor();
    expect(await obstacles(marie)).toEqual([]);
    const batch = await submitted('stopped.csv', lineTo('stopped', 'S-1', '100'));
    expect(await transfersOf(web.paydrop)).toEqual([]);
    expect(await armand.page.getByRole('button', { name: 'Lift the stop' }).count()).toBe(0);
    await marie.page.getByRole('button', { name: 'Lift the stop' }).click();
    await say(marie.page, 'settled', 'Lift the stop');
    await armand.page.getByRole('alert').filter({ hasText: 'wrong account' }).waitFor({ state: 'detached' });
    await armand.page.goto(`${web.url}/files/${batch}`);
    await isNow(armand.page, 'done');
    expect(await transfersOf(web.paydrop)).toHaveLength(1);
  });

  it('tries held rows, and releases them by their reason', async () => {
    const twice = lineTo('twice', '', '300');
    const batch = await submitted('held.csv', twice, twice, lineTo('other', 'H-3', '200'));
    await marie.page.goto(`${web.url}/files/${batch}?outcome=held`);
    const why = marie.page.getByRole('row').filter({ hasText: 'cancel one with «Close unpaid» and release' });
    await why.first().waitFor();
    expect(await marie.page.getByText('--').count()).toBe(0);
    expect(await obstacles(marie)).toEqual([]);
    await why.first().getByRole('link', { name: 'Decide' }).click();
    await armand.page.goto(`${web.url}/held`);
    await armand.page.getByRole('row', { name: /held\.csv/ }).waitFor();
    expect(await armand.page.getByRole('link', { name: 'Decide' }).count()).toBe(0);
    await marie.page
      .getByRole('row', { name: /held\.csv/ })
      .getByRole('link', { name: 'Decide' })
      .click();
    await marie.page.getByText('All 2 rows · 600 CNY').waitFor();
    await marie.page.getByText('2 rows would go on.').waitFor();
    expect(await obstacles(marie)).toEqual([]);
    await decide(marie.page, 'two salaries', 'Release 2 rows');
    await marie.page.getByText('2 rows go on.').waitFor();
    await marie.page.getByText('No row is held.').waitFor();
    await marie.page.goto(`${web.url}/files/${batch}`);
    await isNow(marie.page, 'done');
  });

  it('holds the books against each other, and says what was compared', async () => {
    await marie.page.goto(`${web.url}/reconcile`);
    await marie.page.getByRole('button', { name: 'Reconcile the file' }).click();
    await marie.page.getByText('Nothing differs: 3 payments compared').waitFor();
    const sums = marie.page.getByRole('row', { name: /XAF · Debited/ }).locator('td');
    const [file, ledger, service, differences] = await sums.allInnerTexts();
    expect([ledger, service, differences]).toEqual([file, file, '0']);
    expect(file).toMatch(/^[1-9][\d,]*$/);
  });

  it('pauses a file, says who and why, and offers the way back at once', async () => {
    const { page } = marie;
    const held = lineTo('paused', '', '700');
    const batch = await submitted('paused.csv', held, held);
    await page.goto(`${web.url}/files/${batch}`);
    const [pause, goOn] = [
      page.getByRole('main').getByRole('button', { name: 'Pause' }),
      page.getByRole('button', { name: 'Go on' }),
    ];
    await pause.click();
    await say(page, 'wrong month', 'Pause');
    await page.getByText(/Paused by Marie Ngo at .*: wrong month\. «Go on» lets it go on\.$/).waitFor();
    expect([await pause.count(), await goOn.count()]).toEqual([0, 1]);
    await goOn.click();
    await page.getByText('Paused by').waitFor({ state: 'detached' });
    expect([await pause.count(), await goOn.count()]).toEqual([1, 0]);
    await page.goto(`${web.url}/held`);
    await page
      .getByRole('row', { name: /paused\.csv/ })
      .getByRole('link', { name: 'Decide' })
      .click();
    await page.getByRole('radio', { name: /Close unpaid/ }).check();
    await decide(page, 'not owed', 'Close 2 rows unpaid');
    await page.getByText('No row is held.').waitFor();
  });

  it('shows a held row above the payment that it meets, with what differs marked', async () => {
    const { page } = marie;
    await submitted('october.csv', lineTo('ada', 'A-1', '100'));
    const batch = await submitted('november.csv', lineTo('ada', 'A-1', '150'));
    await page.goto(`${web.url}/held/${batch}?code=reference_paid_differently`);
    const row = page.getByRole('row', { name: /meets row 2 of october\.csv/ });
    await row.waitFor();
    expect(await row.locator('mark').allInnerTexts()).toEqual(['150 CNY', '100 CNY']);
    expect(await obstacles(marie)).toEqual([]);
    await row.getByRole('link', { name: 'row 2 of october.csv' }).click();
    await page.getByRole('row', { name: /A-1/ }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('october.csv');
  });

  it('decides about the rows that were chosen alone', async () => {
    const { page } = marie;
    const twice = lineTo('alone', '', '900');
    const batch = await submitted('alone.csv', twice, twice);
    await page.goto(`${web.url}/held`);
    await page
      .getByText(
        'If both are meant, release both; if not, cancel one with «Close unpaid» and release the other.',
      )
      .waitFor();
    await page
      .getByRole('row', { name: /alone\.csv/ })
      .getByRole('link', { name: 'Decide' })
      .click();
    await page.getByLabel('Choose row 3').check();
    await page.getByRole('radio', { name: /Close unpaid/ }).check();
    await page.getByText('1 row chosen · 900 CNY').waitFor();
    await page.getByText('1 row would be closed.').waitFor();
    expect(await obstacles(marie)).toEqual([]);
    await decide(page, 'a double', 'Close 1 row unpaid');
    await page.getByText('1 row is closed unpaid.').waitFor();
    await page.goto(`${web.url}/files/${batch}`);
    await page.getByRole('row', { name: /^3 .*not paid/ }).waitFor();
    await page.getByRole('row', { name: /^2 .*held/ }).waitFor();
  });

  it('tells in words who did what', async () => {
    await marie.page.goto(`${web.url}/audit`);
    await marie.page.getByRole('row', { name: /Armand Mbarga stopped all payments wrong account/ }).waitFor();
    await marie.page.getByRole('row', { name: /Marie Ngo lifted the stop settled/ }).waitFor();
    expect(
      await marie.page
        .locator('main td, main th')
        .filter({ hasText: /^[a-z]+_[a-z_]+$/ })
        .count(),
    ).toBe(0);
    await marie.page.getByLabel('What').selectOption('lifted the stop');
    await marie.page.getByText('wrong account').waitFor({ state: 'detached' });
    await marie.page.getByRole('row', { name: /Marie Ngo lifted the stop settled/ }).waitFor();
    const [csv] = await Promise.all([
      marie.page.waitForEvent('download'),
      marie.page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(await readFile(await csv.path(), 'utf8')).toMatch(/,Marie Ngo,stop_lifted,,settled,\d+\r\n$/);
    expect(await obstacles(marie)).toEqual([]);
    expect([...armand.faults, ...marie.faults]).toEqual([]);
  });
});
