// Rows as they are stored, the same in every ledger: what never changes of a row, and how it stands.
import { addDecimals, compareDecimals, type DecimalText } from '../base/decimal.ts';
import {
  FRESH,
  isTenureOf,
  type KnownTransfer,
  type Progress,
  type QuotedPrice,
  type RunId,
  type Tenure,
} from '../payouts/progress.ts';
import { referenceKey } from '../payouts/payment-keys.ts';
import { STAGES, type StageOrHeld } from '../payouts/lifecycle.ts';
import type { Rejection } from '../payouts/rejection.ts';
import type { SumFault } from './history.ts';
import { readRecord } from './ledger-unusable.ts';
import { type Counted, countedAfter, type NewRow, type RowRecord } from './records.ts';
import { fixedDigest, type Found } from './seals.ts';

// Progress: only what is no longer as before the first step. Every step writes, seals and reads it again, and most of it never
// changes. What `FRESH` says of a field that is missing here must therefore stay as it is.

const FRESH_FIELDS = Object.entries(FRESH) as readonly (readonly [keyof Progress, unknown])[];

/** Their ids are long: only one of the run that writes the record ever stands in it, and it has a column of its own. */
const RUNS = ['begunBy', 'lookedBy'] as const;
type Stored = Partial<Omit<Progress, (typeof RUNS)[number]> & Record<(typeof RUNS)[number], true>>;

/** The tenure that a record vouches for, as `run` may write it down: one of its own. */
function writerOf({ lookedBy, begunBy }: Progress, run: RunId): Tenure {
  return [lookedBy, begunBy].find((each) => each !== null && isTenureOf(each, run)) ?? run;
}

/** A transfer is created at the price of a quotation, and names both: what it says like the price is not kept twice. */
const OF_PRICE = ['quotationId', 'sendAmount', 'feeAmount', 'receiveAmount', 'expiredAt'] as const;

function withoutPrice(transfer: KnownTransfer, price: QuotedPrice): Partial<KnownTransfer> {
  const own: Partial<Record<keyof KnownTransfer, string | undefined>> = { ...transfer };
  for (const field of OF_PRICE) if (transfer[field] === price[field]) own[field] = undefined;
  return own as Partial<KnownTransfer>;
}

function withPrice(own: Partial<KnownTransfer>, price: QuotedPrice): KnownTransfer {
  const { quotationId, sendAmount, feeAmount, receiveAmount, expiredAt } = price;
  return { quotationId, sendAmount, feeAmount, receiveAmount, expiredAt, ...own } as KnownTransfer;
}

/** A tenure vouches only for itself. */
export function storeProgress(progress: Progress, writtenBy: Tenure): string {
  const { transfer, price } = progress;
  const changed: Partial<Record<keyof Progress, unknown>> = { stage: progress.stage };
  for (const [field, fresh] of FRESH_FIELDS) if (progress[field] !== fresh) changed[field] = progress[field];
  if (transfer !== null && price !== null) changed.transfer = withoutPrice(transfer, price);
  for (const field of RUNS) changed[field] = progress[field] === writtenBy ? true : undefined;
  return JSON.stringify(changed);
}

/** What was read last: all rows of a file that are taken up for the first time say the same. */
let lastRead: { readonly stored: string; readonly writtenBy: Tenure; readonly progress: Progress } | null =
  null;

export function readProgress(stored: string, writtenBy: Tenure): Progress {
  if (lastRead?.stored !== stored || lastRead.writtenBy !== writtenBy)
    lastRead = { stored, writtenBy, progress: progressOf(stored, writtenBy) };
  return lastRead.progress;
}

function progressOf(stored: string, writtenBy: Tenure): Progress {
  const known = readRecord(stored) as Stored;
  const { price = null, transfer = null } = known;
  return {
    ...FRESH,
    ...known,
    transfer: transfer === null || price === null ? transfer : withPrice(transfer, price),
    begunBy: known.begunBy === true ? writtenBy : null,
    lookedBy: known.lookedBy === true ? writtenBy : null,
  };
}

// A row, and its line.

