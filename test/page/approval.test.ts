// One person brings a file in a real browser and corrects a cell of it, another sees that, signs exactly the result with a passkey of her own, and it is paid.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser, Locator, Page } from 'playwright-core';

import { examine } from '../../src/app/desk/doctor.ts';
import { questionOf } from '../../src/app/desk/page-decisions.ts';
import { HEADER, lineTo, transfersOf } from '../app/desk.ts';
import { dataOf, openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** Without anybody's scrolling, on a desk and on a telephone. */
async function expectInView(page: Page, locator: Locator): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.evaluate('scrollTo(0, 0)');
    const box = await locator.boundingBox();
    expect(box === null ? null : box.y + box.height).toBeLessThanOrEqual(size.height);
    expect(box?.y).toBeGreaterThanOrEqual(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

describe.skipIf(!hasBrowser)('an approval in a browser', () => {
  let web: Web;
  let browser: Browser;
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it('is signed by somebody else, seen at once by who brought the file, and pays it', async () => {
    const maker = await openTab(browser);
    await comeIn(maker, web, 'Armand Mbarga', 'maker');
    await maker.page.goto(`${web.url}/drop`);
    const text = `${[HEADER, lineTo('Chen', 'A-1', '10O'), lineTo('Zhou', 'A-2', '200')].join('\n')}\n`;
    await maker.page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'payroll.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
    // By keyboard alone: the first fault is the current cell.
    await maker.page.locator('.grid-cell.faulty.current').waitFor();
    await maker.page.getByText('1 row is to be fixed').waitFor();
    await maker.page.getByRole('grid').press('Enter');
    await maker.page.getByLabel('Correct the cell').and(maker.page.locator(':focus')).waitFor();
    await maker.page.keyboard.type('100');
    await maker.page.keyboard.press('Shift+Enter');
    await maker.page.locator('.grid-cell.typed').filter({ hasText: '100' }).waitFor();
    await maker.page.getByText('Every row can be paid').waitFor();
    await maker.page.getByText('1 cell was corrected here.').waitFor();
    await maker.page.getByRole('link', { name: 'What will it cost?' }).waitFor();
    expect(await obstacles(maker)).toEqual([]);
    await maker.page.getByRole('link', { name: 'What will it cost?' }).click();
    await maker.page.getByRole('button', { name: 'Submit 2 payments' }).waitFor();
    expect(await obstacles(maker)).toEqual([]);
    await maker.page.getByRole('button', { name: 'Submit 2 payments' }).click();
    await maker.page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    const batch = maker.page.url().split('/').at(-1) ?? '';
    expect(await transfersOf(web.paydrop)).toEqual([]);

    await maker.page.goto(`${web.url}/approvals/${batch}`);
    await maker.page.locator('main h1').waitFor();
    expect(await maker.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const asked = new Map<string, (string | null)[]>();
    maker.page.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      if (request.method() === 'GET' && path.startsWith('/api/v1/'))
        asked.set(path, [...(asked.get(path) ?? []), request.headers()['x-background'] ?? null]);
    });
    await maker.page.goto(`${web.url}/files/${batch}`);

    const checker = await openTab(browser);
    await comeIn(checker, web, 'Marie Ngo', 'checker');
    await checker.page.goto(`${web.url}/approvals`);
    // The buttons stand still, and do nothing, while the comparison is being read.
    const read = Promise.withResolvers<undefined>();
    await checker.page.route('**/comparison', async (route) => {
      await read.promise;
      await route.continue();
    });
    await checker.page.getByRole('link', { name: 'payroll.csv' }).click();
    const button = checker.page.getByRole('button', { name: 'Approve' });
    await button.and(checker.page.locator('[aria-busy=true]')).waitFor();
    const before = await button.boundingBox();
    read.resolve(undefined);
    await button.and(checker.page.locator(':not([aria-busy])')).waitFor();
    expect(await button.boundingBox()).toEqual(before);
    await checker.page.getByRole('button', { name: 'Approve' }).waitFor();
    await checker.page.getByRole('row', { name: '2 destinationAmount 10O 100' }).waitFor();
    expect(await obstacles(checker)).toEqual([]);
    await expectInView(checker.page, checker.page.getByRole('button', { name: 'Approve' }));
    await checker.page.getByRole('button', { name: 'Approve' }).click();
    // The receipt stands where the button was.
    const receipt = checker.page.getByText(/Signed .+ by Marie Ngo with the passkey “.+”/);
    await receipt.waitFor();
    await expectInView(checker.page, receipt);
    expect(await checker.page.evaluate('document.activeElement.textContent')).toContain('Signed');
    expect(await checker.page.getByText('You sign').count()).toBe(0);
    expect(await checker.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await checker.page.getByRole('link', { name: 'Watch the file' }).waitFor();
    expect(await obstacles(checker)).toEqual([]);

    await maker.page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor({ timeout: 30_000 });
    expect(await transfersOf(web.paydrop)).toHaveLength(2);
    expect((await examine(web.paydrop)).find(({ name }) => name === 'signatures')).toMatchObject({
      ok: true,
    });
    // What the page reads by itself keeps no session open.
    expect(asked.get('/api/v1/events')).toEqual(['1']);
    const [first, ...later] = asked.get(`/api/v1/files/${batch}`) ?? [];
    expect([first, later.length > 0, new Set(later)]).toEqual([null, true, new Set(['1'])]);
    expect([...maker.faults, ...checker.faults]).toEqual([]);
  });

  it('says who has paused the file; declined, it is closed, and only what was wrong is to be fixed', async () => {
    const [maker, checker] = [await openTab(browser), await openTab(browser)];
    await comeIn(maker, web, 'Awa Bello', 'maker');
    await comeIn(checker, web, 'Joe Tabi', 'checker');
    await maker.page.goto(`${web.url}/drop`);
    const rows = [lineTo('Li', 'D-1', '100'), lineTo('Wu', 'D-2', '12x'), lineTo('Ma', 'D-3', '300')];
    const buffer = Buffer.from([HEADER, ...rows].join('\n'));
    await maker.page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'declined.csv', mimeType: 'text/csv', buffer }]);
    await maker.page.getByRole('link', { name: 'Pay the 2 other rows' }).click();
    await maker.page.getByRole('button', { name: 'Submit 2 payments' }).click();
    await maker.page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    const batch = maker.page.url().split('/').at(-1) ?? '';

    await checker.page.goto(`${web.url}/files/${batch}`);
    await checker.page.getByRole('main').getByRole('button', { name: 'Pause' }).click();
    const dialog = checker.page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('which month?');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    for (const { page } of [maker, checker])
      await page.getByText(/waits for approval.*Paused by Joe Tabi at .*: which month\?/).waitFor();

    await checker.page.goto(`${web.url}/approvals/${batch}`);
    // On paper stands what is paid, and nothing else.
    await checker.page.locator('.heading .button:not([aria-busy])').filter({ hasText: 'Print' }).waitFor();
    await checker.page.emulateMedia({ media: 'print' });
    const paper = await checker.page.locator('body').innerText();
    await checker.page.emulateMedia({ media: null });
    expect(paper).toMatch(/D-1[^]*D-3/);
    expect(paper).not.toContain('D-2');
    await checker.page.getByRole('button', { name: 'Decline' }).click();
    await dialog.getByRole('textbox').fill('wrong month');
    await dialog.getByRole('button', { name: 'Decline' }).click();
    const receipt = checker.page.getByText(/Declined .+ by Joe Tabi: wrong month/);
    await receipt.waitFor();
    await expectInView(checker.page, receipt);
    await maker.page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();
    await maker.page.getByRole('row', { name: /D-3.*not paid.*Joe Tabi/ }).waitFor();
    await maker.page.getByRole('row', { name: /D-2.*to fix/ }).waitFor();
    expect(await maker.page.locator('main .tag').filter({ hasText: 'to fix' }).count()).toBe(1);
  });
});

