// Encounters of a ledger: rows that meet one that is paid or under way, by their reference or, without references, by the payment itself.
import { describe, expect, it } from 'vitest';

import type { Encounter, NewRow } from '../../src/ledger/records.ts';
import { BATCH, batchNumber, inStage, newRow } from './records.ts';
import { keep, type OpenLedgers } from './two-ledgers.ts';

const EARLIER = batchNumber(1, { acceptedAt: '2026-11-18T08:00:00.000Z' });

/** The start of the window: everything above is inside. */
const SINCE = '2026-11-15T08:00:00.000Z';

export function exerciseEncounters(open: OpenLedgers): void {
  describe('by reference', () => byReference(open));
  describe('by payment', () => byPayment(open));
}

/** What the rows of a batch meet in those of an earlier one. */
async function meet(
  open: OpenLedgers,
  mine: readonly NewRow[],
  theirs: readonly NewRow[],
  since: string = SINCE,
): Promise<readonly Encounter[]> {
  const { ledger, other } = open();
  await ledger.addBatch(EARLIER, keep);
  await ledger.addRows(EARLIER.id, theirs);
  await ledger.addBatch(BATCH, keep);
  await ledger.addRows(BATCH.id, mine);
  return other.encounters(BATCH.id, since);
}

function byReference(open: OpenLedgers): void {
  it('a reference of another batch is met, whatever was paid under it and however long ago', async () => {
    const theirs = newRow(4, { reference: 'A-1', fingerprint: 'f-2', ...inStage('paid') });
    const late = '2026-12-01T00:00:00.000Z';
    expect(await meet(open, [newRow(0, { reference: 'A-1', fingerprint: 'f-1' })], [theirs], late)).toEqual([
      {
        position: 0,
        kind: 'same-reference',
        other: {
          batch: EARLIER.id,
          row: '6',
          fingerprint: 'f-2',
          stage: 'paid',
          acceptedAt: EARLIER.acceptedAt,
        },
      },
    ]);
  });

  it.each(['ready', 'quoted', 'created', 'documented', 'confirmed', 'paid', 'held'] as const)(
    'a row that is %s is in the way',
    async (stage) => {
      const theirs = newRow(0, { reference: 'A-1', ...inStage(stage) });
      expect(await meet(open, [newRow(0, { reference: 'A-1' })], [theirs])).toHaveLength(1);
    },
  );

  it.each(['failed', 'rejected', 'duplicate'] as const)(
    'a row that is %s is in nobody’s way',
    async (stage) => {
      const theirs = newRow(0, { reference: 'A-1', fingerprint: 'f-1', ...inStage(stage) });
      const mine = [newRow(0, { reference: 'A-1' }), newRow(1, { fingerprint: 'f-1' })];
      expect(await meet(open, mine, [theirs])).toEqual([]);
    },
  );

  it('references that differ by case only are two', async () => {
    expect(await meet(open, [newRow(0, { reference: 'a-1' })], [newRow(0, { reference: 'A-1' })])).toEqual(
      [],
    );
  });

  it('the same payment under two references is two payments', async () => {
    const mine = [newRow(0, { reference: 'A-1', fingerprint: 'f-1' })];
    expect(await meet(open, mine, [newRow(0, { reference: 'B-1', fingerprint: 'f-1' })])).toEqual([]);
  });
}

function byPayment(open: OpenLedgers): void {
  it('a row without reference meets the same payment of another batch, with a reference or without', async () => {
    const theirs = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-2', reference: 'B-1' })];
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-2' })];
    expect(await meet(open, mine, theirs)).toMatchObject([
      { position: 0, kind: 'same-payment', other: { batch: EARLIER.id, row: '2' } },
      { position: 1, kind: 'same-payment', other: { batch: EARLIER.id, row: '3' } },
    ]);
  });

  it('a batch that was accepted at the very start of the window is inside, a moment earlier is not', async () => {
    const rows = [newRow(0, { fingerprint: 'f-1' })];
    expect(await meet(open, rows, rows, EARLIER.acceptedAt)).toHaveLength(1);
    expect(await meet(open, rows, rows, '2026-11-18T08:00:00.001Z')).toEqual([]);
  });

  it('two equal rows of one file without references meet each other', async () => {
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-1' })];
    expect(await meet(open, mine, [])).toMatchObject([
      { position: 0, kind: 'same-payment', other: { batch: BATCH.id, row: '3' } },
      { position: 1, kind: 'same-payment', other: { batch: BATCH.id, row: '2' } },
    ]);
  });

  it('two equal rows of one file do not meet when one of them has a reference', async () => {
    const mine = [newRow(0, { fingerprint: 'f-1' }), newRow(1, { fingerprint: 'f-1', reference: 'A-2' })];
    expect(await meet(open, mine, [])).toEqual([]);
  });

  it('rejected rows, which have neither, meet nothing', async () => {
    const rows = [newRow(0, { payout: null, ...inStage('rejected') })];
    expect(await meet(open, rows, rows)).toEqual([]);
  });
}
