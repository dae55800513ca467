// The mailbox of a batch: an order is in force from the moment it is given, waits for the batch's owner, and keeps him from giving the batch back.
import { expect, it } from 'vitest';

import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';
import { BATCH, inStage, movedTo, newRow, newRows } from './records.ts';
import { EVERYTHING, withRows, type OpenLedgers } from './two-ledgers.ts';
import { own } from './own.ts';

const ORDER = { batch: BATCH.id, givenAt: '2026-11-20T09:00:00.000Z', body: '{"skip":true}' };

export function exerciseOrders(open: OpenLedgers): void {
  it('an order waits until the owner of its batch answers it, and the answer is read by whoever gave it', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const id = await other.orders.give(ORDER);
    expect(await ledger.orders.open(BATCH.id)).toEqual([{ id, ...ORDER }]);
    expect(await other.orders.outcome(id)).toBeNull();
    await ledger.orders.answer(await own(ledger, BATCH.id), id, '{"released":1}');
    expect(await ledger.orders.open(BATCH.id)).toEqual([]);
    expect(await other.orders.outcome(id)).toBe('{"released":1}');
  });

  it('orders are carried out one after the other, and nobody else’s are among them', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const ids = [await other.orders.give(ORDER), await ledger.orders.give(ORDER)];
    await ledger.orders.give({ ...ORDER, batch: '20261120-00000000' });
    expect((await ledger.orders.open(BATCH.id)).map(({ id }) => id)).toEqual(ids);
  });

  it('no run that has the batch no more answers an order', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const leased = await own(ledger, BATCH.id);
    const id = await other.orders.give(ORDER);
    const seen = await own(ledger, BATCH.id);
    await ledger.takeOver(seen);
    await expect(ledger.orders.answer(leased, id, '{}')).rejects.toThrow(LeaseLost);
    expect(await other.orders.outcome(id)).toBeNull();
  });

  it('while one waits no row is taken up, whoever writes a row is told to stop, and what he writes still counts', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    const leased = await own(ledger, BATCH.id);
    const [row] = await ledger.dueRows(leased, EVERYTHING);
    if (row === undefined) throw new Error('It was due.');
    const id = await other.orders.give(ORDER);
    expect(await ledger.dueRows(leased, EVERYTHING)).toEqual([]);
    expect(await ledger.record(leased, row, movedTo('quoted', row))).toEqual({
      written: true,
      isHalted: true,
    });
    await ledger.orders.answer(leased, id, '{}');
    expect(await ledger.dueRows(leased, EVERYTHING)).toHaveLength(1);
  });

  it('while one waits the batch is not given back', async () => {
    const { ledger, other } = await withRows(open, newRows(1));
    const leased = await own(ledger, BATCH.id);
    const id = await other.orders.give(ORDER);
    expect(await ledger.giveBack(leased)).toBe(false);
    await ledger.orders.answer(leased, id, '{}');
    expect(await ledger.giveBack(leased)).toBe(true);
    expect(await other.batch(BATCH.id)).toMatchObject({ isFree: true });
  });

  it('while one waits nothing is decided on the whole batch', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, inStage('created'))]);
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing', whole: 'reserving' });
    const decide = async () =>
      ledger.decideWhole(await own(ledger, BATCH.id), { to: 'confirming', judged: [] });
    const id = await other.orders.give(ORDER);
    expect(await decide()).toBe('reserving');
    await ledger.orders.answer(await own(ledger, BATCH.id), id, '{}');
    expect(await decide()).toBe('confirming');
  });

  it('a process is told at once of an order that it gives itself', async () => {
    const { ledger } = await withRows(open, newRows(1));
    let told = 0;
    const listenNoMore = ledger.orders.onGiven(BATCH.id, () => (told += 1));
    await ledger.orders.give(ORDER);
    await ledger.orders.give({ ...ORDER, batch: '20261120-00000000' });
    expect(told).toBe(1);
    listenNoMore();
    await ledger.orders.give(ORDER);
    expect(told).toBe(1);
  });
}