describe.skipIf(!hasBrowser)('an approval on paper', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required }');
    browser = await openBrowser();
    tab = await openTab(browser);
    // Five hundred rows are priced.
    await comeIn(tab, web, 'Armand Mbarga', 'maker', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  /** What stands on the paper, and over how many sheets. */
  async function printed(name: string, rows: number, least = 100) {
    const { page } = tab;
    await page.goto(`${web.url}/drop`);
    const lines = Array.from({ length: rows }, (_, at) =>
      lineTo(
        `${name}${String(at)}`,
        `${name.slice(0, 1)}-${String(at)}.`,
        String(least + Math.floor(at / 60)),
      ),
    );
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name, mimeType: 'text/csv', buffer: Buffer.from([HEADER, ...lines].join('\n')) }]);
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: /^Submit \d/ }).click();
    await page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    await page.goto(`${web.url}/approvals/${page.url().split('/').at(-1) ?? ''}`);
    // It waits until everything is there that belongs on the paper.
    await page.locator('.heading .button:not([aria-busy])').filter({ hasText: 'Print' }).waitFor();
    await page.getByRole('cell', { name: '500,000,000' }).first().waitFor();
    await page.emulateMedia({ media: 'print' });
    const text = await page.locator('body').innerText();
    const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g);
    await page.emulateMedia({ media: null });
    return { text, sheets: sheets?.length };
  }

  it('has who brought it, the totals, the digest, each row with its payee, and a place to sign', async () => {
    const { text, sheets } = await printed('payroll.csv', 60);
    const question = await questionOf(web.paydrop, tab.page.url().split('/').at(-1) ?? '');
    const digest = question?.digest.slice(0, 32).toUpperCase().match(/.{4}/g)?.join('\\s+');
    expect(text).toMatch(new RegExp(`You sign\\s+${String(digest)}`));
    expect(text).toMatch(/Armand Mbarga[^]*XAF\s+60\s+530,520[^]*Paid to/);
    for (let at = 0; at < 60; at += 1)
      expect(text).toMatch(new RegExp(`p-${String(at)}\\.\\s+Li Wei ••• \\d{4}\\s+8,465 XAF\\s+100.00 CNY`));
    expect(text).not.toContain('is missing');
    expect(text).toMatch(/Name, date, signature: _+\s*$/);
    // Nothing to press is on paper, and no row is lost between two sheets.
    expect(text).not.toMatch(/STOP|Print|Menu/);
    expect(sheets).toBeGreaterThan(1);
  });

  it('names the preview and its hash where the rows are too many for paper, and what the account lacks', async () => {
    const { text, sheets } = await printed('many.csv', 501, 40_000);
    expect(text).toMatch(/XAF [\d,]{13} is missing\. The account holds less/);
    const batch = tab.page.url().split('/').at(-1) ?? '';
    const answers = dataOf(await web.json(`/api/v1/files/${batch}/answers`));
    const preview = answers.find(({ kind }) => kind === 'preview-1');
    expect(text).toContain(String(preview?.['sha256']));
    expect(text).toContain(String(preview?.['name']));
    expect(text).not.toContain('m-1.');
    expect(sheets).toBe(1);
  });
});
