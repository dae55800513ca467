// A file that its size or its first bytes refuse is read no further, through whatever door it comes. Each file here is 300 GB long and nearly all of it
// is a hole: whoever reads it to its end does not come back before the test is over.
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { watch } from '../../src/app/daemon/daemon.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import { refuseUntaken } from '../../src/app/workflow/take/refuse-file.ts';
import { announcedRefused } from '../../src/app/workflow/take/same-bytes.ts';
import { sameWords } from '../../src/base/language.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import { message, payment } from '../rows/pain001/messages.ts';
import { HEADER, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const BYTES = 300e9;

async function longFile(path: string, start: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'w');
  await file.write(start);
  await file.truncate(BYTES);
  await file.close();
  return path;
}

const CONFIG = `intake: { bytesMax: 400GB, settleFor: 20ms, scanEvery: 100ms }
iso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }`;

const ofBank = message([payment()]).replace('PAYDROP-XAF', '10005000011234567890123');

it('a file of some megabytes that is no workbook is hashed all the same, and lies beside its reason', async () => {
  const paydrop = await desk.open(CONFIG);
  const path = join(desk.workspace, 'list.xlsx');
  await writeFile(path, Buffer.alloc(2_000_000, 'x'));
  const { summary } = await processBatch(paydrop, path, PATIENT);
  expect(summary.file.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(summary.batch).toContain(`-${summary.file.sha256.slice(0, 8)}`);
  expect(await readdir(join(desk.workspace, 'refused', summary.batch))).toContain('list.xlsx');
});

describe.each([
  ['salaries.csv', HEADER, 'too_large', CONFIG.replace('400GB', '1GB')],
  ['scan.csv', '%PDF-1.7\n', 'not_text', CONFIG],
  ['list.xlsx', 'a list of names', 'not_workbook', CONFIG],
  ['run.xml', ofBank, 'debtor_unknown', CONFIG],
  ['long.xml', ofBank.replace('<GrpHdr>', `<!--${'x'.repeat(200_000)}--><GrpHdr>`), 'xml_bomb', CONFIG],
  ['bomb.xml', ofBank.replace('<Document', '<!DOCTYPE a [<!ENTITY b "c">]><Document'), 'xml_bomb', CONFIG],
])('%s of 300 GB', (name, start, code, config) => {
  it(`is ${code} to "check" and to "run", and stays where it is`, async () => {
    const paydrop = await desk.open(config);
    const path = await longFile(join(desk.workspace, 'long', name), start);
    const results = [await checkFile(paydrop, path), await processBatch(paydrop, path, PATIENT)];
    for (const { summary } of results) {
      expect(summary).toMatchObject({ state: 'refused', file: { name, sha256: '' } });
      const answer = join(desk.workspace, 'outbox', summary.answers[0] ?? '');
      expect(JSON.parse(await readFile(answer, 'utf8'))).toMatchObject({ code });
    }
    expect(await readdir(join(desk.workspace, 'refused', results[1]?.summary.batch ?? ''))).toHaveLength(1);
    expect((await stat(path)).size).toBe(BYTES);
    expect(await paydrop.ledger.batches()).toEqual([]);
  });

  it('leaves the inbox for the folder of its reason', async () => {
    const paydrop = await desk.open(config);
    const path = await longFile(join(desk.workspace, 'inbox', name), start);
    const stopper = new AbortController();
    const { promise, resolve } = Promise.withResolvers<BatchResult>();
    const onTrouble = (words: string) => {
      throw new Error(words);
    };
    const ended = watch(paydrop, {
      signal: stopper.signal,
      onResult: resolve,
      onWaiting: () => undefined,
      onTrouble,
    });
    const { summary } = await promise;
    stopper.abort();
    await ended;
    const folder = join(desk.workspace, 'refused', summary.batch);
    expect((await stat(join(folder, name))).size).toBe(BYTES);
    expect(await readdir(folder)).toHaveLength(2);
    expect(existsSync(path)).toBe(false);
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
  });
});

it('two files of one name, size and beginning are both kept, on the same day', async () => {
  const paydrop = await desk.open(CONFIG);
  const folder = join(desk.workspace, 'ours');
  const bytesOf = (last: string): string => `%PDF-1.7\n${last.padStart(200_000)}`;
  const kept: string[] = [];
  for (const last of ['first', 'second']) {
    await mkdir(folder, { recursive: true });
    const path = join(folder, 'scan.csv');
    await writeFile(path, bytesOf(last));
    await truncate(path, 100_000_000);
    const batch = await announcedRefused(paydrop, path);
    const refusal = { code: 'not_text', reason: sameWords('No text.'), rejected: 0, answers: [] };
    await refuseUntaken(paydrop, { path, origin: path, isOurs: true }, batch, refusal);
    kept.push(join(desk.workspace, 'refused', batch.id));
  }
  const [reasons] = kept;
  expect(kept).toEqual([reasons, reasons]);
  const names = (await readdir(reasons ?? '')).filter((name) => name.endsWith('.csv'));
  const read = async (name: string) => (await readFile(join(reasons ?? '', name))).subarray(0, 200_009);
  const found = (await Promise.all(names.map(read))).map(String);
  expect(found.sort()).toEqual([bytesOf('first'), bytesOf('second')].sort());
});

it('a file of another kind is not read to its end for the list of kinds', async () => {
  const paydrop = await desk.open(CONFIG);
  const path = await longFile(join(desk.workspace, 'long', 'backup.tar'), 'x');
  expect((await checkFile(paydrop, path)).summary.state).toBe('refused');
});
