// How many inputs the daily work takes, in a real browser: a click, a key, a cell typed, a choice and a finger count one each. What is bounded here is a
// promise to whoever does it every day.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const MOST = { sixFaults: 12, equalFaults: 6, unknownHeader: 8, approval: 3, heldRows: 4 };
const FINGER = 1;

/** Does what a person does, and counts it. */
class Hand {
  inputs = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async type(text: string): Promise<void> {
    this.inputs += 1;
    await this.#page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.inputs += 1;
    await this.#page.keyboard.press(key);
  }

  async click(where: Locator): Promise<void> {
    this.inputs += 1;
    await where.click();
  }

  /** By its value: beside it may stand what it means. */
  async choose(where: Locator, value: string): Promise<void> {
    this.inputs += 1;
    await where.selectOption(value);
  }

  async fill(where: Locator, text: string): Promise<void> {
    this.inputs += 1;
    await where.fill(text);
  }
}

describe.skipIf(!hasBrowser)('the daily work in a browser', () => {
  let web: Web;
  let browser: Browser;
  let armand: Tab;
  let marie: Tab;
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [armand, marie] = await Promise.all([openTab(browser), openTab(browser)]);
    await comeIn(armand, web, 'Armand Mbarga', 'maker');
    await comeIn(marie, web, 'Marie Ngo', 'checker', 'treasurer');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function dropped(name: string, header: string, lines: readonly string[]): Promise<Page> {
    const { page } = armand;
    await page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[header, ...lines].join('\n')}\n`);
    await page.locator('.dropzone input[type=file]').setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    return page;
  }

  async function atFault(page: Page, text: string): Promise<void> {
    await page.locator('[role=grid]:focus').waitFor();
    await page.locator('.grid-cell.current.faulty').filter({ hasText: text }).waitFor();
  }

  async function submitted(page: Page): Promise<string> {
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: /Submit \d+ payment/ }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    return page.url().split('/').at(-1) ?? '';
  }

  it('mends six faults', async () => {
    const faults = Array.from({ length: 6 }, (_, at) => line(`F-${String(at)}`, `${String(at)}x`));
    const page = await dropped('six.csv', HEADER, [...faults, lineTo('fine', 'F-9', '100')]);
    const hand = new Hand(page);
    for (const [at] of faults.entries()) {
      await atFault(page, `${String(at)}x`);
      await hand.type(String(100 + at));
      await hand.press('Enter');
    }
    await page.getByText('Every row can be paid').waitFor();
    expect(hand.inputs).toBeLessThanOrEqual(MOST.sixFaults);
  });

  it('mends two hundred equal faults', async () => {
    const faults = Array.from({ length: 200 }, (_, at) => lineTo(`e${String(at)}`, `E-${String(at)}`, '12x'));
    const page = await dropped('equal.csv', HEADER, faults);
    const hand = new Hand(page);
    await atFault(page, '12x');
    await hand.type('120');
    await hand.press('Shift+Enter');
    await hand.click(page.getByRole('button', { name: 'Set «120» in all 199 of them' }));
    await page.getByText('200 cells were corrected here.').waitFor();
    expect(hand.inputs).toBeLessThanOrEqual(MOST.equalFaults);
  });

  it('makes a file payable whose headers nobody knows', async () => {
    const names = ['CHEN Wenjie', 'ZHOU Yulan', 'LIN Hao', 'NGO BIKOÏ Clarisse'];
    const rows = names.map(
      (name, at) => `M-${String(at)},${name},+861380013800${String(at)},${String(1000 + 10 * at)},CN,alipay`,
    );
    const page = await dropped('inconnu.csv', 'Code,Bénéficiaire,Téléphone,Valeur nette,Pays,Mode', rows);
    const hand = new Hand(page);
    await hand.click(page.getByRole('link', { name: 'Match columns' }));
    await hand.click(page.getByRole('button', { name: '«Valeur nette» is: Amount' }));
    await page.getByText('0 of 4 rows can be paid').waitFor();
    // All at once, and in the order of a clerk's thoughts, before any column.
    expect(await page.locator('main form.card label').allTextContents()).toEqual([
      'Who is paid',
      'Currency of the amounts',
      'Paid from the balance in',
      'What it is paid for',
    ]);
    expect(await obstacles(armand)).toEqual([]);
    await hand.choose(page.getByLabel('Who is paid'), 'Employee (B2C)');
    await hand.choose(page.getByLabel('What it is paid for'), 'Salary');
    await hand.choose(page.getByLabel('Currency of the amounts'), 'CNY');
    await hand.choose(page.getByLabel('Paid from the balance in'), 'XAF');
    await hand.click(page.getByRole('button', { name: /^Use it Split/ }));
    await page.getByText('4 of 4 rows can be paid').waitFor();
    const needs = await page.locator('.checklist li').allTextContents();
    expect(needs.filter((need) => !need.startsWith('✓'))).toEqual([]);
    expect(needs).toContain('✓Amount from «Valeur nette»');
    await hand.click(page.getByRole('button', { name: 'Save, and check the file again' }));
    await page.getByText('Every row can be paid').waitFor();
    expect(hand.inputs).toBeLessThanOrEqual(MOST.unknownHeader);
  });

  it('approves a file, which says at each step how far it is', async () => {
    const page = await dropped('payroll.csv', HEADER, [lineTo('Chen', 'A-1', '100')]);
    await submitted(page);
    const steps = page.getByRole('list', { name: 'How far it is' }).getByRole('listitem');
    await steps.filter({ hasText: 'Approval: waits' }).waitFor();
    expect(await steps.allTextContents()).toEqual([
      '✓ Check: done',
      '✓ Prices: done',
      '▲ Approval: waits',
      '○ Payment: not yet',
    ]);
    // The sum that is asked about, before anything has left.
    expect(await page.locator('.card .big').textContent()).toMatch(/^[\d,]+ XAF$/);
    const hand = new Hand(marie.page);
    await marie.page.goto(web.url);
    await hand.click(marie.page.getByRole('link', { name: 'Look and approve' }));
    await hand.click(marie.page.getByRole('button', { name: 'Approve and sign with passkey' }));
    await marie.page.getByText(/Signed .* with the passkey/).waitFor();
    expect(hand.inputs + FINGER).toBeLessThanOrEqual(MOST.approval);
    await steps.filter({ hasText: 'Payment: done' }).waitFor();
    expect(await steps.allTextContents()).toEqual([
      '✓ Check: done',
      '✓ Prices: done',
      '✓ Approval: done',
      '✓ Payment: done',
    ]);
  });

  it('decides about twelve held rows', async () => {
    const pairs = Array.from({ length: 6 }, (_, at) => lineTo(`pair${String(at)}`, '', String(300 + at)));
    const page = await dropped('held.csv', HEADER, [...pairs, ...pairs]);
    await submitted(page);
    const hand = new Hand(marie.page);
    await marie.page.goto(web.url);
    await marie.page.getByText('12 rows are held').waitFor();
    await hand.click(marie.page.getByRole('link', { name: 'Decide' }));
    await hand.fill(marie.page.getByLabel('Reason, for the record'), 'two salaries');
    await hand.click(marie.page.getByRole('button', { name: 'Release 12 rows' }));
    await marie.page.getByText('12 rows go on.').waitFor();
    expect(hand.inputs + FINGER).toBeLessThanOrEqual(MOST.heldRows);
    expect([...armand.faults, ...marie.faults]).toEqual([]);
  });
});
