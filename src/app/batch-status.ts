// `status`: where every file stands, and which rows of one need somebody.
import { joinWords, say } from '../base/language.ts';
import { stopFileWords } from '../inbox/stop-file.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { outcomeOf, type Outcome } from '../payouts/outcome.ts';
import { batchRows } from '../results/batch-rows.ts';
import { errorCodeOf, reasonOf } from '../results/payout-cells.ts';
import { summarize, type Summary } from '../results/summary.ts';
import { answerWords, approvalStatus, type ApprovalStatus } from './approval/approval-status.ts';
import type { Records } from './compose.ts';

export type BatchStatus = Summary & {
  readonly paused: boolean;
  readonly acceptedAt: string;
  /** What it waits for, in words. */
  readonly words: string | null;
  /** Null where nobody had to approve it. */
  readonly approval: ApprovalStatus | null;
};

export type RowStatus = {
  readonly row: string;
  readonly outcome: Outcome;
  readonly errorCode: string;
  readonly reason: string;
};

/** What halts the whole workspace, in words; null when nothing does. */
export function stopFileOf({ workspace, config }: Records): string | null {
  const words = stopFileWords(workspace);
  return words === null ? null : say(words, config.language);
}

/** All batches, oldest first. */
export async function batchStatuses(records: Records): Promise<readonly BatchStatus[]> {
  const statuses: BatchStatus[] = [];
  for (const batch of await records.ledger.batches()) statuses.push(await statusOf(records, batch));
  return statuses;
}

export async function statusOf({ ledger, config }: Records, batch: BatchRecord): Promise<BatchStatus> {
  const { paused, acceptedAt, waitingWords } = batch;
  const said = [answerWords(batch), waitingWords].filter((each) => each !== null);
  const words = said.length === 0 ? null : say(joinWords(said), config.language);
  return {
    ...(await summarize(ledger, batch, [])),
    paused,
    acceptedAt,
    words,
    approval: approvalStatus(batch),
  };
}

/** The rows that are neither paid nor on their way, with what to do; a million pending rows are not listed one by one. */
export async function rowsThatNeedAttention(
  { ledger, config }: Records,
  batch: BatchRecord,
): Promise<readonly RowStatus[]> {
  const rows: RowStatus[] = [];
  for await (const record of batchRows(ledger, batch.id)) {
    const outcome = outcomeOf(record.progress.stage);
    if (outcome === 'paid' || outcome === 'submitted' || outcome === 'pending') continue;
    rows.push({
      row: record.row,
      outcome,
      errorCode: errorCodeOf(record),
      reason: reasonOf(record, batch.waitingWords, config.language),
    });
  }
  return rows;
}
