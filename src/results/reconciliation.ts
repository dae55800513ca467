// File, ledger and service side by side: one line for each payout, and one more for each thing that does not add up.
import { say, type Language } from '../base/language.ts';
import { compareDecimals, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../ledger/records.ts';
import { outcomeOf } from '../payouts/outcome.ts';
import { debitOf } from '../service/wire.ts';
import type { DecimalMark } from '../rows/decimal-mark.ts';
import type { ReadFile } from '../rows/read-file.ts';
import type { AnswerKind, AnswerRow, AnswerTable } from './answer-table.ts';
import { batchRows } from './batch-rows.ts';
import { marked } from './payout-cells.ts';

export const RECONCILIATION_COLUMNS = [
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
  'difference',
] as const;

export const LINE_KINDS = ['payout', 'amount', 'reserved-but-dead'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

const KINDS: Readonly<Partial<Record<(typeof RECONCILIATION_COLUMNS)[number], AnswerKind>>> = {
  requestedAmount: 'number',
  'payout.sendAmount': 'number',
  'payout.feeAmount': 'number',
  debited: 'number',
  reserved: 'number',
  'payout.receiveAmount': 'number',
};

/** `reconciliation`, as a table. */
export function reconciliationTable(
  file: ReadFile,
  batch: BatchRecord,
  ledger: Ledger,
  language: Language,
): AnswerTable {
  const added = RECONCILIATION_COLUMNS.map((header) => ({ header, kind: KINDS[header] ?? 'text' }) as const);
  return { own: [], added, rows: tableRows(file.table.form.decimalMark, batch, ledger, language) };
}

async function* tableRows(
  mark: DecimalMark,
  batch: BatchRecord,
  ledger: Ledger,
  language: Language,
): AsyncGenerator<AnswerRow> {
  for await (const record of batchRows(ledger, batch.id))
    for (const added of reconciliationLines(record, mark, language)) yield { row: null, own: [], added };
}

type Cells = Partial<Record<(typeof RECONCILIATION_COLUMNS)[number], string>>;

/** The lines of one row. */
export function reconciliationLines(
  record: RowRecord,
  mark: DecimalMark,
  language: Language,
): readonly (readonly string[])[] {
  const differences = [...amountLines(record, mark, language), ...deadLines(record, mark, language)];
  return [payoutLine(record, mark), ...differences].map((cells) =>
    RECONCILIATION_COLUMNS.map((column) => cells[column] ?? ''),
  );
}

function payoutLine(record: RowRecord, mark: DecimalMark): Cells {
  const { payout, progress } = record;
  const { transfer } = progress;
  const common = { ...requested(record, mark), kind: 'payout' };
  if (payout === null || transfer === null) return common;
  const source = (value: DecimalText) => marked(formatAmount(value, payout.sourceCurrency), mark);
  const isReserved = transfer.status === 'created' || transfer.status === 'submitted';
  return {
    ...common,
    'payout.externalId': transfer.externalId,
    'payout.transferId': transfer.transferId,
    'payout.status': transfer.status,
    'payout.statusCode': transfer.statusCode,
    'payout.sourceCurrency': payout.sourceCurrency,
    'payout.sendAmount': source(transfer.sendAmount),
    'payout.feeAmount': source(transfer.feeAmount),
    debited: source(transfer.status === 'paid' ? debitOf(transfer) : '0'),
    reserved: source(isReserved ? debitOf(transfer) : '0'),
    'payout.destinationCurrency': payout.targetCurrency,
    'payout.receiveAmount': marked(formatAmount(transfer.receiveAmount, payout.targetCurrency), mark),
  };
}

/** The amount that the file asked for against the amount that the transfer has. */
function amountLines(record: RowRecord, mark: DecimalMark, language: Language): readonly Cells[] {
  const { payout, progress } = record;
  if (payout === null || progress.transfer === null) return [];
  const { side, amount } = payout.requested;
  const actual = side === 'source' ? progress.transfer.sendAmount : progress.transfer.receiveAmount;
  if (compareDecimals(amount, actual) === 0) return [];
  return [
    {
      ...requested(record, mark),
      kind: 'amount',
      difference: say(
        {
          en: `The file asks for ${amount}, the transfer has ${actual}.`,
          fr: `Le fichier demande ${amount}, le transfert porte ${actual}.`,
        },
        language,
      ),
    },
  ];
}

/** An expired transfer keeps its reservation until the service lets go of it. */
function deadLines(record: RowRecord, mark: DecimalMark, language: Language): readonly Cells[] {
  return record.progress.deadAttempts.map(({ transfer, attempt }) => ({
    ...requested(record, mark),
    kind: 'reserved-but-dead',
    'payout.externalId': transfer.externalId,
    'payout.transferId': transfer.transferId,
    'payout.status': transfer.status,
    'payout.statusCode': transfer.statusCode,
    reserved: marked(formatAmount(debitOf(transfer), record.payout?.sourceCurrency ?? ''), mark),
    difference: say(
      {
        en: `Attempt ${String(attempt)} expired unpaid. Its reservation may still stand at the service.`,
        fr: `La tentative ${String(attempt)} a expiré sans paiement. Sa réservation peut encore exister auprès du service.`,
      },
      language,
    ),
  }));
}

function requested({ row, payout, progress }: RowRecord, mark: DecimalMark): Cells {
  if (payout === null) return { 'payout.row': row, 'payout.outcome': outcomeOf(progress.stage) };
  const currency = payout.requested.side === 'source' ? payout.sourceCurrency : payout.targetCurrency;
  return {
    'payout.row': row,
    'payout.outcome': outcomeOf(progress.stage),
    requestedAmount: marked(formatAmount(payout.requested.amount, currency), mark),
    requestedCurrency: currency,
  };
}
