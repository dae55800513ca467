// What the page shows while the way to its server is broken: the server is killed while a file is paid and seven tabs watch it, or a proxy holds the stream of
// events back. It says so, goes on by itself, and shows in the end what the ledger has.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';

import { summarize } from '../../src/results/summary.ts';
import { HEADER, lineTo, openDesk } from '../app/desk.ts';
import { comeIn, hasBrowser, openBrowser, openTab } from '../page/with-browser.ts';
import { live } from './with-process.ts';
import { openWeb, order, sent } from './with-web.ts';

const LONG_MS = 200_000;
const WAIT_MS = 60_000;
const ROWS = 300;
const TABS = 7;
const RECONNECTING_WITHIN_MS = 5_000;

it.skipIf(!hasBrowser)(
  'seven tabs outlive a server that is killed in mid-run',
  { timeout: LONG_MS },
  async () => {
    const desk = await openDesk({ latencyMs: 120 });
    const { config } = await desk.open();
    await desk.shut();
    const first = await live(desk);
    const browser = await openBrowser();
    try {
      const tab = await openTab(browser);
      await comeIn(tab, { paydrop: { config }, url: first.url }, 'Armand Mbarga', 'maker');
      tab.page.context().setDefaultTimeout(WAIT_MS);
      const pages: Page[] = [tab.page];
      while (pages.length < TABS) pages.push(await tab.page.context().newPage());
      await tab.page.goto(`${first.url}/drop`);
      const lines = Array.from({ length: ROWS }, (_, at) =>
        lineTo(`k${String(at)}`, `K-${String(at)}`, '100'),
      );
      await tab.page.locator('.dropzone input[type=file]').setInputFiles([
        {
          name: 'killed.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(`${[HEADER, ...lines].join('\n')}\n`),
        },
      ]);
      await tab.page.getByRole('link', { name: 'What will it cost?' }).click();
      await tab.page.getByRole('button', { name: /Submit \d+ payments/ }).click();
      await tab.page.waitForURL(/\/files\/\d{8}-/);
      for (const page of pages.slice(1)) await page.goto(`${first.url}/files`);
      const isLive = (page: Page, state: string): Promise<void> => page.locator(`.live.${state}`).waitFor();
      await Promise.all(pages.map((page) => isLive(page, 'live')));
      // Some are paid, and most are not.
      await tab.page
        .locator('main .tag')
        .filter({ hasText: /^✓ paid/ })
        .first()
        .waitFor();
      first.child.kill('SIGKILL');
      await first.ended;
      const killedAt = performance.now();
      await Promise.all(pages.map((page) => isLive(page, 'reconnecting')));
      expect(performance.now() - killedAt).toBeLessThan(RECONNECTING_WITHIN_MS);
      const second = await live(desk, '', new URL(first.url).host.replace('localhost', '127.0.0.1'));
      try {
        await Promise.all(pages.map((page) => isLive(page, 'live')));
        await Promise.all(
          pages.map((page) => page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor()),
        );
        await tab.page.getByText(`Paid ${String(ROWS)}`).waitFor({ state: 'attached' });
        const shown = await pages[1]?.getByRole('row', { name: /killed\.csv/ }).innerText();
        expect(shown).toContain(String(ROWS));
        expect(tab.faults).toEqual([]);
      } finally {
        second.child.kill('SIGTERM');
        await second.ended;
      }
      const again = await desk.open();
      const [batch] = await again.ledger.batches();
      if (batch === undefined) throw new Error('The file is not there.');
      const { outcomes, totals } = await summarize(again.ledger, batch);
      expect(outcomes.paid).toBe(ROWS);
      // The service's own books have each of them once.
      const books = desk.sandbox.books().find(({ currency }) => currency === 'XAF');
      expect(totals.map(({ debited }) => debited)).toEqual([books?.debitedAmount]);
    } finally {
      await browser.close();
      first.child.kill('SIGKILL');
      await desk.close();
    }
  },
);

