// Who may write a batch: one run at a time, under a token that grows with every take-over, also by the same run. What comes under an older one fails whole.
import { describe, expect, it } from 'vitest';

import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { type Ledger, changeBatch, moveOn } from '../../src/ledger/ledger.ts';
import type { BatchRecord, LeasedBatch } from '../../src/ledger/records.ts';
import { BATCH, keptBy, newRows, PAUSED, readBy } from './records.ts';
import type { OpenLedgers } from './two-ledgers.ts';

const AT = '2026-11-20T09:00:00.000Z';

async function added({ addBatch }: { addBatch: () => ReturnType<Ledger['addBatch']> }): Promise<BatchRecord> {
  const announced = await addBatch();
  if ('earlier' in announced) throw new Error('It is there already.');
  return announced.added;
}

function announce(ledger: Ledger, batch: BatchRecord): Promise<BatchRecord> {
  return added({ addBatch: () => ledger.addBatch(batch) });
}

/** Every write that only the owner of a batch may make. */
const WRITES: readonly (readonly [string, (ledger: Ledger, leased: LeasedBatch) => Promise<unknown>])[] = [
  ['changed', (ledger, leased) => changeBatch(ledger, leased, { epoch: 9 })],
  ['moved on', (ledger, leased) => moveOn(ledger, leased, 'checking', 'pricing')],
  ['revised', (ledger, leased) => ledger.revise(leased, () => ({ change: { epoch: 9 }, event: 'e' }))],
  ['refused', (ledger, leased) => changeBatch(ledger, leased, { state: 'refused' })],
  ['forgotten', (ledger, leased) => ledger.dropBatch(leased)],
  ['filled', (ledger, leased) => ledger.addRows(leased, newRows(1))],
  ['emptied', (ledger, leased) => ledger.clearRows(leased)],
  ['decided as a whole', (ledger, leased) => ledger.decideWhole(leased, { to: 'stopped', judged: [] })],
  [
    'held against others',
    (ledger, leased) =>
      ledger.crossCheck(leased, {
        limit: 9,
        at: null,
        since: AT,
        everyRow: true,
        judge: () => null,
        change: {},
      }),
  ],
];

