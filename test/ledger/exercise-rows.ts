// Rows of a ledger: added all or none, read in the file's order, page by page.
import { describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import type { RowFilter } from '../../src/ledger/ledger.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { FRESH } from '../../src/payouts/progress.ts';
import { PAYOUT } from '../delivery/due-row.ts';
import { BATCH, batchNumber, inStage, newRow, newRows, readBy } from './records.ts';
import { positions, withRows, type OpenLedgers } from './two-ledgers.ts';
import { own } from './own.ts';

export function exerciseRows(open: OpenLedgers): void {
  it('a row is read back as it was registered, written by the run that registered it', async () => {
    const rejections = [
      {
        code: 'amount_missing',
        column: 'Montant',
        words: { en: 'Write it.', fr: 'Écrivez-le.', es: 'Escríbalo.' },
      },
    ] as const;
    const row = newRow(0, {
      row: 'Sheet!12',
      reference: 'A-1',
      fingerprint: 'f-1',
      payout: null,
      rejections,
    });
    const { other } = await withRows(open, [row]);
    const { payout, reference, lineage, progress, position } = row;
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
          fingerprint: 'f-1',
          progress,
        },
        version: 0,
        hints: 0,
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
    await ledger.addRows(await own(ledger, another.id), newRows(3));
    expect(await ledger.rows(BATCH.id, 0, 10)).toHaveLength(2);
    await ledger.clearRows(await own(ledger, another.id));
    expect(await ledger.rows(another.id, 0, 10)).toEqual([]);
    expect(await ledger.rows(BATCH.id, 0, 10)).toHaveLength(2);
  });

  it('rows are added all or none', async () => {
    const { ledger } = await withRows(open, newRows(1));
    await expect(
      ledger.addRows(await own(ledger, BATCH.id), [newRow(1), newRow(2), newRow(0)]),
    ).rejects.toThrow();
    expect(positions(await ledger.rows(BATCH.id, 0, 10))).toEqual([0]);
  });

  it('a batch that is read again from the start has its new rows only', async () => {
    const { ledger } = await withRows(open, newRows(5));
    await ledger.clearRows(await own(ledger, BATCH.id));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(2, { reference: null }));
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

  describe('by a filter', () => {
    const payeeOf = (receivingParty: Payout['receivingParty']) => ({ payout: { ...PAYOUT, receivingParty } });
    const rejected = [
      {
        code: 'amount_missing',
        column: 'Montant',
        words: { en: 'Write it.', fr: 'Écrivez-le.', es: 'Escríbalo.' },
      },
    ] as const;
    const mixed = [
      newRow(0, { reference: 'PAY-1', ...payeeOf({ firstName: 'Marie', lastName: 'NGO', city: 'Paid' }) }),
      newRow(1, {
        reference: 'PAY-2',
        ...inStage('paid'),
        ...payeeOf({ registeredName: 'Société "Émeraude"' }),
      }),
      newRow(2, { reference: '50%_off', ...inStage('held') }),
      newRow(3, { ...inStage('rejected'), payout: null, rejections: rejected }),
      newRow(4, {
        progress: { ...FRESH, stage: 'failed', why: { errorCode: '100001', reason: sameWords('reversed') } },
      }),
    ];
    const found = async (filter: RowFilter, from = 0, limit = 10) => {
      const { other } = await withRows(open, mixed);
      return positions(await other.rows(BATCH.id, from, limit, filter));
    };

    it.each<[string, RowFilter, readonly number[]]>([
      ['stages, a hold before the stage under it', { stages: ['held', 'failed'] }, [2, 4]],
      ['the stage under a hold finds nothing', { stages: ['ready'] }, [0]],
      ['the code of a hold', { code: 'equal_rows' }, [2]],
      ['the code of what ended it', { code: '100001' }, [4]],
      ['the code of a rejection', { code: 'amount_missing' }, [3]],
      ['a part of a code finds nothing', { code: 'amount' }, []],
      ['a reference, in part and whatever its capitals', { text: 'pay-' }, [0, 1]],
      ['a receiver, the words in any order', { text: 'ngo marie' }, [0]],
      ['a word that stands in another field finds nothing', { text: 'Paid' }, []],
      ['accents and quotes', { text: 'SOCIÉTÉ "émeraude"' }, [1]],
      ['what a pattern would take for any text', { text: '50%_' }, [2]],
      ['a row by its own name, which is no part of another', { text: '5' }, [2, 3]],
      ['all of it at once', { text: 'pay', stages: ['paid'] }, [1]],
      ['nothing asked finds everything', {}, [0, 1, 2, 3, 4]],
    ])('%s', async (_, filter, expected) => {
      expect(await found(filter)).toEqual(expected);
    });

    it('goes on from a position, so many at a time', async () => {
      expect(await found({ text: 'pay' }, 0, 1)).toEqual([0]);
      expect(await found({ text: 'pay' }, 1, 1)).toEqual([1]);
      expect(await found({ text: 'pay' }, 2, 1)).toEqual([]);
    });

    it('finds rows far apart in a large batch', async () => {
      const { other } = await withRows(
        open,
        Array.from({ length: 10_100 }, (_, at) => newRow(at, at % 5_049 === 0 ? inStage('paid') : {})),
      );
      expect(positions(await other.rows(BATCH.id, 1, 10, { stages: ['paid'] }))).toEqual([5_049, 10_098]);
    });
  });
}
