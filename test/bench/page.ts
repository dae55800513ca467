// What the page feels like with much in it: how soon the first fault of a large file is seen, whether the server answers others meanwhile, how the
// grid scrolls, and what people who watch cost the payments. A real demo in a process of its own, a real Chromium.
//
//   node test/bench/page.ts [--rows 100000] [--most 1000000] [--pay 2000] [--viewers 5] [--files 200] [--rounds 3]
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import excel from 'exceljs';
import type { Browser, Page } from 'playwright-core';

import { systemClock } from '../../src/base/clock.ts';
import { HEADER, line, lineTo } from '../app/desk.ts';
import { openBrowser, openTab } from '../page/with-browser.ts';

/** As people run it: built, where it was built since the last change. */
const MAIN = new URL('../../src/paydrop.js', import.meta.url).pathname;
const FAULT_EVERY = 50;
const LONG_MS = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'paydrop-bench-page-'));

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    pay: { type: 'string', default: '2000' },
    viewers: { type: 'string', default: '5' },
    most: { type: 'string', default: '1000000' },
    files: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
  },
});
const figure = (name: keyof typeof values): number => Number(values[name]);
const [rows, pay, viewers, rounds] = [figure('rows'), figure('pay'), figure('viewers'), figure('rounds')];
const [most, files] = [figure('most'), figure('files')];

type Demo = { readonly child: ChildProcess; readonly url: string; readonly origin: string };

async function openDemo(): Promise<Demo> {
  const child = spawn(process.execPath, [MAIN, 'demo', '--web'], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const [found] = /http:\/\/\S+#\S+/.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('exit', () => reject(new Error(said)));
  });
  return { child, url, origin: new URL(url).origin };
}

async function comeInAs(browser: Browser, { url }: Demo, name: RegExp): Promise<Page> {
  const { page } = await openTab(browser);
  page.setDefaultTimeout(LONG_MS);
  await page.goto(url);
  await page.getByRole('button', { name }).click();
  await page.locator('main#content h1').waitFor();
  return page;
}

let filesMade = 0;