export function exerciseOwner(open: OpenLedgers): void {
  it('a batch belongs to the run that announced it, also once that was found dead: it was not given back', async () => {
    const { ledger, other, kill } = await open();
    await ledger.addBatch(BATCH);
    expect(await other.batch(BATCH.id)).toMatchObject({ owner: ledger.run });
    await kill();
    await other.runs.endDead();
    expect(await other.batch(BATCH.id)).toMatchObject({ owner: ledger.run });
  });

  it('what is being paid is in doubt once it is taken over from a run that did not give it back', async () => {
    const { ledger, other, kill } = await open();
    const first = await announce(ledger, { ...BATCH, state: 'sending' });
    const again = await ledger.takeOver(first);
    expect(again).not.toHaveProperty('doubt');
    await kill();
    expect(await other.takeOver(again ?? first)).toMatchObject({ owner: other.run, doubt: { since: null } });
  });

  it('what is being paid is in doubt once more where a run that had carried it before was killed: its calls may have come later', async () => {
    const { ledger, other, kill } = await open();
    const first = await announce(ledger, { ...BATCH, state: 'sending' });
    await ledger.giveBack(first);
    const taken = await other.takeOver(first);
    if (taken === null) throw new Error('It was given back.');
    await changeBatch(other, taken, { doubt: undefined });
    // While the other one lives, and may say what it does, nothing is lost.
    const again = await other.takeOver(taken);
    expect(again).not.toHaveProperty('doubt');
    await kill();
    await other.runs.endDead();
    const last = await other.takeOver(again ?? taken);
    expect(last).toMatchObject({ owner: other.run, doubt: { since: null } });
    // Once: what it did is looked for from now on.
    await changeBatch(other, last ?? taken, { doubt: undefined });
    expect(await other.takeOver(last ?? taken)).not.toHaveProperty('doubt');
  });

  it('the token grows with every take-over, by whichever run, and with a batch that replaces another', async () => {
    const { ledger, other } = await open();
    const first = await announce(ledger, { ...BATCH, state: 'sending' });
    const second = await ledger.takeOver(first);
    await ledger.giveBack(second ?? first);
    const third = await other.takeOver(second ?? first);
    await other.giveBack(third ?? first);
    const last = await ledger.takeOver(third ?? first);
    const tokens = [first, second, third, last].map((batch) => batch?.token ?? NaN);
    expect(tokens.toSorted((a, b) => a - b)).toEqual(tokens);
    expect(new Set(tokens).size).toBe(4);
  });

  it('a batch that was dropped and announced again has a token that no carrier had', async () => {
    const { ledger } = await open();
    const first = await announce(ledger, BATCH);
    await ledger.dropBatch(first);
    const again = await announce(ledger, BATCH);
    expect(again.token).toBeGreaterThan(first.token);
    await expect(changeBatch(ledger, first, { epoch: 9 })).rejects.toThrow(LeaseLost);
  });

  describe.each(WRITES)('a batch is %s', (_what, write) => {
    it('by no run that it does not belong to', async () => {
      const { ledger, other } = await open();
      const leased = await announce(ledger, readBy(ledger));
      await expect(write(other, leased)).rejects.toThrow(LeaseLost);
      expect(await ledger.batch(BATCH.id)).toEqual(leased);
    });

    it('under no older token, also of the same run', async () => {
      const { ledger } = await open();
      const leased = await announce(ledger, readBy(ledger));
      const later = await ledger.takeOver(leased);
      await expect(write(ledger, leased)).rejects.toThrow(LeaseLost);
      expect(await ledger.batch(BATCH.id)).toEqual(later);
    });
  });

  it('a write that fails lets none behind it overtake those that waited with it', async () => {
    const { ledger } = await open();
    const first = await announce(ledger, readBy(ledger));
    const leased = await ledger.takeOver(first);
    if (leased === null) throw new Error('It is its own.');
    const [filled, refused, emptied] = await Promise.allSettled([
      ledger.addRows(leased, newRows(1)),
      ledger.addRows(first, newRows(1)),
      ledger.clearRows(leased),
    ]);
    expect([filled, refused, emptied].map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
  });

  it('what a person decides is written by whichever run', async () => {
    const { ledger, other } = await open();
    const leased = await announce(ledger, readBy(ledger));
    await other.revise(BATCH.id, () => ({ change: PAUSED, event: 'batch paused' }));
    expect(await ledger.batch(BATCH.id)).toEqual({ ...leased, ...PAUSED });
  });

  it('a batch that was seen is taken over once, and its pause stays', async () => {
    const { ledger, other } = await open();
    const seen = await announce(ledger, { ...BATCH, state: 'sending', ...PAUSED });
    await ledger.giveBack(seen);
    expect(await other.takeOver(seen)).toMatchObject({ owner: other.run, ...PAUSED });
    expect(await ledger.takeOver(seen)).toBeNull();
  });

  it('a batch that has moved on since it was seen is not taken over', async () => {
    const { ledger, other } = await open();
    const seen = await announce(ledger, { ...BATCH, state: 'following' });
    await changeBatch(ledger, seen, { state: 'closing' });
    expect(await other.takeOver(seen)).toBeNull();
    expect(await other.takeOver({ ...seen, id: '20261120-00000000' })).toBeNull();
  });

  it('a batch that somebody paused since it was seen is not taken over, and stays paused', async () => {
    const { ledger, other } = await open();
    const seen = await announce(ledger, { ...BATCH, state: 'sending' });
    await other.revise(BATCH.id, () => ({ change: PAUSED, event: 'batch paused' }));
    expect(await other.takeOver(seen)).toBeNull();
    expect(await ledger.batch(BATCH.id)).toMatchObject(PAUSED);
  });

  it.each(STATES_OF_BATCHES)(
    'a batch that is %s is left to a living process, and goes on once that is dead, which ends it for good',
    async (state) => {
      const { ledger, other, kill } = await open();
      const seen = await announce(ledger, { ...BATCH, state });
      expect(await other.takeOver(seen)).toBeNull();
      await kill();
      expect(await other.takeOver(seen)).toMatchObject(keptBy(other, { ...BATCH, state }));
      await expect(ledger.runs.tell('awake')).rejects.toThrow('took this one for dead');
    },
  );
}

const STATES_OF_BATCHES = [
  ...(['taking', 'checking', 'pricing', 'accepted', 'resolving'] as const),
  ...(['reserving', 'sending', 'following', 'closing', 'closed'] as const),
];
