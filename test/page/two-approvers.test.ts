// Two approvers in a real browser: the first sees that another person is asked, the second who was first; and a file that is sent back is corrected by who brought it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser } from 'playwright-core';

import { HEADER, lineTo, transfersOf } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

describe.skipIf(!hasBrowser)('two approvers in a browser', () => {
  let web: Web;
  let browser: Browser;
  let [maker, marie, joe]: Tab[] = [];
  beforeAll(async () => {
    web = await openWeb('policy: { twoApproversAbove: 1 XAF }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [maker, marie, joe] = await Promise.all([openTab(browser), openTab(browser), openTab(browser)]);
    await comeIn(maker, web, 'Armand Mbarga', 'maker');
    await comeIn(marie, web, 'Marie Ngo', 'checker');
    await comeIn(joe, web, 'Joe Tchoua', 'treasurer');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  const tab = (of: Tab | undefined): Tab => {
    if (of === undefined) throw new Error('It was opened.');
    return of;
  };

  it('send it back, and then sign what was corrected, one after the other', async () => {
    const [armand, first, second] = [tab(maker), tab(marie), tab(joe)].map(({ page }) => page);
    if (armand === undefined || first === undefined || second === undefined) throw new Error('Three pages.');
    await armand.goto(`${web.url}/drop`);
    const text = `${[HEADER, lineTo('Chen', 'A-1', '100')].join('\n')}\n`;
    await armand
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'payroll.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
    await armand.getByRole('link', { name: 'What will it cost?' }).click();
    await armand.getByRole('button', { name: 'Submit 1 payment' }).click();
    await armand.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    const sent = armand.url().split('/').at(-1) ?? '';

    await first.goto(`${web.url}/approvals/${sent}`);
    await first.getByText('Two different people have to approve it.').waitFor();
    await first.getByLabel('Say something about it').fill('Was it not 90?');
    await first.getByRole('button', { name: 'Say it' }).click();
    await first.getByText('Was it not 90?').waitFor();
    await first.getByRole('button', { name: 'Send back' }).click();
    await first.getByRole('dialog').getByRole('textbox').fill('the amount of last month');
    await first.getByRole('dialog').getByRole('button', { name: 'Send back' }).click();
    await first.getByText('to be corrected: the amount of last month').waitFor();

    await armand.getByText('to be corrected: the amount of last month').waitFor();
    await armand.reload();
    await armand.getByText('Was it not 90?').waitFor();
    expect(await obstacles(tab(maker))).toEqual([]);
    await armand.getByRole('button', { name: 'Correct and bring again' }).click();
    await armand.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await armand.getByRole('link', { name: 'What will it cost?' }).click();
    await armand.getByRole('button', { name: 'Submit 1 payment' }).click();
    await armand.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    const batch = armand.url().split('/').at(-1) ?? '';
    expect(batch).not.toBe(sent);

    await first.goto(`${web.url}/approvals/${batch}`);
    await first.getByRole('button', { name: 'Approve' }).click();
    await first.getByText('A second person has to approve it.').waitFor();
    expect(await first.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await obstacles(tab(marie))).toEqual([]);
    expect(await transfersOf(web.paydrop)).toEqual([]);

    await second.goto(`${web.url}/approvals/${batch}`);
    await second.getByText(/First signed .* by Marie Ngo/).waitFor();
    await second.getByRole('button', { name: 'Approve' }).click();
    await second.getByText(/Signed .* by Joe Tchoua/).waitFor();
    await armand.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();
    expect(await transfersOf(web.paydrop)).toHaveLength(1);
  });

  it('have a delegate while one of them is on leave, whom the receipt names with the other', async () => {
    const [armand, first, second] = [tab(maker), tab(marie), tab(joe)].map(({ page }) => page);
    if (armand === undefined || first === undefined || second === undefined) throw new Error('Three pages.');
    const of = await openTab(browser);
    await comeIn(of, web, 'Zoe Abena', 'auditor');
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const today = new Intl.DateTimeFormat('sv-SE').format(Date.now());
    await first.goto(`${web.url}/settings`);
    await first.getByRole('combobox', { name: 'Delegate' }).selectOption({ label: 'Zoe Abena' });
    await first.getByLabel('From').fill(today);
    await first.getByLabel('Until').fill(tomorrow);
    await first.getByRole('button', { name: 'Name them' }).click();
    await first.getByRole('row', { name: /Marie Ngo.*Zoe Abena/ }).waitFor();
    expect(await obstacles(tab(marie))).toEqual([]);

    await armand.goto(`${web.url}/drop`);
    const text = `${[HEADER, lineTo('Fotso', 'B-1', '100')].join('\n')}\n`;
    await armand
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'rents.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
    await armand.getByRole('link', { name: 'What will it cost?' }).click();
    await armand.getByRole('button', { name: 'Submit 1 payment' }).click();
    await armand.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    const batch = armand.url().split('/').at(-1) ?? '';
    await of.page.goto(`${web.url}/approvals/${batch}`);
    await of.page.getByRole('button', { name: 'Approve' }).click();
    await of.page.getByText(/First signed .* by Zoe Abena for Marie Ngo/).waitFor();
    await first.goto(`${web.url}/approvals/${batch}`);
    await first.getByText(/First signed .* by Zoe Abena for Marie Ngo/).waitFor();
    expect(await first.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await second.goto(`${web.url}/approvals/${batch}`);
    await second.getByRole('button', { name: 'Approve' }).click();
    await second.getByText(/Signed .* by Joe Tchoua/).waitFor();

    await of.page.goto(`${web.url}/settings`);
    await of.page
      .getByRole('row', { name: /Marie Ngo/ })
      .getByRole('button', { name: 'End' })
      .click();
    await of.page.getByRole('row', { name: /Marie Ngo/ }).waitFor({ state: 'detached' });
    expect(of.faults).toEqual([]);
  });
});
