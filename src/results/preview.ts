// `preview`: every row with its cost, its faults, and everything unusual.
import { formatAmount } from '../base/currency.ts';
import { type DecimalText, addDecimals, divideDecimals } from '../base/decimal.ts';
import { FILE_READERS, type Language, type Words, joinWords, say } from '../base/language.ts';
import { faultsText, sentence } from '../messages/messages.ts';
import type { Payout } from '../payouts/payout.ts';
import type { Rejection } from '../payouts/rejection.ts';
import { type DecimalMark, sheetOf } from '../rows/form.ts';
import type { ReadFile } from '../rows/format.ts';
import { answersAs } from '../rows/formats.ts';
import type { Row } from '../rows/row.ts';
import type { XlsxCell, XlsxSheet } from '../rows/xlsx/xlsx-writer.ts';
import {
  type AnswerKind,
  type AnswerRow,
  type AnswerTable,
  inPages,
  namedFaults,
  ownCells,
  ownColumns,
} from './answer-table.ts';
import { RATE_DECIMALS, marked } from './payout-cells.ts';
import type { PreviewLine } from './summary.ts';
import { TOTALS_HEADER, TOTALS_WIDTHS, amountLine, totalsName } from './totals-sheet.ts';
import { type AnswerPlace, publishTable } from './write-results.ts';

export type PreviewRow = {
  readonly row: Row;
  readonly payout: Payout | null;
  readonly rejections: readonly Rejection[];
  readonly price: {
    readonly sendAmount: DecimalText;
    readonly feeAmount: DecimalText;
    readonly receiveAmount: DecimalText;
  } | null;
  /**
   * What a run would do with the row instead of paying it, because its reference is known or another row of the file is the same payment. Such a
   * row has no price.
   */
  readonly met: {
    readonly outcome: 'duplicate' | 'held';
    readonly words: Words;
    readonly isWithin?: true;
  } | null;
  /** Why the service or the price rules out the row. */
  readonly wrong: Words | null;
  readonly warnings: readonly Words[];
};

const COLUMNS = [
  'payout.row',
  'payout.sourceCurrency',
  'payout.sendAmount',
  'payout.feeAmount',
  'preview.debit',
  'payout.destinationCurrency',
  'payout.receiveAmount',
  'payout.rate',
  'preview.warning',
  'payout.error',
] as const;

const KINDS: Readonly<Partial<Record<(typeof COLUMNS)[number], AnswerKind>>> = {
  'payout.sendAmount': 'number',
  'payout.feeAmount': 'number',
  'preview.debit': 'number',
  'payout.receiveAmount': 'number',
  'payout.rate': 'number',
};

type Shown = { readonly mark: DecimalMark; readonly language: Language };

/** Writes the preview and returns its name; `totals` is called after all rows are written. @param question the number of the question that it is the evidence of; null for that of a file that is no batch. */
export async function writePreview(
  place: AnswerPlace,
  batch: { readonly fileName: string },
  file: ReadFile,
  rows: AsyncIterable<PreviewRow>,
  totals: () => Promise<readonly PreviewLine[]>,
  question: number | null = null,
): Promise<string> {
  const kind = question === null ? 'preview' : `preview-${String(question)}`;
  const name = place.nameOf(kind, answersAs(batch.fileName));
  const own = ownColumns(file.table);
  const added = COLUMNS.map((header) => ({ header, kind: KINDS[header] ?? 'text' }) as const);
  const shown: Shown = { mark: file.table.form.decimalMark, language: place.language };
  const table: AnswerTable = { own, added, pages: inPages(tableRows(rows, own, shown)) };
  const sheet = sheetOf(file.table.form);
  const more = sheet === null ? [] : [previewSheet(sheet, totals, place.language)];
  await publishTable(place, name, file, table, more);
  return name;
}

async function* tableRows(
  rows: AsyncIterable<PreviewRow>,
  own: AnswerTable['own'],
  shown: Shown,
): AsyncGenerator<AnswerRow> {
  for await (const preview of rows) {
    const { row, price, warnings, met } = preview;
    const faults = namedFaults(preview.rejections, own, shown.language);
    yield {
      row,
      own: ownCells(row, own),
      added: addedCells(preview, faultsText(faults, shown.language), shown),
      faults,
      outcome: met?.outcome ?? (price === null ? 'rejected' : warnings.length > 0 ? 'held' : 'pending'),
    };
  }
}

function addedCells(
  { row, payout, price, wrong, warnings, met }: PreviewRow,
  faults: string,
  { mark, language }: Shown,
): readonly string[] {
  const reader = FILE_READERS[language];
  const error = wrong === null ? faults : say(wrong, reader);
  const warning = say(met?.words ?? joinWords(warnings), reader);
  if (payout === null || price === null)
    return [
      row.place,
      payout?.sourceCurrency ?? '',
      '',
      '',
      '',
      payout?.targetCurrency ?? '',
      '',
      '',
      warning,
      error,
    ];
  const { sendAmount, feeAmount, receiveAmount } = price;
  const show = (amount: DecimalText, currency: string) => marked(formatAmount(amount, currency), mark);
  return [
    row.place,
    payout.sourceCurrency,
    show(sendAmount, payout.sourceCurrency),
    show(feeAmount, payout.sourceCurrency),
    show(addDecimals(sendAmount, feeAmount), payout.sourceCurrency),
    payout.targetCurrency,
    show(receiveAmount, payout.targetCurrency),
    sendAmount === '0' ? '' : marked(divideDecimals(receiveAmount, sendAmount, RATE_DECIMALS), mark),
    warning,
    error,
  ];
}

// The second sheet of a preview: the cost in each currency and whether the balance covers it.

const CAPTIONS = ['sendAmount', 'feeAmount', 'debit', 'availableAmount', 'shortfall'] as const;
export const PREVIEW_CAPTIONS: Readonly<Record<(typeof CAPTIONS)[number], Words>> = {
  sendAmount: sentence('previewSheet.sendAmount'),
  feeAmount: sentence('totalsSheet.fees'),
  debit: sentence('previewSheet.debit'),
  availableAmount: sentence('previewSheet.availableAmount'),
  shortfall: sentence('previewSheet.shortfall'),
};

/** `taken` is the name of the first sheet; `totals` is called when that one is complete. */
function previewSheet(
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
