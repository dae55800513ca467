// What the work in every state of a batch is given, and what it gives back: either the batch has moved on, or there is something to tell.
import type { Pace } from '../../delivery/quote.ts';
import type { InboxFile } from '../../inbox/take-file.ts';
import type { ApprovalWork } from './approval/approval-work.ts';
import type { BatchResult } from './batch-result.ts';

/** The batch as the ledger had it when this state began, its file, and how long may be waited. */
export type Work = ApprovalWork & {
  readonly file: InboxFile;
  /** How fast the service answered when the batch was priced in this very go; null when that was not measured. */
  readonly pace: Pace | null;
};

/** `told`: nothing more is done in this go. */
export type Step =
  | { readonly kind: 'moved'; readonly pace?: Pace | null }
  | { readonly kind: 'told'; readonly result: BatchResult };

export const MOVED: Step = { kind: 'moved' };

export function told(result: BatchResult): Step {
  return { kind: 'told', result };
}
