// The owner of a refused file corrects it and runs it where it lies: a second refusal must not remove it, or the files that belong to it.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { line, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

it('a file that is run from its refused folder, and refused again at the door, still lies there', async () => {
  const paydrop = await desk.open();
  const text = 'nothing,here\n1,2\n';
  const { summary } = await processBatch(paydrop, await desk.write('bad.csv', text), PATIENT);
  const folder = join(paydrop.workspace.refused, summary.batch);
  const path = join(folder, 'bad.csv');
  const before = (await readdir(folder)).sort();
  const again = await processBatch(paydrop, path, PATIENT);
  expect(again.summary.state).toBe('refused');
  expect(await readFile(path, 'utf8')).toBe(text);
  expect((await readdir(folder)).sort()).toEqual(before);
});

it('a file that is refused again for its rows leaves the one that is being mended beside it', async () => {
  const paydrop = await desk.open();
  const path = await desk.file('payroll.csv', [line('A-1', 'x')]);
  const { summary } = await processBatch(paydrop, path, PATIENT);
  const folder = join(paydrop.workspace.refused, summary.batch);
  const mended = join(folder, 'payroll-mended.csv');
  await writeFile(mended, 'half of the work');
  const again = await processBatch(paydrop, join(folder, 'payroll.csv'), PATIENT);
  expect(again.summary.state).toBe('refused');
  expect(await readFile(mended, 'utf8')).toBe('half of the work');
  expect(await readFile(join(folder, 'payroll.csv'), 'utf8')).toContain('A-1');
  expect(await readdir(paydrop.workspace.processing)).toEqual([]);
});
