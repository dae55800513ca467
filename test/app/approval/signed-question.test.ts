// An answer that names the whole question by its digest counts for that question alone, and what was signed stays with it.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { approveBatch } from '../../../src/app/workflow/approval/decide-approval.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { type Asked, questionDigest } from '../../../src/ledger/approval.ts';
import { HURRIED, lineTo, openDesk, type Desk } from '../desk.ts';
import { askedOf, REQUIRED } from './two-people.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const EVIDENCE = {
  digest: '0'.repeat(64),
  nonce: 'bm9uY2U',
  credentialId: 'a2V5',
  authenticatorData: 'ZGF0YQ',
  clientDataJSON: 'e30',
  signature: 'c2ln',
};

it('is obeyed for the question that stands, and refused for any other', async () => {
  const paydrop = await desk.open(REQUIRED);
  const file = await desk.file('pay.csv', [lineTo('a', 'A-1', '100')]);
  const { summary } = await processBatch(paydrop, file, HURRIED);
  const asked = await askedOf(paydrop, summary.batch);
  const { sha256 } = summary.file;
  const digest = questionDigest({ id: summary.batch, sha256 }, asked);
  const order = { by: 'Marie', via: 'the test', proof: 'signature', evidence: EVIDENCE } as const;
  const other = { ...order, said: { digest: questionDigest({ id: '20260101-00000000', sha256 }, asked) } };
  expect(await approveBatch(paydrop, summary.batch, other)).toMatchObject({
    kind: 'refused',
    code: 'approval_outdated',
  });
  expect(await approveBatch(paydrop, summary.batch, { ...order, said: { digest } })).toMatchObject({
    kind: 'decided',
  });
  expect((await askedOf(paydrop, summary.batch)).given).toMatchObject({ by: 'Marie', evidence: EVIDENCE });
});

it('has another digest for whatever of the question is another, and the same for what says nothing of it', async () => {
  const paydrop = await desk.open(REQUIRED);
  const file = await desk.file('pay.csv', [lineTo('b', 'B-1', '100')]);
  const { summary } = await processBatch(paydrop, file, HURRIED);
  const asked = await askedOf(paydrop, summary.batch);
  const of = { id: summary.batch, sha256: summary.file.sha256 };
  const digest = (change: Partial<Asked>, about = of) => questionDigest(about, { ...asked, ...change });
  const sum = { currency: 'XAF', rows: 1, debit: '1' };
  const others: readonly Partial<Asked>[] = [
    { round: 2 },
    { coverage: '1'.repeat(64) },
    { rows: 2 },
    { totals: [sum] },
    { sent: [sum] },
    { most: { XAF: '1' } },
    { maxDrift: '2%' },
  ];
  const ofOthers = [
    ...others.map((change) => digest(change)),
    digest({}, { ...of, id: '20260101-00000000' }),
    digest({}, { ...of, sha256: '1'.repeat(64) }),
  ];
  expect(new Set([digest({}), ...ofOthers]).size).toBe(ofOthers.length + 1);
  expect(digest({ words: { en: 'Other.', fr: 'Autre.', es: 'Otro.' }, isChecked: true })).toBe(digest({}));
});
