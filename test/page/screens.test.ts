// The screens as people use them, in a real browser: a file from the drop to its result, by keyboard alone, hostile cells, a narrow screen, and what
// an accessibility checker says of each screen, light and dark, in each language.
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line, lineTo } from '../app/desk.ts';
import { SAMPLE_FILES } from '../../src/app/desk/demo.ts';
import { LANGUAGES } from '../../src/contract/words.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture, type Tab } from './with-browser.ts';

const csv = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;
const SUPPLIERS = SAMPLE_FILES[1] ?? '';
const INVOICES = join(SUPPLIERS, '..', 'invoices');

/** One line and its controls, in px. */
const BAR_MOST = 60;

type File = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
const file = (name: string, text: string): File => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
});

async function dropped(page: Page, url: string, files: File[] | string[]): Promise<void> {
  await page.goto(`${url}/drop`);
  await page.locator('.dropzone input[type=file]').setInputFiles(files);
  await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
}

/** Tab by Tab, as somebody without a mouse gets there. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  const TABS_MOST = 80;
  for (let tabs = 0; tabs < TABS_MOST; tabs += 1) {
    await page.keyboard.press('Tab');
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error('It is not reached by keyboard.');
}

describe.skipIf(!hasBrowser)('in a browser', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  let page: Page;
  let upload = '';
  let batch = '';
  beforeAll(async () => {
    web = await openWeb('tracking: { pollEvery: 1s }');
    browser = await openBrowser();
    tab = await openTab(browser);
    ({ page } = tab);
    await comeIn(tab, web, 'Armand Mbarga', 'maker', 'treasurer', 'admin');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it('pays what was dropped with its documents, live, and gives the result', async () => {
    const invoices = readdirSync(INVOICES).map((name) => join(INVOICES, name));
    await dropped(page, web.url, [SUPPLIERS, ...invoices]);
    upload = page.url().slice(-36);
    await page.getByText(/rows? (?:is|are) to be fixed|Every row can be paid/).waitFor();
    await page.getByText('documents are missing').waitFor({ state: 'hidden' });
    const { body: checked } = await web.json(`/api/v1/uploads/${upload}`);
    // Somebody else's upload is unknown to a program.
    expect(checked['code']).toBe('upload_unknown');
    await page
      .getByRole('link', { name: /What will it cost|Pay the .* others?|Pay the \d+ other rows?/ })
      .click();
    await page.getByRole('button', { name: /Submit \d+ payments/ }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    batch = page.url().slice(page.url().lastIndexOf('/') + 1);
    await page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor({ timeout: 40_000 });
    await page.goto(`${web.url}/files/${batch}?show=answers`);
    const download = page.waitForEvent('download');
    await page
      .getByRole('row', { name: /Result/ })
      .getByRole('link', { name: 'Download' })
      .click();
    const path = await (await download).path();
    const outbox = Buffer.from(await (await web.ask(`/api/v1/files/${batch}/answers/result`)).arrayBuffer());
    const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
    expect(hash(await readFile(path))).toBe(hash(outbox));
    const entries = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Sage 100' }).click();
    expect((await entries).suggestedFilename()).toBe(`journal.${batch}.txt`);
    const proof = page.waitForEvent('download');
    await page.getByRole('link', { name: /^(?:Proof of payment|Statement) \(PDF\)/ }).click();
    expect((await proof).suggestedFilename()).toMatch(/\.(?:proof|statement)\.pdf$/);
    await picture(tab, 'answers');
    // What the screen says was debited is what the service's own books say.
    await page.goto(`${web.url}/files/${batch}?show=money`);
    for (const { currency, debitedAmount } of web.desk.sandbox
      .books()
      .filter(({ debitedAmount: sum }) => /[1-9]/.test(sum))) {
      const shown = await page.getByRole('row', { name: currency }).first().locator('td').nth(2).innerText();
      expect([currency, shown.replaceAll(',', '')]).toEqual([currency, debitedAmount.replace(/\.0+$/, '')]);
    }
    expect(tab.faults).toEqual([]);
  });

  it('shows what strangers wrote as text, and runs none of it', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const head = `${HEADER},"""><script>alert(2)</script>"`;
    const hostile = `${line(evil, 'javascript:alert(3)')},${evil}`;
    await dropped(page, web.url, [file('evil.csv', `${head}\n${hostile}\n`)]);
    await page.getByRole('gridcell', { name: evil }).first().waitFor();
    await page.getByText('"javascript:alert(3)"').first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('leads through a file with faults by keyboard alone', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => lineTo(`k${String(at)}`, `K-${String(at)}`, '100'));
    rows[7] = line('K-7', '1x');
    rows[290] = line('K-290', '2x');
    // Before all else: the browser hands choosers over only some moments after it was asked to.
    const chooser = page.waitForEvent('filechooser');
    await page.goto(`${web.url}/drop`);
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Choose files' }));
    await page.keyboard.press('Enter');
    await (await chooser).setFiles([file('keys.csv', csv(...rows))]);
    const grid = page.getByRole('grid');
    await grid.waitFor();
    await page.getByText('2 rows are to be fixed').waitFor();
    expect(await grid.getAttribute('aria-rowcount')).toBe('301');
    // The first fault has come by itself.
    await page.getByText('"1x"').first().waitFor();
    await tabTo(page, grid);
    await page.keyboard.press('F8');
    await page.getByText('"2x"').first().waitFor();
    expect(await grid.getAttribute('aria-activedescendant')).toBe('cell-290-5');
    expect(await page.locator('#cell-290-5').isVisible()).toBe(true);
    expect(await grid.getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('Shift+F8');
    await page.getByText('"1x"').first().waitFor();
    await page.keyboard.press('Control+End');
    await page.locator('#cell-299-10.current').waitFor();
  });

  it('shows the first fault of a wide file, in the reader’s language', async () => {
    await page.evaluate("localStorage.setItem('paydrop.language', 'fr')");
    const [payroll = ''] = SAMPLE_FILES;
    const text = (await readFile(payroll, 'utf8')).replace(',875000,', ',87x,');
    await dropped(page, web.url, [file('large.csv', text)]);
    const cell = page.locator('.grid-cell.faulty.current');
    await cell.filter({ hasText: '87x' }).waitFor();
    const [box, grid] = await Promise.all([cell.boundingBox(), page.locator('.grid').boundingBox()]);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((grid?.x ?? 0) + (grid?.width ?? 0));
    await page.getByText('Écrivez').first().waitFor();
    await page.evaluate("localStorage.setItem('paydrop.language', 'en')");
  });

  const screens = (): readonly string[] => [
    '/',
    '/drop',
    '/files',
    `/files/${batch}`,
    `/files/${batch}?show=money`,
    `/files/${batch}?show=timeline`,
    `/files/${batch}?show=answers`,
    '/answers',
    '/money',
    '/parts',
    '/schedules',
    '/reconcile',
    '/people',
    '/audit',
    '/settings',
    '/approvals',
    '/held',
    '/payees',
  ];

  it.each(LANGUAGES)(
    'has no fault of accessibility on any screen, light or dark: %s',

    async (language) => {
      await page.evaluate(`localStorage.setItem('paydrop.language', '${language}')`);
      const found: string[] = [];
      for (const screen of screens()) {
        await page.goto(`${web.url}${screen}`);
        await page.locator('main h1').waitFor();
        await page
          .locator('main [role=status]', { hasText: /^(?:Reading|Lecture|Leyendo)/ })
          .first()
          .waitFor({ state: 'detached' });
        for (const obstacle of await obstacles(tab)) found.push(`${screen} ${obstacle}`);
      }
      expect(found).toEqual([]);
      expect(tab.faults).toEqual([]);
    },
  );

  // A telephone, and a screen of 1280 pixels that somebody has magnified four times.
  it.each([
    [390, 844, 'fr'],
    [320, 256, 'fr'],
    [320, 256, 'es'],
  ])(
    'fits a screen of %i × %i in %s: nothing but tables of their own scrolls sideways',

    async (most, height, language) => {
      await page.evaluate(`localStorage.setItem('paydrop.language', '${language}')`);
      await page.setViewportSize({ width: most, height });
      const wide: string[] = [];
      for (const screen of screens()) {
        await page.goto(`${web.url}${screen}`);
        await page.locator('main h1').waitFor();
        const width = await page.evaluate('document.documentElement.scrollWidth');
        if (Number(width) > most) wide.push(`${screen}: ${String(width)}`);
        // Nor is a word of the bar above broken.
        const bar = await page.evaluate<number>("document.querySelector('.top').offsetHeight");
        if (bar > BAR_MOST) wide.push(`${screen}: a bar of ${String(bar)} px`);
        // A caption of one letter a line is no wider than the screen either.
        const captions = await page.evaluate<number[]>(
          '[...document.querySelectorAll("main caption")].map((each) => each.getBoundingClientRect().width)',
        );
        if (captions.some((each) => each < 200)) wide.push(`${screen}: a caption of ${captions.join()} px`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(wide).toEqual([]);
    },
  );
});
