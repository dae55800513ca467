// Hints of a ledger: a notification names a transfer by the id that we gave it, and its row is looked at again, whatever is under way.
import { expect, it } from 'vitest';

import { externalId } from '../../src/payouts/payout.ts';
import { FRESH, type DeadAttempt } from '../../src/payouts/progress.ts';
import type { Stage, StageOrHeld } from '../../src/payouts/lifecycle.ts';
import { KNOWN, deadBefore } from '../delivery/due-row.ts';
import { BATCH, inStage, movedTo, newRow, newRows } from './records.ts';
import { EVERYTHING, NOW_MS, onlyOne, withRows, type OpenLedgers, type TwoLedgers } from './two-ledgers.ts';
import { dueRows, own, record } from './own.ts';

const ID = idOf(1);

/** The id of the transfer of the first row. */
function idOf(attempt: number): string {
  return externalId(BATCH.fileId, '2', 'transfer', attempt);
}

export function exerciseHints(open: OpenLedgers): void {
  naming(open);
  hinting(open);
  meetingClaims(open);
}

function naming(open: OpenLedgers): void {
  it('a transfer has no row while no notification of it can come', async () => {
    const { ledger } = await withRows(open, newRows(1));
    expect(await ledger.transferOf(ID)).toBeNull();
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('quoted', row));
    expect(await ledger.transferOf(ID)).toBeNull();
  });

  it('a record that was not written names nothing', async () => {
    const { ledger } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('quoted', row));
    await record(ledger, row, movedTo('quoted', row, { transferExternalId: ID }));
    expect(await ledger.transferOf(ID)).toBeNull();
  });

  it('a row is found by the id of its transfer as soon as that is recorded, by every run', async () => {
    const { ledger, other } = await withRows(open, newRows(2));
    const [row] = await dueRows(ledger, EVERYTHING);
    if (row === undefined) throw new Error('The row was due.');
    await record(ledger, row, movedTo('quoted', row, { transferExternalId: ID }));
    expect(await other.transferOf(ID)).toMatchObject({ row: { position: 0, row: '2' }, attempt: 1 });
    expect(await other.transferOf(idOf(2))).toBeNull();
  });

  it('a row is found by each of its attempts, the dead ones included', async () => {
    const { ledger } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('quoted', row, { transferExternalId: ID, dueAt: 0 }));
    const quoted = onlyOne(await dueRows(ledger, EVERYTHING));
    const dead = movedTo('ready', quoted, { progress: { ...FRESH, deadAttempts: deadBefore(2) }, dueAt: 0 });
    await record(ledger, quoted, dead);
    const again = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, again, movedTo('quoted', again, { transferExternalId: idOf(2) }));
    expect(await ledger.transferOf(ID)).toMatchObject({
      attempt: 1,
      row: { progress: { deadAttempts: [{ attempt: 1 }] } },
    });
    expect(await ledger.transferOf(idOf(2))).toMatchObject({ attempt: 2 });
  });

  it('a row that is registered with transfers is found by all of them', async () => {
    const dead: DeadAttempt = {
      attempt: 1,
      transfer: KNOWN,
      proof: 'later-attempt-exists',
    };
    const progress = { ...FRESH, deadAttempts: [dead], transfer: KNOWN };
    const { ledger } = await withRows(open, [newRow(0, { progress })]);
    expect(await ledger.transferOf(ID)).toMatchObject({ attempt: 1 });
    expect(await ledger.transferOf(idOf(2))).toMatchObject({ attempt: 2 });
  });

  it('rows that are no longer there are not found, and none that took their place', async () => {
    const { ledger } = await withRows(open, newRows(1));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('quoted', row, { transferExternalId: ID }));
    await ledger.clearRows(await own(ledger, BATCH.id));
    expect(await ledger.transferOf(ID)).toBeNull();
    await ledger.addRows(await own(ledger, BATCH.id), [newRow(0, { row: '7' })]);
    expect(await ledger.transferOf(ID)).toBeNull();
  });
}

