// The samples, previewed: the totals that a newcomer sees are exact, and the run that follows debits the very same.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { PAYROLL, SUPPLIERS } from './sample-files.ts';
import { openPaydrop, PATIENT, transfersOf, type TestPaydrop } from './with-paydrop.ts';

describe('the samples', () => {
  let test: TestPaydrop;

  beforeEach(async () => {
    test = await openPaydrop('skip-rows');
  });
  afterEach(() => test.close());

  it.each([
    [PAYROLL, 36, 0, { sendAmount: '29860434', feeAmount: '492930', debit: '30353364' }],
    [SUPPLIERS, 14, 1, { sendAmount: '126383175', feeAmount: '1581598', debit: '127964773' }],
  ])('%s costs what its preview says', async (path, rows, rejected, cost) => {
    const result = await previewFile(test.paydrop, path, PATIENT);
    expect(exitCodeOf(result, 0)).toBe(rejected === 0 ? 0 : 4);
    expect(result.summary).toMatchObject({
      state: 'checked',
      file: { rows },
      outcomes: { rejected, pending: rows - rejected },
      totals: [],
      preview: [{ sourceCurrency: 'XAF', ...cost, availableAmount: '500000000', shortfall: '0' }],
    });
    expect(await transfersOf(test.paydrop)).toEqual([]);
    expect(await test.paydrop.ledger.batches()).toEqual([]);
  });

  it('previewed and then paid, each row is paid once and the payroll is debited to the unit', async () => {
    const preview = await previewFile(test.paydrop, PAYROLL, PATIENT);
    const { summary } = await processBatch(test.paydrop, PAYROLL, PATIENT);
    expect(summary.outcomes).toMatchObject({ paid: 36 });
    expect(summary.totals[0]?.debited).toBe(preview.summary.preview?.[0]?.debit);
    expect(await transfersOf(test.paydrop)).toHaveLength(36);
  });
});
