// What counts against the limits: decided in the commit that counts it, whatever other runs write, and removed together with the row.
import { expect, it } from 'vitest';

import type { Limits } from '../../src/payouts/limits.ts';
import type { KnownTransfer } from '../../src/payouts/progress.ts';
import { isoTime, systemClock } from '../../src/base/clock.ts';
import { PAYOUT } from '../delivery/due-row.ts';
import { changeBatch } from '../../src/ledger/ledger.ts';
import { dueRows, own, record, reserve } from './own.ts';
import { BATCH, batchNumber, movedTo, newRow, newRows, paidFrom, readBy } from './records.ts';
import { EVERYTHING, onlyOne, withRows, type OpenLedgers } from './two-ledgers.ts';

const NONE: Limits = { perRow: null, perPayeePerDay: null, perFile: null, perDay: null };
const today = (): string => isoTime(systemClock.now()).slice(0, 10);

const transfer = (changes: Partial<KnownTransfer> = {}): KnownTransfer => ({
  transferId: 't-1',
  externalId: 'e-1',
  quotationId: 'q-1',
  status: 'created',
  statusCode: '10000',
  sendAmount: '100',
  feeAmount: '1.5',
  receiveAmount: '1',
  createdAt: '2026-11-19T23:59:59.000Z',
  expiredAt: '2026-11-20T00:30:00.000Z',
  ...changes,
});