/** Passes everything on but what the stream of events says, as a proxy does that waits for the end of a response. */
function holdingProxy(holds = { now: true }): Server & { port?: number } {
  const proxy: Server & { port?: number } = createServer((asked, answer) => {
    const { url: path = '/', method = 'GET', headers } = asked;
    const passed = request({ host: '127.0.0.1', port: proxy.port, path, method, headers }, (response) => {
      if (path !== '/api/v1/events') {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
        return;
      }
      // What was held back once says nothing any more.
      let isHeld = holds.now;
      if (!isHeld) answer.writeHead(response.statusCode ?? 502, response.headers);
      response.on('data', (chunk: Buffer) => {
        isHeld ||= holds.now;
        if (!isHeld) answer.write(chunk);
      });
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => {
      if (path === '/api/v1/events') passed.destroy();
    });
    asked.pipe(passed);
  });
  return proxy;
}

it.skipIf(!hasBrowser)(
  'behind a proxy that holds the stream back the page says so, and looks every five seconds',
  { timeout: LONG_MS },
  async () => {
    const proxy = holdingProxy();
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', () => resolve()));
    const url = `http://localhost:${String((proxy.address() as AddressInfo).port)}`;
    const web = await openWeb('', undefined, '', null, `, behindProxy: true, publicUrl: "${url}"`);
    proxy.port = Number(new URL(web.url).port);
    const browser = await openBrowser();
    try {
      const tab = await openTab(browser);
      tab.page.context().setDefaultTimeout(WAIT_MS);
      await comeIn(tab, { paydrop: web.paydrop, url }, 'Armand Mbarga', 'maker');
      await tab.page.goto(`${url}/files`);
      await tab.page.locator('.live.polling').waitFor();
      // What another browser brings appears all the same.
      const other = await openTab(browser);
      other.page.context().setDefaultTimeout(WAIT_MS);
      await comeIn(other, { paydrop: web.paydrop, url }, 'Marie Ngo', 'maker');
      await other.page.goto(`${url}/drop`);
      const buffer = Buffer.from(`${[HEADER, lineTo('proxy', 'P-1', '100')].join('\n')}\n`);
      await other.page
        .locator('.dropzone input[type=file]')
        .setInputFiles([{ name: 'proxy.csv', mimeType: 'text/csv', buffer }]);
      await other.page.getByRole('link', { name: 'What will it cost?' }).click();
      await other.page.getByRole('button', { name: 'Submit 1 payment' }).click();
      await tab.page
        .getByText(/1 new file · show|proxy\.csv/)
        .first()
        .waitFor();
      expect([...tab.faults, ...other.faults]).toEqual([]);
    } finally {
      await browser.close();
      await web.close();
      proxy.closeAllConnections();
      proxy.close();
    }
  },
);

it.skipIf(!hasBrowser)(
  'a laptop that was asleep for ten minutes shows what has happened meanwhile',
  { timeout: LONG_MS },
  async () => {
    const asleep = { now: false };
    const proxy = holdingProxy(asleep);
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', () => resolve()));
    const url = `http://localhost:${String((proxy.address() as AddressInfo).port)}`;
    const web = await openWeb('', undefined, '', null, `, behindProxy: true, publicUrl: "${url}"`);
    proxy.port = Number(new URL(web.url).port);
    const browser = await openBrowser();
    try {
      const tab = await openTab(browser);
      tab.page.context().setDefaultTimeout(WAIT_MS);
      await tab.page.clock.install();
      await comeIn(tab, { paydrop: web.paydrop, url }, 'Armand Mbarga', 'maker');
      await tab.page.goto(`${url}/files`);
      await tab.page.locator('.live.live').waitFor();
      asleep.now = true;
      // Nothing on it goes on: a page that is awake and hears nothing looks by itself.
      const sleepsAt = Number(await tab.page.evaluate('Date.now()')) + 1_000;
      await tab.page.clock.pauseAt(sleepsAt);
      const authorization = `Bearer ${await web.key()}`;
      const asked = async (path: string, init: RequestInit): Promise<Record<string, unknown>> => {
        const headers = { authorization, ...(init.headers as object) };
        return (await (await fetch(`${url}/api/v1${path}`, { ...init, headers })).json()) as Record<
          string,
          unknown
        >;
      };
      const { id } = await asked(
        '/uploads',
        sent('asleep.csv', `${HEADER}\n${lineTo('asleep', 'A-1', '100')}\n`),
      );
      const { batch } = await asked(`/uploads/${String(id)}/submission`, order({}));
      while ((await asked(`/files/${String(batch)}`, {}))['state'] !== 'closed')
        await web.paydrop.clock.sleep(50);
      expect(await tab.page.getByText(/1 new file · show|asleep\.csv/).count()).toBe(0);
      asleep.now = false;
      await tab.page.clock.fastForward('10:00');
      await tab.page.clock.resume();
      await tab.page
        .getByText(/1 new file · show|asleep\.csv/)
        .first()
        .waitFor();
      await tab.page.locator('.live.live').waitFor();
      expect(tab.faults).toEqual([]);
    } finally {
      await browser.close();
      await web.close();
      proxy.closeAllConnections();
      proxy.close();
    }
  },
);
