// What the gates and the work of every state of a batch are given, and what they give back.
import type { Pace } from '../../delivery/quote.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Paydrop } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { BatchResult } from './batch-result.ts';
import type { OpenedFile } from './take/reopen-batch.ts';

/** The batch as the ledger had it when this state began, its file, and how long may be waited. */
export type Work = {
  readonly paydrop: Paydrop;
  readonly batch: BatchRecord;
  readonly control: RunControl;
  /** Its taken file, which is read once a go. Throws `FileRefused`, or where it is gone. */
  readonly open: () => Promise<OpenedFile>;
  /** How fast the service answered when the batch was priced in this very go; null when that was not measured. */
  readonly pace: Pace | null;
};

/** Null where nothing stands in the way of the work; else what is told, and the batch comes back here. */
export type Gate = (work: Work) => Promise<BatchResult | null>;

/** `told`: nothing more is done in this go, and null is nothing to tell; `again`: all of this state once more, its gates too. */
export type Step =
  | { readonly kind: 'moved'; readonly pace?: Pace | null }
  | { readonly kind: 'again' }
  | { readonly kind: 'told'; readonly result: BatchResult | null };

export const MOVED: Step = { kind: 'moved' };
export const AGAIN: Step = { kind: 'again' };

export function told(result: BatchResult | null): Step {
  return { kind: 'told', result };
}
