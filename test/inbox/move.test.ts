// Moving a folder to a place that already has a copy of it, also after a kill in the middle of an earlier move.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { move } from '../../src/inbox/take-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-move-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('ends a move although a kill left a piece of an earlier one', async () => {
  const [from, to] = [join(folder, 'batch'), join(folder, 'archived')];
  for (const path of [from, to, `${from}.moved`]) await mkdir(path);
  await writeFile(join(from, 'payments.csv'), 'new');
  await writeFile(join(to, 'result.csv'), 'kept');
  await writeFile(join(`${from}.moved`, 'payments.csv'), 'left');
  await move(from, to);
  expect(await readdir(folder)).toEqual(['archived']);
  expect(await readFile(join(to, 'payments.csv'), 'utf8')).toBe('new');
  expect(await readFile(join(to, 'result.csv'), 'utf8')).toBe('kept');
});
