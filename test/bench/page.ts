// What the page feels like with much in it: how soon the first fault of a large file is seen, whether the server answers others meanwhile, how the
// grid scrolls, and what people who watch cost the payments. A real demo in a process of its own, a real Chromium.
//
//   node test/bench/page.ts [--rows 100000] [--pay 2000] [--viewers 5] [--rounds 1]
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import type { Browser, Page } from 'playwright-core';

import { systemClock } from '../../src/base/clock.ts';
import { HEADER, line, lineTo } from '../app/desk.ts';
import { openBrowser, openTab } from '../page/with-browser.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const FAULT_EVERY = 50;
const LONG_MS = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'paydrop-bench-page-'));

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    pay: { type: 'string', default: '2000' },
    viewers: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '1' },
  },
});
const [rows, pay, viewers, rounds] = [values.rows, values.pay, values.viewers, values.rounds].map(Number) as [
  number,
  number,
  number,
  number,
];

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

function fileOf(name: string, count: number, isFaulty: (row: number) => boolean): string {
  const path = join(folder, name);
  const lines = Array.from({ length: count }, (_, at) => {
    const amount = isFaulty(at) ? '12x' : '100';
    const reference = `${name}-${String(at)}`;
    return isFaulty(at) ? line(reference, amount) : lineTo(`${name}${String(at)}`, reference, amount);
  });
  writeFileSync(path, `${[HEADER, ...lines].join('\n')}\n`);
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

async function check(demo: Demo, page: Page): Promise<object> {
  const path = fileOf('large.csv', rows, (row) => row % FAULT_EVERY === FAULT_EVERY - 1);
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
  return {
    ...{ firstFaultMs, wholeMs },
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

/** Rows a second from the approval to the end, as the file's own page tells it. */
async function paid(demo: Demo, browser: Browser, watchers: number, round: number): Promise<number> {
  const name = `pay-${String(watchers)}-${String(round)}.csv`;
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
  const begun = performance.now();
  await checker.getByRole('button', { name: 'Approve' }).click();
  await maker.close();
  for (;;) {
    const said = await checker.evaluate<{ outcomes: Record<string, number> }>(
      `fetch('/api/v1/files/${batch}', { headers: { 'x-background': '1' } }).then((response) => response.json())`,
    );
    if ((said.outcomes['paid'] ?? 0) >= pay) break;
    await systemClock.sleep(200);
  }
  const perSecond = (pay / (performance.now() - begun)) * 1_000;
  for (const tab of [...open, checker]) await tab.context().close();
  return perSecond;
}

const browser = await openBrowser();
for (let round = 1; round <= rounds; round += 1) {
  const demo = await openDemo();
  try {
    const page = await comeInAs(browser, demo, /Armand/);
    const checked = await check(demo, page);
    const scrolled = await scroll(page);
    await page.context().close();
    const without = pay === 0 ? null : await paid(demo, browser, 0, round);
    const watched = pay === 0 ? null : await paid(demo, browser, viewers, round);
    const load = loadavg()[0];
    process.stdout.write(
      `${JSON.stringify({ round, load, rows, ...checked, ...scrolled, without, watched })}\n`,
    );
  } finally {
    demo.child.kill('SIGTERM');
  }
}
await browser.close();
