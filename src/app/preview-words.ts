// What a preview says on the terminal: the cost in each currency, what is missing of the balance, and what to look at before the run.
import { compareDecimals } from '../base/decimal.ts';
import type { BatchRecord } from '../ledger/records.ts';
import type { PreviewLine } from '../results/summary.ts';
import type { BatchResult } from './batch-result.ts';
import { EVERY_ROW_WORDS } from './check-file.ts';
import type { PreviewTotals } from './preview-totals.ts';

/** `earlier` is the batch that the same bytes already are. */
export function previewWords(
  { summary, words }: BatchResult,
  { wrong, warnings, met }: PreviewTotals,
  lines: readonly PreviewLine[],
  earlier: BatchRecord | null,
): readonly string[] {
  const wrongByPrice = wrong - summary.outcomes.rejected;
  const known = met.duplicate + met.held;
  return [
    ...(wrongByPrice + known === 0 ? words : words.filter((word) => word !== EVERY_ROW_WORDS)),
    ...(wrongByPrice === 0
      ? []
      : [`${rowsIn(wrongByPrice)} cannot be paid at this price: see the preview, column payout.error.`]),
    ...metWords(known),
    ...lines.map(costWords),
    ...(warnings === 0
      ? []
      : [
          `${rowsIn(warnings)} ${warnings === 1 ? 'looks' : 'look'} unusual: see the preview, column preview.warning.`,
        ]),
    ...(earlier === null
      ? []
      : [
          `The same file was taken on ${earlier.acceptedAt.slice(0, 10)} as batch ${earlier.id}: a run of it sends nothing.`,
        ]),
    'Nothing was sent. Prices change until the file is run.',
  ];
}

function metWords(met: number): readonly string[] {
  if (met === 0) return [];
  const are = met === 1 ? 'is' : 'are';
  return [
    `${rowsIn(met)} ${are} known by reference and ${are} not counted: see the preview, column preview.warning.`,
  ];
}

function rowsIn(count: number): string {
  return count === 1 ? '1 row' : `${String(count)} rows`;
}

function costWords({
  sourceCurrency,
  sendAmount,
  feeAmount,
  debit,
  availableAmount,
  shortfall,
}: PreviewLine): string {
  const cost = `${sourceCurrency}: ${sendAmount} to send and ${feeAmount} in fees, ${debit} in all`;
  if (availableAmount === null || shortfall === null) return `${cost}; the balance is not known.`;
  return compareDecimals(shortfall, '0') === 0
    ? `${cost}; ${availableAmount} are available.`
    : `${cost}; ${availableAmount} are available, ${shortfall} ${sourceCurrency} are missing.`;
}
