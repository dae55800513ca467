// The samples and what their owner does with them: drops them, corrects the row that came back, and drops that.
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { BatchResult } from '../../src/app/workflow/batch/work.ts';
import type { TestPaydrop } from './with-paydrop.ts';

export const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url));
export const PAYROLL = join(SAMPLES, 'payroll.csv');
export const SUPPLIERS = join(SAMPLES, 'suppliers.csv');

/** The row to fix: an amount in XAF, converted from euros, with the centimes that XAF does not have. */
const FAULTY_AMOUNT = '2 787 817,25';
const FIXED_AMOUNT = '2 787 817';

/** What a person does with `rejected`: corrects the amount, and puts the file where the invoices lie. */
export async function fixRejected({ paydrop, desk }: TestPaydrop, { summary }: BatchResult): Promise<string> {
  const name = summary.answers.find((answer) => answer.includes('.rejected.')) ?? '';
  const path = join(desk, name);
  const text = await readFile(join(paydrop.workspace.outbox, name), 'utf8');
  await writeFile(path, text.replace(FAULTY_AMOUNT, FIXED_AMOUNT));
  await cp(join(SAMPLES, 'invoices'), join(desk, 'invoices'), { recursive: true });
  return path;
}
