// What a ledger remembers for a look before a payment: earlier payments to the receiver, and the row with the same reference.
import { expect, it } from 'vitest';

import { accountKey, payeeKey } from '../../src/payouts/payment-keys.ts';
import { type Ledger, changeBatch } from '../../src/ledger/ledger.ts';
import type { Encounter, NewRow } from '../../src/ledger/records.ts';
import { KNOWN, PAYOUT, progress } from '../delivery/due-row.ts';
import { BATCH, batchNumber, inStage, newRow, newRows, readBy } from './records.ts';
import { withRows, type OpenLedgers } from './two-ledgers.ts';
import { own } from './own.ts';

const WEI = payeeKey(PAYOUT) ?? '';

const paid = (receiveAmount: string): Pick<NewRow, 'progress'> => ({
  progress: progress({ stage: 'paid', transfer: { ...KNOWN, receiveAmount } }),
});

/** The row under this very reference. */
export async function standing(ledger: Ledger, reference: string): Promise<Encounter['other'] | null> {
  const met = await ledger.duplicateOf({ ...PAYOUT, reference }, '2026-11-15T08:00:00.000Z');
  return met?.other ?? null;
}

export function exercisePaidBefore(open: OpenLedgers): void {
  it('a payment is told with what was received, where, and when its batch was accepted', async () => {
    const { other } = await withRows(open, [newRow(0, paid('980.50'))]);
    expect(await other.paidTo(WEI, 5)).toEqual([
      {
        receiveAmount: '980.50',
        targetCurrency: 'CNY',
        shownAccount: '••• 0007',
        account: accountKey(PAYOUT),
        acceptedAt: BATCH.acceptedAt,
      },
    ]);
  });

  it('only what was paid to this very receiver counts', async () => {
    const na = { ...PAYOUT, receivingParty: { firstName: 'Na', lastName: 'Li' } };
    const { ledger } = await withRows(open, [
      newRow(0, inStage('confirmed')),
      newRow(1, inStage('failed')),
      newRow(2, { payout: na, ...paid('1') }),
      newRow(3, { payout: null, ...inStage('rejected') }),
    ]);
    expect(await ledger.paidTo(WEI, 5)).toEqual([]);
  });

  it('the newest come first, the last row of a batch before the others, and no more than asked for', async () => {
    const { ledger } = await withRows(open, [newRow(0, paid('3')), newRow(1, paid('4'))]);
    const older = batchNumber(1, { acceptedAt: '2026-10-20T08:30:00.000Z' });
    await ledger.addBatch(readBy(ledger, older));
    await ledger.addRows(await own(ledger, older.id), [newRow(0, paid('1')), newRow(1, paid('2'))]);
    const amounts = async (limit: number) =>
      (await ledger.paidTo(WEI, limit)).map(({ receiveAmount }) => receiveAmount);
    expect(await amounts(9)).toEqual(['4', '3', '2', '1']);
    expect(await amounts(3)).toEqual(['4', '3', '2']);
  });

  it('a receiver and an account that nothing names are nobody and nowhere', async () => {
    const payout = { ...PAYOUT, receivingParty: {}, deliveryMethodInfo: {} };
    const { ledger } = await withRows(open, newRows(2, { payout, ...paid('1') }));
    expect(await ledger.paidTo('', 5)).toEqual([]);
    expect(await ledger.paidTo('null', 5)).toEqual([]);
  });

  it('the row under a reference is found when it stands in the way of another, and only then', async () => {
    const { ledger } = await withRows(open, [
      newRow(0, { reference: 'A-1', fingerprint: 'f-1', ...paid('1') }),
      newRow(1, { reference: 'A-2', ...inStage('failed') }),
      newRow(2, { reference: 'A-3', payout: null, ...inStage('rejected') }),
    ]);
    const { id: batch, acceptedAt } = BATCH;
    expect(await standing(ledger, 'A-1')).toEqual({
      batch,
      position: 0,
      row: '2',
      fingerprint: 'f-1',
      stage: 'paid',
      acceptedAt,
      isRecent: true,
      isHeld: false,
      isUnseen: false,
    });
    for (const reference of ['A-2', 'A-3', 'a-1', 'A-4', ''])
      expect(await standing(ledger, reference)).toBeNull();
  });

  it('the row of a batch that is still read stands in nobody’s way, unless it has a transfer; while it is priced, nothing is certain', async () => {
    const { ledger } = await withRows(open, [newRow(0, { reference: 'A-1' })]);
    expect(await standing(ledger, 'A-1')).toBeNull();
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    expect(await standing(ledger, 'A-1')).toMatchObject({ stage: 'held' });
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'accepted' });
    expect(await standing(ledger, 'A-1')).toMatchObject({ stage: 'ready' });
  });
}
