// Every screen with the keyboard alone, and a payment from the drop to its result by two people who have no mouse: each control is reached, what has the focus
// is seen, is large enough, and is never hidden under the frame.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, openBrowser, openTab, type Tab } from './with-browser.ts';

const WALKS_MOST = 10;
const TABS_MOST = 150;

/** What has the focus, as its place among the controls of the screen, and what is wrong with it. A link in a line of text is as high as the line. */
const LOOK = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  const [box = at.getBoundingClientRect()] = at.getClientRects();
  const { outlineStyle, display } = getComputedStyle(at);
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, 20) / 2);
  const isSmall = display !== 'inline' && at.type !== 'checkbox' && (box.height < 24 || box.width < 24);
  const faults = [
    outlineStyle === 'none' ? 'not seen' : '',
    isSmall ? 'small: ' + box.width + ' x ' + box.height : '',
    hit !== null && (at.contains(hit) || hit.contains(at)) ? '' : 'hidden',
  ].filter((fault) => fault !== '');
  const name = at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 40);
  return { number: [...document.querySelectorAll('*')].indexOf(at), isMain: at.closest('main') !== null, name, faults };
})()`;

type Look = {
  readonly number: number;
  readonly isMain: boolean;
  readonly name: string;
  readonly faults: readonly string[];
};

const CONTROLS = `[...document.querySelectorAll('main :is(a[href], button, input, select, summary, [tabindex="0"])')]
  .filter((each) => each.checkVisibility() && !each.hidden).length`;

/** Counts what comes and goes on the page from now on. */
const WATCH = `(() => {
  window.changes = 0;
  new MutationObserver((list) => (window.changes += list.length)).observe(document.body, { childList: true, subtree: true });
})()`;

/** Before the browser has painted once. */
const FOLLOW_AT_ONCE = `if (location.search === '?at-once') {
  const watch = new MutationObserver(() => {
    const link = document.querySelector('nav a[href="/people"]');
    if (link === null) return;
    watch.disconnect();
    link.click();
  });
  watch.observe(document, { childList: true, subtree: true });
}`;

/** Gives what is wrong. What has just been read may come in during a walk: then the walk says nothing, and another one follows. */
async function walked(page: Page): Promise<readonly string[]> {
  for (let walks = 0; walks < WALKS_MOST; walks += 1) {
    await page.evaluate(WATCH);
    const faults = await walkedOnce(page);
    if ((await page.evaluate('window.changes')) === 0) return faults;
  }
  return ['The page does not stand still.'];
}

/** By Tab alone, from the first control to the last. */
async function walkedOnce(page: Page): Promise<readonly string[]> {
  const seen = new Map<number, Look>();
  let last = -1;
  await page.evaluate('document.activeElement?.blur()');
  for (let tabs = 0; tabs < TABS_MOST; tabs += 1) {
    await page.keyboard.press('Tab');
    const look = await page.evaluate<Look | null>(LOOK);
    // A day has several parts, each with a stop of its own, and the browser shows those behind the first one.
    if (look === null || (look.number !== last && seen.has(look.number))) break;
    last = look.number;
    if (!seen.has(look.number)) seen.set(look.number, look);
  }
  const faults = [...seen.values()].flatMap(({ name, faults: of }) => of.map((fault) => `${name}: ${fault}`));
  const reached = [...seen.values()].filter(({ isMain }) => isMain).length;
  const controls = await page.evaluate<number>(CONTROLS);
  return reached === controls ? faults : [...faults, `${String(reached)} of ${String(controls)} are reached`];
}

async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let tabs = 0; tabs < TABS_MOST; tabs += 1) {
    await page.keyboard.press('Tab');
    if ((await wanted.and(page.locator(':focus')).count()) > 0) return;
  }
  throw new Error('It is not reached by keyboard.');
}

/** A control that still waits for what belongs to it can be reached and does nothing, as everybody sees. */
async function press(page: Page, wanted: Locator): Promise<void> {
  await tabTo(page, wanted);
  await wanted.and(page.locator(':focus:not([aria-disabled])')).waitFor();
  await page.keyboard.press('Enter');
}

const SCREENS = [
  ...['To do', 'Drop a file', 'Files', 'Approvals', 'Held', 'Money'],
  ...['Schedules', 'Reconcile', 'People', 'Audit', 'Settings'],
];

describe.skipIf(!hasBrowser)('without a mouse', () => {
  let web: Web;
  let browser: Browser;
  let armand: Tab;
  let marie: Tab;
  const inside: string[] = [];
  beforeAll(async () => {
    web = await openWeb('policy: { approval: required }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [armand, marie] = await Promise.all([openTab(browser), openTab(browser)]);
    await comeIn(armand, web, 'Armand Mbarga', 'maker', 'admin');
    await comeIn(marie, web, 'Marie Ngo', 'treasurer', 'auditor');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  it('a file is dropped, submitted, approved by somebody else, and its result taken', async () => {
    const { page } = armand;
    const chooser = page.waitForEvent('filechooser');
    await page.goto(web.url);
    await press(page, page.getByRole('navigation').getByRole('link', { name: 'Drop a file' }));
    await press(page, page.getByRole('button', { name: 'Choose files' }));
    const text = `${[HEADER, lineTo('Chen', 'K-1', '100'), lineTo('Zhou', 'K-2', '200')].join('\n')}\n`;
    await (await chooser).setFiles([{ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
    await page.getByRole('link', { name: 'What will it cost?' }).waitFor();
    inside.push(new URL(page.url()).pathname, `${new URL(page.url()).pathname}/columns`);
    await press(page, page.getByRole('link', { name: 'What will it cost?' }));
    // Nobody submits before the prices are there.
    await page.getByText('Prices as of').waitFor();
    await press(page, page.getByRole('button', { name: 'Submit 2 payments' }));
    await page.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
    const path = new URL(page.url()).pathname;
    const batch = path.split('/').at(-1) ?? '';
    inside.push(path, ...['money', 'timeline', 'answers'].map((part) => `${path}?show=${part}`));
    inside.push(`/approvals/${batch}`);

    await marie.page.goto(web.url);
    await press(marie.page, marie.page.getByRole('navigation').getByRole('link', { name: 'Approvals' }));
    await press(marie.page, marie.page.getByRole('link', { name: 'keys.csv' }));
    await press(marie.page, marie.page.getByRole('button', { name: 'Approve' }));
    await marie.page.getByText(/Signed .+ by Marie Ngo with the passkey/).waitFor();

    await page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor({ timeout: 40_000 });
    await press(page, page.getByRole('main').getByRole('link', { name: 'Reports' }));
    const download = page.waitForEvent('download');
    await press(page, page.getByRole('row', { name: /Result/ }).getByRole('link', { name: 'Download' }));
    expect((await download).suggestedFilename()).toBe(`keys.${batch}.result.csv`);
  });

  it('everything is stopped, and a dialog is left by Escape', async () => {
    const { page } = marie;
    await page.goto(web.url);
    const stop = page.getByRole('button', { name: 'STOP' });
    await press(page, stop);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await stop.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator(':focus').waitFor();
    await page.keyboard.type('wrong account');
    await page.keyboard.press('Enter');
    const lift = page.getByRole('button', { name: 'Lift the stop' });
    await press(page, lift);
    await page.getByRole('dialog').locator(':focus').waitFor();
    await page.keyboard.type('settled');
    await page.keyboard.press('Enter');
    await page.locator('.stop-banner').waitFor({ state: 'detached' });
  });

  it('a link that is followed the moment it appears leads to its screen', async () => {
    const { page } = armand;
    await page.addInitScript(FOLLOW_AT_ONCE);
    await page.goto(`${web.url}/drop/none?at-once`);
    await page.getByRole('heading', { name: 'People' }).and(page.locator(':focus')).waitFor();
  });

  it('each screen is reached from the menu, and each control of it by Tab', async () => {
    const wrong: string[] = [];
    for (const [tab, names] of [
      [armand, ['To do', 'Drop a file', 'People', 'Audit']],
      [marie, SCREENS.filter((name) => name !== 'Drop a file')],
    ] as const) {
      const { page } = tab;
      await page.goto(`${web.url}/drop/none`);
      for (const name of names) {
        await press(
          page,
          page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true }),
        );
        await page.locator('main h1:focus').waitFor();
        await page.getByText('Reading …').first().waitFor({ state: 'detached' });
        for (const fault of await walked(page)) wrong.push(`${name}: ${fault}`);
      }
    }
    for (const path of inside) {
      const { page } = path.startsWith('/drop') ? armand : marie;
      await page.goto(`${web.url}${path}`);
      await page.locator('main h1').waitFor();
      await page.getByText('Reading …').first().waitFor({ state: 'detached' });
      for (const fault of await walked(page)) wrong.push(`${path}: ${fault}`);
    }
    expect(wrong).toEqual([]);
    expect([...armand.faults, ...marie.faults]).toEqual([]);
  });
});
