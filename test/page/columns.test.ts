// A file whose headers nobody knows, in a real browser: its columns are named once, tried on every row and kept, and the next file of its name is read without a
// question.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser } from 'playwright-core';

import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const LONG_MS = 60_000;
const COLUMNS = HEADER.split(',');
const UNKNOWN = COLUMNS.map((_, at) => `Zeile ${'ABCDEFGHIJK'.charAt(at)}`);

describe.skipIf(!hasBrowser)('columns that nobody knows', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    web = await openWeb();
    browser = await openBrowser();
    tab = await openTab(browser);
    await comeIn(tab, web, 'Armand Mbarga', 'maker');
  }, LONG_MS);
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function dropped(name: string, ...lines: readonly string[]): Promise<void> {
    await tab.page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[UNKNOWN.join(','), ...lines].join('\n')}\n`);
    await tab.page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
  }

  /** All but one, which is said as a value for every row. */
  async function named(): Promise<void> {
    const { page } = tab;
    await page.getByRole('link', { name: 'Say what the columns are' }).click();
    const choice = (header: string) =>
      page.getByRole('combobox', { name: `What «${header}» is taken for`, exact: true });
    await choice(UNKNOWN[0] ?? '').waitFor();
    const missing = COLUMNS.indexOf('purposeOfRemittance');
    for (const [at, column] of COLUMNS.entries())
      await choice(UNKNOWN[at] ?? '').selectOption(at === missing ? 'ignore' : column);
  }

  async function purpose(): Promise<void> {
    await tab.page.getByLabel('Value', { exact: true }).fill('SALARY_PAYMENT');
    await tab.page.getByRole('button', { name: 'Add', exact: true }).click();
  }

  it('are named, tried, kept, and not asked about again', { timeout: LONG_MS }, async () => {
    const { page } = tab;
    await dropped('Lohn 2026-11.csv', lineTo('Chen', 'Z-1', '100'), lineTo('Zhou', 'Z-2', '200'));
    await named();
    await page.getByText('0 of 2 rows can be paid').waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).getAttribute('aria-disabled')).toBe('true');
    expect(await obstacles(tab)).toEqual([]);
    // What is missing is offered first.
    expect(await page.getByLabel('Column', { exact: true }).inputValue()).toBe('purposeOfRemittance');
    await purpose();
    await page.getByText('2 of 2 rows can be paid').waitFor();
    await page.getByRole('button', { name: /^Save/ }).click();
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
    await page.getByText('Every row can be paid').waitFor();
    const saved = await readFile(join(web.paydrop.config.profilesPath, 'lohn.yaml'), 'utf8');
    expect(saved).toContain('Zeile A: reference');
    await dropped('Lohn 2026-12.csv', lineTo('Chen', 'Z-3', '100'));
    await page.getByText('Every row can be paid').waitFor();
    expect(tab.faults).toEqual([]);
  });

  it(
    'are not kept under a name that another profile has, unless that is to be replaced',
    { timeout: LONG_MS },
    async () => {
      const { page } = tab;
      await named();
      await page.getByText('0 of 1 rows can be paid').waitFor();
      await purpose();
      await page.getByText('1 of 1 rows can be paid').waitFor();
      await page.getByRole('button', { name: /^Save/ }).click();
      await page.getByText('There is a profile of this name already.').waitFor();
      await page.getByRole('button', { name: 'Replace the one that is there' }).click();
      await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
      await page.getByText('Every row can be paid').waitFor();
    },
  );
});
