// What the name of an answer tells: every batch may stand in it, and nothing else passes for one.
import { expect, it } from 'vitest';

import { answerName, approvalRefusedName, readAnswerName } from '../../src/inbox/answer-name.ts';

const BATCH = '20261120-3f9a2c11';

it.each([BATCH, `${BATCH}-2`, `${BATCH}-20261128`])('an answer of batch %s is read as such', (batch) => {
  const read = readAnswerName(answerName('rent of.offices.xlsx', batch, 'result', 'xlsx'));
  expect(read).toEqual({ stem: 'rent of.offices', batch, hashStart: '3f9a2c11', kind: 'result', version: 1 });
});

it('the version of an answer is behind its kind', () => {
  expect(readAnswerName(`pay.${BATCH}.summary-12.json`)).toMatchObject({ kind: 'summary', version: 12 });
});

it.each([null, 'erp'])('the answer to an approval that %s brought is read as such', (account) => {
  expect(readAnswerName(approvalRefusedName(BATCH, account))).toMatchObject({
    stem: account ?? '',
    batch: BATCH,
    kind: 'approve.refused',
  });
});

it.each([
  `${BATCH}.result.csv`,
  'pay.20261120.result.csv',
  `pay.${BATCH}.csv`,
  `${BATCH}.approve`,
  'notes.txt',
])('%s is not the name of an answer', (name) => expect(readAnswerName(name)).toBeNull());
