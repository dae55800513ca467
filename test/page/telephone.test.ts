// A telephone held upright: the bar in which something is decided leaves the screen to what it is about, in every language, and the keyboard reaches all that it offers.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { LANGUAGES } from '../../src/contract/words.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture, type Tab } from './with-browser.ts';

const TELEPHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
/** Of the height of the screen, without the menu at its foot. */
const SHARE_MOST = 0.2;

describe.skipIf(!hasBrowser)('deciding on a telephone', () => {
  let web: Web;
  let browser: Browser;
  let maker: Tab;
  let marie: Tab;
  let joe: Tab;
  beforeAll(async () => {
    web = await openWeb('policy: { twoApproversAbove: 1 XAF, verifyAbove: 0 }\ntracking: { pollEvery: 1s }');
    browser = await openBrowser();
    [maker, marie, joe] = await Promise.all([openTab(browser), openTab(browser), openTab(browser)]);
    await comeIn(maker, web, 'Armand Mbarga', 'maker');
    await comeIn(marie, web, 'Marie Ngo', 'checker', 'treasurer');
    await comeIn(joe, web, 'Joe Tchoua', 'treasurer');
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  async function submitted(name: string, ...lines: readonly string[]): Promise<string> {
    const { page } = maker;
    await page.goto(`${web.url}/drop`);
    const buffer = Buffer.from(`${[HEADER, ...lines].join('\n')}\n`);
    await page.locator('.dropzone input[type=file]').setInputFiles([{ name, mimeType: 'text/csv', buffer }]);
    await page.getByRole('link', { name: 'What will it cost?' }).click();
    await page.getByRole('button', { name: /Submit \d+ payment/ }).click();
    await page.waitForURL(/\/files\/\d{8}-/);
    return page.url().split('/').at(-1) ?? '';
  }

  /** What the bar covers of the screen's height at most, in any language. */
  async function mostCovered({ page }: Tab, path: string, name: string): Promise<number> {
    const shares: number[] = [];
    for (const language of LANGUAGES) {
      await page.evaluate(`localStorage.setItem('paydrop.language', '${language}')`);
      await page.goto(`${web.url}${path}`);
      await page.locator('.decision .button.main:not([aria-busy])').waitFor();
      for (const size of [DESK, TELEPHONE]) {
        await page.setViewportSize(size);
        await picture({ page }, `${name}-${language}`);
      }
      const box = await page.locator('.decision').boundingBox();
      shares.push((box?.height ?? Infinity) / TELEPHONE.height);
    }
    await page.evaluate("localStorage.setItem('paydrop.language', 'en')");
    return Math.max(...shares);
  }

  async function approve({ page }: Tab, batch: string, verified = ''): Promise<void> {
    await page.goto(`${web.url}/approvals/${batch}`);
    if (verified !== '') await page.getByLabel('Verified with whom').fill(verified);
    await page.getByRole('button', { name: 'Approve' }).click();
  }

  it('leaves four fifths of the screen to the question, whatever is asked with it', async () => {
    const plain = await submitted('october.csv', lineTo('Chen', 'A-1', '100'));
    expect(await mostCovered(marie, `/approvals/${plain}`, 'first')).toBeLessThan(SHARE_MOST);
    await approve(marie, plain);
    await marie.page.getByText('A second person has to approve it.').waitFor();
    expect(await mostCovered(joe, `/approvals/${plain}`, 'second')).toBeLessThan(SHARE_MOST);
    await approve(joe, plain);
    await joe.page.getByText(/Signed .+ by Joe Tchoua/).waitFor();
    await maker.page.locator('main .tag').filter({ hasText: 'done' }).first().waitFor();

    const other = lineTo('Chen', 'A-2', '100').replace(/8613\d+/, '8613800137777');
    const changed = await submitted('november.csv', other);
    expect(await mostCovered(marie, `/approvals/${changed}`, 'verified')).toBeLessThan(SHARE_MOST);
    // However much the first wrote, the second has room.
    await approve(marie, changed, 'Chen himself, on the number of his contract. '.repeat(4).trim());
    await marie.page.getByText('A second person has to approve it.').waitFor();
    await joe.page.goto(`${web.url}/approvals/${changed}`);
    await joe.page.getByText('Chen himself, on the number of his contract.').waitFor();
    expect(await mostCovered(joe, `/approvals/${changed}`, 'verified-second')).toBeLessThan(SHARE_MOST);
  });

  it('keeps the other answers behind one button, which the keyboard opens and comes back to', async () => {
    const batch = await submitted('december.csv', lineTo('Zhou', 'A-3', '100'));
    const { page } = marie;
    await page.setViewportSize(DESK);
    await page.goto(`${web.url}/approvals/${batch}`);
    const [more, back, decline] = ['More', 'Send back', 'Decline'].map((name) =>
      page.getByRole('region', { name: 'Your answer' }).getByRole('button', { name, exact: true }),
    );
    if (more === undefined || back === undefined || decline === undefined) throw new Error('Three buttons.');
    await decline.waitFor();
    expect([await more.count(), await back.count()]).toEqual([0, 1]);
    await page.setViewportSize(TELEPHONE);
    await more.waitFor();
    expect([await back.count(), await decline.count()]).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Approve' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await decline.waitFor();
    await picture(marie, 'more');
    expect(await obstacles(marie)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Send back' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await more.and(page.locator(':focus')).waitFor();
    expect(await decline.count()).toBe(0);
    await page.keyboard.press('Enter');
    await decline.click();
    await page.getByRole('dialog').getByRole('textbox').fill('not owed');
    await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
    await page.getByText('not owed').first().waitFor();
  });

  it('lets the bar go with the text on a screen that is low', async () => {
    const batch = await submitted('sideways.csv', lineTo('Lin', 'A-4', '100'));
    const { page } = joe;
    await page.goto(`${web.url}/approvals/${batch}`);
    await page.locator('.decision .button.main').waitFor();
    for (const [{ width, height }, position] of [
      [{ width: 844, height: 390 }, 'static'],
      [TELEPHONE, 'sticky'],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await page.evaluate("getComputedStyle(document.querySelector('.decision')).position")).toBe(
        position,
      );
    }
  });

  it('leaves as much to the rows that are held', async () => {
    const twice = lineTo('twice', '', '300');
    await submitted('held.csv', twice, twice);
    await marie.page.goto(`${web.url}/held`);
    const path = await marie.page.getByRole('link', { name: 'Decide' }).getAttribute('href');
    expect(await mostCovered(marie, path ?? '', 'held')).toBeLessThan(SHARE_MOST);
    expect([...maker.faults, ...marie.faults, ...joe.faults]).toEqual([]);
  });
});
