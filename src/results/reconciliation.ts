// File, ledger and service side by side: one line for each payout, and one more for each difference.
import { FILE_READERS, say, type Language } from '../base/language.ts';
import type { DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { RowRecord } from '../ledger/records.ts';
import { outcomeOf } from '../payouts/lifecycle.ts';
import { stageOrHeld } from '../payouts/progress.ts';
import type { DecimalMark } from '../rows/form.ts';
import {
  inPages,
  type AnswerKind,
  type AnswerRow,
  type AnswerTable,
  type RecordedRow,
} from './answer-table.ts';
import { effectOf, MONEY_SIDES, type MoneyLine, type MoneySide, rowCurrencies } from './money-tally.ts';
import { marked } from './payout-cells.ts';
import { compareRow, type Difference, type DifferenceKind, type RowLook } from './side-by-side.ts';

const OWN_COLUMNS = [
  'payout.row',
  'kind',
  'payout.outcome',
  'requestedAmount',
  'requestedCurrency',
  'payout.externalId',
  'payout.transferId',
  'payout.status',
  'payout.statusCode',
  'payout.sourceCurrency',
  'payout.sendAmount',
  'payout.feeAmount',
  'debited',
  'reserved',
  'payout.destinationCurrency',
  'payout.receiveAmount',
] as const;

/** The columns with every result: the ledger holds what the service last said. */
const RECONCILIATION_COLUMNS = [...OWN_COLUMNS, 'difference'] as const;

/** The columns after a look at the service. */
export const LOOKED_COLUMNS = [
  ...OWN_COLUMNS,
  'service.status',
  'service.statusCode',
  'service.debited',
  'service.reserved',
  'difference',
  'payout.batch',
] as const;
type ReconciliationColumn = (typeof LOOKED_COLUMNS)[number];

type LineKind =
  'payout' | DifferenceKind | `total-by-${Exclude<MoneySide, 'differences'>}` | 'total-of-differences';

const KINDS: Readonly<Partial<Record<ReconciliationColumn, AnswerKind>>> = {
  requestedAmount: 'number',
  'payout.sendAmount': 'number',
  'payout.feeAmount': 'number',
  debited: 'number',
  reserved: 'number',
  'payout.receiveAmount': 'number',
  'service.debited': 'number',
  'service.reserved': 'number',
};

/** How amounts and words are written. */
export type LineStyle = { readonly mark: DecimalMark; readonly language: Language };

type LineCells = Readonly<Partial<Record<Exclude<ReconciliationColumn, 'kind'>, string>>>;

export type ReconciliationLine = LineCells & { readonly kind: LineKind };

/** `reconciliation` with a result, as a table. */
export function reconciliationTable(
  pages: AsyncIterable<readonly RecordedRow[]>,
  style: LineStyle,
): AnswerTable {
  return pagesOf(RECONCILIATION_COLUMNS, ledgerLines(pages, style));
}

/** Lines as a table of these columns. */
export function tableOf(
  columns: readonly ReconciliationColumn[],
  lines: AsyncIterable<ReconciliationLine>,
): AnswerTable {
  return pagesOf(columns, inPages(lines));
}

function pagesOf(
  columns: readonly ReconciliationColumn[],
  pages: AsyncIterable<readonly ReconciliationLine[]>,
): AnswerTable {
  const added = columns.map((header) => ({ header, kind: KINDS[header] ?? 'text' }) as const);
  return { own: [], added, pages: tablePages(columns, pages) };
}

async function* tablePages(
  columns: readonly ReconciliationColumn[],
  pages: AsyncIterable<readonly ReconciliationLine[]>,
): AsyncGenerator<readonly AnswerRow[]> {
  for await (const page of pages)
    yield page.map((line) => ({ row: null, own: [], added: columns.map((column) => line[column] ?? '') }));
}

async function* ledgerLines(
  pages: AsyncIterable<readonly RecordedRow[]>,
  style: LineStyle,
): AsyncGenerator<readonly ReconciliationLine[]> {
  for await (const page of pages)
    yield page.flatMap(({ record }) => reconciliationLines(record, null, compareRow(record, null), style));
}

/** The lines of one row. */
export function reconciliationLines(
  record: RowRecord,
  look: RowLook | null,
  differences: readonly Difference[],
  style: LineStyle,
): readonly ReconciliationLine[] {
  const payout = payoutLine(record, look, style.mark);
  // The case of nearly every line of a result.
  if (look === null && differences.length === 0) return [payout];
  return [
    { ...payout, ...serviceCells(record, look, style.mark) },
    ...differences.map((difference) => ({
      ...requested(record, style.mark),
      ...differenceLine(difference, style),
    })),
  ];
}

/** A difference on its own line, also of a transfer that no row knows. */
export function differenceLine(
  { kind, transfer, sourceCurrency, effect, words }: Difference,
  { mark, language }: LineStyle,
): ReconciliationLine {
  const amount = (value: DecimalText) =>
    value === '0' ? '' : marked(formatAmount(value, sourceCurrency), mark);
  return {
    kind,
    'payout.externalId': transfer.externalId,
    'payout.transferId': transfer.transferId,
    'payout.status': transfer.status,
    'payout.statusCode': transfer.statusCode,
    'payout.sourceCurrency': sourceCurrency,
    debited: amount(effect.debited),
    reserved: amount(effect.reserved),
    difference: say(words, FILE_READERS[language]),
  };
}

/** The sums of one currency. */
export function moneyLines(line: MoneyLine, mark: DecimalMark): readonly ReconciliationLine[] {
  return MONEY_SIDES.map((side) => ({
    kind: side === 'differences' ? 'total-of-differences' : `total-by-${side}`,
    'payout.sourceCurrency': line.sourceCurrency,
    debited: marked(line[side].debited, mark),
    reserved: marked(line[side].reserved, mark),
  }));
}

function payoutLine(record: RowRecord, look: RowLook | null, mark: DecimalMark): ReconciliationLine {
  const { transfer } = record.progress;
  const currencies = rowCurrencies(record, look?.current);
  const common = { ...requested(record, mark), kind: 'payout' } as const;
  if (currencies === null || transfer === null) return common;
  const { sourceCurrency, targetCurrency } = currencies;
  const source = (value: DecimalText) => marked(formatAmount(value, sourceCurrency), mark);
  const { debited, reserved } = effectOf(transfer.status, transfer);
  return {
    ...common,
    'payout.externalId': transfer.externalId,
    'payout.transferId': transfer.transferId,
    'payout.status': transfer.status,
    'payout.statusCode': transfer.statusCode,
    'payout.sourceCurrency': sourceCurrency,
    'payout.sendAmount': source(transfer.sendAmount),
    'payout.feeAmount': source(transfer.feeAmount),
    debited: source(debited),
    reserved: source(reserved),
    'payout.destinationCurrency': targetCurrency,
    'payout.receiveAmount': marked(formatAmount(transfer.receiveAmount, targetCurrency), mark),
  };
}

function serviceCells({ batch }: RowRecord, look: RowLook | null, mark: DecimalMark): LineCells {
  if (look === null) return {};
  if (look.current === null) return { 'payout.batch': batch };
  const { status, statusCode, sourceCurrency } = look.current;
  const { debited, reserved } = effectOf(status, look.current);
  return {
    'payout.batch': batch,
    'service.status': status,
    'service.statusCode': statusCode,
    'service.debited': marked(formatAmount(debited, sourceCurrency), mark),
    'service.reserved': marked(formatAmount(reserved, sourceCurrency), mark),
  };
}

function requested({ batch, row, payout, progress }: RowRecord, mark: DecimalMark) {
  const common = {
    'payout.batch': batch,
    'payout.row': row,
    'payout.outcome': outcomeOf(stageOrHeld(progress)),
  };
  if (payout === null) return common;
  const currency = payout.requested.side === 'source' ? payout.sourceCurrency : payout.targetCurrency;
  return {
    ...common,
    requestedAmount: marked(formatAmount(payout.requested.amount, currency), mark),
    requestedCurrency: currency,
  };
}
