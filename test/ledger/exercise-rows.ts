// Rows of a ledger: added all or none, read in the file's order, page by page.
import { expect, it } from 'vitest';

import { BATCH, batchNumber, inStage, newRow, newRows, readBy } from './records.ts';
import { positions, withRows, type OpenLedgers } from './two-ledgers.ts';

export function exerciseRows(open: OpenLedgers): void {
  it('a row is read back as it was registered, written by the run that registered it', async () => {
    const rejections = [{ code: 'amount_missing', column: 'Montant', message: 'Écrivez-le.' }] as const;
    const row = newRow(0, {
      row: 'Sheet!12',
      reference: 'A-1',
      fingerprint: 'f-1',
      payout: null,
      rejections,
    });
    const { other } = await withRows(open, [row]);
    const { payout, reference, lineage, fingerprint, progress, position } = row;
    expect(await other.rows(BATCH.id, 0, 10)).toEqual([
      {
        ...{
          batch: BATCH.id,
          position,
          row: 'Sheet!12',
          payout,
          rejections,
          reference,
          lineage,
          fingerprint,
          progress,
        },
        version: 0,
      },
    ]);
  });

  it('pages follow each other in the order of the file, from a position on', async () => {
    const { ledger } = await withRows(open, [...newRows(7)].reverse());
    expect(positions(await ledger.rows(BATCH.id, 0, 3))).toEqual([0, 1, 2]);
    expect(positions(await ledger.rows(BATCH.id, 3, 3))).toEqual([3, 4, 5]);
    expect(positions(await ledger.rows(BATCH.id, 6, 3))).toEqual([6]);
    expect(await ledger.rows(BATCH.id, 7, 3)).toEqual([]);
  });

  it('rows of one batch are not those of another', async () => {
    const { ledger } = await withRows(open, newRows(2));
    const another = batchNumber(1);
    await ledger.addBatch(readBy(ledger, another));
    await ledger.addRows(another.id, newRows(3));
    expect(await ledger.rows(BATCH.id, 0, 10)).toHaveLength(2);
    await ledger.clearRows(another.id);
    expect(await ledger.rows(another.id, 0, 10)).toEqual([]);
    expect(await ledger.rows(BATCH.id, 0, 10)).toHaveLength(2);
  });

  it('rows are added all or none', async () => {
    const { ledger } = await withRows(open, newRows(1));
    await expect(ledger.addRows(BATCH.id, [newRow(1), newRow(2), newRow(0)])).rejects.toThrow();
    expect(positions(await ledger.rows(BATCH.id, 0, 10))).toEqual([0]);
  });

  it('a batch that is read again from the start has its new rows only', async () => {
    const { ledger } = await withRows(open, newRows(5));
    await ledger.clearRows(BATCH.id);
    await ledger.addRows(BATCH.id, newRows(2, { reference: null }));
    expect(positions(await ledger.rows(BATCH.id, 0, 10))).toEqual([0, 1]);
  });

  it('counts how many rows stand in each stage, and names no stage in which none does', async () => {
    const { ledger } = await withRows(open, [
      newRow(0),
      newRow(1, inStage('paid')),
      newRow(2, inStage('paid')),
      newRow(3, inStage('held')),
    ]);
    const counts = await ledger.stageCounts(BATCH.id);
    expect([...counts].sort()).toEqual([
      ['held', 1],
      ['paid', 2],
      ['ready', 1],
    ]);
    expect((await ledger.stageCounts('20261120-00000000')).size).toBe(0);
  });
}
