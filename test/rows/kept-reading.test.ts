// The rows of a small workbook are kept from its first reading, and given only while the file is the one that was read.
import { appendFileSync } from 'node:fs';

import { expect, it, vi } from 'vitest';

import { readRows } from '../../src/rows/formats.ts';
import { makeWorkbook, rowsXml } from './make-workbook.ts';
import { fileOf, OPTIONS } from './read-table.ts';

const HEADER = ['reference', 'amount', 'note'];
const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => [`A-${row}`, '1', 'x']);
const workbookOf = (count: number) =>
  fileOf(makeWorkbook([{ name: 'Pay', data: rowsXml([HEADER, ...rowsOf(count)]) }]), '.xlsx');

/** Whether a reading starts a process of its own. */
async function readsInProcess(path: string): Promise<boolean> {
  const { rows } = await readRows(path, OPTIONS);
  await vi.waitFor(() => expect(process.getActiveResourcesInfo()).not.toContain('ProcessWrap'), 5_000);
  let isInProcess = false;
  for await (const { place } of rows()) {
    // While its rows come: what has said all may be gone a moment later.
    isInProcess ||= process.getActiveResourcesInfo().includes('ProcessWrap');
    if (place === '2') break;
  }
  await vi.waitFor(() => expect(process.getActiveResourcesInfo()).not.toContain('ProcessWrap'), 5_000);
  return isInProcess;
}

it('the rows of a small workbook are given again without another process', async () => {
  const path = workbookOf(10);
  expect(await readsInProcess(path)).toBe(false);
  const { rows } = await readRows(path, OPTIONS);
  const [first, again] = [await Array.fromAsync(rows()), await Array.fromAsync(rows())];
  expect(first).toHaveLength(10);
  expect(again).toEqual(first);
});

it('a workbook of many cells, or of much text, is read anew', async () => {
  expect(await readsInProcess(workbookOf(4_000))).toBe(true);
  const long = rowsOf(20).map(([reference, amount]) => [reference ?? '', amount ?? '', 'x'.repeat(30_000)]);
  const path = fileOf(makeWorkbook([{ name: 'Pay', data: rowsXml([HEADER, ...long]) }]), '.xlsx');
  expect(await readsInProcess(path)).toBe(true);
});

it('a small workbook that has changed since is refused, as a large one is', async () => {
  for (const path of [workbookOf(10), workbookOf(4_000)]) {
    const { rows } = await readRows(path, OPTIONS);
    appendFileSync(path, 'x');
    await expect(Array.fromAsync(rows())).rejects.toMatchObject({ code: 'file_changed' });
  }
});
