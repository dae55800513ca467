// Rows that may only be reserved: each ends with a transfer that lacks only its confirm, and no step on the way can confirm one.
import { describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import { standingOf } from '../../src/delivery/reserved.ts';
import { HOLD_CODES, newHold } from '../../src/payouts/hold.ts';
import { type Progress, type Why, FRESH } from '../../src/payouts/progress.ts';
import { BANK, count, deliver, stagesOf, type Delivery } from './deliver.ts';
import { PAYOUT } from './due-row.ts';
import { record } from '../ledger/own.ts';

const MINUTE_MS = 60_000;

/** What another process leaves that knew less, or more, than this one. */
async function recordedElsewhere(delivery: Delivery, changes: Partial<Progress>): Promise<void> {
  const other = delivery.openAgain();
  for (const row of await delivery.rows())
    await record(other, row, {
      progress: { ...row.progress, ...changes },
      dueAt: 0,
      event: 'by another process',
    });
}

describe('a run that only reserves', () => {
  it('creates every transfer, attaches every document and confirms none', async () => {
    const delivery = await deliver({ payouts: [{}, BANK, {}, BANK] });
    expect(await delivery.run({ goal: 'reserved' })).toEqual({ kind: 'done' });
    expect((await delivery.rows()).map((row) => standingOf(row, 'refuse-file'))).toEqual([
      'stands',
      'stands',
      'stands',
      'stands',
    ]);
    expect(count(delivery, 'PUT', '/attachment')).toBe(2);
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
  });

  it('leaves no intent to confirm on record, so that what expires is proved dead a minute later', async () => {
    const delivery = await deliver();
    await delivery.run({ goal: 'reserved' });
    delivery.clock.advance(17 * MINUTE_MS);
    await delivery.ledger.makeDue('b-1', 'all');
    await delivery.run({ goal: 'known' });
    const [row] = await delivery.rows();
    expect(row?.progress).toMatchObject({ stage: 'ready', deadAttempts: [{ attempt: 1 }], confirm: 'none' });
    expect(row?.progress.deadAttempts).toMatchObject([{ attempt: 1, proof: 'expired-unconfirmed' }]);
  });

  it('confirms nothing that another process had the intent to confirm, and remembers that it may be', async () => {
    const delivery = await deliver();
    await delivery.run({ goal: 'reserved' });
    await recordedElsewhere(delivery, { stage: 'confirming' });
    await delivery.run({ goal: 'reserved' });
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
    const [row] = await delivery.rows();
    expect(row?.progress).toMatchObject({ stage: 'created', confirm: 'sent' });
  });

  it.each(['known', 'reserved'] as const)(
    'does not find out by a confirm (%s) whether an expired transfer that may be confirmed is dead: time does',
    async (goal) => {
      const delivery = await deliver();
      await delivery.run({ goal: 'reserved' });
      await recordedElsewhere(delivery, { stage: 'quoted', transfer: null });
      delivery.clock.advance(15.5 * MINUTE_MS);
      expect(await delivery.run({ goal, waitMs: 0 })).toEqual({ kind: 'waited' });
      const [row] = await delivery.rows();
      expect(row?.progress).toMatchObject({ stage: 'created', lookedBy: null, confirm: 'sent' });
      delivery.clock.advance(16 * MINUTE_MS);
      await delivery.run({ goal });
      const [after] = await delivery.rows();
      expect(after?.progress.deadAttempts).toMatchObject([{ attempt: 1, proof: 'expired-unconfirmed' }]);
      expect(count(delivery, 'POST', '/confirm')).toBe(0);
    },
  );

  it('takes up a transfer of another process that is still young', async () => {
    const delivery = await deliver({ payouts: [{}, BANK] });
    await delivery.run({ goal: 'reserved' });
    await recordedElsewhere(delivery, { stage: 'quoted', transfer: null, document: 'none' });
    await delivery.run({ goal: 'reserved' });
    expect((await delivery.rows()).map((row) => standingOf(row, 'refuse-file'))).toEqual([
      'stands',
      'stands',
    ]);
    expect(count(delivery, 'POST', '/transfers')).toBe(2);
  });

  it('makes no call for a row of its own that nothing is in doubt of', async () => {
    const delivery = await deliver({ payouts: [{}, {}] });
    expect(await delivery.run({ goal: 'known' })).toEqual({ kind: 'done' });
    expect(delivery.calls).toEqual([]);
    expect(await stagesOf(delivery)).toEqual(['ready', 'ready']);
  });
});

describe('a row in a file that is paid whole or not at all', () => {
  const because = (errorCode: string): Why => ({ errorCode, reason: sameWords('') });
  const standing = (changes: Partial<Progress>, payout: typeof PAYOUT | null = PAYOUT) =>
    standingOf({ payout, progress: { ...FRESH, ...changes } }, 'refuse-file');

  it('stands in the way when it was refused, unless it was known before or a person closed it', () => {
    expect(standing({ stage: 'rejected', why: because('10018') })).toBe('refused');
    expect(standing({ stage: 'failed', why: because('100000') })).toBe('refused');
    expect(standing({ stage: 'rejected' }, null)).toBe('excused');
    expect(standing({ stage: 'rejected', why: because('cancelled') })).toBe('excused');
    expect(standing({ stage: 'duplicate' })).toBe('excused');
  });

  it('stands in the way when a price has put it out of bounds, unless such rows are skipped', () => {
    const progress: Progress = { ...FRESH, stage: 'rejected', why: because('amount_outside_bounds') };
    expect(standingOf({ payout: PAYOUT, progress }, 'refuse-file')).toBe('refused');
    expect(standingOf({ payout: PAYOUT, progress }, 'skip-rows')).toBe('excused');
  });

  it.each(HOLD_CODES)('stands in the way while it is held (%s)', (code) => {
    expect(standing({ hold: newHold(code, 0) })).toBe('held');
  });

  it('does not stand while its transfer is in doubt', () => {
    expect(standing({ stage: 'created' })).toBe('open');
    expect(standing({ stage: 'quoted' })).toBe('open');
    expect(standing({ stage: 'confirming' })).toBe('open');
  });
});
