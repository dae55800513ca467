// The outcome of a payment in the codes of ISO 20022: its status, and why. Every rejection, hold and refusal has an ISO code here, or is listed among
// those that no message may report.
import { compareDecimals } from '../base/decimal.ts';
import { isMissed, waitingForOf } from '../ledger/batch-rules.ts';
import { type BatchState, PAYING } from '../ledger/batch-states.ts';
import { isToCome } from '../ledger/days.ts';
import { type BatchRecord, decisionAbout, type RowRecord } from '../ledger/records.ts';
import type { WaitingFor } from '../ledger/wait.ts';
import { type HoldCode, HOLDS } from '../payouts/hold.ts';
import { outcomeOf } from '../payouts/lifecycle.ts';
import { stageOrHeld, whyOf } from '../payouts/progress.ts';
import { REJECTION_CODES, type Rejection, type RejectionCode } from '../payouts/rejection.ts';
import type { FileRefusalCode } from '../rows/file-refused.ts';

/** Of a transaction: accepted and in progress, waiting, confirmed, paid, never paid. */
export const TX_STATUSES = ['ACCP', 'PDNG', 'ACSP', 'ACSC', 'RJCT'] as const;
export type TxStatus = (typeof TX_STATUSES)[number];

/** A code of ISO, and paydrop's own, which tells its owner what to do. */
export type StatusReason = { readonly iso: string; readonly own: string };

export type RowStatus = { readonly status: TxStatus; readonly reasons: readonly StatusReason[] };

/** Not a true hold: a payment that waits, or exists already. */
const NARRATIVE = 'NARR';
const DUPLICATE = 'DUPL';
const BY_CUSTOMER = 'CUST';

/** For a payment that is paid, in progress or undecided under the same id in another message. */
export const MADE_ELSEWHERE: RowStatus = {
  status: 'PDNG',
  reasons: [{ iso: DUPLICATE, own: 'duplicate_reference' }],
};

/** The status of a row. Never `RJCT` for one that is paid, under way, held, undecided or a duplicate: a program would make the payment again. */
export function statusOf(row: RowRecord, batch: BatchRecord): RowStatus {
  const { progress } = row;
  const outcome = outcomeOf(stageOrHeld(progress));
  const errorCode = whyOf(progress)?.errorCode ?? null;
  switch (outcome) {
    case 'paid':
      return { status: 'ACSC', reasons: [] };
    case 'submitted':
      return { status: 'ACSP', reasons: [] };
    case 'held':
      return { status: 'PDNG', reasons: [heldFor(progress.hold?.code, errorCode)] };
    case 'duplicate':
      return { status: 'PDNG', reasons: [{ iso: DUPLICATE, own: errorCode ?? '' }] };
    case 'pending': {
      const waits = waitsFor(row, batch);
      return waits === null
        ? { status: 'ACCP', reasons: [] }
        : { status: 'PDNG', reasons: [{ iso: WAITING[waits], own: waits }] };
    }
    case 'failed':
    case 'rejected':
      return mayStillPay(row)
        ? { status: 'PDNG', reasons: [{ iso: NARRATIVE, own: errorCode ?? '' }] }
        : { status: 'RJCT', reasons: endedFor(row, errorCode) };
  }
}

/** What a row waits for with its batch, or will wait for. */
function waitsFor(row: RowRecord, batch: BatchRecord): WaitingFor | null {
  const waits = waitingForOf(batch);
  if (waits !== 'approval' && PAYING.has(batch.state) && isToCome(batch, row)) return 'schedule';
  if (waits !== null || !BEFORE_SENDING.has(batch.state)) return waits;
  const { approval, payAt, acceptedAt } = batch;
  if (approval?.kind === 'open' || (approval?.kind === 'asked' && approval.given === null)) return 'approval';
  if (
    payAt?.missed === 'hold' &&
    isMissed(payAt, Date.parse(acceptedAt)) &&
    decisionAbout(batch, 'time') === null
  )
    return 'operator';
  return isLater(row, batch) ? 'schedule' : null;
}

/** Its own time, of a message that names several days. */
function isLater({ payout }: RowRecord, { payAt, acceptedAt }: BatchRecord): boolean {
  const day = payAt?.days?.find((each) => each.day === payout?.payOn);
  const at = day?.at ?? payAt?.at;
  return at !== undefined && Date.parse(at) - Date.parse(acceptedAt) > AT_ONCE_MS;
}

