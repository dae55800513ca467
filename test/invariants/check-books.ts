// The service's accounts against its own transfers and against everything that the answers say: what was debited is what was paid, what is
// reserved belongs to transfers that the reconciliation names.
import { addTo, minorUnits, type Sums } from './exact-amounts.ts';
import type { BookEvidence, ServiceEvidence, TransferEvidence, Violation } from './evidence.ts';
import { debitedOf, unequalSums } from './check-totals.ts';
import type { ReadBatch } from './read-batch.ts';

export function checkBooks(
  batches: readonly ReadBatch[],
  { transfers, books }: ServiceEvidence,
): readonly Violation[] {
  const debited = bookSums(books, ({ debitedAmount }) => debitedAmount);
  const pending = bookSums(books, ({ pendingAmount }) => pendingAmount);
  const answered: Sums = new Map();
  for (const batch of batches)
    for (const [currency, amount] of debitedOf(batch)) addTo(answered, currency, amount);
  return [
    ...unequalSums('paid transfers against the books', transferSums(transfers, ['paid']), debited),
    ...unequalSums(
      'open transfers against the books',
      transferSums(transfers, ['created', 'submitted']),
      pending,
    ),
    ...unequalSums('results against the books', answered, debited),
    ...unequalSums('reservations told against the books', reservedOf(batches), pending),
    ...books
      .filter((book) => !isBalanced(book))
      .map(({ currency }) => `the book in ${currency} does not add up`),
  ].map((words) => ({ kind: 'difference', words }));
}

function isBalanced(book: BookEvidence): boolean {
  const of = (amount: string): bigint => minorUnits(amount, book.currency);
  return (
    of(book.availableAmount) + of(book.pendingAmount) + of(book.debitedAmount) === of(book.depositedAmount)
  );
}

function bookSums(books: readonly BookEvidence[], part: (book: BookEvidence) => string): Sums {
  return new Map(books.map((book) => [book.currency, minorUnits(part(book), book.currency)]));
}

function transferSums(transfers: readonly TransferEvidence[], statuses: readonly string[]): Sums {
  const sums: Sums = new Map();
  for (const { status, sourceCurrency, sendAmount, feeAmount } of transfers) {
    if (!statuses.includes(status)) continue;
    addTo(
      sums,
      sourceCurrency,
      minorUnits(sendAmount, sourceCurrency) + minorUnits(feeAmount, sourceCurrency),
    );
  }
  return sums;
}

/** What the reconciliations say is still reserved; a line of a transfer that ran out names its row's currency only there. */
function reservedOf(batches: readonly ReadBatch[]): Sums {
  const sums: Sums = new Map();
  for (const { reconciliation, input } of batches)
    for (const line of reconciliation) {
      const index = Number(line['payout.row']) - 2;
      const currency = input[index]?.['sourceCurrency'] ?? '';
      const { reserved = '' } = line;
      if (reserved !== '') addTo(sums, currency, minorUnits(reserved, currency));
    }
  return sums;
}
