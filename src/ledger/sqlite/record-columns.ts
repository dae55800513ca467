// Which columns of a record the history vouches for: all that says what is paid, to whom and how far it is. Who claims a row and when it is
// due again change with every look, decide only when it is taken up, and stand outside.
import { digestOf, type Field } from './digest.ts';

/** Never changed once a row is registered. They are digested once, into the column `fixed`: a write need not read the whole payment again. */
const FIXED = [
  'batch',
  'position',
  'row',
  'source_currency',
  'reference',
  'reference_key',
  'lineage',
  'fingerprint',
  'payment',
  'payee',
  'payee_short',
  'account',
  'payout',
] as const;

/** Digested with every write. */
const CHANGING = [
  'fixed',
  'stage',
  'held',
  'rejections',
  'progress',
  'version',
  'written_by',
  'counted_day',
  'counted',
] as const;

const BATCH = [
  'id',
  'file_id',
  'content_fingerprint',
  'paused',
  'accepted_at',
  'state',
  'counts',
  'checked_to',
  'recent_from',
  'record',
] as const;

/** What a write gives back: enough to digest it, and to count it. */
export const WRITTEN_ROW_COLUMNS = [
  'batch',
  'position',
  'source_currency',
  'payee',
  'payee_short',
  'account',
  ...CHANGING,
].join(', ');
export const SEALED_BATCH_COLUMNS = BATCH.join(', ');

type Found = Readonly<Record<string, Field>>;

export function fixedDigest(found: Found): string {
  return digestOf(FIXED.map((column) => found[column]));
}

/** Of a row as it was written; it vouches for the fixed columns as far as `fixed` does. */
export function rowDigest(found: Found): string {
  return digestOf(CHANGING.map((column) => found[column]));
}

export function batchDigest(found: Found): string {
  return digestOf(BATCH.map((column) => found[column]));
}
