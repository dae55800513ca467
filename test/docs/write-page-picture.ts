// Draws the picture of the page from a real browser: `node test/docs/write-page-picture.ts`. Needs Chromium.
import { join } from 'node:path';
import { argv } from 'node:process';

import { HEADER, line, lineTo } from '../app/desk.ts';
import { openWeb } from '../web/with-web.ts';
import { comeIn, openBrowser, openTab } from '../page/with-browser.ts';

const PICTURE = argv[2] ?? join(import.meta.dirname, '..', '..', 'docs', 'pictures', 'page-check-en.png');
const ROWS = 14;
const FAULTY = 3;

const web = await openWeb();
const browser = await openBrowser();
const tab = await openTab(browser, { viewport: { width: 1100, height: 620 } });
await comeIn(tab, web, 'Armand Mbarga', 'maker');
const rows = Array.from({ length: ROWS }, (_, at) =>
  lineTo(`Chen ${String(at + 1)}`, `SAL-${String(at + 1)}`, `${String(95 + at)}00`),
);
rows[FAULTY] = line('SAL-4', '12x00');
const text = `${[HEADER, ...rows].join('\n')}\n`;
await tab.page.goto(`${web.url}/drop`);
await tab.page
  .locator('.dropzone input[type=file]')
  .setInputFiles([{ name: 'salaries-november.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }]);
await tab.page.getByText('1 row is to be fixed').waitFor();
await tab.page.getByText('"12x00"').first().waitFor();
await tab.page.screenshot({ path: PICTURE });
await browser.close();
await web.close();
