// Days pass while the page is open: a file that stands in its folder is paid at its time, one whose time was missed waits for a person at the page, the
// session is over, and a payment that is reversed after its file was closed is told.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line, magic, openDesk, type Desk } from '../app/desk.ts';
import { type CalendarClock, calendarClock } from '../app/schedule/calendar-clock.ts';
import { openWeb, until, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const AT = 'cron: "0 9 28 * *", timeZone: Africa/Douala';
const SCHEDULES = `schedules: [{ folder: salaries, ${AT}, missed: hold }, { folder: rent, ${AT}, standing: true }]`;

describe.skipIf(!hasBrowser)('days at the page', () => {
  let clock: CalendarClock;
  let desk: Desk;
  let web: Web;
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    clock = calendarClock('2026-11-27T10:00:00Z');
    desk = await openDesk({ clock, reversalMs: 86_400_000 }, clock);
    web = await openWeb(SCHEDULES, desk);
    browser = await openBrowser();
    tab = await openTab(browser);
    tab.page.setDefaultTimeout(15_000);
    await comeIn(tab, web, 'Marie Ngo', 'checker', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function drop(path: string, ...lines: readonly string[]): Promise<void> {
    const at = join(desk.workspace, 'inbox', path);
    await mkdir(join(at, '..'), { recursive: true });
    await writeFile(at, `${[HEADER, ...lines].join('\n')}\n`);
  }

  it('shows what waits for its time', async () => {
    await drop('salaries/november.csv', line('N-1', '100'));
    await drop('rent/offices.csv', magic('R-1', '0100001'), line('R-2', '200'));
    await tab.page.goto(`${web.url}/schedules`);
    const waiting = /november.*offices|offices.*november/;
    await until(web, '/api/v1/schedules', ({ data }) => waiting.test(JSON.stringify(data)));
    for (const name of ['november.csv', 'offices.csv'])
      await tab.page.getByRole('row', { name: new RegExp(`${name}.*scheduled`) }).waitFor();
    await tab.page.getByText('the same file each time').waitFor();
    await tab.page.getByText('Sat, Nov 28, 9:00 AM').first().waitFor();
    expect(await obstacles(tab)).toEqual([]);
  });

  it('pays the one that stands there, and asks about the one that was missed', async () => {
    const { page } = tab;
    await web.stop();
    clock.goTo('2026-11-30T12:00:00Z');
    web = await openWeb(SCHEDULES, desk);
    // Nobody's session lasts for days.
    await page.goto(`${web.url}/`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    const missed = page.locator('.tasks li').filter({ hasText: 'november.csv' });
    await missed.filter({ hasText: 'that time was missed' }).waitFor();
    expect(await missed.innerText()).not.toContain('paydrop');
    await missed.getByRole('link').click();
    await page.getByRole('button', { name: 'Let it be paid' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('agreed with all');
    expect(await obstacles(tab)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Let it be paid' }).click();
    await page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();
    await page.goto(`${web.url}/schedules`);
    // The next one of the series waits already.
    await page.getByRole('row', { name: /offices\.csv.*scheduled/ }).waitFor();
    await page.goto(`${web.url}/files`);
    await page.getByRole('row', { name: /offices\.csv.*done/ }).waitFor();
  });

  it('tells what was reversed after the file was closed', async () => {
    const { page } = tab;
    await page
      .getByRole('row', { name: /offices\.csv.*done/ })
      .getByRole('link', { name: 'offices.csv' })
      .click();
    await page.getByRole('main').getByRole('link', { name: 'Reports' }).click();
    await page.getByRole('row', { name: /Result / }).waitFor();
    const first = await page.getByRole('row').count();
    clock.goTo('2026-12-02T12:00:00Z');
    // The session has ended meanwhile. Signing in leads back to the same screen.
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    const [, batch = ''] = /files\/([^?]+)/.exec(page.url()) ?? [];
    await until(web, `/api/v1/files/${batch}/answers`, ({ data }) =>
      JSON.stringify(data).includes('result-2'),
    );
    await page.getByRole('row', { name: /Result 2/ }).waitFor();
    expect(await page.getByRole('row').count()).toBeGreaterThan(first);
    await page.getByRole('main').getByRole('link', { name: 'Rows', exact: true }).click();
    await page.getByText('reversed after payout').waitFor();
    expect(tab.faults).toEqual([]);
  });
});