/** An execution date of today counts from the moment of taking. */
const AT_ONCE_MS = 60_000;

const BEFORE_SENDING: ReadonlySet<BatchState> = new Set<BatchState>(['checking', 'pricing', 'accepted']);

/** A person closed the row while its transfer may still be paid. */
function mayStillPay({ progress: { stage, transfer, confirm } }: RowRecord): boolean {
  return stage === 'rejected' && transfer !== null && confirm !== 'none';
}

function endedFor(row: RowRecord, errorCode: string | null): readonly StatusReason[] {
  const { rejections, progress } = row;
  if (rejections.length > 0 && progress.transfer === null)
    return rejections.map((rejection) => ({ iso: isoOf(rejection), own: rejection.code }));
  const own = errorCode ?? '';
  if (own === 'cancelled' || own === 'declined') return [{ iso: BY_CUSTOMER, own }];
  const rejection = REJECTION_CODES.find((code) => code === own);
  if (rejection !== undefined)
    return [{ iso: isoOf({ code: rejection, column: '', isBelow: isBelowLeast(row) }), own }];
  return [{ iso: ofService(row, own), own }];
}

function isBelowLeast({ payout, progress: { price } }: RowRecord): boolean {
  return payout !== null && price !== null && compareDecimals(price.receiveAmount, payout.bounds.least) < 0;
}

/** By the service's own numbers: the status codes of a failed payment, and the error codes of a refused call. */
const OF_SERVICE: ReadonlyMap<string, string> = new Map([
  ['100002', 'MS03'],
  ['100003', 'AC03'],
  ['100004', 'RR04'],
  ['100005', 'AM14'],
  ['100006', 'ED05'],
  // Never AM04: that means the balance of the debtor.
  ['100008', 'ED05'],
  ['10001', 'CH16'],
  ['10003', 'AG03'],
  ['10018', 'RR03'],
  ['10019', 'AC03'],
  ['10022', 'MINF'],
  ['10027', 'ED05'],
]);

function ofService({ payout }: RowRecord, own: string): string {
  const method = payout?.deliveryMethod;
  if (own === '100003' && (method === 'alipay' || method === 'wechat')) return 'BE23';
  if (own === '100003' && method === 'unionpayCard') return 'AC16';
  return OF_SERVICE.get(own) ?? NARRATIVE;
}

type ByColumn = readonly (readonly [RegExp, string])[];

const REJECTED: Readonly<Record<RejectionCode, string | readonly [usual: string, others: ByColumn]>> = {
  // Only in spreadsheets.
  row_is_total: NARRATIVE,
  row_below_total: NARRATIVE,
  number_destroyed: 'AC03',
  number_not_text: 'AC03',
  corridor_missing: 'AG06',
  corridor_unknown: 'FF03',
  corridor_none: 'AG03',
  corridor_ambiguous: 'FF03',
  corridor_disabled: 'AG03',
  value_not_listed: [
    'CH16',
    [
      [/deliveryMethod/, 'FF05'],
      [/country/i, 'BE11'],
    ],
  ],
  source_currency_missing: 'AC10',
  source_currency_not_in_corridor: 'AC10',
  amount_missing: 'AM12',
  amount_twice: 'AM12',
  amount_currency_missing: 'AM11',
  amount_currency_unrelated: 'AM03',
  amount_not_a_number: 'AM12',
  amount_not_positive: 'AM01',
  amount_too_many_decimals: 'CH20',
  amount_outside_bounds: 'AM02',
  amount_currency_contradicts: 'CURR',
  purpose_missing: 'FF07',
  purpose_malformed: 'FF07',
  sender_missing: 'RR02',
  sender_outside_cemac: 'BE10',
  receiver_field_missing: [
    'RR03',
    [
      [/name/i, 'BE22'],
      [/address|city/i, 'BE04'],
      [/country/i, 'BE11'],
      [/registrationNumber/, 'BE17'],
      [/msisdn|phone/i, 'BE18'],
    ],
  ],
  delivery_field_missing: [
    'AC03',
    [
      [/swift/i, 'RC07'],
      [/msisdn|email/i, 'BE23'],
      [/card/i, 'AC16'],
      [/holder/i, 'BE22'],
    ],
  ],
  telephone_malformed: ['BE23', [[/receiver/, 'BE18']]],
  account_malformed: ['AC03', [[/swift/i, 'RC07']]],
  name_without_letters: 'BE21',
  text_unprintable: 'RR10',
  text_too_long: ['CH16', [[/name/i, 'BE20']]],
  attachment_missing: 'MINF',
  attachment_path: 'CH16',
  attachment_not_found: 'MINF',
  attachment_not_a_file: 'MINF',
  attachment_too_large: 'AMSE',
  attachment_kind: 'CH16',
  reference_repeated: 'DU04',
  refused_by_service: 'CH16',
  element_unsupported: [
    'CH17',
    [
      [/PmtMtd|ChqInstr/, 'AG03'],
      [/ChrgBr/, 'BE19'],
      [/IntrmyAgt|CdtrAgtAcct/, 'RC11'],
      [/LclInstrm/, 'FF05'],
      [/UltmtCdtr/, 'RR03'],
      [/UltmtDbtr/, 'RR02'],
    ],
  ],
  iban_wrong: 'AC03',
  country_contradicts: 'AG06',
  person_name_undecided: 'BE21',
};

