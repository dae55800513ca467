// One person brings a file in a real browser and corrects a cell of it, another sees that, signs exactly the result with a passkey of her own, and it is paid.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser } from 'playwright-core';

import { examine } from '../../src/app/desk/doctor.ts';
import { HEADER, lineTo, transfersOf } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab } from './with-browser.ts';

const LONG_MS = 60_000;

describe.skipIf(!hasBrowser)('an approval in a browser', () => {
  let web: Web;
  let browser: Browser;
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
  }, LONG_MS);
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it(
    'is signed by somebody else, seen at once by who brought the file, and pays it',
    { timeout: LONG_MS },
    async () => {
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
      await maker.page
        .getByLabel('Row 2, destinationAmount: correct to')
        .and(maker.page.locator(':focus'))
        .waitFor();
      await maker.page.keyboard.type('100');
      await maker.page.keyboard.press('Enter');
      await maker.page.locator('.grid-cell.typed.current').filter({ hasText: '100' }).waitFor();
      expect(await obstacles(maker)).toEqual([]);
      await maker.page.getByRole('button', { name: 'Check again' }).click();
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
      await checker.page.getByRole('link', { name: 'payroll.csv' }).click();
      await checker.page.getByRole('button', { name: 'Approve' }).waitFor();
      await checker.page.getByRole('row', { name: '2 destinationAmount 10O 100' }).waitFor();
      expect(await obstacles(checker)).toEqual([]);
      await checker.page.getByRole('button', { name: 'Approve' }).click();
      await checker.page.getByText('signed by Marie Ngo').waitFor();

      await maker.page
        .locator('main .tag')
        .filter({ hasText: 'closed' })
        .first()
        .waitFor({ timeout: 30_000 });
      expect(await transfersOf(web.paydrop)).toHaveLength(2);
      expect((await examine(web.paydrop)).find(({ name }) => name === 'signatures')).toMatchObject({
        ok: true,
      });
      // What the page reads by itself keeps no session open.
      expect(asked.get('/api/v1/events')).toEqual(['1']);
      const [first, ...later] = asked.get(`/api/v1/files/${batch}`) ?? [];
      expect([first, later.length > 0, new Set(later)]).toEqual([null, true, new Set(['1'])]);
      expect([...maker.faults, ...checker.faults]).toEqual([]);
    },
  );
});
