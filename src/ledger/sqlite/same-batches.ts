// Batches that are the same in bytes or in content.
import { CHECKED } from '../batch-states.ts';
import type { BatchRecord } from '../records.ts';
import type { BatchesTable } from './batches-table.ts';

/** The batches of the same bytes, and those of the same standing file at other times: they are paid again on purpose, or not at all. */
export function batchesOfSameBytes(batches: BatchesTable, id: string): ReadonlySet<string> {
  const own = batches.where('id', id);
  const series = own?.payAt?.standing?.series;
  const isOtherTime = ({ payAt }: BatchRecord): boolean =>
    series !== undefined && payAt?.standing?.series === series && payAt.at !== own?.payAt?.at;
  const same = batches.all().filter((batch) => batch.sha256 === own?.sha256 || isOtherTime(batch));
  return new Set(same.map((batch) => batch.id));
}

/** Null when the content is new, or its batch not held against the others yet: then that one will see ours. */
export function batchOfSameContent(
  batches: BatchesTable,
  id: string,
  own: ReadonlySet<string>,
): BatchRecord | null {
  const fingerprint = batches.where('id', id)?.contentFingerprint ?? null;
  if (fingerprint === null) return null;
  const others = batches.withContent(fingerprint, id);
  return others.find((other) => CHECKED.includes(other.state) && !own.has(other.id)) ?? null;
}
