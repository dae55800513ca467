// The second sheet of a preview: the cost in each currency and whether the balance covers it.
import type { XlsxCell, XlsxSheet } from '../rows/xlsx-writer.ts';
import type { PreviewLine } from './summary.ts';
import { amountLine, TOTALS_HEADER, TOTALS_WIDTHS, totalsName } from './totals-sheet.ts';

/** `taken` is the name of the first sheet; `totals` is asked for when that one is complete. */
export function previewSheet(taken: string, totals: () => Promise<readonly PreviewLine[]>): XlsxSheet {
  return {
    name: totalsName(taken),
    header: TOTALS_HEADER,
    widths: TOTALS_WIDTHS,
    rows: lines(totals),
  };
}

async function* lines(totals: () => Promise<readonly PreviewLine[]>): AsyncGenerator<readonly XlsxCell[]> {
  for (const line of await totals()) {
    const { sourceCurrency, sendAmount, feeAmount, debit, availableAmount, shortfall } = line;
    yield amountLine('to send', sourceCurrency, sendAmount);
    yield amountLine('fees', sourceCurrency, feeAmount);
    yield amountLine('debit', sourceCurrency, debit);
    if (availableAmount !== null) yield amountLine('available', sourceCurrency, availableAmount);
    if (shortfall !== null) yield amountLine('missing', sourceCurrency, shortfall);
  }
}