function isoOf({ code, column, isBelow }: Pick<Rejection, 'code' | 'column' | 'isBelow'>): string {
  if (code === 'amount_outside_bounds' && isBelow === true) return 'AM06';
  const said = REJECTED[code];
  if (typeof said === 'string') return said;
  const [usual, others] = said;
  return others.find(([pattern]) => pattern.test(column))?.[1] ?? usual;
}

function heldFor(code: HoldCode | undefined, errorCode: string | null): StatusReason {
  const iso = code === undefined ? undefined : HOLDS[code].iso;
  return { iso: iso ?? NARRATIVE, own: code ?? errorCode ?? '' };
}

const WAITING: Readonly<Record<WaitingFor, string>> = {
  funds: 'AM04',
  documents: 'MINF',
  approval: NARRATIVE,
  schedule: NARRATIVE,
  credentials: NARRATIVE,
  service: NARRATIVE,
  doubt: NARRATIVE,
  operator: NARRATIVE,
};

/** The codes for which a refused message gets a status message. For any other code a program is told nothing: the message may be somebody else's, in progress, or not read. */
const REFUSED: Partial<Record<FileRefusalCode | 'rows_rejected' | 'standing_file_withdrawn', string>> = {
  too_many_rows: NARRATIVE,
  profiles_several: NARRATIVE,
  control_differs: 'AM10',
  control_unreadable: NARRATIVE,
  quotations_too_short: 'FF10',
  execution_date_unreadable: 'DT01',
  execution_dates_differ: 'DT01',
  execution_date_too_far: 'CH03',
  execution_date_standing: 'DT01',
  standing_file_withdrawn: BY_CUSTOMER,
  rows_rejected: NARRATIVE,
  message_invalid: 'FF01',
  debtor_currency_differs: 'AC10',
};

/** Null where no message may report it. `iso` is the code of the exact fault, where its finder knows one. */
export function refusedFor(code: string, iso: string | undefined): StatusReason | null {
  const usual = (REFUSED as Readonly<Record<string, string | undefined>>)[code];
  return usual === undefined ? null : { iso: iso ?? usual, own: code };
}

/**
 * For a payment of a message that is refused whole: its own faults, or those of other payments. A payment that exists already is no rejection, even if
 * it has other faults.
 * @param row null where no row was registered.
 */
export function statusInRefused(
  row: RowRecord | null,
  batch: BatchRecord,
  { isElsewhere, whole }: { readonly isElsewhere: boolean; readonly whole: StatusReason },
): RowStatus {
  if (isElsewhere) return MADE_ELSEWHERE;
  const own = row === null ? null : statusOf(row, batch);
  if (own !== null && own.status !== 'ACCP' && !isWaiting(row)) return own;
  return { status: 'RJCT', reasons: [{ iso: NARRATIVE, own: whole.own }] };
}

/** A row that only waited is not sent any more. */
function isWaiting(row: RowRecord | null): boolean {
  return row !== null && outcomeOf(stageOrHeld(row.progress)) === 'pending';
}
