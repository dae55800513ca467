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
    'send.add(transfer.sendAmount);',
    'send.add(String(Math.round(Number(transfer.sendAmount))));',
  ),
  sum('fees are left out of the sum', 'debited: shown(paid.send, paid.fee),', 'debited: shown(paid.send),'),
  sum(
    'only the last payment received counts',
    'known(this.#received, currencies.targetCurrency, () => new DecimalSum()).add(transfer.receiveAmount);',
    'known(this.#received.set(currencies.targetCurrency, new DecimalSum()), currencies.targetCurrency, () => new DecimalSum()).add(transfer.receiveAmount);',
  ),
  sum(
    'failed rows are summed up as paid',
    "(outcome !== 'paid' && outcome !== 'submitted')) return;\n    const { send, fee } = known(this.#sums, currencies.sourceCurrency, noSums)[outcome];",
    "(outcome !== 'paid' && outcome !== 'submitted' && outcome !== 'failed')) return;\n    const { send, fee } = known(this.#sums, currencies.sourceCurrency, noSums)[outcome === 'submitted' ? outcome : 'paid'];",
  ),
  sum(
    'held rows are not counted',
    'this.#outcomes[outcome] += 1;',
    "if (outcome !== 'held') this.#outcomes[outcome] += 1;",
  ),
  {
    name: 'a failed payment is answered as paid',
    file: 'payouts/lifecycle.ts',
    find: "failed: 'failed',",
    replace: "failed: 'paid',",
  },
  {
    name: 'a payment that is held is told as rejected',
    file: 'results/status-codes.ts',
    find: "return { status: 'PDNG', reasons: [heldFor(progress.hold?.code, errorCode)] };",
    replace: "return { status: 'RJCT', reasons: [heldFor(progress.hold?.code, errorCode)] };",
    from: 3_000_600,
  },
];