export function exerciseLimits(open: OpenLedgers): void {
  it('of two ledgers that would exceed a limit together, exactly as many rows are let through as fit', async () => {
    const { ledger, other } = await withRows(open, newRows(10, paidFrom('XAF')));
    const announced = await other.addBatch(readBy(other, batchNumber(2)));
    if ('earlier' in announced) throw new Error('It is there already.');
    await other.addRows(announced.added, newRows(10, paidFrom('XAF')));
    const limits: Limits = { ...NONE, perDay: { XAF: '75' } };
    const parts = [
      { run: ledger, leased: await own(ledger, BATCH.id) },
      { run: other, leased: announced.added },
    ];
    const asked = await Promise.all(
      parts.map(async ({ run, leased }) =>
        (await run.dueRows(leased, EVERYTHING)).map((row) => () => run.reserve(leased, row, '10', limits)),
      ),
    );
    const answers = await Promise.all(asked.flat().map((ask) => ask()));
    expect(answers.filter((answer) => answer === null)).toHaveLength(7);
    expect(answers.find((answer) => answer !== null)).toEqual({
      name: 'perDay',
      currency: 'XAF',
      most: '75',
      total: '80',
    });
    expect(await other.spent(BATCH.id, 'XAF', today())).toMatchObject({ day: '70' });
    expect(await ledger.history.verify()).toMatchObject({ fault: null, batchFault: null, rowFault: null });
  });

  it('what a payee is paid in a day counts by the name and by the account, whichever ledger asks', async () => {
    const pays = (lastName: string, msisdn: string) => ({
      payout: { ...PAYOUT, receivingParty: { lastName }, deliveryMethodInfo: { msisdn } },
    });
    const people = [pays('Zhang', '+86138001'), pays('Zhang', '+86138002'), pays('Wang', '+86138001')];
    const { ledger, other } = await withRows(open, [
      ...people.map((changes, position) => newRow(position, changes)),
      newRow(3, pays('Wang', '+86138002')),
    ]);
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    const [first, sameName, sameAccount, neither] = await dueRows(ledger, EVERYTHING);
    if (!first || !sameName || !sameAccount || !neither) throw new Error('Not every row was claimed.');
    const limits: Limits = { ...NONE, perPayeePerDay: { [PAYOUT.sourceCurrency]: '15' } };
    expect(await reserve(ledger, first, '10', limits)).toBeNull();
    expect(await reserve(other, sameName, '10', limits)).toMatchObject({ total: '20' });
    expect(await reserve(other, sameAccount, '10', limits)).toMatchObject({ total: '20' });
    expect(await reserve(other, neither, '10', limits)).toBeNull();
    // Its own ten are in what it asks for now.
    expect(await reserve(ledger, first, '15', limits)).toBeNull();
    expect(await reserve(ledger, first, '15.01', limits)).toMatchObject({ total: '15.01' });
  });

  it('of rows of one payee that ask in one commit, those after the first count it too', async () => {
    const { ledger } = await withRows(
      open,
      [0, 1, 2].map((position) =>
        newRow(position, { payout: { ...PAYOUT, receivingParty: { lastName: 'Zhang' } } }),
      ),
    );
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    const limits: Limits = { ...NONE, perPayeePerDay: { [PAYOUT.sourceCurrency]: '25' } };
    const rows = await dueRows(ledger, EVERYTHING);
    const leased = await own(ledger, BATCH.id);
    const answers = await Promise.all(rows.map((row) => ledger.reserve(leased, row, '10', limits)));
    expect(answers.filter((answer) => answer === null)).toHaveLength(2);
    expect(answers.find((answer) => answer !== null)).toMatchObject({ name: 'perPayeePerDay', total: '30' });
    expect(await ledger.spent(BATCH.id, PAYOUT.sourceCurrency, today())).toEqual({ file: '20', day: '20' });
    expect(await ledger.history.verify()).toMatchObject({ fault: null, batchFault: null, rowFault: null });
  });

  it('a row that asks again for the same amount counts once', async () => {
    const { ledger } = await withRows(open, newRows(1, paidFrom('XAF')));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    const limits: Limits = { ...NONE, perRow: { XAF: '10' }, perFile: { XAF: '10' } };
    expect(await reserve(ledger, row, '10', limits)).toBeNull();
    expect(await reserve(ledger, row, '10', limits)).toBeNull();
    expect(await reserve(ledger, row, '10.01', limits)).toMatchObject({ name: 'perRow', total: '10.01' });
    expect(await ledger.spent(BATCH.id, 'XAF', today())).toEqual({ file: '10', day: '10' });
  });

  it('rows that count together count once each, also where another write of the same moment fails', async () => {
    const { ledger } = await withRows(open, newRows(3, paidFrom('XAF')));
    const rows = await dueRows(ledger, EVERYTHING);
    const results = await Promise.allSettled([
      ...rows.map((row) => reserve(ledger, row, '10', NONE)),
      ledger.addRows({ id: BATCH.id, owner: 'another run', token: 0 }, []),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(await ledger.spent(BATCH.id, 'XAF', today())).toEqual({ file: '30', day: '30' });
    expect(await ledger.history.verify()).toMatchObject({ fault: null, batchFault: null, rowFault: null });
  });

  it('a row that somebody else has written meanwhile is not counted', async () => {
    const { ledger, other } = await withRows(open, newRows(1, paidFrom('XAF')));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(other, row, movedTo('quoted', row));
    expect(await reserve(ledger, row, '10', NONE)).toBe('gone');
    expect(await ledger.spent(BATCH.id, 'XAF', today())).toEqual({ file: '0', day: '0' });
  });

  it('a transfer counts without being asked for, on the day on which it was made, until it has failed', async () => {
    const { ledger } = await withRows(open, newRows(1, paidFrom('XAF')));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    const made = { ...row.progress, stage: 'created', transfer: transfer() } as const;
    await record(ledger, row, movedTo('created', row, { progress: made }));
    expect(await ledger.spent(BATCH.id, 'XAF', '2026-11-19')).toEqual({ file: '101.5', day: '101.5' });
    const known = onlyOne(await ledger.rows(BATCH.id, 0, 1));
    await record(ledger, known, movedTo('failed', known));
    expect(await ledger.spent(BATCH.id, 'XAF', '2026-11-19')).toEqual({ file: '0', day: '0' });
  });

  it('what is left to send is told by currency, with what is known of its amount', async () => {
    const { ledger } = await withRows(open, newRows(3, paidFrom('EUR')));
    const [first] = await dueRows(ledger, { ...EVERYTHING, limit: 1 });
    if (first === undefined) throw new Error('Nothing was claimed.');
    const { quotationId, sendAmount, feeAmount, receiveAmount, createdAt, expiredAt } = transfer();
    const price = { quotationId, sendAmount, feeAmount, receiveAmount, createdAt, expiredAt };
    await record(
      ledger,
      first,
      movedTo('quoted', first, { progress: { ...first.progress, stage: 'quoted', price } }),
    );
    expect(await ledger.leftToSend(BATCH.id, 'all')).toEqual(
      new Map([['EUR', { rows: 3, unpriced: 2, amount: '101.5' }]]),
    );
  });
}
