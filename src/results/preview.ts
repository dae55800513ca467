// `preview`: every row with what it would cost, what is wrong with it, and what looks unusual.
import { addDecimals, divideDecimals, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { Payout } from '../payouts/payout.ts';
import { rejectionText, type Rejection } from '../payouts/rejection.ts';
import type { DecimalMark } from '../rows/decimal-mark.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { Row } from '../rows/row.ts';
import type { AnswerKind, AnswerRow, AnswerTable } from './answer-table.ts';
import { marked, RATE_DECIMALS } from './payout-cells.ts';
import { previewSheet } from './preview-sheet.ts';
import type { PreviewLine } from './summary.ts';
import { ownCells, ownColumns } from './table-file.ts';
import { publishTable, type AnswerPlace } from './write-results.ts';

export type PreviewRow = {
  readonly row: Row;
  readonly payout: Payout | null;
  readonly rejections: readonly Rejection[];
  readonly price: {
    readonly sendAmount: DecimalText;
    readonly feeAmount: DecimalText;
    readonly receiveAmount: DecimalText;
  } | null;
  /** What a run would make of the row in the place of paying it, because its reference is known; it has no price then. */
  readonly met: { readonly outcome: 'duplicate' | 'held'; readonly words: string } | null;
  /** What the service or its price says against the row. */
  readonly wrong: string | null;
  readonly warnings: readonly string[];
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

/** Writes it and gives its name; `totals` is asked for once all rows have been written. */
export async function writePreview(
  place: AnswerPlace,
  batch: { readonly fileName: string },
  file: ReadFile,
  rows: AsyncIterable<PreviewRow>,
  totals: () => Promise<readonly PreviewLine[]>,
): Promise<string> {
  const name = place.nameOf('preview', batch.fileName.split('.').at(-1)?.toLowerCase() ?? '');
  const own = ownColumns(file.table);
  const added = COLUMNS.map((header) => ({ header, kind: KINDS[header] ?? 'text' }) as const);
  const table: AnswerTable = { own, added, rows: tableRows(rows, own, file.table.form.decimalMark) };
  const { form } = file.table;
  await publishTable(
    place,
    name,
    file,
    table,
    form.kind === 'xlsx' ? [previewSheet(form.sheet, totals)] : [],
  );
  return name;
}

async function* tableRows(
  rows: AsyncIterable<PreviewRow>,
  own: AnswerTable['own'],
  mark: DecimalMark,
): AsyncGenerator<AnswerRow> {
  for await (const preview of rows) {
    const { row, rejections, price, warnings, met } = preview;
    yield {
      row,
      own: ownCells(row, own),
      added: addedCells(preview, mark),
      faults: new Map(rejections.map(({ column, message }) => [column.trim(), message])),
      outcome: met?.outcome ?? (price === null ? 'rejected' : warnings.length > 0 ? 'held' : 'pending'),
    };
  }
}

function addedCells(
  { row, payout, rejections, price, wrong, warnings, met }: PreviewRow,
  mark: DecimalMark,
): readonly string[] {
  const error = wrong ?? rejectionText(rejections);
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
      met?.words ?? warnings.join(' '),
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
    warnings.join(' '),
    error,
  ];
}
