// The three answers of one batch against each other: the summary and the reconciliation must add up to the rows of the result.
import { addTo, minorUnits, type Sums } from './exact-amounts.ts';
import type { Violation } from './evidence.ts';
import type { Cells, ReadBatch } from './read-batch.ts';

export function checkTotals(batch: ReadBatch): readonly Violation[] {
  return [
    ...checkCounts(batch),
    ...unequalSums('debited', debitedOf(batch), summed(batch.summary.totals, 'sourceCurrency', 'debited')),
    ...unequalSums('reserved', new Map(), summed(batch.summary.totals, 'sourceCurrency', 'reserved')),
    ...unequalSums(
      'received',
      receivedOf(batch),
      summed(batch.summary.received, 'destinationCurrency', 'receiveAmount'),
    ),
    ...checkReconciliation(batch),
  ].map((words) => ({ kind: 'difference', words: `${batch.fileName}: ${words}` }));
}

function checkCounts({ input, result, summary, fileId }: ReadBatch): readonly string[] {
  const counted = new Map<string, number>();
  for (const { 'payout.outcome': outcome = '' } of result)
    counted.set(outcome, (counted.get(outcome) ?? 0) + 1);
  return [
    ...(summary.state === 'closed' ? [] : [`the summary says ${summary.state}`]),
    ...(summary.file.rows === String(input.length) ? [] : ['the summary has another number of rows']),
    ...(summary.file.sha256 === fileId ? [] : ['the summary is of other bytes']),
    ...Object.entries(summary.outcomes)
      .filter(([outcome, count]) => count !== String(counted.get(outcome) ?? 0))
      .map(([outcome, count]) => `the summary counts ${count} ${outcome}`),
  ];
}

/** Sends and fees of the rows that were paid, as the result has them. */
export function debitedOf({ result }: ReadBatch): Sums {
  const sums: Sums = new Map();
  for (const row of paidOf(result)) {
    const currency = row['payout.sourceCurrency'] ?? '';
    addTo(sums, currency, minorUnits(row['payout.sendAmount'] ?? '', currency));
    addTo(sums, currency, minorUnits(row['payout.feeAmount'] ?? '', currency));
  }
  return sums;
}

function receivedOf({ result }: ReadBatch): Sums {
  return summed(paidOf(result), 'payout.destinationCurrency', 'payout.receiveAmount');
}

function paidOf(result: readonly Cells[]): readonly Cells[] {
  return result.filter((row) => row['payout.outcome'] === 'paid');
}

/** One line a row that agrees with the result; besides them only reservations of transfers that ran out. */
function checkReconciliation(batch: ReadBatch): readonly string[] {
  const lines = batch.reconciliation.filter(({ kind }) => kind === 'payout');
  const odd = batch.reconciliation.filter(({ kind }) => kind !== 'payout' && kind !== 'reserved-but-dead');
  const differing = batch.result.filter((row, index) =>
    SHARED.some((column) => lines[index]?.[column] !== row[column]),
  );
  return [
    ...(lines.length === batch.input.length ? [] : ['the reconciliation has another number of rows']),
    ...odd.map(({ kind = '', difference = '' }) => `the reconciliation tells of ${kind}: ${difference}`),
    ...differing.map((row) => `row ${row['payout.row'] ?? ''} differs between result and reconciliation`),
    ...unequalSums(
      'reconciliation',
      debitedOf(batch),
      summed(
        lines.filter(({ 'payout.outcome': outcome }) => outcome === 'paid'),
        'payout.sourceCurrency',
        'debited',
      ),
    ),
  ];
}

/** Columns that both the result and the reconciliation have. */
const SHARED = [
  'payout.row',
  'payout.outcome',
  'payout.status',
  'payout.statusCode',
  'payout.externalId',
  'payout.transferId',
  'payout.sendAmount',
  'payout.feeAmount',
  'payout.receiveAmount',
] as const;

function summed(lines: readonly Cells[], currencyColumn: string, amountColumn: string): Sums {
  const sums: Sums = new Map();
  for (const line of lines) {
    const currency = line[currencyColumn] ?? '';
    addTo(sums, currency, minorUnits(line[amountColumn] ?? '', currency));
  }
  return sums;
}

/** A currency that one of the two does not name counts as nothing there. */
export function unequalSums(name: string, one: Sums, other: Sums): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((currency) => (one.get(currency) ?? 0n) !== (other.get(currency) ?? 0n))
    .map(
      (currency) =>
        `${name} in ${currency}: ${String(one.get(currency) ?? 0n)} against ${String(other.get(currency) ?? 0n)} minor units`,
    );
}
