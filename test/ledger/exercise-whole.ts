// The one decision on a batch that is paid whole or not at all: by what all its rows say, taken once, and never against another.
import { expect, it } from 'vitest';

import { type Ledger, type WholeDecision, changeBatch } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { BATCH, HELD, PAUSED, inStage, movedTo, newRow } from './records.ts';
import { EVERYTHING, onlyOne, withRows, type OpenLedgers, type TwoLedgers } from './two-ledgers.ts';
import { dueRows, own, record } from './own.ts';

/** The rows as the run that decides has read them; the rest of them stays as it is. */
async function decide(
  ledger: Ledger,
  to: WholeDecision['to'],
  read?: readonly RowRecord[],
): ReturnType<Ledger['decideWhole']> {
  const rows = read ?? (await ledger.rows(BATCH.id, 0, 9));
  const held = rows.map((row) => ({ row, progress: { ...row.progress, hold: HELD.hold }, event: 'held' }));
  return ledger.decideWhole(await own(ledger, BATCH.id), {
    to,
    judged: to === 'stopped' ? held : [],
  });
}

export function exerciseWhole(open: OpenLedgers): void {
  it('a batch is confirmed when every row allows it', async () => {
    const { ledger, other } = await reserving(open, ['created', 'created']);
    expect(await decide(ledger, 'confirming')).toBe('confirming');
    expect((await other.batch(BATCH.id))?.whole).toBe('confirming');
  });

  it('a decision stands: nobody decides otherwise, and no row is touched by who comes too late', async () => {
    const { ledger } = await reserving(open, ['created']);
    const read = await ledger.rows(BATCH.id, 0, 9);
    const decided = await Promise.all([decide(ledger, 'confirming', read), decide(ledger, 'stopped', read)]);
    expect(decided).toEqual(['confirming', 'confirming']);
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 9)).progress.stage).toBe('created');
  });

  it('a stop changes the rows with it: a record of one as it was before is refused', async () => {
    const { ledger, other } = await reserving(open, ['quoted']);
    const claimed = onlyOne(await dueRows(other, EVERYTHING));
    expect(await decide(ledger, 'stopped')).toBe('stopped');
    expect((await record(other, claimed, movedTo('created', claimed))).written).toBe(false);
    expect(onlyOne(await ledger.rows(BATCH.id, 0, 9)).progress.hold).toEqual(HELD.hold);
    expect(await ledger.nextDueAt(BATCH.id, ['quoted'])).toBeNull();
  });

  it('nothing is decided while the batch is paused', async () => {
    const { ledger } = await reserving(open, ['created']);
    await changeBatch(ledger, await own(ledger, BATCH.id), PAUSED);
    expect(await decide(ledger, 'confirming')).toBe('reserving');
  });

  it('a batch whose rows are being reserved is sent by the decision alone, in the same commit', async () => {
    const { ledger, other } = await reserving(open, ['created']);
    for (const state of ['pricing', 'accepted', 'reserving'] as const)
      await changeBatch(ledger, await own(ledger, BATCH.id), { state });
    await expect(changeBatch(ledger, await own(ledger, BATCH.id), { state: 'sending' })).rejects.toThrow(
      'not decided',
    );
    expect(await decide(ledger, 'confirming')).toBe('confirming');
    expect(await other.batch(BATCH.id)).toMatchObject({ state: 'sending', whole: 'confirming' });
  });

  it('a batch that is paid row by row has nothing to decide', async () => {
    const { ledger } = await withRows(open, [newRow(0, inStage('created'))]);
    expect(await decide(ledger, 'confirming')).toBeNull();
  });
}

async function reserving(open: OpenLedgers, stages: readonly ('created' | 'quoted')[]): Promise<TwoLedgers> {
  const ledgers = await withRows(
    open,
    stages.map((stage, position) => newRow(position, inStage(stage))),
  );
  await changeBatch(ledgers.ledger, await own(ledgers.ledger, BATCH.id), {
    state: 'pricing',
    whole: 'reserving',
  });
  return ledgers;
}
