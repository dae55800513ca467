// What is found by which words: a table, without a ledger.
import { describe, expect, it } from 'vitest';

import { fits, readQueries, wordsOfRow, wordsOfText } from '../../../src/app/search/words.ts';
import type { RowRecord } from '../../../src/ledger/records.ts';
import type { Payout } from '../../../src/payouts/payout.ts';
import { FRESH } from '../../../src/payouts/progress.ts';

const PAYOUT: Payout = {
  reference: 'PAY-2026/11-0042',
  payoutCorridorId: 'c',
  transactionMode: 'B2C',
  deliveryMethod: 'bankTransfer',
  sourceCurrency: 'XAF',
  targetCurrency: 'CNY',
  requested: { side: 'source', amount: '1268750' },
  bounds: { least: '0', most: '1' },
  purposeOfRemittance: 'SALARY_PAYMENT',
  documentReferenceNumber: 'FAC00815',
  sendingParty: {},
  receivingParty: { firstName: 'Célestin', lastName: "N'Diaye 张伟" },
  deliveryMethodInfo: { bankAccountNumber: 'CM21 1000 2000 3000 1234 4873', bankName: 'Afriland' },
  document: { name: 'invoices/Décembre bois.pdf', sha256: '', contentType: '' },
};
const ROW = {
  ...{ batch: 'b', position: 0, row: '2', reference: PAYOUT.reference, lineage: null, fingerprint: null },
  ...{ rejections: [], version: 1, hints: 0, payout: PAYOUT },
  progress: {
    ...FRESH,
    price: {
      ...{ quotationId: 'q', sendAmount: '1268750', feeAmount: '1250', receiveAmount: '14982.50' },
      ...{ createdAt: '', expiredAt: '' },
    },
  },
} satisfies RowRecord;

/** As the search asks: for numbers that go on only where none is there that ends so. */
const finds = (text: string): boolean =>
  readQueries(text).some((query) => fits(query, wordsOfRow(ROW), ['cm2110002000300012344873']));

describe('a payment is found', () => {
  it.each([
    ...['pay-2026/11-0042', 'PAY 2026 42', '0042', '42', '2026 11'],
    ...['celestin', 'CÉLES', 'ndiaye', "n'diaye célestin", '张', '张伟', '伟'],
    ...['4873', 'cm21 1000 2000 3000 1234 4873', 'CM21-1000-2000-3000-1234-4873'],
    ...[
      '1268750',
      '1 268 750',
      '1.268.750',
      '1,268,750',
      "1'268'750",
      '1 268 750',
      '1270000',
      '1 270 000 xaf',
    ],
    ...['14982.50', '14 982,5', '14,982.5', '14982.50 cny', '1268'],
    ...['fac00815', 'FAC-815', '815', 'bois', 'decembre.pdf'],
    ...['"celestin"', 'celestin*', '(celestin', '^celestin', '-celestin', '{celestin}:'],
    '\u202ecelestin\u202c',
    'cele\u0000stin',
  ])('%j', (text) => expect(finds(text)).toBe(true));
});

describe('it is not found', () => {
  it.each([
    ...[
      'paul',
      '9999',
      '94873',
      '44873',
      '12344873',
      '1000 2000 3000 1234 4873',
      '1 268 751',
      '14982.51',
      'elestin',
      '李',
      'celestin paul',
      '268750',
    ],
    ...['', '   ', '%', '*', '"', '\u0000', '()', '_'],
  ])('%j', (text) => expect(finds(text)).toBe(false));
});

it('operators of the index are words like others', () => {
  expect(
    readQueries('NEAR("a" OR b*) AND ^c {d}: -e')[0]?.clauses.map(([phrase]) => phrase?.[0]?.word),
  ).toEqual([...['near', 'a', 'or', 'b', 'and', 'c', 'd', 'e']]);
});

it('a text without an end asks for twelve words at most', () => {
  expect(readQueries('mot '.repeat(5_000))[0]?.clauses).toHaveLength(12);
  expect(wordsOfText('x'.repeat(1_000_000))).toEqual(['x'.repeat(40)]);
});
