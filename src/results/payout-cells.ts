// The `payout.*` columns that a result adds to every row: its outcome, in the order that people and imports rely on.
import { joinWords, say, type Language, type Reader, type Words } from '../base/language.ts';
import { divideDecimals, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import { remembering } from '../base/plain-text.ts';
import type { RowRecord } from '../ledger/records.ts';
import { outcomeOf, type Outcome } from '../payouts/lifecycle.ts';
import { stageOrHeld, whyOf, withForeign } from '../payouts/progress.ts';
import { rejectionText } from '../payouts/rejection.ts';
import type { DecimalMark } from '../rows/form.ts';
import type { PayoutColumn } from '../rows/known-columns.ts';
import type { AnswerKind } from './answer-table.ts';
import { rowCurrencies } from './money-tally.ts';
import { sentence } from '../messages/messages.ts';

/** The columns that people read first come first, ids last. */
export const RESULT_COLUMNS = [
  'payout.row',
  'payout.outcome',
  'payout.reason',
  'payout.sourceCurrency',
  'payout.sendAmount',
  'payout.feeAmount',
  'payout.destinationCurrency',
  'payout.receiveAmount',
  'payout.rate',
  'payout.status',
  'payout.statusCode',
  'payout.errorCode',
  'payout.createdAt',
  'payout.confirmedAt',
  'payout.finalAt',
  'payout.attempts',
  'payout.externalId',
  'payout.transferId',
  'payout.quotationId',
  'payout.batch',
] as const satisfies readonly PayoutColumn[];
type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** The column of a workbook that says the outcome in the reader's language; none where that is the code itself. Programs read `payout.outcome`. */
export const OUTCOME_COLUMNS: Readonly<Record<Language, PayoutColumn | null>> = {
  en: null,
  fr: 'payout.outcome.fr',
  es: 'payout.outcome.es',
};

/** The last column that a person reads on paper; the statuses and ids behind it are for programs. */
export const LAST_PRINTED: ResultColumn = 'payout.rate';

/** The columns that do not hold text; numbers are left alone when formulas are made harmless. */
export const RESULT_KINDS: Readonly<Partial<Record<ResultColumn, AnswerKind>>> = {
  'payout.sendAmount': 'number',
  'payout.feeAmount': 'number',
  'payout.receiveAmount': 'number',
  'payout.rate': 'number',
  'payout.attempts': 'number',
  'payout.createdAt': 'moment',
  'payout.confirmedAt': 'moment',
  'payout.finalAt': 'moment',
};

/** A rate is shown with this many decimals; nothing is computed from it. */
export const RATE_DECIMALS = 8;

export const PLAIN_REASON: Readonly<Record<Outcome, Words>> = {
  paid: sentence('payoutCells.paid'),
  failed: sentence('payoutCells.failed'),
  submitted: sentence('payoutCells.submitted'),
  rejected: sentence('payoutCells.rejected'),
  duplicate: sentence('payoutCells.duplicate'),
  held: sentence('payoutCells.held'),
  pending: sentence('payoutCells.pending'),
};

/** The cells of one row, in the order of `RESULT_COLUMNS`; `waitingWords` say what an unfinished batch waits for. */
export function payoutCells(
  row: RowRecord,
  mark: DecimalMark,
  waitingWords: Words | null,
  reader: Reader,
): readonly string[] {
  const cells = cellsOf(row, mark, reasonOf(row, waitingWords, reader));
  return RESULT_COLUMNS.map((column) => cells[column]);
}

/** The reason of a row, for people. */
export function reasonOf(
  { progress, rejections }: RowRecord,
  waitingWords: Words | null,
  reader: Reader,
): string {
  const outcome = outcomeOf(stageOrHeld(progress));
  if (isUnreadable({ progress, rejections })) return rejectionText(rejections, reader);
  const why = whyOf(progress);
  if (why !== null) return say(why.reason, reader);
  const plain = PLAIN_REASON[outcome];
  return say(
    outcome === 'pending' && waitingWords !== null ? joinWords([plain, waitingWords]) : plain,
    reader,
  );
}

/** The service's code, or ours; the different codes of a row to fix, with spaces between them. */
export function errorCodeOf(row: RowRecord): string {
  return isUnreadable(row)
    ? [...new Set(row.rejections.map(({ code }) => code))].join(' ')
    : (whyOf(row.progress)?.errorCode ?? '');
}

/** A row that was sent while it could still be read is described by its outcome. */
function isUnreadable({ progress, rejections }: Pick<RowRecord, 'progress' | 'rejections'>): boolean {
  return rejections.length > 0 && progress.transfer === null && progress.hold === null;
}

function cellsOf(row: RowRecord, mark: DecimalMark, reason: string): Readonly<Record<ResultColumn, string>> {
  const { progress } = row;
  const { transfer, price } = withForeign(progress);
  const currencies = rowCurrencies(row);
  const amounts = transfer ?? price;
  const amount = (value: DecimalText | undefined, currency: string | undefined) =>
    value === undefined || currency === undefined ? '' : marked(formatAmount(value, currency), mark);
  return {
    'payout.row': row.row,
    'payout.outcome': outcomeOf(stageOrHeld(progress)),
    'payout.status': transfer?.status ?? '',
    'payout.statusCode': transfer?.statusCode ?? '',
    'payout.reason': reason,
    'payout.errorCode': errorCodeOf(row),
    'payout.externalId': transfer?.externalId ?? '',
    'payout.transferId': transfer?.transferId ?? '',
    'payout.quotationId': transfer?.quotationId ?? price?.quotationId ?? '',
    'payout.sourceCurrency': currencies?.sourceCurrency ?? '',
    'payout.sendAmount': amount(amounts?.sendAmount, currencies?.sourceCurrency),
    'payout.feeAmount': amount(amounts?.feeAmount, currencies?.sourceCurrency),
    'payout.destinationCurrency': currencies?.targetCurrency ?? '',
    'payout.receiveAmount': amount(amounts?.receiveAmount, currencies?.targetCurrency),
    'payout.rate': amounts === null ? '' : marked(rateOf(amounts.sendAmount, amounts.receiveAmount), mark),
    'payout.createdAt': transfer?.createdAt ?? '',
    'payout.confirmedAt': progress.confirmedAt ?? '',
    'payout.finalAt': progress.finalAt ?? '',
    'payout.attempts': String(progress.deadAttempts.length + (transfer === null ? 0 : 1)),
    'payout.batch': row.batch,
  };
}

function rateOf(sendAmount: DecimalText, receiveAmount: DecimalText): DecimalText {
  return sendAmount === '0' ? '' : quotientOf(`${receiveAmount}/${sendAmount}`);
}

/** Equal amounts are divided only once. */
const quotientOf = remembering((division) => {
  const [receiveAmount = '', sendAmount = ''] = division.split('/');
  return divideDecimals(receiveAmount, sendAmount, RATE_DECIMALS);
});

/** An amount with the decimal mark of its file. */
export function marked(amount: DecimalText, mark: DecimalMark): string {
  return mark === ',' ? amount.replace('.', ',') : amount;
}