/** What never changes of a row once it is registered, by column. */
export function fixedOf(batch: string, row: NewRow) {
  const { position, payout, reference, lineage, keys } = row;
  return {
    batch,
    position,
    row: row.row,
    source_currency: payout?.sourceCurrency ?? null,
    reference,
    reference_key: reference === null ? null : referenceKey(reference),
    lineage,
    fingerprint: keys?.fingerprint ?? null,
    payment: keys?.payment ?? null,
    payee: keys?.payee ?? null,
    payee_short: keys?.shortPayee ?? null,
    account: keys?.account ?? null,
    payout: payout === null ? null : JSON.stringify(payout),
  };
}

/** How a row stands that is being registered, by column. */
export function newStateOf(fixed: ReturnType<typeof fixedOf>, { progress, rejections }: NewRow, run: RunId) {
  const writer = writerOf(progress, run);
  return {
    batch: fixed.batch,
    position: fixed.position,
    source_currency: fixed.source_currency,
    fixed: fixedDigest(fixed),
    stage: progress.stage,
    held: progress.hold?.code ?? null,
    rejections: JSON.stringify(rejections),
    progress: storeProgress(progress, writer),
    version: 0,
    written_by: writer,
  };
}

/** How a row stands once it is written, by column. @param before what it counted for. */
export function stateAfter(row: RowRecord, change: Written, before: Counted | null, run: RunId) {
  const after = countedAfter(change.progress, before);
  const writer = writerOf(change.progress, run);
  return {
    stage: change.progress.stage,
    held: change.progress.hold?.code ?? null,
    rejections: JSON.stringify(change.rejections ?? row.rejections),
    progress: storeProgress(change.progress, writer),
    version: row.version + 1,
    written_by: writer,
    counted_day: after?.day ?? null,
    counted: after?.amount ?? null,
  };
}

type Written = {
  readonly progress: Progress;
  readonly rejections?: readonly Rejection[];
};

/** What a record counts for against the limits. */
export function countedOf(found: Found): Counted | null {
  const day = textOrNull(found['counted_day']);
  const amount = textOrNull(found['counted']);
  return day === null || amount === null ? null : { day, amount };
}

/** What nearly every row has. */
const NO_REJECTIONS: RowRecord['rejections'] = [];

export function toRowRecord(row: Found): RowRecord {
  return {
    batch: String(row['batch']),
    position: Number(row['position']),
    row: String(row['row']),
    reference: textOrNull(row['reference']),
    lineage: textOrNull(row['lineage']),
    fingerprint: textOrNull(row['fingerprint']),
    payout: readRecord(textOrNull(row['payout']) ?? 'null') as RowRecord['payout'],
    rejections:
      row['rejections'] === '[]'
        ? NO_REJECTIONS
        : (readRecord(String(row['rejections'])) as RowRecord['rejections']),
    progress: readProgress(String(row['progress']), String(row['written_by'])),
    version: Number(row['version']),
    hints: Number(row['hints']),
  };
}

export function textOrNull(value: Found[string]): string | null {
  return typeof value === 'string' ? value : null;
}

export function stageOf(value: Found[string]): StageOrHeld {
  const stage = value === 'held' ? value : STAGES.find((known) => known === value);
  if (stage === undefined) throw new Error('The ledger holds a stage that this version does not know.');
  return stage;
}

/** The running sums of files and days, made once more from the rows that they are sums of: limits rest on them. */
export class CountedSums {
  readonly #sums = new Map<string, DecimalText>();

  /** A row by what it counts for. */
  add(found: Found): void {
    const counted = countedOf(found);
    if (counted === null) return;
    const currency = String(found['currency']);
    this.#add(sumNamed('day', '', counted.day, currency), counted.amount);
    this.#add(sumNamed('file', String(found['batch']), counted.day, currency), counted.amount);
  }

  #add(name: string, amount: DecimalText): void {
    this.#sums.set(name, addDecimals(this.#sums.get(name) ?? '0', amount));
  }

  /** The first sum that is not that of its rows. */
  faultIn(sums: readonly Found[]): SumFault | null {
    const left = new Map(this.#sums);
    for (const { scope, key, day, currency, amount } of sums) {
      const name = sumNamed(String(scope), String(key), String(day), String(currency));
      if (compareDecimals(left.get(name) ?? '0', String(amount)) !== 0) return { of: name };
      left.delete(name);
    }
    const [unwritten] = left.keys();
    return unwritten === undefined ? null : { of: unwritten };
  }
}

function sumNamed(scope: string, key: string, day: string, currency: string): string {
  return `${scope} ${key === '' ? day : `${key} on ${day}`} in ${currency}`;
}
