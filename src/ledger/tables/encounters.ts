// What rows have in common with others, as each store finds it by its keys: candidates, of which `encounters.ts` says whether they meet.
import { keysOf, referenceKey } from '../../payouts/payment-keys.ts';
import type { Payout } from '../../payouts/payout.ts';
import { type Against, batchesAmong, encountersAmong, firstMet, type KnownBatches } from '../encounters.ts';
import { find, type Plan } from '../plan.ts';
import type { BatchRecord, Encounter, NewRow } from '../records.ts';
import type { Found } from '../seals.ts';
import { textOrNull } from '../stored-rows.ts';
import type { BatchesTable } from './batches.ts';
import type { PositionRange } from './rows.ts';

/** How rows find those that they have something in common with, each store in its own way. */
export type KeysOfStore = {
  /** Rows that were just registered. */
  readonly registered: (batch: BatchRecord, rows: readonly NewRow[]) => Plan<void>;
  /** From here on the rows of a batch may be met. */
  readonly complete: (batch: string) => Plan<void>;
  /** Of the rows of a range. @param since start of the window for duplicates, ISO. */
  readonly candidates: (batch: string, range: PositionRange, since: string) => Plan<readonly Found[]>;
  /** Candidates by the short form of a reference, and the reference. */
  readonly byReference: string;
  /** Candidates by a payment, and the start of the window. */
  readonly byPayment: string;
  /** The statement of `Ledger.paidTo`. */
  readonly paidTo: string;
};

/** By the position of each own row that meets another. */
export function* encountersOf(
  { keys, batches }: { readonly keys: KeysOfStore; readonly batches: BatchesTable },
  own: BatchRecord,
  range: PositionRange,
  others: Omit<Against, 'own'>,
): Plan<ReadonlyMap<number, readonly Encounter[]>> {
  const found = yield* keys.candidates(own.id, range, others.since);
  return encountersAmong(found, yield* knownAmong(batches, found), { own, ...others });
}

function* knownAmong(batches: BatchesTable, found: readonly Found[]): Plan<KnownBatches> {
  const ids = batchesAmong(found);
  const records = ids.length === 0 ? [] : yield* batches.of(ids);
  return new Map(records.map((record) => [record.id, record]));
}

/** See `Ledger.duplicateOf`. */
export function* duplicateOf(
  { keys, batches }: { readonly keys: KeysOfStore; readonly batches: BatchesTable },
  payout: Payout | string,
  since: string,
): Plan<Pick<Encounter, 'kind' | 'other'> | null> {
  const reference = typeof payout === 'string' ? payout : payout.reference;
  const own = { position: 0, reference, fingerprint: null, document: null };
  if (reference !== null) {
    const found = yield* find(keys.byReference, [referenceKey(reference), reference]);
    const met = firstMet(found, { kind: 'same-reference', own }, yield* knownAmong(batches, found), since);
    if (met !== null) return { kind: 'same-reference', other: met.other };
  }
  const payment = typeof payout === 'string' ? null : keysOf(payout).payment;
  if (typeof payout === 'string' || payment === null) return null;
  const kind = reference === null ? 'same-payment' : 'other-reference';
  const found = (yield* find(keys.byPayment, [payment, since])).filter(
    (each) => reference === null || textOrNull(each['reference']) !== reference,
  );
  const as = { kind, own: { ...own, document: payout.documentReferenceNumber } } as const;
  const met = firstMet(found, as, yield* knownAmong(batches, found), since);
  return met === null ? null : { kind, other: met.other };
}
