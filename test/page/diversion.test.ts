// Payroll diversion, walked as a treasurer would: the same people, the same amounts, other accounts. What the approver reads stands before the button, on a desk and on
// a telephone, and the answer says how the accounts were verified.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line, transfersOf } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture, type Tab } from './with-browser.ts';

const PEOPLE = 20;
const FAMILIES = ['Ngo', 'Mbarga', 'Essomba', 'Tchoua', 'Biya'];

/** The salaries of twenty people, to wallets that end in the month's digits. */
function salaries(month: string, digits: string): Buffer {
  const lines = Array.from({ length: PEOPLE }, (_, at) =>
    line(`${month}-${String(at)}`, String(300 + at))
      .replace('Li,Wei', `${FAMILIES[at % 5] ?? ''},Person${'abcdefghijklmnopqrst'[at] ?? ''}`)
      .replace('8613800138000', `86138${String(10 + at)}${digits}`),
  );
  return Buffer.from(`${[HEADER, ...lines].join('\n')}\n`);
}

describe.skipIf(!hasBrowser)('a payroll with other accounts', () => {
  let web: Web;
  let browser: Browser;
  let maker: Tab;
  let treasurer: Tab;
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required, verifyAbove: 5 }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [maker, treasurer] = await Promise.all([openTab(browser), openTab(browser)]);
    await comeIn(maker, web, 'Mallory Essomba', 'maker');
    await comeIn(treasurer, web, 'Joe Tchoua', 'treasurer', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  /** Submitted; its approval is open before the treasurer. */
  async function asked(name: string, buffer: Buffer): Promise<void> {
    const { page } = maker;
    await page.goto(`${web.url}/drop`);
    await page.locator('.dropzone input[type=file]').setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: /Submit \d+ payment/ }).click();
    await page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    await treasurer.page.goto(`${web.url}/approvals/${page.url().split('/').at(-1) ?? ''}`);
  }

  it('pays the first month, and remembers to whom', async () => {
    await asked('salaries 10.csv', salaries('oct', '000100'));
    const { page } = treasurer;
    // No account has changed, so nobody is asked for a call.
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.getByLabel('Verified with whom, on which number').count()).toBe(0);
    await picture(treasurer, '1-nothing-changed');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/Signed .+ by Joe Tchoua/).waitFor();
    await picture(treasurer, '2-receipt');
    await maker.page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();
  });

  it('shows every changed account, old and new, in red and before the button', async () => {
    await asked('salaries 11.csv', salaries('nov', '007600'));
    const { page } = treasurer;
    const red = page.locator('.note.bad');
    await red.getByText(`The accounts of ${String(PEOPLE)} receivers have changed`).waitFor();
    const rows = red.locator('tbody tr');
    expect(await rows.count()).toBe(PEOPLE);
    for (const text of await rows.allInnerTexts()) expect(text).toMatch(/••• 0100[^]*••• 7600/);
    const button = page.getByRole('button', { name: 'Approve' });
    const order = await page.evaluate<number>(
      "document.querySelector('.note.bad').compareDocumentPosition(document.querySelector('.decision button'))",
    );
    const FOLLOWING = 4;
    expect(order & FOLLOWING).toBe(FOLLOWING);
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.evaluate('scrollTo(0, 0)');
      // The red words and the button are both in view before anybody scrolls.
      for (const each of [red.locator('b').first(), button]) {
        const box = await each.boundingBox();
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
      }
      await picture(treasurer, '3-changed');
    }
    expect(await obstacles(treasurer)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('asks with whom they were verified, and keeps the answer', async () => {
    const { page } = treasurer;
    const before = (await transfersOf(web.paydrop)).length;
    const button = page.getByRole('button', { name: 'Approve' });
    const field = page.getByLabel('Verified with whom, on which number');
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await field.fill('   ');
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await field.press('Enter');
    expect(await transfersOf(web.paydrop)).toHaveLength(before);
    await field.fill('all twenty, with the numbers of the contracts');
    await button.click();
    await page.getByText(/Signed .+ by Joe Tchoua/).waitFor();
    await page
      .getByText('Changed accounts verified: all twenty, with the numbers of the contracts')
      .waitFor();
    await picture(treasurer, '4-receipt-verified');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('body').innerText()).toContain('verified: all twenty');
    await page.emulateMedia({ media: null });
    await page.goto(`${web.url}/audit`);
    await page
      .getByRole('row', { name: /Joe Tchoua verified changed accounts .*all twenty, with the numbers/ })
      .waitFor();
    expect([...maker.faults, ...treasurer.faults]).toEqual([]);
  });

  it('shows what else is unusual with row and reason, on the screen and on paper', async () => {
    const lines = [
      line('x-1', '5000').replace('Li,Wei', 'Ngo,Persona').replace('8613800138000', '8613810007600'),
      line('x-2', '20').replace('Li,Wei', 'Fosso,Ada').replace('8613800138000', '8613810007600'),
      line('x-3', '303').replace('Li,Wei', 'Biya,Persone').replace('8613800138000', '8613814009900'),
    ];
    await asked('salaries 12.csv', Buffer.from(`${[HEADER, ...lines].join('\n')}\n`));
    const { page } = treasurer;
    await page.getByText('The account of 1 receiver has changed').waitFor();
    await page.getByRole('row', { name: /Biya Persone.*row 4.*••• 7600 → ••• 9900.*303/i }).waitFor();
    const said = [
      /row 2 Ngo Persona: At least ten times the last payment to this receiver/i,
      /row 3 Fosso Ada: Row 2 pays another receiver on the same account/i,
    ];
    for (const media of ['screen', 'print'] as const) {
      await page.emulateMedia({ media });
      for (const each of said) await page.getByText(each).waitFor();
      await page.getByText('••• 9900').first().waitFor();
    }
    await page.emulateMedia({ media: null });
    // The payments themselves stand below, and can be looked at kind by kind.
    const payments = page.locator('section').filter({ hasText: '3 payments, the largest first' });
    const shown = () => payments.locator('tbody tr').count();
    await expect.poll(shown).toBe(3);
    await payments.getByLabel('Show').selectOption({ label: 'Unusual (3)' });
    await expect.poll(shown).toBe(3);
    await payments.getByLabel('Show').selectOption({ label: 'New receivers (1)' });
    await payments.getByRole('row', { name: /Fosso Ada/ }).waitFor();
    await expect.poll(shown).toBe(1);
    await payments.getByLabel('Show').selectOption({ label: 'Other amounts than last time (2)' });
    await expect.poll(shown).toBe(2);
    await picture(treasurer, '5-unusual');
    expect(await obstacles(treasurer)).toEqual([]);
  });
});
