// The control file of a file: paydrop compares its totals before anything is sent, and any later run compares them again.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
let file: string;

beforeEach(async () => {
  desk = await openDesk();
  file = await desk.file('rent.csv', [line('A-1', '100.50'), line('A-2', '200')]);
});
afterEach(() => desk.close());

const beside = (name: string) => file.replace('rent.csv', name);

describe('a control file', () => {
  it.each(['rent.control.json', 'rent.csv.control.json'])(
    '%s that agrees lets the file be paid',
    async (name) => {
      await writeFile(beside(name), '{ "rows": 2, "sum": "300.50" }');
      const { summary } = await processBatch(await desk.open(), file, PATIENT);
      expect(summary.outcomes).toMatchObject({ paid: 2 });
    },
  );

  it.each([
    ['another number of payments', '{ "rows": 3 }', 'control_differs', '3 payments, the file has 2'],
    ['another sum', '{ "sum": 300.51 }', 'control_differs', 'sum of 300.51, the rows add up to 300.5'],
    ['something else', '{ "total": 2 }', 'control_unreadable', 'cannot be read'],
    ['no JSON', 'rows: 2', 'control_unreadable', 'cannot be read'],
  ])('that says %s refuses the file, and nothing is sent', async (_name, text, code, words) => {
    await writeFile(beside('rent.control.json'), text);
    const paydrop = await desk.open();
    expect(said((await checkFile(paydrop, file)).words).join(' ')).toContain(words);
    const result = await processBatch(paydrop, file, PATIENT);
    expect(result.summary.state).toBe('refused');
    expect(said(result.words).join(' ')).toContain(words);
    const [answer = ''] = result.summary.answers;
    expect(await readFile(join(desk.workspace, 'outbox', answer), 'utf8')).toContain(`"${code}"`);
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});
