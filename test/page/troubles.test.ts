// Every screen while there is nothing to show, while the service is away, while somebody else holds the ledger, and when the session has ended: each says so in
// words, nothing waits for ever, and who signs in again is where they were.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, lineTo, openDesk } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, type Tab } from './with-browser.ts';

const ROLES = ['maker', 'treasurer', 'auditor', 'admin'] as const;
const SCREENS = [
  ...['/', '/drop', '/files', '/approvals', '/held', '/answers'],
  ...['/money', '/schedules', '/reconcile', '/people', '/audit', '/settings'],
];

const FILE = {
  name: 'one.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`${HEADER}\n${lineTo('a', 'A-1', '100')}\n`),
};

describe.skipIf(!hasBrowser)('every screen', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** What each screen says went wrong, once nothing is being read any more. */
  async function troubles({ page }: Tab, { url }: Web): Promise<readonly string[]> {
    const said: string[] = [];
    for (const path of SCREENS) {
      await page.goto(`${url}${path}`);
      await page.locator('main h1').waitFor();
      await page.getByText('Reading …').first().waitFor({ state: 'detached' });
      for (const alert of await page.locator('main [role=alert]').allInnerTexts())
        said.push(`${path} ${alert}`);
    }
    return said;
  }

  describe('of a new workspace', () => {
    let web: Web;
    let tab: Tab;
    beforeAll(async () => {
      web = await openWeb();
      tab = await openTab(browser);
      await comeIn(tab, web, 'Armand Mbarga', ...ROLES);
    });
    afterAll(() => web.close());

    it('says that there is nothing yet', async () => {
      expect(await troubles(tab, web)).toEqual([]);
      expect(tab.faults).toEqual([]);
    });

    it('is read while somebody else holds the ledger', async () => {
      const held = new DatabaseSync(join(web.desk.workspace, 'ledger.sqlite'));
      held.exec('BEGIN IMMEDIATE');
      try {
        expect(await troubles(tab, web)).toEqual([]);
      } finally {
        held.exec('ROLLBACK');
        held.close();
      }
      expect(tab.faults).toEqual([]);
    });

    it('leads to the door when the session has ended, and back to where one was', async () => {
      const { page } = tab;
      for (const path of SCREENS) {
        await page.context().clearCookies();
        await page.goto(`${web.url}${path}`);
        await page.locator('.door').waitFor();
        await page.locator('.door button').first().click();
        await page.locator('main#content h1').waitFor();
        expect(new URL(page.url()).pathname).toBe(path);
      }
    });
  });

  it('goes on without the service, and says what it does not know', async () => {
    const desk = await openDesk();
    const web = await openWeb('', { ...desk, open: (text) => desk.open(text, 'nobody') });
    const tab = await openTab(browser);
    try {
      await comeIn(tab, web, 'Armand Mbarga', ...ROLES);
      const said = await troubles(tab, web);
      expect(said).toEqual([
        expect.stringMatching(/^\/money .*Nothing listens at the address of the service/),
      ]);
      // What is typed at a terminal helps nobody here.
      expect(said[0]).not.toContain('paydrop resume');
      await tab.page.goto(`${web.url}/drop`);
      await tab.page.locator('.dropzone input[type=file]').setInputFiles([FILE]);
      await tab.page.getByText('The check begins: the payout service is asked').waitFor();
      expect(await obstacles(tab)).toEqual([]);
    } finally {
      await web.close();
    }
  });
});
