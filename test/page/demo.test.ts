// The demo as it is printed in README, from its own command to the result: somebody drops the suppliers with their documents, sees the faulty cell and the cost,
// submits, and a click turns them into the person who approves.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SAMPLE_FILES } from '../../src/app/desk/demo.ts';
import { hasBrowser, openBrowser, openTab } from './with-browser.ts';

/** What the account of the sandbox begins with. */
const PLAY_MONEY = 500_000_000;
const SUPPLIERS = SAMPLE_FILES[1] ?? '';
const INVOICES = join(SUPPLIERS, '..', 'invoices');

describe.skipIf(!hasBrowser)('the demo in a browser', () => {
  let browser: Browser;
  let demo: ChildProcess;
  let folder = '';
  let url = '';
  beforeAll(async () => {
    browser = await openBrowser();
    folder = await mkdtemp(join(tmpdir(), 'paydrop-demo-page-'));
    const env = { ...process.env, TMPDIR: folder };
    demo = spawn(process.execPath, ['src/paydrop.js', 'demo', '--web'], { env });
    let said = '';
    url = await new Promise<string>((resolve, reject) => {
      demo.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString('utf8');
        const [found] = /http:\S+#\S+(?=\s)/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
      demo.once('exit', () => reject(new Error(said)));
    });
  });
  afterAll(async () => {
    await browser.close();
    const ended = new Promise((resolve) => demo.once('exit', resolve));
    demo.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  });

  it('goes from one printed address to a result whose sums are those of the account', async () => {
    const { page, faults } = await openTab(browser);
    await page.goto(url);
    await page.getByRole('button', { name: 'Armand Mbarga' }).click();
    const menu = page.getByRole('navigation', { name: 'Screens' });
    await menu.getByRole('link', { name: 'Drop a file' }).click();
    const documents = readdirSync(INVOICES).map((name) => join(INVOICES, name));
    await page.locator('.dropzone input[type=file]').setInputFiles([SUPPLIERS, ...documents]);
    const cell = page.getByRole('gridcell', { name: '2 787 817,25' });
    await cell.waitFor();
    // However little room there is beside the columns that stay, an amount is seen from its first digit.
    const [shown, stays] = await Promise.all([
      cell.boundingBox(),
      page.getByRole('row').filter({ has: cell }).locator('.frozen').last().boundingBox(),
    ]);
    expect(shown?.x).toBeGreaterThanOrEqual((stays?.x ?? Infinity) + (stays?.width ?? 0) - 1);
    await page.getByText('XAF has no decimals, but 2 787 817,25 is written.').first().waitFor();
    await page.getByRole('link', { name: 'Pay the 13 other rows' }).click();
    await page.getByRole('button', { name: 'Submit 13 payments' }).click();
    await page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    await page.locator('.self > .button').click();
    await page.getByLabel('You are').selectOption({ label: 'Marie Ngo' });
    await menu.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('link', { name: 'suppliers.csv' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await menu.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('link', { name: 'suppliers.csv' }).click();
    // Nothing is loaded again by hand: what is paid comes by itself.
    await page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor({ timeout: 60_000 });
    await page.getByRole('main').getByRole('link', { name: 'Reports' }).click();
    const download = page.waitForEvent('download');
    await page
      .getByRole('row', { name: /Result/ })
      .getByRole('link', { name: 'Download' })
      .click();
    const debited = debitedIn(await readFile(await (await download).path(), 'utf8'));
    await menu.getByRole('link', { name: 'Money' }).click();
    const said = (amount: number): string => amount.toLocaleString('en');
    const account = page.getByRole('row', { name: new RegExp(`^XAF ${said(PLAY_MONEY - debited)} `) });
    await account.filter({ hasText: said(debited) }).waitFor();
    expect(debited).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });
});

/** What the paid rows of a result have cost. */
function debitedIn(text: string): number {
  const [header = [], ...rows] = text.split(/\r?\n/).map((line) => line.split(';'));
  const of = (cells: readonly string[], column: string): string => cells[header.indexOf(column)] ?? '';
  return rows
    .filter((cells) => of(cells, 'payout.outcome') === 'paid')
    .reduce(
      (sum, cells) => sum + Number(of(cells, 'payout.sendAmount')) + Number(of(cells, 'payout.feeAmount')),
      0,
    );
}
