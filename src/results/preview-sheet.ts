// The second sheet of a preview: the cost in each currency and whether the balance covers it.
import { say, type Language, type Words } from '../base/language.ts';
import type { XlsxCell, XlsxSheet } from '../rows/xlsx-writer.ts';
import type { PreviewLine } from './summary.ts';
import { amountLine, TOTALS_HEADER, TOTALS_WIDTHS, totalsName } from './totals-sheet.ts';
import { sentence } from '../messages/messages.ts';

const CAPTIONS = ['sendAmount', 'feeAmount', 'debit', 'availableAmount', 'shortfall'] as const;
export const PREVIEW_CAPTIONS: Readonly<Record<(typeof CAPTIONS)[number], Words>> = {
  sendAmount: sentence('previewSheet.sendAmount'),
  feeAmount: sentence('previewSheet.feeAmount'),
  debit: sentence('previewSheet.debit'),
  availableAmount: sentence('previewSheet.availableAmount'),
  shortfall: sentence('previewSheet.shortfall'),
};

/** `taken` is the name of the first sheet; `totals` is asked for when that one is complete. */
export function previewSheet(
  taken: string,
  totals: () => Promise<readonly PreviewLine[]>,
  language: Language,
): XlsxSheet {
  return {
    name: totalsName(taken, language),
    header: TOTALS_HEADER.map((words) => say(words, language)),
    widths: TOTALS_WIDTHS,
    rows: lines(totals, language),
  };
}

async function* lines(
  totals: () => Promise<readonly PreviewLine[]>,
  language: Language,
): AsyncGenerator<readonly XlsxCell[]> {
  for (const line of await totals()) {
    for (const caption of CAPTIONS) {
      const amount = line[caption];
      if (amount === null) continue;
      yield amountLine(say(PREVIEW_CAPTIONS[caption], language), line.sourceCurrency, amount);
    }
  }
}
