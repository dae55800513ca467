// What a clerk types is kept and what the screen shows is true: corrections outlive the session, Back and a reload; lists that have grown are read again as a
// whole; an order that was not answered says so.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const ROWS = 60;

describe.skipIf(!hasBrowser)('a clerk in a browser', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  let page: Page;
  beforeAll(async () => {
    web = await openWeb('tracking: { pollEvery: 1s }\npolicy: { onInvalidRows: skip-rows, approval: none }');
    browser = await openBrowser();
    tab = await openTab(browser);
    ({ page } = tab);
    page.setDefaultTimeout(30_000);
    await comeIn(tab, web, 'Armand Mbarga', 'maker', 'treasurer');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function dropped(name: string, lines: readonly string[]): Promise<void> {
    await page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[HEADER, ...lines].join('\n')}\n`);
    await page.locator('.dropzone input[type=file]').setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
    await page.waitForURL(/\/drop\/[0-9a-f-]{36}$/);
  }

  /** The fault panel and the grid are ready to be typed into. */
  const ready = async (): Promise<void> => {
    await page.locator('[role=grid]:focus').waitFor();
    await page.locator('.grid-cell.current.faulty').waitFor();
  };
  const typedCells = () => page.locator('.grid-cell.typed');

  it('corrects equal faults with one correction, and the file is checked by itself', async () => {
    const rows = Array.from({ length: ROWS }, (_, at) =>
      at % 3 === 0 ? line(`E-${String(at)}`, '12x') : lineTo(`e${String(at)}`, `E-${String(at)}`, '100'),
    );
    await dropped('equal.csv', rows);
    await ready();
    // The sentence that explains the fault stands beside it, in view.
    const explain = await page.locator('.explain').boundingBox();
    expect((explain?.y ?? 1e9) + (explain?.height ?? 0)).toBeLessThan(800);
    await page.getByText('"12x" cannot be read').first().waitFor();
    expect(await obstacles(tab)).toEqual([]);
    await ready();
    await page.keyboard.type('120');
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('button', { name: 'Set «120» in all 19 of them' }).click();
    await page.getByText('Every row can be paid').waitFor();
    await page.getByText('20 cells were corrected here.').waitFor();
  });

  it('goes from fault to fault by Enter, takes a block, and undoes a step', async () => {
    await dropped('three.csv', [
      line('T-1', '1x'),
      lineTo('t2', 'T-2', '100'),
      line('T-3', '3x'),
      line('T-4', '4x'),
    ]);
    await ready();
    await page.keyboard.type('11');
    await page.keyboard.press('Enter');
    await page.locator('.grid-cell.current.faulty').filter({ hasText: '3x' }).waitFor();
    await page.keyboard.press('Control+z');
    await typedCells().waitFor({ state: 'detached' });
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', '33\\n44\\n');
      document.querySelector('[role=grid]').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    })()`);
    await expect.poll(() => typedCells().count()).toBe(2);
    await page.getByRole('button', { name: 'Undo all' }).click();
    await typedCells().first().waitFor({ state: 'detached' });
  });

  it('keeps what was typed: over Back, a reload, and the end of the session', async () => {
    await dropped('kept.csv', [line('K-1', '1x'), line('K-2', '2x'), lineTo('k3', 'K-3', '100')]);
    const url = page.url();
    await ready();
    await page.keyboard.type('11');
    await page.keyboard.press('Enter');
    await typedCells().filter({ hasText: '11' }).waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Files' }).click();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.goBack();
    await page.getByText('1 cell was typed earlier and not checked.').waitFor();
    await typedCells().filter({ hasText: '11' }).waitFor();
    await page.reload();
    await typedCells().filter({ hasText: '11' }).waitFor();
    // The session ends while the clerk types: the sign-in lies over the screen, which stays.
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Next fault' }).click();
    await page.getByText('Your session has ended. Sign in again: what you typed is still here.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toBe(url);
    await typedCells().filter({ hasText: '11' }).waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('says that an order was not answered, and repeats the stop until it is', async () => {
    await page.goto(`${web.url}/files`);
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.route('**/api/v1/stop', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByRole('button', { name: 'STOP' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('wrong account');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
    await page.getByText('Not stopped yet: paydrop did not answer. The page has tried 1 time').waitFor();
    await page.unroute('**/api/v1/stop');
    await page.getByText('Everything is stopped.').waitFor();
    await page.getByRole('button', { name: 'Lift the stop' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('settled');
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the stop' }).click();
    await page.getByText('Everything is stopped.').waitFor({ state: 'detached' });
  });

  it('keeps the frame where a screen cannot be opened, and opens it once paydrop answers', async () => {
    await page.route('**/assets/settings-*', (route) => route.abort());
    await page.route(`${web.url}/`, (route) => route.abort());
    await page.goto(`${web.url}/files`);
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'This screen cannot be opened now' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Screens' }).count()).toBe(1);
    await page.unroute('**/assets/settings-*');
    await page.unroute(`${web.url}/`);
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('shows behind «More» what the ledger has, each row once, while the file is paid', async () => {
    const rows = Array.from({ length: 230 }, (_, at) =>
      lineTo(at % 23 === 0 ? '0100001' : `r${String(at)}`, `R-${String(at)}`, '100'),
    );
    await dropped('long.csv', rows);
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: 'Submit 230 payments' }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    const batch = page.url().split('/').at(-1) ?? '';
    const more = page.getByRole('button', { name: 'Show more' });
    await more.click();
    await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(100);
    await more.click();
    await page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();
    /** Each as the ledger has it: the row and its state. */
    const told = async (): Promise<readonly string[]> => {
      const all: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const { body } = await web.json(
          `/api/v1/files/${batch}/rows?limit=200${after === '' ? '' : `&after=${after}`}`,
        );
        for (const { row, outcome } of body['data'] as { row: string; outcome: string }[])
          all.push(`${row} ${outcome}`);
        after = body['next'] as string | null;
      }
      return all;
    };
    // At one moment: the rows move while they are read.
    const shown = (): Promise<readonly string[]> =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('tbody tr')].map(({ children: [row, , , state] }) => row.textContent.trim() + ' ' + state.textContent.trim().replace(/^\\W+/, ''))",
      );
    const asTold = await told();
    expect(asTold).toHaveLength(230);
    await expect.poll(shown).toEqual(asTold);
    expect(tab.faults).toEqual([]);
  });
});
