// One person releases held rows and another approves: the receipt stands where the button was, and where nobody else may approve the page says so in red.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, lineTo, transfersOf } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture, type Tab } from './with-browser.ts';

describe.skipIf(!hasBrowser)('released rows in a browser', () => {
  let web: Web;
  let browser: Browser;
  let armand: Tab;
  let marie: Tab;
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [armand, marie] = await Promise.all([openTab(browser), openTab(browser)]);
    await comeIn(armand, web, 'Armand Mbarga', 'maker');
    await comeIn(marie, web, 'Marie Ngo', 'checker');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function submitted(name: string): Promise<string> {
    const { page } = armand;
    const twice = lineTo(name, '', '300');
    const buffer = Buffer.from(
      `${[HEADER, twice, twice, lineTo(`${name}x`, `${name}-3`, '200')].join('\n')}\n`,
    );
    await page.goto(`${web.url}/drop`);
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: `${name}.csv`, mimeType: 'text/csv', buffer }]);
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: /Submit \d+ payment/ }).click();
    await page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    return page.url().split('/').at(-1) ?? '';
  }

  it('leave a receipt in view, which leads to the file and to the next decision', async () => {
    const [batch, other] = [await submitted('twice'), await submitted('again')];
    const { page } = marie;
    await page.goto(`${web.url}/held`);
    await page
      .getByRole('row', { name: /twice\.csv/ })
      .getByRole('link', { name: 'Decide' })
      .click();
    await page.getByText('2 rows would go on.').waitFor();
    await page.getByLabel('Reason, for the record').fill('two salaries');
    await page.getByRole('button', { name: 'Release 2 rows' }).click();
    const receipt = page.locator('.receipt-words').filter({ hasText: '2 rows go on.' });
    await receipt.filter({ hasText: /Marie Ngo, .+: two salaries\./ }).waitFor();
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.evaluate('scrollTo(0, 0)');
      const box = await receipt.boundingBox();
      expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      await picture(marie, 'released-receipt');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(await obstacles(marie)).toEqual([]);
    await page.getByRole('link', { name: 'Next to decide (1)' }).click();
    await page.waitForURL(new RegExp(`/held/${other}`));
    await page.goto(`${web.url}/approvals/${batch}`);
    await page.getByText('Held before and released by Marie Ngo').waitFor();
  });

  it('are said in red where only who released them may approve the file', async () => {
    const { page } = marie;
    const red = page.locator('.note.bad').filter({ hasText: 'Only Marie Ngo may approve this file' });
    await red.waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await obstacles(marie)).toEqual([]);
    await picture(marie, 'sole-approver');
  });

  it('are for another to approve, as soon as there is one', async () => {
    const joe = await openTab(browser);
    await comeIn(joe, web, 'Joe Tchoua', 'treasurer');
    await joe.page.goto(marie.page.url());
    await marie.page.reload();
    await marie.page.locator('.decision .note.warn').waitFor();
    for (const { page } of [marie, joe]) {
      await page.getByText('Held before and released by Marie Ngo').waitFor();
      expect(await page.locator('.note.bad').count()).toBe(0);
    }
    expect(await marie.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await joe.page.getByRole('button', { name: 'Approve' }).click();
    await joe.page.getByText(/Signed .+ by Joe Tchoua/).waitFor();
    await armand.page.goto(joe.page.url().replace('/approvals/', '/files/'));
    await armand.page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();
    expect(await transfersOf(web.paydrop)).toHaveLength(3);
    expect([...armand.faults, ...marie.faults, ...joe.faults]).toEqual([]);
  });
});
