// Which columns of a record the history vouches for: all that says what is paid, to whom and how far it is. Who claims a row and when it is
// due again change with every look, decide only when it is taken up, and stand outside.
import { digestOf, type Field } from './digest.ts';

/** In this order they are digested; a migration that changes one of them for rows that stand has to write an event for each. */
const ROW = [
  'batch',
  'position',
  'row',
  'stage',
  'source_currency',
  'reference',
  'reference_key',
  'lineage',
  'fingerprint',
  'payee',
  'account',
  'payout',
  'rejections',
  'progress',
  'version',
  'written_by',
  'counted_day',
  'counted',
] as const;

const BATCH = ['id', 'file_id', 'content_fingerprint', 'paused', 'accepted_at', 'state', 'record'] as const;

export const SEALED_ROW_COLUMNS = ROW.join(', ');
export const SEALED_BATCH_COLUMNS = BATCH.join(', ');

type Found = Readonly<Record<string, Field>>;

export function rowDigest(found: Found): string {
  return digestOf(ROW.map((column) => found[column]));
}

export function batchDigest(found: Found): string {
  return digestOf(BATCH.map((column) => found[column]));
}
