// A checker that never finds anything proves nothing: the story of a real run is sound, and every way of bending it is noticed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { openScene, type Scene } from '../crash/crash-scene.ts';
import { checkAnswers } from './check-answers.ts';
import type { BatchEvidence, ServiceEvidence, TransferEvidence } from './evidence.ts';

let scene: Scene;
let batch: BatchEvidence;
let service: ServiceEvidence;

beforeAll(async () => {
  scene = await openScene({ rows: 20 });
  await scene.start(['run', ...scene.files]).ended;
  const { batches } = await collectBatches(scene);
  const [first] = batches;
  if (first === undefined) throw new Error('the run gave no answers');
  batch = first;
  service = await collectService(scene);
});

afterAll(() => scene.close());

const kindsIn = (
  changedBatch: Partial<BatchEvidence>,
  changedService: Partial<ServiceEvidence> = {},
): ReadonlySet<string> =>
  new Set(
    checkAnswers([{ ...batch, ...changedBatch }], { ...service, ...changedService }).map(({ kind }) => kind),
  );

const paid = (): TransferEvidence => {
  const found = service.transfers.find(({ status }) => status === 'paid');
  if (found === undefined) throw new Error('nothing was paid');
  return found;
};
const instead = (changed: Partial<TransferEvidence>): Partial<ServiceEvidence> => ({
  transfers: service.transfers.map((one) => (one === paid() ? { ...one, ...changed } : one)),
});
const line = (text: string, number: number): string => text.split('\n')[number] ?? '';

describe('the story of a run', () => {
  it('is sound when nobody bends it, with rows paid and rows failed', () => {
    expect(checkAnswers([batch], service)).toEqual([]);
    expect(new Set(service.transfers.map(({ status }) => status))).toEqual(new Set(['paid', 'failed']));
  });

  it('is a double payment when the payee of a row has a second transfer', () => {
    const second = { ...paid(), id: 'another', externalId: 'not-one-of-ours' };
    expect(kindsIn({}, { transfers: [...service.transfers, second] })).toContain('double');
  });

  it('is a double payment when a transfer was submitted twice', () => {
    expect(kindsIn({}, { history: [...service.history, { id: paid().id, status: 'submitted' }] })).toContain(
      'double',
    );
  });

  it('has lost a row when a line is missing, in another place, or not final', () => {
    const { result } = batch;
    expect(kindsIn({ result: result.replace(`${line(result, 3)}\n`, '') })).toContain('lost');
    const swapped = result.replace(
      `${line(result, 3)}\n${line(result, 4)}`,
      `${line(result, 4)}\n${line(result, 3)}`,
    );
    expect(kindsIn({ result: swapped })).toContain('lost');
    expect(
      kindsIn({ result: result.replace(/,paid,(.*),paid,20000,/, ',pending,$1,created,10000,') }),
    ).toContain('lost');
  });

  it.each<[string, () => ReadonlySet<string>]>([
    ['a cell of the row was changed', () => kindsIn({ result: batch.result.replace('Wei A', 'Wie A') })],
    ['the service has another amount', () => kindsIn({}, instead({ sendAmount: '1' }))],
    ['the service paid another account', () => kindsIn({}, instead({ deliveryMethodInfo: {} }))],
    ['the service paid another party', () => kindsIn({}, instead({ receiver: {}, receivingBusiness: {} }))],
    ['the service says failed', () => kindsIn({}, instead({ status: 'failed' }))],
    [
      'the summary counts otherwise',
      () => kindsIn({ summary: batch.summary.replace('"failed": 1', '"failed": 2') }),
    ],
    [
      'the summary is off by one minor unit',
      () =>
        kindsIn({
          summary: batch.summary.replace(
            /("debited": "\d*)(\d)"/,
            (_all, start: string, last: string) => `${start}${String((Number(last) + 1) % 10)}"`,
          ),
        }),
    ],
    [
      'the reconciliation lacks a line',
      () =>
        kindsIn({ reconciliation: batch.reconciliation.replace(`${line(batch.reconciliation, 2)}\n`, '') }),
    ],
    [
      'the books are off by one minor unit',
      () =>
        kindsIn(
          {},
          {
            books: service.books.map((book) => ({
              ...book,
              debitedAmount: String(BigInt(Math.trunc(Number(book.debitedAmount))) + 1n),
            })),
          },
        ),
    ],
  ])('differs when %s', (_fact, kinds) => {
    expect(kinds()).toContain('difference');
  });
});
