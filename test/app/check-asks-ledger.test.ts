// `check` and `preview` say what a run would do with a file: the ledger knows what was paid before.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { hashFile } from '../../src/inbox/take-file.ts';
import { REQUIRED } from './approval/two-people.ts';
import { line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const PROMISE = 'Every row can be paid.';
const ROWS = [line('A-1', '100'), line('A-2', '200')];
const to = (row: string, name: string, msisdn: string): string =>
  row.replace('Li,Wei', `Li,${name}`).replace('+8613800138000', msisdn);

it.each([
  ['the same bytes', ROWS, '', 3, {}],
  ['the same references, in another order', ROWS.toReversed(), '', 4, { duplicate: 2 }],
  [
    'one reference that was paid, and one that was not',
    [ROWS[0] ?? '', line('B-1', '300')],
    '',
    4,
    { duplicate: 1, pending: 1 },
  ],
  [
    'a reference that was paid differently',
    [line('A-1', '150'), line('B-1', '300')],
    '',
    5,
    { held: 1, pending: 1 },
  ],
  [
    'the same payment without a reference',
    [line('', '100'), line('B-1', '300')],
    '',
    5,
    { held: 1, pending: 1 },
  ],
  [
    'a known receiver on another account, where that is held',
    [to(line('B-1', '300'), 'Wei', '+8613800138999')],
    'policy: { newAccount: hold }',
    5,
    { held: 1 },
  ],
  ['nothing that was paid before', [to(line('B-1', '300'), 'Na', '+8613800138777')], '', 0, { pending: 1 }],
] as const)('of %s says what a run then does', async (_, rows, config, code, outcomes) => {
  const paydrop = await desk.open(config);
  await processBatch(paydrop, await desk.file('first.csv', ROWS), PATIENT);
  const file = await desk.file('second.csv', rows);
  const outbox = await readdir(join(desk.workspace, 'outbox'));
  const checked = await checkFile(paydrop, file);
  expect(exitCodeOf(checked, 0)).toBe(code);
  expect(said(checked.words).includes(PROMISE)).toBe(code === 0);
  if (code !== 3) expect(checked.summary.outcomes).toMatchObject(outcomes);
  expect(await readdir(join(desk.workspace, 'outbox'))).toEqual(outbox);
  const previewed = await previewFile(paydrop, file, PATIENT);
  expect(exitCodeOf(previewed, 0)).toBe(code);
  expect(said(previewed.words).includes(PROMISE)).toBe(code === 0);
  const ran = await processBatch(paydrop, file, PATIENT);
  expect(exitCodeOf(ran, PATIENT.waitMs)).toBe(code);
});

it('of the same content without references, long after, says that it is held', async () => {
  const rows = [line('', '100'), line('', '200')];
  const paydrop = await desk.open('policy: { duplicateWindow: 0s }');
  await processBatch(paydrop, await desk.file('first.csv', rows), PATIENT);
  const file = await desk.file('second.csv', rows.toReversed());
  const checked = await checkFile(paydrop, file);
  expect(said(checked.words).join(' ')).toContain('Rows 2 and 3: "run" would hold them');
  expect(exitCodeOf(checked, 0)).toBe(5);
  expect(exitCodeOf(await processBatch(paydrop, file, PATIENT), PATIENT.waitMs)).toBe(5);
});

it('groups the rows that meet payments, and names what the first of them meets', async () => {
  const paydrop = await desk.open();
  const { batch } = (await processBatch(paydrop, await desk.file('first.csv', ROWS), PATIENT)).summary;
  const { words, summary } = await checkFile(
    paydrop,
    await desk.file('second.csv', [...ROWS, line('A-1', '150')]),
  );
  expect(said(words).join(' ')).toMatch(/Rows 2 and 3: "run" would leave them out\. .*A-1/);
  expect(said(words).join(' ')).toContain(batch);
  expect(summary.check?.wouldHold).toEqual([]);
  expect(summary.outcomes).toMatchObject({ duplicate: 2, rejected: 1 });
});

it('a preview of a file that waits for its approval shows the evidence of its question, and writes nothing', async () => {
  const paydrop = await desk.open(REQUIRED);
  const file = await desk.file('pay.csv', ROWS);
  const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
  const outbox = join(desk.workspace, 'outbox');
  const before = await readdir(outbox);
  const evidence = await hashFile(join(outbox, `pay.${batch}.preview-1.csv`));
  const result = await previewFile(paydrop, file, PATIENT);
  expect(exitCodeOf(result, 0)).toBe(3);
  expect(result.summary.answers).toEqual([`pay.${batch}.preview-1.csv`]);
  expect(said(result.words).join(' ')).toContain(`pay.${batch}.preview-1.csv`);
  expect(await readdir(outbox)).toEqual(before);
  expect(await hashFile(join(outbox, `pay.${batch}.preview-1.csv`))).toBe(evidence);
});

it('a preview of a file that was paid says so, and writes nothing', async () => {
  const paydrop = await desk.open();
  const file = await desk.file('pay.csv', ROWS);
  await processBatch(paydrop, file, PATIENT);
  const before = await readdir(join(desk.workspace, 'outbox'));
  const result = await previewFile(paydrop, file, PATIENT);
  expect(said(result.words).join(' ')).toContain('Finished at');
  expect(await readdir(join(desk.workspace, 'outbox'))).toEqual(before);
});
