// A reading that nobody waits for ends, whatever is left of the file.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import ExcelJS from 'exceljs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readRows } from '../../src/rows/formats.ts';

const LIMITS = { rowsMax: 100_000, bytesMax: 10_000_000, decimalMark: 'auto' } as const;
const ROWS = Array.from({ length: 6_000 }, (_, n) => [`A-${String(n)}`, '100', 'CNY']);
const LEFT = new Error('Nobody waits.');

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paydrop-ends-'));
  const lines = [['reference', 'amount', 'currency'], ...ROWS];
  writeFileSync(join(folder, 'pay.csv'), lines.map((cells) => `${cells.join()}\n`).join(''));
  const book = new ExcelJS.Workbook();
  book.addWorksheet('Pay').addRows(lines);
  await book.xlsx.writeFile(join(folder, 'pay.xlsx'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['pay.csv', 'pay.xlsx'])('of %s', (name) => {
  const path = () => join(folder, name);

  it('ends before its table is known', async () => {
    const leaving = new AbortController();
    const read = readRows(path(), { ...LIMITS, signal: leaving.signal });
    leaving.abort(LEFT);
    await expect(read).rejects.toBe(LEFT);
  });

  it('ends between its rows', async () => {
    const leaving = new AbortController();
    const { rows } = await readRows(path(), { ...LIMITS, signal: leaving.signal });
    let count = 0;
    const all = (async () => {
      for await (const { position } of rows()) {
        count += 1;
        if (position === 0) leaving.abort(LEFT);
      }
    })();
    await expect(all).rejects.toBe(LEFT);
    expect(count).toBeLessThan(ROWS.length);
  });
});
