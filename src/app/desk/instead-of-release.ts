// A `release` that found nothing to decide about has changed nothing: it names the command that does what was wanted.
import type { Words } from '../../base/language.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { waitOf } from '../../ledger/batch-rules.ts';
import { ENDED_BATCH } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import type { ReleaseEnd } from '../workflow/decisions/release-rows.ts';

/** True where not a row and no stop was decided about, and trying later would not either. */
export function isUnchanged({ released, followed, left, file, unasked, isRecorded }: ReleaseEnd): boolean {
  if (isRecorded === true) return false;
  return released.length + followed.length + left.length === 0 && file === null && unasked === null;
}

/** @param skip rows were to be cancelled. */
export function insteadOfRelease(batch: BatchRecord, skip: boolean): Words {
  const { id, state } = batch;
  if (ENDED_BATCH.has(state)) return sentence('insteadOfRelease.status', { id });
  if (waitsForAnswer(batch))
    return skip ? sentence('insteadOfRelease.decline', { id }) : sentence('insteadOfRelease.approve', { id });
  // Nothing of it was sent, and whoever brought it may withdraw it.
  if (skip && state === 'accepted' && batch.approval?.kind === 'asked')
    return sentence('insteadOfRelease.decline', { id });
  if (skip) return sentence('insteadOfRelease.pause', { id });
  const wait = waitOf(batch);
  if (wait?.liftedBy === 'resume' || wait?.liftedBy === 'itself')
    return sentence('insteadOfRelease.resume', { id });
  return sentence('insteadOfRelease.status', { id });
}
