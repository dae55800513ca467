// What `status` tells of an approval: what was asked, and who answered what.
import type { Words } from '../../../base/language.ts';
import type { ApprovalSum, Asked } from '../../../ledger/approval.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';

export type ApprovalStatus = {
  readonly rows: number;
  readonly totals: readonly ApprovalSum[];
  readonly preview: string;
  readonly askedAt: string;
  readonly given: Asked['given'];
  readonly declined: Asked['declined'];
};

/** Null where nobody was asked. */
export function approvalStatus({ approval }: Pick<BatchRecord, 'approval'>): ApprovalStatus | null {
  if (approval?.kind !== 'asked') return null;
  const { rows, totals, preview, askedAt, given, declined } = approval;
  return { rows, totals, preview, askedAt, given, declined };
}

/** The answer in a sentence; null while there is none. */
export function answerWords({
  id,
  state,
  approval,
}: Pick<BatchRecord, 'id' | 'state' | 'approval'>): Words | null {
  if (approval?.kind !== 'asked') return null;
  const { given, declined } = approval;
  if (declined !== null)
    return sentence('approvalStatus.answer.declinedByOn', {
      by: declined.by,
      at: declined.at,
      reason: declined.reason,
    });
  if (given === null) return null;
  const isNext = state === 'accepted';
  return sentence('approvalStatus.answer.approvedByOn', { ...given, isNext, id });
}
