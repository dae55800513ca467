// When a node dies, all the others find its batches at the same moment. The first keeps each of them: whoever took it once more would cut the first short,
// and its payments would wait twice as long.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { hasWork } from '../../src/app/daemon/unfinished.ts';
import { processBatch, resumeBatch } from '../../src/app/workflow/process-batch.ts';
import { giveTo, runElsewhere } from '../ledger/machines.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';

const NO_STANDING_FILES = { hasLeft: () => false };

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** A batch whose rows were left before their first call. */
async function left(paydrop: Paydrop): Promise<string> {
  const file = await desk.file('payroll.csv', [line('A-1', '100')]);
  const stopper = new AbortController();
  // They are priced first, and then sent.
  let goes = 0;
  const start = (): void => {
    goes += 1;
    if (goes === 2) stopper.abort();
  };
  const view = { ...HURRIED.view, start };
  const { summary } = await processBatch(paydrop, file, { ...HURRIED, view, signal: stopper.signal });
  return summary.batch;
}

/** One that another living run has taken since, and may have given back. */
async function takenElsewhere(paydrop: Paydrop, isFree = false): Promise<string> {
  const id = await left(paydrop);
  const { run } = await runElsewhere(paydrop.workspace.ledgerPath);
  giveTo(paydrop.workspace.ledgerPath, id, run, isFree);
  return id;
}

describe('a batch that is being paid, and that another living run has taken since a daemon looked', () => {
  it('is left to that run', async () => {
    const paydrop = await desk.open();
    const id = await takenElsewhere(paydrop);
    const before = await paydrop.ledger.batch(id);
    expect(before?.state).toBe('sending');
    if (before !== null) expect(await hasWork(paydrop, before, 60_000, NO_STANDING_FILES)).toBe(false);
    expect(await resumeBatch(paydrop, id, { ...PATIENT, isRound: true })).toBeNull();
    expect(await paydrop.ledger.batch(id)).toEqual(before);
    expect(await endsOf(paydrop, id)).not.toEqual(['paid']);
  });

  it('is left to it where a person asks, who is told so', async () => {
    const paydrop = await desk.open();
    const id = await takenElsewhere(paydrop);
    expect(await resumeBatch(paydrop, id, PATIENT)).toMatchObject({ isElsewhere: true });
    expect(await endsOf(paydrop, id)).not.toEqual(['paid']);
  });

  it('goes on where a person asks, once that run has given it back at the end of a go; a round of a daemon leaves it', async () => {
    const paydrop = await desk.open();
    const id = await takenElsewhere(paydrop, true);
    expect(await resumeBatch(paydrop, id, { ...PATIENT, isRound: true })).toBeNull();
    expect(await endsOf(paydrop, id)).not.toEqual(['paid']);
    await resumeBatch(paydrop, id, PATIENT);
    expect(await endsOf(paydrop, id)).toEqual(['paid']);
  });

  it('is not put off by a round that it was taken from: that run may die in a moment', async () => {
    const paydrop = await desk.open();
    const id = await left(paydrop);
    const { run } = await runElsewhere(paydrop.workspace.ledgerPath);
    const start = (): void => giveTo(paydrop.workspace.ledgerPath, id, run);
    const view = { ...PATIENT.view, start };
    expect(await resumeBatch(paydrop, id, { ...PATIENT, view, isRound: true })).toBeNull();
    expect((await paydrop.ledger.batch(id))?.owner).toBe(run);
  });
});
