// Bugs in the answers: rows, amounts and sums.
import type { Mutant } from './mutant.ts';

const cell = (name: string, find: string, replace: string): Mutant => ({
  name,
  file: 'results/payout-cells.ts',
  find,
  replace,
});

const sum = (name: string, find: string, replace: string): Mutant => ({
  name,
  file: 'results/summary.ts',
  find,
  replace,
});

export const MUTANTS_OF_RESULTS: readonly Mutant[] = [
  cell(
    'a row is answered under another number',
    "'payout.row': row.row,",
    "'payout.row': String(Number(row.row) - 1),",
  ),
  cell(
    'the fee is shown as the amount sent',
    "'payout.feeAmount': amount(amounts?.feeAmount,",
    "'payout.feeAmount': amount(amounts?.sendAmount,",
  ),
  cell(
    'amounts are shown rounded',
    'amount(amounts?.receiveAmount, currencies?.targetCurrency),',
    'amount(amounts === null ? undefined : String(Math.round(Number(amounts.receiveAmount))), currencies?.targetCurrency),',
  ),
  cell(
    'the status code is left out',
    "'payout.statusCode': transfer?.statusCode ?? '',",
    "'payout.statusCode': transfer?.status === 'failed' ? '' : (transfer?.statusCode ?? ''),",
  ),
  sum(
    'sums are made of floats',
    '[share]: addDecimals(sums[share], debitOf(transfer)),',
    '[share]: String(BigInt(Math.round(Number(sums[share]) + Number(debitOf(transfer))))),',
  ),
  sum(
    'fees are left out of the sum',
    '[share]: addDecimals(sums[share], debitOf(transfer)),',
    '[share]: addDecimals(sums[share], transfer.sendAmount),',
  ),
  sum(
    'only the last payment received counts',
    "addDecimals(this.#received.get(currency) ?? '0', amount)",
    'amount',
  ),
  sum(
    'failed rows are summed up as paid',
    "outcome !== 'paid' && outcome !== 'submitted'",
    "outcome !== 'paid' && outcome !== 'submitted' && outcome !== 'failed'",
  ),
  sum(
    'held rows are not counted',
    'this.outcomes[outcome] += 1;',
    "if (outcome !== 'held') this.outcomes[outcome] += 1;",
  ),
  {
    name: 'a failed payment is answered as paid',
    file: 'payouts/outcome.ts',
    find: "failed: 'failed',",
    replace: "failed: 'paid',",
  },
];
