// Batches that are the same in bytes or in content.
import { CHECKED } from '../batch-states.ts';
import type { BatchRecord } from '../records.ts';
import type { BatchesTable } from './batches-table.ts';

/** The same bytes, or the same standing file on another day: they are paid again on purpose, or not at all. */
export function isSameBytes(own: BatchRecord, other: BatchRecord): boolean {
  const series = own.payAt?.standing?.series;
  const isOtherDay =
    series !== undefined && other.payAt?.standing?.series === series && dayOf(other) !== dayOf(own);
  return other.sha256 === own.sha256 || isOtherDay;
}

/** A day is paid once: at another hour of it the file, whatever was added to it, is held against what it paid before. */
function dayOf({ fileId, sha256 }: BatchRecord): string {
  return fileId.slice(sha256.length);
}

/** Null when the content is new, or its batch not held against any other yet: then that one will see ours. */
export function batchOfSameContent(batches: BatchesTable, own: BatchRecord): BatchRecord | null {
  if (own.contentFingerprint === null) return null;
  const others = batches.withContent(own.contentFingerprint, own.id);
  return others.find((other) => isBeingChecked(other) && !isSameBytes(own, other)) ?? null;
}

function isBeingChecked({ state, checked }: BatchRecord): boolean {
  return CHECKED.includes(state) || (checked !== undefined && checked.isDone !== true);
}
