// The last answer of a batch reaches the outbox however its publishing is interrupted, and is not put there again after somebody has collected it.
import { mkdirSync, rmSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
let outbox: string;

beforeEach(async () => {
  desk = await openDesk();
  outbox = join(desk.workspace, 'outbox');
});
afterEach(() => desk.close());

const summaryIn = async (name: string): Promise<{ state: string }> =>
  JSON.parse(await readFile(join(outbox, name), 'utf8')) as { state: string };

describe('the summary of a closed batch', () => {
  it('is published by the next run when the outbox did not take it', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(await desk.open(), file, HURRIED)).summary;
    const name = `payroll.${batch}.summary.json`;
    // Once the row is paid, and only the last answer is left to write. Nothing can be renamed onto a folder that holds something.
    const settled = (): void => {
      rmSync(join(outbox, name), { recursive: true });
      mkdirSync(join(outbox, name, 'in the way'), { recursive: true });
    };
    const view = { ...PATIENT.view, settled };
    // As the command asks for it: what nobody expected is the fault of this batch alone.
    const control = { ...PATIENT, view, keepsGoing: true };
    const [cut] = (await resumeBatches(await desk.open(), null, control)) ?? [];
    expect(said(cut?.words ?? []).join(' ')).toContain('paydrop resume');
    await rm(join(outbox, name), { recursive: true });
    await resumeBatches(await desk.open(), null, PATIENT);
    expect(await summaryIn(name)).toMatchObject({ state: 'closed' });
  });

  it('is not published once more by a rebuild, after it was collected', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    await processBatch(await desk.open(), file, PATIENT);
    for (const name of await readdir(outbox)) await rm(join(outbox, name));
    await desk.loseLedger();
    const paydrop = await desk.open();
    await rebuildFile(paydrop, file, PATIENT);
    await resumeBatches(paydrop, null, PATIENT);
    expect((await readdir(outbox)).filter((name) => name.endsWith('.summary.json'))).toEqual([]);
  });
});
