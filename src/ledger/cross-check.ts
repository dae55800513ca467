// The check of a batch against all others, some rows a commit, as functions of its record: what has been done, and how the batch changes by the next rows.
import { repeatsOf } from './batch-rows.ts';
import type { CrossCheck } from './ledger.ts';
import type { BatchChange, BatchRecord, Checked } from './records.ts';

/** From a position on, up to and without another. */
type Range = { readonly from: number; readonly to: number };

export type Step = { readonly change: BatchChange; readonly isDone: boolean };

/** True before the first row of a batch is judged, also where it is checked once more. */
export function isToBegin({ checked }: BatchRecord): boolean {
  return checked === undefined || checked.to === null;
}

/** Before its first row is judged: what may still become of the file says how its own rows count for each other. */
export function beginningOf(
  own: BatchRecord,
  same: BatchRecord | null,
  arePricesOpen: boolean,
  { at }: Pick<CrossCheck, 'at'>,
): Checked {
  const pricesDecide = own.onInvalidRows === 'refuse-file' && arePricesOpen;
  return { at: own.checked?.at ?? at, to: 0, sameContent: same?.id ?? null, pricesDecide };
}

/** The rows that are next. */
export function nextRange({ to, waitingTo }: Checked, { limit }: Pick<CrossCheck, 'limit'>): Range {
  const from = waitingTo ?? to ?? 0;
  return { from, to: from + limit };
}

/** @param repeats how many rows meet each other batch as a payment that was made before, by now. */
export function afterJudging(
  own: BatchRecord,
  { done, repeats }: { readonly done: Checked; readonly repeats: ReadonlyMap<string, number> },
  { to }: Range,
  isLast: boolean,
  check: CrossCheck,
): Step {
  const checked: Checked = { ...done, to, repeats: Object.fromEntries(repeats) };
  if (!isLast) return { change: { checked }, isDone: false };
  return check.judgeRest !== undefined && repeatsOf(own, checked) !== null
    ? { change: { checked: { ...checked, waitingTo: 0 } }, isDone: false }
    : { change: { checked: { ...checked, to: null }, ...check.change }, isDone: true };
}

/** All others of the file wait with those that were paid before: one answer decides about the file. */
export function afterWaiting(done: Checked, { to }: Range, isLast: boolean, { change }: CrossCheck): Step {
  return isLast
    ? { change: { checked: { ...done, to: null }, ...change }, isDone: true }
    : { change: { checked: { ...done, waitingTo: to } }, isDone: false };
}

/** A missing row would never be paid, and nobody would be told: such a batch stays where it can be read again, or is halted. */
export function assertComplete({ id, state, rows: expected }: BatchRecord, registered: number): void {
  if (state === 'checking' && registered !== expected)
    throw new Error(`Batch ${id} has ${String(expected)} rows, and ${String(registered)} are registered.`);
}
