// A file that is declined: nothing of it is sent, every row is answered, and nothing of it blocks the next file.
import { afterEach, describe, expect, it } from 'vitest';

import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { approve, decline, outboxFile, REQUIRED, resume } from './two-people.ts';
import { said } from '../said.ts';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function newDesk(options: Parameters<typeof openDesk>[0] = {}): Promise<Desk> {
  const desk = await openDesk(options);
  desks.push(desk);
  return desk;
}

/** Rows without a reference are known by their content alone. */
const NAMELESS = [line('', '100'), line('', '101')];

async function asked(desk: Desk, paydrop: Paydrop, lines: readonly string[] = NAMELESS) {
  const path = await desk.file('salaries.csv', lines);
  const { summary } = await processBatch(paydrop, path, HURRIED);
  return { batch: summary.batch, path };
}

describe('a declined file', () => {
  it('is closed with every row unpaid, by whom and why, and nothing was sent', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    expect(await decline(paydrop, batch)).toMatchObject({ kind: 'decided' });
    const { summary } = await resume(paydrop, batch);
    expect(summary).toMatchObject({
      state: 'closed',
      waitingFor: null,
      outcomes: { rejected: 2, pending: 0 },
    });
    expect(await endsOf(paydrop, batch)).toEqual(['rejected declined', 'rejected declined']);
    expect(await outboxFile(desk, `salaries.${batch}.result.csv`)).toContain(
      'Declined by Marie: wrong month',
    );
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await paydrop.ledger.history.verify()).toMatchObject({
      fault: null,
      rowFault: null,
      batchFault: null,
    });
  });

  it('does not hold the next one of the same content', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    await decline(paydrop, batch);
    await resume(paydrop, batch);
    const next = await processBatch(paydrop, await desk.file('next.csv', [...NAMELESS].reverse()), HURRIED);
    expect(next.summary).toMatchObject({ state: 'awaiting-approval', outcomes: { pending: 2, held: 0 } });
    await approve(paydrop, next.summary.batch);
    expect((await resume(paydrop, next.summary.batch)).summary.outcomes.paid).toBe(2);
  });

  it('while it waits makes no row of another file a duplicate: that one is held (reference_undecided)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    await asked(desk, paydrop, [line('A', '100')]);
    const next = await processBatch(
      paydrop,
      await desk.file('b.csv', [line('A', '100'), line('B', '300')]),
      HURRIED,
    );
    expect(await endsOf(paydrop, next.summary.batch)).toEqual(['held reference_undecided', 'quoted']);
  });

  it('cannot be approved any more, and is declined once (approval_declined)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    await decline(paydrop, batch);
    expect(await approve(paydrop, batch)).toMatchObject({ kind: 'refused', code: 'approval_declined' });
    expect(await decline(paydrop, batch)).toMatchObject({ kind: 'decided-before' });
    await resume(paydrop, batch);
    expect(await approve(paydrop, batch)).toMatchObject({ kind: 'refused', code: 'approval_declined' });
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('may have been approved before, as long as nothing of it is being paid; then it is too late (approval_too_late)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const first = await asked(desk, paydrop);
    await approve(paydrop, first.batch);
    expect(await decline(paydrop, first.batch)).toMatchObject({ kind: 'decided' });
    expect((await resume(paydrop, first.batch)).summary.outcomes.rejected).toBe(2);
    const second = await asked(desk, paydrop, [line('', '300')]);
    await approve(paydrop, second.batch);
    await resume(paydrop, second.batch);
    expect(await decline(paydrop, second.batch)).toMatchObject({ code: 'approval_too_late' });
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('is closed whoever was killed between the decision and the answer', async () => {
    const desk = await newDesk();
    const { batch } = await asked(desk, await desk.open(REQUIRED));
    await decline(await desk.open(REQUIRED), batch);
    await desk.shut();
    expect((await resume(await desk.open(), batch)).summary.state).toBe('closed');
  });

  it('of a file that is paid whole or not at all is closed too', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: required, strategy: reserve-then-confirm }');
    const { batch } = await asked(desk, paydrop);
    await decline(paydrop, batch);
    expect((await resume(paydrop, batch)).summary).toMatchObject({
      state: 'closed',
      outcomes: { rejected: 2 },
    });
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});

describe('after a lost ledger', () => {
  async function rebuilt(desk: Desk, path: string, config: string): Promise<Paydrop> {
    await desk.loseLedger();
    const paydrop = await desk.open(config);
    await rebuildFile(paydrop, path, PATIENT);
    return paydrop;
  }

  it.each([REQUIRED, ''])(
    'what was asked is asked again, also when the config is now "%s"',
    async (config) => {
      const desk = await newDesk();
      const before = await desk.open(REQUIRED);
      const { batch, path } = await asked(desk, before);
      await approve(before, batch);
      const paydrop = await rebuilt(desk, path, config);
      const { summary, words } = await resume(paydrop, batch);
      expect(summary.state).toBe('awaiting-approval');
      expect(said(words).join(' ')).toContain('no answer is on record');
      expect(await transfersOf(paydrop)).toEqual([]);
      await approve(paydrop, batch);
      expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(2);
    },
  );

  it('what was paid is followed, and the rest is asked for', async () => {
    const desk = await newDesk({ balances: { XAF: '9000' } });
    const before = await desk.open(REQUIRED);
    const { batch, path } = await asked(desk, before);
    await approve(before, batch);
    expect((await resume(before, batch, HURRIED)).summary.waitingFor).toBe('funds');
    const paydrop = await rebuilt(desk, path, REQUIRED);
    const { summary, words } = await resume(paydrop, batch);
    expect(summary).toMatchObject({ state: 'awaiting-approval', outcomes: { paid: 1, pending: 1 } });
    expect(said(words).join(' ')).toContain('were sent before; the question is about the rest');
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('what was declined stays declined', async () => {
    const desk = await newDesk();
    const before = await desk.open(REQUIRED);
    const { batch, path } = await asked(desk, before);
    await decline(before, batch);
    await resume(before, batch);
    const paydrop = await rebuilt(desk, path, '');
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['rejected declined', 'rejected declined']);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('who brought the file is still known', async () => {
    const desk = await newDesk();
    const before = await desk.open(REQUIRED);
    const path = await desk.file('salaries.csv', NAMELESS);
    const { summary } = await processBatch(before, path, HURRIED, false, ['Paul']);
    const paydrop = await rebuilt(desk, path, REQUIRED);
    await resume(paydrop, summary.batch);
    expect((await paydrop.ledger.batch(summary.batch))?.submittedBy).toEqual(['Paul']);
    expect(await approve(paydrop, summary.batch, 'PAUL')).toMatchObject({ code: 'approval_same_person' });
  });
});
