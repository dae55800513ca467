// The rows on the screen are the rows of the ledger: of random outcomes, filters and presses of "Show more" while a file is paid, none stands there twice, and at rest none
// is missing or says what is no longer so. A row opens beside its list, with what happened to it.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { batchRows } from '../../src/ledger/batch-rows.ts';
import { outcomeOf } from '../../src/payouts/lifecycle.ts';
import { stageOrHeld } from '../../src/payouts/progress.ts';
import { HEADER, line } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture, type Tab } from './with-browser.ts';

const ROWS = 150;
const STEPS = 16;
const FILTERS = ['', 'paid', 'failed', 'pending', 'submitted', 'held', 'rejected'] as const;
const LABELS: Readonly<Record<(typeof FILTERS)[number], RegExp>> = {
  '': /^All /,
  paid: /^Paid/,
  failed: /^Failed/,
  pending: /^Waiting/,
  submitted: /^On the way/,
  held: /^Held/,
  rejected: /^To fix/,
};

const SEED = Number(process.env['PAYDROP_TEST_SEED'] ?? Date.now() % 1_000_000);

/** The same numbers for the same seed, each below a bound. */
function dice(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Some are paid, some fail at the network, some are to fix, and some equal each other and are held. */
function randomFile(roll: (below: number) => number): string {
  const lines = Array.from({ length: ROWS }, (_, at) => {
    const amount = String(100 + at);
    const chance = roll(20);
    if (chance < 2) return line(`R-${String(at)}`, '1x');
    if (chance < 4) return line(`R-${String(at)}`, amount).replace('8613800138000', '8613800100002');
    return line(`R-${String(at)}`, amount);
  });
  const twice = line('', '77');
  return `${[HEADER, ...lines, twice, twice].join('\n')}\n`;
}

describe.skipIf(!hasBrowser)('rows on the screen', () => {
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  let page: Page;
  let batch = '';
  beforeAll(async () => {
    process.stderr.write(`rows on the screen: PAYDROP_TEST_SEED=${String(SEED)}\n`);
    web = await openWeb('tracking: { pollEvery: 1s }\nservice: { concurrency: 4 }');
    browser = await openBrowser();
    tab = await openTab(browser);
    ({ page } = tab);
    await comeIn(tab, web, 'Armand Mbarga', 'maker', 'treasurer');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  const shown = (): Promise<string[]> =>
    page.evaluate(
      "[...document.querySelectorAll('main .table tbody tr')].map((tr) => tr.cells[0]?.innerText ?? '')",
    );

  async function ofLedger(filter: string): Promise<readonly string[]> {
    const rows: string[] = [];
    for await (const { row, progress } of batchRows(web.paydrop.ledger, batch))
      if (filter === '' || outcomeOf(stageOrHeld(progress)) === filter) rows.push(row);
    return rows;
  }

  it('are never there twice, and at rest are those of the ledger', async () => {
    const roll = dice(SEED);
    await page.goto(`${web.url}/drop`);
    await page
      .locator('.dropzone input[type=file]')
      .setInputFiles([{ name: 'random.csv', mimeType: 'text/csv', buffer: Buffer.from(randomFile(roll)) }]);
    await page.getByRole('link', { name: /Pay the \d+ other rows|What will it cost/ }).click();
    await page.getByRole('button', { name: /Submit \d+ payments/ }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    batch = page.url().split('/').at(-1) ?? '';
    const more = page.getByRole('button', { name: 'Show more' });
    for (let step = 0; step < STEPS; step += 1) {
      const filter = FILTERS[roll(FILTERS.length)] ?? '';
      const link = page.locator('.legend a').filter({ hasText: LABELS[filter] });
      // Either goes as soon as the last row that it would show has moved on.
      if (roll(3) > 0 && (await more.count()) > 0)
        await more.click({ timeout: 3_000 }).catch(() => undefined);
      else if ((await link.count()) > 0) await link.click({ timeout: 3_000 }).catch(() => undefined);
      const rows = await shown();
      expect(new Set(rows).size).toBe(rows.length);
    }
    const isAtRest = async (): Promise<boolean> =>
      (await ofLedger('pending')).length + (await ofLedger('submitted')).length === 0;
    await expect.poll(isAtRest).toBe(true);
    for (const filter of FILTERS) {
      const wanted = await ofLedger(filter);
      const link = page.locator('.legend a').filter({ hasText: LABELS[filter] });
      if (wanted.length === 0) {
        await expect.poll(() => link.count()).toBe(0);
        continue;
      }
      await link.click();
      await expect
        .poll(
          async () => {
            // Bounded: what holds a press up stands in the failure, and another press may succeed.
            if ((await more.count()) > 0) await more.click({ timeout: 5_000 });
            return shown();
          },
          { timeout: 60_000 },
        )
        .toEqual(wanted);
    }
    expect(tab.faults).toEqual([]);
  });

  it('are reached by a part of the bar', async () => {
    const failed = (await ofLedger('failed')).length;
    expect(failed).toBeGreaterThan(0);
    await page.goto(`${web.url}/files/${batch}`);
    await page.locator('.stacked span[title^="Failed"]').click();
    await page.waitForURL(/outcome=failed/);
    await expect.poll(async () => (await shown()).length).toBe(Math.min(failed, 100));
  });

  it('open beside the list, with what happened, and close by Escape', async () => {
    await page
      .getByRole('row', { name: /failed/ })
      .first()
      .getByRole('link')
      .first()
      .focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Transfer at the service').waitFor();
    await drawer.getByRole('row', { name: /confirmed, in transit/ }).waitFor();
    const statement = page.waitForEvent('download');
    await drawer.getByRole('link', { name: /^Statement \(PDF\)/ }).click();
    expect((await statement).suggestedFilename()).toMatch(/\.statement\.pdf$/);
    expect(await obstacles(tab)).toEqual([]);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(width);
      await picture(tab, 'row-drawer');
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    // The address says it all.
    await page.reload();
    await drawer.getByText('Transfer at the service').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('row=');
    expect(tab.faults).toEqual([]);
  });
});
