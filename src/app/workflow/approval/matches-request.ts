// Whether a file that approves can be meant for the question that stands now. It may have lain, or been on its way, while another was asked: of a
// stopped daemon, or of a server that is looked at now and then, nobody knows for how long.
import type { Words } from '../../../base/language.ts';
import type { Asked } from '../../../ledger/approval.ts';
import { describeSums } from './approval-words.ts';
import { sentence } from '../../../messages/messages.ts';

/** The coarsest disks keep the time of a file in steps of two seconds. */
const STEP_MS = 2_000;

/** What a file says and when it was last written. */
export type WrittenAnswer = { readonly total: string | null; readonly writtenAtMs: number };

type Doubt = { readonly code: 'approval_older' | 'approval_total_missing'; readonly words: Words };

/** Null when it can. Clocks differ, and a transfer may give a file the time of its arrival: where there may have been another question, its time alone shows nothing. */
export function doubtOf(asked: Asked, { total, writtenAtMs }: WrittenAnswer): Doubt | null {
  if (writtenAtMs <= Date.parse(asked.askedAt) - STEP_MS)
    return { code: 'approval_older', words: olderWords(asked) };
  return needsTotal(asked) && total === null
    ? { code: 'approval_total_missing', words: totalMissingWords(asked) }
    : null;
}

function needsTotal({ mayFollowAnother, round }: Pick<Asked, 'mayFollowAnother' | 'round'>): boolean {
  return mayFollowAnother ?? round > 1;
}

/** What stands in the question for whoever answers by a file. */
export function byFileWords(fileName: string, totals: Asked['totals']): Words {
  const sums = describeSums(totals);
  return sentence('matchesRequest.byFile', { fileName, sums });
}

function olderWords({ askedAt, preview, totals }: Asked): Words {
  const sums = describeSums(totals);
  return sentence('matchesRequest.older', { askedAt, preview, sums });
}

function totalMissingWords({ preview, totals }: Asked): Words {
  const sums = describeSums(totals);
  return sentence('matchesRequest.totalMissing', { preview, sums });
}
