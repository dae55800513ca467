// The main ways through the page in a stock Firefox, which differs from Chromium in how it pastes, scrolls, lays out and keeps pages: from the drop to the payment.
// Passkeys stay with Chromium: no Firefox makes one without a finger. People come in by a click, as in the demo.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { invitePeople } from '../../src/app/desk/demo.ts';
import { line, lineTo } from '../app/desk.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { Firefox, hasFirefox } from './with-firefox.ts';

const TOKEN = 'the-token-of-the-printed-address';
const ROWS = 138;
/** At the network, once it was sent. */
const FAILS_EACH = 46;
const TELEPHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

describe.skipIf(!hasFirefox)('in Firefox', () => {
  let web: Web;
  let firefox: Firefox;
  let path = '';
  beforeAll(async () => {
    const config = 'policy: { approval: required, approvalBy: name }\ntracking: { pollEvery: 1s }';
    [web, firefox] = await Promise.all([openWeb(config, undefined, '', { token: TOKEN }), Firefox.open()]);
    await invitePeople(web.paydrop.config);
  });
  afterAll(async () => {
    await firefox.close();
    await web.close();
  });

  const button = (name: string) => ({ role: 'button', name });
  const link = (name: string) => ({ role: 'link', name });
  const count = (css: string): string => `document.querySelectorAll(${JSON.stringify(css)}).length`;

  async function dropped(name: string, ...lines: readonly string[]): Promise<void> {
    await firefox.goTo(`${web.url}/drop`);
    const file = await web.desk.file(name, lines);
    await firefox.choose('.dropzone input[type=file]', [file]);
    await firefox.until('/^.drop.[0-9a-f-]{36}$/.test(location.pathname)');
    await firefox.until(`document.querySelector('[role=grid]:focus .grid-cell.current.faulty') !== null`);
  }

  /** A click in the demo turns one person into another. */
  async function become(name: string): Promise<void> {
    await firefox.click('.self > button');
    await firefox.click({ role: 'combobox', name: 'You are' });
    await firefox.type(name);
    await firefox.press('Enter');
    await firefox.until(
      `document.querySelector('.self > button')?.innerText.includes(${JSON.stringify(name)})`,
    );
    // The stream of changes is another person's now.
    await firefox.see('● live');
  }

  const typed = (...texts: readonly string[]): Promise<unknown> =>
    firefox.until(
      `[...document.querySelectorAll('.grid-cell.typed')].map((each) => each.innerText.replace(/^\\D+/, '')).join() === ${JSON.stringify(texts.join())}`,
    );

  it('somebody comes in, and sees what there is to do', async () => {
    await firefox.goTo(`${web.url}/#${TOKEN}`);
    await firefox.see('Armand Mbarga');
    await firefox.picture('door');
    await firefox.click(button('Armand Mbarga – brings files'));
    await firefox.see('Nothing waits for you.');
    await firefox.picture('home');
    expect(firefox.faults).toEqual([]);
  });

  it('faults are mended in the sheet, cell by cell and as a block, and outlive Back and a reload', async () => {
    await dropped(
      'three.csv',
      line('T-1', '1x'),
      lineTo('t2', 'T-2', '100'),
      line('T-3', '3x'),
      line('T-4', '4x'),
    );
    await firefox.picture('check');
    await firefox.type('11');
    await firefox.press('Enter');
    await typed('11');
    await firefox.until(`document.querySelector('.grid-cell.current.faulty')?.innerText.includes('3x')`);
    await firefox.evaluate(`navigator.clipboard.writeText('33\\n44\\n')`);
    await firefox.press('Control+v');
    await typed('11', '33', '44');
    await firefox.press('Control+z');
    await typed('11');
    await firefox.click('#menu a[href="/files"]');
    await firefox.until(`document.querySelector('main h1')?.innerText === 'Files'`);
    await firefox.goBack();
    await typed('11');
    await firefox.reload();
    await typed('11');
    expect(firefox.faults).toEqual([]);
  });

  it('a file is sent, approved by somebody else, and what becomes of its rows comes by itself', async () => {
    const rows = Array.from({ length: ROWS }, (_, at) =>
      at % FAILS_EACH === 0
        ? line(`R-${String(at)}`, String(200 + at)).replace('8613800138000', '8613800100002')
        : lineTo(`r${String(at)}`, `R-${String(at)}`, '100'),
    );
    await firefox.goTo(`${web.url}/drop`);
    await firefox.choose('.dropzone input[type=file]', [await web.desk.file('long.csv', rows)]);
    await firefox.click(link('What will it cost?'));
    await firefox.see('Prices as of');
    await firefox.picture('cost');
    await firefox.click(button(`Submit ${String(ROWS)} payments`));
    await firefox.until('location.pathname.startsWith("/files/")');
    path = await firefox.evaluate<string>('location.pathname');
    await firefox.see('waits for approval');
    await firefox.picture('waits');
    await become('Marie Ngo');
    await firefox.click('#menu a[href="/approvals"]');
    await firefox.click(link('long.csv'));
    await firefox.find(button('Approve'));
    await firefox.picture('approval');
    await firefox.click(button('Approve'));
    await firefox.click('#menu a[href="/files"]');
    await firefox.click(link('long.csv'));
    // Nothing is loaded again by hand.
    await firefox.until(`document.querySelector('main .tag')?.innerText.includes('done')`);
    await firefox.picture('paid');
    expect(firefox.faults).toEqual([]);
  });

  it('its rows are filtered by the bar, shown on, and open beside the list', async () => {
    const shown = count('main .table tbody tr');
    await firefox.until(`${shown} === 100`);
    await firefox.click(button('Show more'));
    await firefox.until(`${shown} === ${String(ROWS)}`);
    await firefox.click('.stacked span[title^="Failed"]');
    await firefox.until(
      `location.search.includes('outcome=failed') && ${shown} === ${String(ROWS / FAILS_EACH)}`,
    );
    await firefox.click('main .table tbody a');
    await firefox.see('Transfer at the service');
    // Never a field that happened to be there first: on a telephone its keyboard would cover the row.
    expect(await firefox.evaluate('document.activeElement?.tagName')).toBe('DIALOG');
    for (const size of [DESK, TELEPHONE]) {
      await firefox.resize(size);
      await firefox.picture('drawer');
      expect(await firefox.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
    }
    await firefox.resize(DESK);
    await firefox.reload();
    await firefox.see('Transfer at the service');
    await firefox.press('Escape');
    await firefox.until(`${count('dialog[open], [role=dialog]')} === 0 && !location.search.includes('row=')`);
    expect(firefox.faults).toEqual([]);
  });

  it('a payment is found by keys alone', async () => {
    await firefox.goTo(`${web.url}/files`);
    await firefox.find(link('long.csv'));
    await firefox.press('Control+k');
    await firefox.until(`document.querySelector('[role=dialog] input:focus, dialog input:focus') !== null`);
    await firefox.type('R-7');
    await firefox.see('found.');
    await firefox.picture('find');
    await firefox.press('ArrowDown', 'Enter');
    await firefox.until('location.search.includes("row=")');
    expect(firefox.faults).toEqual([]);
  });

  it('everything is stopped, and goes on', async () => {
    await firefox.goTo(`${web.url}/files`);
    await firefox.click(button('STOP'));
    await firefox.until(`document.querySelector('[role=dialog] :focus, dialog :focus') !== null`);
    await firefox.type('wrong account');
    await firefox.picture('stop');
    await firefox.click(button('Stop everything'));
    await firefox.see('Everything is stopped.');
    await firefox.picture('stopped');
    await firefox.click(button('Lift the stop'));
    await firefox.until(`document.querySelector('[role=dialog] :focus, dialog :focus') !== null`);
    await firefox.type('settled');
    await firefox.press('Enter');
    await firefox.until(`${count('.stop-banner')} === 0`);
    expect(firefox.faults).toEqual([]);
  });

  it('the language and the colours are chosen, and on a telephone nothing scrolls sideways', async () => {
    await firefox.goTo(`${web.url}/`);
    await firefox.click('.self > button');
    await firefox.picture('self');
    await firefox.click({ role: 'combobox', name: 'Colours' });
    await firefox.press('D', 'Enter');
    await firefox.until(`document.documentElement.dataset.theme === 'dark'`);
    await firefox.click({ role: 'combobox', name: 'Language' });
    await firefox.press('F', 'Enter');
    await firefox.until(`document.querySelector('main h1')?.innerText === 'À faire'`);
    expect(await firefox.evaluate('getComputedStyle(document.documentElement).color')).toBe(
      'rgb(232, 236, 234)',
    );
    await firefox.picture('dark');
    await firefox.press('Escape');
    await firefox.resize(TELEPHONE);
    const wrong: string[] = [];
    for (const screen of ['/', '/files', path, `${path}?show=answers`, '/approvals', '/money', '/settings']) {
      await firefox.goTo(`${web.url}${screen}`);
      await firefox.until(
        `document.querySelector('main h1') && !document.body.innerText.includes('Lecture …')`,
      );
      await firefox.picture(`dark${screen.replace(path, '/file').replaceAll(/\W+/g, '-')}`);
      if (await firefox.evaluate('document.documentElement.scrollWidth > innerWidth')) wrong.push(screen);
      // A word that is broken makes the bar of two lines.
      if (await firefox.evaluate(`document.querySelector('.top').offsetHeight > 60`))
        wrong.push(`top of ${screen}`);
    }
    expect(wrong).toEqual([]);
    expect(firefox.faults).toEqual([]);
  });
});