function fileOf(name: string, count: number, isFaulty: (row: number) => boolean): string {
  const path = join(folder, name);
  // No two rows to one telephone number, no two files of one amount: a row that looks paid before would wait for a person, and the bench with it.
  const amount = String(100 + (filesMade += 1));
  const lines = Array.from({ length: count }, (_, at) => {
    const text = line(`${name}-${String(at)}`, isFaulty(at) ? '12x' : amount);
    return text.replace('8613800138000', `861380${String(1_000_000 + at)}`);
  });
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`);
  return path;
}

async function workbookOf(name: string, count: number, isFaulty: (row: number) => boolean): Promise<string> {
  const path = join(folder, name);
  const book = new excel.stream.xlsx.WorkbookWriter({ filename: path });
  const sheet = book.addWorksheet('Payroll');
  for (const text of readFileSync(fileOf('sheet.csv', count, isFaulty), 'utf8')
    .trimEnd()
    .split('\n'))
    sheet.addRow(text.split(',')).commit();
  await book.commit();
  return path;
}

function share(all: readonly number[], part: number): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * part)] ?? 0;
}

/** How long others wait for an answer, asked every 20 ms until it is told to stop. */
function askMeanwhile({ origin }: Demo): () => Promise<readonly number[]> {
  const took: number[] = [];
  const end = new AbortController();
  const asking = (async () => {
    while (!end.signal.aborted) {
      const begun = performance.now();
      await fetch(`${origin}/api/v1/session`).then((response) => response.text());
      took.push(performance.now() - begun);
      await systemClock.sleep(20, end.signal);
    }
  })();
  return async () => {
    end.abort();
    await asking;
    return took;
  };
}

/** What is seen of the first screen, and what of it was sent: the page, scripts and styles, compressed. */
async function firstScreen(browser: Browser, demo: Demo): Promise<object> {
  const page = await comeInAs(browser, demo, /Armand/);
  await page.goto(`${demo.origin}/`);
  await page.locator('main h2').first().waitFor();
  const seen = await page.evaluate<{ lcpMs: number; bytes: number }>(FIRST);
  await page.context().close();
  return { lcpMs: seen.lcpMs, firstBytes: seen.bytes };
}

const FIRST = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const sent = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/api/'));
    resolve({
      lcpMs: list.getEntries().at(-1).startTime,
      bytes: sent.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    });
  }).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

/** Asked by the page itself, as its screens ask; in ms. */
async function asked(page: Page, path: string, times = 20): Promise<readonly number[]> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1)
    took.push(
      await page.evaluate<number>(
        `(async () => { const begun = performance.now(); await (await fetch('/api/v1${path}', { headers: { 'x-background': '1' } })).text(); return performance.now() - begun; })()`,
      ),
    );
  return took;
}

/** How soon the front page answers beside so many files, and the largest that was checked among them. */
async function many(browser: Browser, demo: Demo, round: number, large: string | null): Promise<object> {
  const page = await comeInAs(browser, demo, /Armand/);
  for (let at = 0; at < files; at += 1) {
    const reference = `many-${String(round)}-${String(at)}`;
    const text = [HEADER, lineTo(reference, reference, '100')].join('\\n');
    await page.evaluate(`(async () => {
      const sent = await fetch('/api/v1/uploads', { method: 'POST', body: '${text}', headers: { 'x-file-name': '${reference}.csv' } });
      const { id } = await sent.json();
      await fetch('/api/v1/uploads/' + id + '/submission', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    })()`);
  }
  if (large !== null)
    await page.evaluate(
      `fetch('/api/v1/uploads/${large}/submission', { method: 'POST', body: '{"skipRows":true}', headers: { 'content-type': 'application/json' } })`,
    );
  const took = new Map<string, number>();
  for (const path of FRONT) took.set(path, share(await asked(page, path), 0.95));
  await page.context().close();
  return { frontP95: Object.fromEntries(took) };
}

/** What the front page asks for. */
const FRONT = [
  ...['/files?limit=8', '/files?state=open&limit=200', '/approvals?state=waiting', '/held', '/stop'],
  '/balances',
];

async function check(demo: Demo, page: Page, path: string) {
  await page.goto(`${demo.origin}/drop`);
  const input = page.locator('.dropzone input[type=file]');
  await input.waitFor({ state: 'attached' });
  const stop = askMeanwhile(demo);
  const begun = performance.now();
  await input.setInputFiles(path);
  await page.locator('.grid-cell.faulty').first().waitFor();
  const firstFaultMs = performance.now() - begun;
  await page.getByText(/rows are to be fixed/).waitFor();
  const wholeMs = performance.now() - begun;
  const took = await stop();
  const id = page.url().slice(-36);
  const reads = await Promise.all([
    asked(page, `/uploads/${id}/rows?at=${String(Math.floor(rows / 2))}&limit=100`),
    asked(page, `/uploads/${id}/rows?faulty=true&at=0&limit=100`),
    asked(page, `/uploads/${id}/faults?limit=100`),
  ]);
  return {
    ...{ id, firstFaultMs, wholeMs, readP95: share(reads.flat(), 0.95) },
    ...{ otherP50: share(took, 0.5), otherP99: share(took, 0.99), otherMax: Math.max(...took) },
  };
}

/** Two seconds of scrolling, a screen's height a frame. */
const SCROLL = `new Promise((resolve) => {
  const grid = document.querySelector('.grid');
  const frames = [];
  let last = performance.now();
  const begun = last;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    grid.scrollTop += 400;
    if (now - begun < 2000) requestAnimationFrame(step);
    else resolve({ frames, nodes: document.querySelectorAll('*').length, heap: performance.memory.usedJSHeapSize });
  };
  requestAnimationFrame(step);
})`;

async function scroll(page: Page): Promise<object> {
  const { frames, nodes, heap } = await page.evaluate<{ frames: number[]; nodes: number; heap: number }>(
    SCROLL,
  );
  return {
    frameP95: share(frames, 0.95),
    frames: frames.length,
    nodes,
    heapMB: Math.round(heap / 1_000_000),
  };
}

type Paid = {
  readonly perSecond: number;
  readonly otherP99: number;
  readonly listP95: number;
  readonly seenP95: number;
};

/** Rows a second from the approval to the end, and how long others wait meanwhile; then how soon lists of the paid file answer. */
async function paid(demo: Demo, browser: Browser, watchers: number, round: string): Promise<Paid> {
  const name = `pay-${String(watchers)}-${round}.csv`;
  const maker = await comeInAs(browser, demo, /Armand/);
  await maker.goto(`${demo.origin}/drop`);
  await maker.locator('.dropzone input[type=file]').setInputFiles(fileOf(name, pay, () => false));
  await maker.getByRole('link', { name: /What will it cost/ }).click();
  await maker.getByRole('button', { name: /Submit/ }).click();
  await maker.locator('main .tag').filter({ hasText: 'waits for approval' }).first().waitFor();
  const batch = maker.url().split('/').at(-1) ?? '';
  const open: Page[] = [];
  for (let viewer = 0; viewer < watchers; viewer += 1) {
    const tab = await comeInAs(browser, demo, /Armand/);
    await tab.goto(`${demo.origin}/files/${batch}`);
    open.push(tab);
  }
  const checker = await comeInAs(browser, demo, /Marie/);
  await checker.goto(`${demo.origin}/approvals/${batch}`);
  const [viewer] = open;
  const seen = viewer === undefined ? [] : await seenAfter(checker, viewer);
  const stop = askMeanwhile(demo);
  const begun = performance.now();
  await checker.getByRole('button', { name: 'Approve' }).click();
  await maker.close();
  for (;;) {
    const said = await checker.evaluate<{ outcomes: Record<string, number> }>(
      `fetch('/api/v1/files/${batch}', { headers: { 'x-background': '1' } }).then((response) => response.json())`,
    );
    if ((said.outcomes['paid'] ?? 0) >= pay) break;
    if (performance.now() - begun > LONG_MS) throw new Error(`Only ${JSON.stringify(said.outcomes)}.`);
    await systemClock.sleep(50);
  }
  const perSecond = (pay / (performance.now() - begun)) * 1_000;
  const took = await stop();
  const lists = ['outcome=paid', `find=${name}7`, 'code=new_account', 'limit=200'];
  const reads = await Promise.all(lists.map((each) => asked(checker, `/files/${batch}/rows?${each}`, 10)));
  for (const tab of [...open, checker]) await tab.context().close();
  return {
    perSecond,
    otherP99: share(took, 0.99),
    listP95: share(reads.flat(), 0.95),
    seenP95: share(seen, 0.95),
  };
}

const TURNS = 20;
const SEEN_WITHIN_MS = 10_000;

/** How long it takes from one person's stop until the screen of another shows it. Infinity where it was not seen. */
async function seenAfter(checker: Page, viewer: Page): Promise<readonly number[]> {
  const took: number[] = [];
  const order = (method: string, reason: string): Promise<unknown> =>
    checker.evaluate(
      `fetch('/api/v1/stop', { method: '${method}', body: '{"reason":"${reason}"}', headers: { 'content-type': 'application/json' } }).then((response) => response.status)`,
    );
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const reason = `turn ${String(turn)}.`;
    const banner = viewer.locator('.stop-banner', { hasText: reason });
    const shown = banner.waitFor({ timeout: SEEN_WITHIN_MS }).then(
      () => performance.now(),
      () => Infinity,
    );
    const begun = performance.now();
    await order('PUT', reason);
    took.push((await shown) - begun);
    await order('DELETE', 'settled');
  }
  return took;
}

/** By turns, so that what a machine does besides falls on both alike; the first of all has a cold process. */
async function byTurns(demo: Demo, browser: Browser, round: number): Promise<object> {
  if (pay === 0) return {};
  await paid(demo, browser, 0, `${String(round)}-warm`);
  const without: Paid[] = [];
  const watched: Paid[] = [];
  for (const turn of ['a', 'b']) {
    without.push(await paid(demo, browser, 0, `${String(round)}-${turn}`));
    watched.push(await paid(demo, browser, viewers, `${String(round)}-${turn}`));
  }
  const sum = (all: readonly Paid[]): number => all.reduce((total, { perSecond }) => total + perSecond, 0);
  const worst = (name: keyof Paid): number => Math.max(...watched.map((each) => each[name]));
  return {
    rowsPerSecond: {
      without: without.map((each) => each.perSecond),
      watched: watched.map((each) => each.perSecond),
    },
    ...{ watchedPercent: (100 * sum(watched)) / sum(without), watchedOtherP99: worst('otherP99') },
    ...{ listP95: worst('listP95'), eventToScreenP95: worst('seenP95') },
  };
}

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : value;

const browser = await openBrowser();
for (let round = 1; round <= rounds; round += 1) {
  const demo = await openDemo();
  try {
    const page = await comeInAs(browser, demo, /Armand/);
    const isFaulty = (row: number): boolean => row % FAULT_EVERY === FAULT_EVERY - 1;
    const first = await firstScreen(browser, demo);
    const checked = await check(demo, page, fileOf('large.csv', rows, isFaulty));
    const scrolled = await scroll(page);
    const workbook = await check(demo, page, await workbookOf('large.xlsx', rows, isFaulty));
    const largest = most === 0 ? null : await check(demo, page, fileOf('largest.csv', most, isFaulty));
    const scrolledLargest = most === 0 ? null : await scroll(page);
    await page.context().close();
    const turns = await byTurns(demo, browser, round);
    const beside = files === 0 ? {} : await many(browser, demo, round, largest?.id ?? null);
    const load = loadavg()[0];
    process.stdout.write(
      `${JSON.stringify({ round, load, ...first, csv: { rows, ...checked, ...scrolled }, workbook, largest: { most, ...largest, ...scrolledLargest }, ...turns, ...beside }, rounded)}\n`,
    );
  } finally {
    demo.child.kill('SIGTERM');
  }
}
await browser.close();
