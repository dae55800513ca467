// The policy that holds without any configuration: a file with a row to fix sends nothing, and its corrected `rejected` file pays it all.
import { copyFile, cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { exitCodeOf, type BatchResult } from '../../src/app/workflow/batch/work.ts';
import { compareWithBooks } from '../../src/app/desk/demo.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { fixRejected, SAMPLES, SUPPLIERS } from './sample-files.ts';
import { openPaydrop, PATIENT, transfersOf, type TestPaydrop } from './with-paydrop.ts';

describe('under refuse-file, the default', () => {
  let test: TestPaydrop;
  let refused: BatchResult;

  beforeEach(async () => {
    test = await openPaydrop('refuse-file');
    refused = await processBatch(test.paydrop, SUPPLIERS, PATIENT);
  });
  afterEach(() => test.close());

  it('the supplier file is refused whole, and nothing of it is sent', async () => {
    expect(refused.summary.state).toBe('refused');
    expect(exitCodeOf(refused, PATIENT.waitMs)).toBe(3);
    expect(await transfersOf(test.paydrop)).toEqual([]);
    const untouched = test.paydrop.sandbox
      ?.books()
      .map(({ availableAmount, depositedAmount }) => availableAmount === depositedAmount);
    expect(untouched).toEqual([true, true, true]);
  });

  it('the refused file lies in refused/ with its reason, byte for byte as it came', async () => {
    const folder = join(test.paydrop.workspace.refused, refused.summary.batch);
    expect(await readdir(folder)).toContain(`suppliers.${refused.summary.batch}.refused.json`);
    expect(await readFile(join(folder, 'suppliers.csv'))).toEqual(await readFile(SUPPLIERS));
  });

  it('the rejected file holds every row, and pays them all once it is fixed', async () => {
    const fixed = await processBatch(test.paydrop, await fixRejected(test, refused), PATIENT);
    expect(fixed.summary.outcomes).toMatchObject({ paid: 13, failed: 1, rejected: 0 });
    expect(compareWithBooks(test.paydrop, [fixed]).every(({ agrees }) => agrees)).toBe(true);
  });

  it('the same file, still wrong, is refused again', async () => {
    const again = join(test.desk, 'suppliers.csv');
    await copyFile(SUPPLIERS, again);
    await cp(join(SAMPLES, 'invoices'), join(test.desk, 'invoices'), { recursive: true });
    const result = await processBatch(test.paydrop, again, PATIENT);
    expect(result.isRepeated).not.toBe(true);
    expect(exitCodeOf(result, PATIENT.waitMs)).toBe(3);
    expect(await transfersOf(test.paydrop)).toEqual([]);
  });
});
