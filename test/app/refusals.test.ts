// A file with too many refusals stops before the rest of it meets the same fate, until a person has looked, and said so by name.
import { afterEach, describe, expect, it } from 'vitest';

import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { parseConfig } from '../../src/app/config/config.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { decisionOf, isOverShare } from '../../src/payouts/limits.ts';
import { endsOf, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

/** The sandbox refuses the confirm of the first. */
const refusedLine = (n: number): string =>
  line(`R${String(n)}`, String(100 + n)).replace('+8613800138000', '+8613800010027');
const soundLine = (n: number): string => line(`S${String(n)}`, String(200 + n));
const times = (count: number, make: (n: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('limits.refusalShare', () => {
  it('stops the file, also for a resume; a release with a name lets it go on and counts anew', async () => {
    const desk = await openDesk();
    desks.push(desk);
    // One at a time, so that the rows are decided in their order.
    const paydrop = await desk.open('service: { concurrency: 1 }\nlimits: { refusalShare: 30% }');
    const path = await desk.file('suppliers.csv', [...times(12, refusedLine), ...times(10, soundLine)]);
    const stopped = await processBatch(paydrop, path, PATIENT);
    const { batch } = stopped.summary;
    expect(stopped.summary.waitingFor).toBe('operator');
    expect(exitCodeOf(stopped, PATIENT.waitMs)).toBe(5);
    expect(said(stopped.words).join(' ')).toMatch(
      /refused 1[0-2] of 1[0-2] rows \(100%\), and limits\.refusalShare allows 30%\..*paydrop release/,
    );
    const made = (await transfersOf(paydrop)).length;
    expect(made).toBeLessThanOrEqual(13);
    const [again] = (await resumeBatches(paydrop, batch, PATIENT)) ?? [];
    expect(again?.summary.waitingFor).toBe('operator');
    expect(await transfersOf(paydrop)).toHaveLength(made);
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('There is no such batch.');
    const order = { by: 'Marie', reason: 'the supplier closed that account', rows: null, skip: false };
    expect(await releaseRows(paydrop, record, order)).toMatchObject({ file: 'refusals' });
    const [decision] = (await paydrop.ledger.batch(batch))?.decisions ?? [];
    expect(decision).toMatchObject({ about: 'refusals', by: 'Marie' });
    if (decision?.about !== 'refusals') throw new Error('Nobody decided about the refusals.');
    // While the last refusal was written, the transfer of one more row may have been made, and left unconfirmed.
    expect([made, made - 1]).toContain(decision.saw.refused);
    await resumeBatches(paydrop, batch, PATIENT);
    const ends = await endsOf(paydrop, batch);
    expect(ends.slice(0, 12).every((end) => end.startsWith('failed'))).toBe(true);
    expect(ends.slice(12).every((end) => end === 'paid')).toBe(true);
  });

  it('stops a file of which a person can cancel what is left', async () => {
    const desk = await openDesk();
    desks.push(desk);
    const paydrop = await desk.open('service: { concurrency: 1 }\nlimits: { refusalShare: 30% }');
    const path = await desk.file('suppliers.csv', [...times(12, refusedLine), ...times(10, soundLine)]);
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    const record = await paydrop.ledger.batch(batch);
    if (record === null) throw new Error('There is no such batch.');
    const order = { by: 'Marie', reason: 'a list of last year', rows: null, skip: true };
    const { released, left } = await releaseRows(paydrop, record, order);
    expect(released.length).toBeGreaterThanOrEqual(10);
    expect(left).toEqual([]);
    await resumeBatches(paydrop, batch, PATIENT);
    const ends = await endsOf(paydrop, batch);
    expect(ends.slice(12)).toEqual(Array(10).fill('rejected cancelled'));
    expect(await paydrop.ledger.batch(batch)).toMatchObject({ state: 'closed' });
  });

  it('says nothing of fewer than ten rows, nor of a share that is just reached', () => {
    expect(isOverShare({ decided: 9, refused: 9 }, 1_000)).toBe(false);
    expect(isOverShare({ decided: 10, refused: 2 }, 2_000)).toBe(false);
    expect(isOverShare({ decided: 10, refused: 2 }, 1_999)).toBe(true);
    expect(isOverShare({ decided: 10, refused: 10 }, null)).toBe(false);
  });

  it.each([
    ['confirmed', null, { decided: 1, refused: 0 }],
    ['confirmed', '10027', { decided: 1, refused: 1 }],
    ['failed', '100002', { decided: 1, refused: 1 }],
    ['rejected', '10018', { decided: 1, refused: 1 }],
    ['rejected', 'amount_outside_bounds', { decided: 0, refused: 0 }],
    ['held', 'unexpected_refusal', { decided: 0, refused: 0 }],
  ] as const)('counts a row that is %s with %s', (stage, code, decisions) => {
    expect(decisionOf(stage, code)).toEqual(decisions);
  });

  it('is a percentage', () => {
    expect(parseConfig('limits: { refusalShare: 12.5% }', 'c').limits.refusalShare).toBe(1_250);
    expect(() => parseConfig('limits: { refusalShare: 0.2 }', 'c')).toThrow();
    expect(() => parseConfig('limits: { refusalShare: much }', 'c')).toThrow(/such as 20%/);
  });
});