/** Recorded as due in an hour. */
async function waitingRow(open: OpenLedgers, stage: Stage = 'confirmed'): Promise<TwoLedgers> {
  const ledgers = await withRows(open, newRows(1));
  const row = onlyOne(await dueRows(ledgers.ledger, EVERYTHING));
  await record(ledgers.ledger, row, movedTo(stage, row, { dueAt: NOW_MS + 3_600_000 }));
  return ledgers;
}

const FIRST = { batch: BATCH.id, position: 0 };

function hinting(open: OpenLedgers): void {
  it.each<Stage>(['quoted', 'created', 'confirming', 'confirmed', 'paid'])(
    'a hint makes a %s row due at once, and changes nothing else of it',
    async (stage) => {
      const { ledger, other } = await waitingRow(open, stage);
      const before = onlyOne(await ledger.rows(BATCH.id, 0, 10));
      expect(await dueRows(ledger, EVERYTHING)).toEqual([]);
      expect(await other.hint(FIRST)).toBe(true);
      const after = { ...before, hints: before.hints + 1 };
      expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([after]);
      expect(await dueRows(ledger, EVERYTHING)).toEqual([after]);
    },
  );

  it.each<StageOrHeld>(['failed', 'held', 'rejected', 'duplicate'])(
    'a hint does nothing to a %s row',
    async (stage) => {
      const { ledger } = await withRows(open, [newRow(0, { ...inStage(stage), isDue: false })]);
      expect(await ledger.hint(FIRST)).toBe(false);
      expect(await dueRows(ledger, EVERYTHING)).toEqual([]);
    },
  );

  it('a hint does nothing where there is no row', async () => {
    const { ledger } = await withRows(open, []);
    expect(await ledger.hint(FIRST)).toBe(false);
  });

  it('a hundred hints at once are one look', async () => {
    const { ledger, other } = await waitingRow(open);
    const runs = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? ledger : other));
    await Promise.all(runs.map((run) => run.hint(FIRST)));
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await record(ledger, row, movedTo('confirmed', row, { dueAt: NOW_MS + 1 }));
    expect(await dueRows(other, EVERYTHING)).toEqual([]);
  });
}

function meetingClaims(open: OpenLedgers): void {
  it('a hint does not disturb the look that it meets, and outlives it: what was asked before may be old', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, inStage('confirmed'))]);
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await other.hint(FIRST);
    const change = movedTo('confirmed', row, { dueAt: NOW_MS + 3_600_000 });
    expect(await record(ledger, row, change)).toMatchObject({ written: true });
    expect(await dueRows(other, EVERYTHING)).toHaveLength(1);
  });

  it('a hint outlives every step of the look that it meets', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, inStage('created'))]);
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await other.hint(FIRST);
    await record(ledger, row, movedTo('confirming', row, {}));
    const next = { ...row, version: row.version + 1 };
    await record(ledger, next, movedTo('paid', next));
    expect(await dueRows(other, EVERYTHING)).toHaveLength(1);
  });

  it('a hint ends with a look that ended the payout for good', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, inStage('confirmed'))]);
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await other.hint(FIRST);
    await record(ledger, row, movedTo('failed', row));
    expect(await ledger.nextDueAt(BATCH.id, ['failed'])).toBeNull();
  });

  it('a hint outlives a look at the list that was begun before it: the row is looked at again at once', async () => {
    const { ledger, other } = await withRows(open, [newRow(0, inStage('paid'))]);
    const row = onlyOne(await dueRows(ledger, EVERYTHING));
    await other.hint(FIRST);
    const dueAt = NOW_MS + 3_600_000;
    await ledger.reschedule(await own(ledger, BATCH.id), [{ row, dueAt }]);
    const again = onlyOne(await dueRows(other, EVERYTHING));
    await other.reschedule(await own(other, BATCH.id), [{ row: again, dueAt }]);
    expect(await dueRows(ledger, EVERYTHING)).toEqual([]);
  });
}
