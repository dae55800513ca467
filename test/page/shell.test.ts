// The page as it is served: its size, its policy, the frame of its screens, and that it stays live when the server goes away and comes back.
import { gzipSync } from 'node:zlib';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Language, LANGUAGES } from '../../src/contract/words.ts';
import { columnWords } from '../../src/page/words/columns.ts';
import { en, type Sentence } from '../../src/page/words/en.ts';
import { es } from '../../src/page/words/es.ts';
import { fr } from '../../src/page/words/fr.ts';
import { bundlePage } from '../../src/web/serve-page.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, openBrowser, openTab, type Tab, withPasskeys } from './with-browser.ts';

let web: Web;
beforeAll(async () => {
  web = await openWeb();
});
afterAll(() => web.close());

type PageWords = Readonly<Record<string, Sentence>>;

const HTML = { key: null, headers: { accept: 'text/html' } } as const;
/** Adds up what moves without anybody's doing, as Cumulative Layout Shift does. */
const JUMPS = `window.jumped = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.jumped += value;
}).observe({ type: 'layout-shift', buffered: true });`;
const JUMP_MOST = 0.02;
const FIRST_SCREEN_GZIP_MAX = 45_260;

describe('the page as files', () => {
  it('is answered at the address of every screen, and not where something else is meant', async () => {
    for (const path of ['/', '/files', '/files/20261120-3f9a2c11', '/setup']) {
      const response = await web.ask(path, HTML);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(await response.text()).toContain('<div id="page">');
    }
    for (const path of ['/api/v1/nothing', '/assets/nothing.js', '/problems/nothing/at/all'])
      expect((await web.ask(path, HTML)).status).toBe(404);
    expect((await web.ask('/files', { key: null })).status).toBe(404);
  });

  it('leads from a number to the name that passkeys need', async () => {
    const url = `${web.url.replace('localhost', '127.0.0.1')}/held?code=new_account`;
    const response = await fetch(url, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      `${web.url}/held?code=new_account`,
    ]);
  });

  it('may run and ask nothing but what lies here, and is kept only where its name changes with it', async () => {
    const page = await web.ask('/', HTML);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types notices");
    expect(policy).not.toContain('unsafe');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const script = /src="(\/assets\/main-[^"]+)"/.exec(await page.text())?.[1] ?? '';
    const asset = await web.ask(script, { key: null });
    expect(asset.headers.get('cache-control')).toContain('immutable');
    const etag = asset.headers.get('etag') ?? '';
    expect((await web.ask(script, { key: null, headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('brings the licence of each package that it is bundled from', async () => {
    const licences = await web.ask('/assets/licences.txt', { key: null });
    expect(licences.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await licences.text();
    expect(text).toMatch(/^preact \d+\.\d+\.\d+$/m);
    expect(text).toContain('Permission is hereby granted');
  });

  it('fits the budget of its first screen, and no language lacks a word of another', async () => {
    const files = await bundlePage();
    // The script with all that it imports, the largest language, the style and the page itself: other chunks come with the screens that need them.
    const all = files ?? new Map<string, string>();
    const sizeOf = (name: string) => gzipSync(all.get(name) ?? '').byteLength;
    const languages = [...all.keys()].filter((name) => /^(?:en|fr|es)[-.]/.test(name));
    const names = new Set([
      ...[...all.keys()].filter((name) => /^(?:main|style|index)[-.]/.test(name)),
      ...languages.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, 1),
    ]);
    expect(languages).toHaveLength(LANGUAGES.length);
    for (const name of names)
      for (const [, imported = ''] of (all.get(name) ?? '').matchAll(/(?:from|import) ?"\.\/([^"]+)"/g))
        names.add(imported);
    const first = [...all.keys()].filter((name) => names.has(name));
    const bytes = first.reduce((sum, name) => sum + sizeOf(name), 0);
    expect(languages.filter((name) => names.has(name))).toHaveLength(1);
    expect(first.length).toBeGreaterThanOrEqual(4);
    expect(bytes).toBeLessThanOrEqual(FIRST_SCREEN_GZIP_MAX);
    const holes = (said: string | readonly string[]) =>
      [
        ...[said]
          .flat()
          .join(' ')
          .matchAll(/\{(\w+)\}/g),
      ].map(([hole]) => hole);
    for (const words of [{ en, fr, es }, columnWords] as readonly Readonly<Record<Language, PageWords>>[])
      for (const other of [words.fr, words.es]) {
        expect(Object.keys(other)).toEqual(Object.keys(words.en));
        for (const [key, said] of Object.entries(words.en))
          expect([key, new Set(holes(other[key] ?? ''))]).toEqual([key, new Set(holes(said))]);
      }
  });

  it('has the words that a screen brings with it in that screen alone', async () => {
    const files = (await bundlePage()) ?? new Map<string, string>();
    const [some = ''] = Object.values(columnWords.en);
    const keys = Object.keys(columnWords.en);
    const naming = [...files].filter(([, text]) => keys.some((key) => text.includes(`"${key}"`)));
    expect(naming.map(([name, text]) => [name.split('-')[0], text.includes(String(some))])).toEqual([
      ['columns', true],
    ]);
  });
});

describe.skipIf(!hasBrowser)('the frame', () => {
  let browser: Browser;
  let tab: Tab;
  beforeAll(async () => {
    browser = await openBrowser();
    tab = await openTab(browser);
  });
  afterAll(() => browser.close());

  it('asks who is there, breaks no policy, and has words for a server that does not answer', async () => {
    const { page, faults } = tab;
    await page.route('**/api/v1/session', (route) => route.abort());
    await page.goto(web.url);
    await page.getByText('paydrop does not answer').waitFor();
    expect(faults).toEqual([]);
  });

  it('makes the first person by the link that is printed, under the name that was typed', async () => {
    const first = await openTab(browser);
    try {
      const { page } = first;
      await withPasskeys(page);
      await page.goto(web.setUpUrl ?? '');
      await page.getByLabel(en['door.yourName']).fill('Aline Admin');
      await page.locator('form button[type=submit]').click();
      await page.locator('main#content h1').waitFor();
      const session = await page.evaluate<string>("fetch('/api/v1/session').then((it) => it.text())");
      expect(JSON.parse(session)).toMatchObject({ person: { name: 'Aline Admin', roles: ['admin'] } });
      // As when it left with the cookie that a signature has just changed.
      let refused = 0;
      await page.route(
        '**/api/v1/files?*',
        async (route) => {
          refused += 1;
          const cookie = '__Host-paydrop=the-one-before';
          await route.fulfill({
            response: await route.fetch({ headers: { ...route.request().headers(), cookie } }),
          });
        },
        { times: 1 },
      );
      await page.goto(`${web.url}/files`);
      await page.getByText(en['files.none']).waitFor();
      expect([refused, await page.locator('.door').count()]).toEqual([1, 0]);
      expect(first.faults).toEqual([]);
    } finally {
      await first.close();
    }
  });

  it.each([
    ['/', 'Joe Tchoua'],
    ['/money', 'Marie Ngo'],
    ['/approvals', 'Armand Mbarga'],
    ['/files', 'Paul Essomba'],
  ])('reads each address once at %s, and what is shown does not jump', async (screen, name) => {
    const other = await openTab(browser);
    try {
      const { page } = other;
      await comeIn(other, web, name, 'maker', 'treasurer');
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url());
        if (pathname.startsWith('/api/')) asked.push(`${request.method()} ${pathname}${search}`);
      });
      await page.addInitScript(JUMPS);
      // The other screens are fetched once this one has been quiet for seconds.
      const quiet = page.waitForRequest(/\/assets\/audit-/);
      await page.goto(`${web.url}${screen}`);
      await page.locator('main#content h1').waitFor();
      await quiet;
      expect(asked.filter((each, at) => asked.indexOf(each) !== at)).toEqual([]);
      expect(asked.length).toBeGreaterThan(3);
      expect(await page.evaluate<number>('window.jumped')).toBeLessThan(JUMP_MOST);
    } finally {
      await other.close();
    }
  });

  it('prints dark on white, whatever the reader has chosen for the screen', async () => {
    const { page } = tab;
    const ink = () => page.evaluate<string>('getComputedStyle(document.documentElement).color');
    const onPaper: string[] = [];
    for (const theme of ['light', 'dark'])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        await page.emulateMedia({ media: 'print', colorScheme });
        onPaper.push(await ink());
      }
    expect(new Set(onPaper)).toEqual(new Set(['rgb(26, 33, 31)']));
    await page.emulateMedia({ media: 'screen' });
    expect(await ink()).toBe('rgb(232, 236, 234)');
  });
});
