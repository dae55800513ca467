// The most that an approval lets leave the account is an amount that its currency has.
import { expect, it } from 'vitest';

import { mostOf } from '../../../src/ledger/approval.ts';

it.each([
  ['XAF', '30353364', '1%', '30656897'],
  ['USD', '100.01', '1%', '101.01'],
  ['USD', '100.01', '0%', '100.01'],
  // A service that prices finer than the currency is still paid what it asked.
  ['XAF', '100.5', '0%', '100.5'],
])('%s %s with a drift of %s: %s', (currency, debit, maxDrift, most) => {
  expect(mostOf({ sent: [], totals: [{ currency, rows: 1, debit }] }, maxDrift)).toEqual({
    [currency]: most,
  });
});
