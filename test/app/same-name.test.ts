// Two files whose hashes begin alike: a name of eight digits does not prove which is meant, and neither passes for the other.
import { readFile } from 'node:fs/promises';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { hashFile } from '../../src/inbox/take-file.ts';
import { endsOf, HEADER, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** The comments were found by trying: both hashes begin with ab01d6d2. */
const text = (who: string, amount: string, comment: number): string =>
  `${HEADER},comment\n${who}-1,CHN,B2C,wechat,XAF,${amount},SALARY_PAYMENT,Li,${who},CHN,+8613800138000,${String(comment)}\n`;
const files = async (): Promise<readonly [string, string]> => [
  await desk.write('one.csv', text('Wei', '100', 76083)),
  await desk.write('two.csv', text('Bo', '101', 7081)),
];

const nameOf = ({ summary }: BatchResult): string => summary.batch.slice('yyyymmdd-'.length);

it('both are paid, the second under a longer name', async () => {
  const paydrop = await desk.open();
  const [one, two] = await files();
  const [first, second] = [await hashFile(one), await hashFile(two)];
  expect(second.slice(0, 8)).toBe(first.slice(0, 8));
  const ends = [await processBatch(paydrop, one, PATIENT), await processBatch(paydrop, two, PATIENT)];
  expect(ends.map(nameOf)).toEqual([first.slice(0, 8), second.slice(0, 12)]);
  expect(ends.map(({ isRepeated }) => isRepeated === true)).toEqual([false, false]);
  expect(await transfersOf(paydrop)).toHaveLength(2);
  expect(
    await readFile(`${desk.workspace}/outbox/two.${ends[1]?.summary.batch ?? ''}.summary.json`, 'utf8'),
  ).toContain(second);
});

it('both are paid when two processes take them at the same moment', async () => {
  const [one, two] = await files();
  const paydrops = [await desk.open(), await desk.open()] as const;
  const ends = await Promise.all([
    processBatch(paydrops[0], one, PATIENT),
    processBatch(paydrops[1], two, PATIENT),
  ]);
  expect(ends.map(({ isRepeated }) => isRepeated === true)).toEqual([false, false]);
  expect(new Set(ends.map(nameOf)).size).toBe(2);
  expect(await transfersOf(paydrops[0])).toHaveLength(2);
});

it('after a lost ledger each is rebuilt as itself', async () => {
  const [one, two] = await files();
  const paid = await desk.open();
  const names = [await processBatch(paid, one, PATIENT), await processBatch(paid, two, PATIENT)].map(
    ({ summary }) => summary.batch,
  );
  await desk.loseLedger();
  const paydrop = await desk.open();
  const rebuilt = [
    ...(await rebuildFile(paydrop, two, PATIENT)),
    ...(await rebuildFile(paydrop, one, PATIENT)),
  ];
  expect(rebuilt.map(({ batch }) => batch.id)).toEqual(names.toReversed());
  await resumeBatches(paydrop, null, PATIENT);
  for (const name of names) expect(await endsOf(paydrop, name)).toEqual(['paid']);
  expect(await transfersOf(paydrop)).toHaveLength(2);
});
