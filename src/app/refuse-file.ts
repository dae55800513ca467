// A file that is refused whole: nothing of it was sent, its owner gets the reason and, where rows are wrong, the file to fix.
import { join } from 'node:path';

import { isoTime } from '../base/clock.ts';
import { refuseBatch } from '../inbox/take-file.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { noOutcomes, type Summary } from '../results/summary.ts';
import { publishJson } from '../results/write-results.ts';
import type { FileRefused } from '../rows/file-refused.ts';
import { answersOf } from './answers.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from './compose.ts';

export type RefusalReason = {
  readonly code: string;
  readonly reason: string;
  readonly rejected: number;
  /** Answers written already, such as `rejected`. */
  readonly answers: readonly string[];
};

/** Publishes `refused.json`, moves the file to `refused/` and marks the batch, if it has one, so that the same bytes may come again. */
export async function refuseFile(
  paydrop: Paydrop,
  batch: BatchRecord,
  refusal: RefusalReason,
): Promise<BatchResult> {
  const { ledger, workspace, clock } = paydrop;
  const known = await ledger.batch(batch.id);
  if (known !== null && (known.state === 'paying' || known.state === 'closed')) {
    throw new Error(`Batch ${batch.id} is being paid and cannot be refused any more.`);
  }
  const place = answersOf(paydrop, batch);
  const name = place.nameOf('refused', 'json');
  const finishedAt = isoTime(clock.now());
  const document = {
    batch: batch.id,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    code: refusal.code,
    reason: refusal.reason,
    rejectedRows: refusal.rejected,
    refusedAt: finishedAt,
    answers: refusal.answers,
  };
  await publishJson(join(workspace.outbox, name), document);
  const folder = await refuseBatch(batch.id, workspace);
  await publishJson(join(folder, name), document);
  if (known?.fileId === batch.fileId) {
    await ledger.changeBatch(batch.id, {
      state: 'refused',
      finishedAt,
      waitingFor: null,
      waitingWords: null,
    });
    await ledger.clearRows(batch.id);
  }
  return {
    summary: refusedSummary(batch, refusal, [name, ...refusal.answers], finishedAt),
    words: [refusal.reason, `Nothing was sent. The reason is in ${join(workspace.outbox, name)}.`],
  };
}

/** The reason of a file that cannot be read as a spreadsheet of payments. */
export function unreadable({ code, message }: FileRefused): RefusalReason {
  return { code, reason: message, rejected: 0, answers: [] };
}

/** The reason of a file with rows to fix. */
export function withRejectedRows(rejected: number, rows: number, answer: string): RefusalReason {
  const some = rejected === 1 ? '1 row' : `${String(rejected)} rows`;
  return {
    code: 'rows_rejected',
    reason: `${some} of ${String(rows)} cannot be paid as written, so nothing of the file was sent. Fix them in ${answer} (column payout.error) and drop that file.`,
    rejected,
    answers: [answer],
  };
}

function refusedSummary(
  batch: BatchRecord,
  { rejected }: RefusalReason,
  answers: readonly string[],
  finishedAt: string,
): Summary {
  return {
    batch: batch.id,
    state: 'refused',
    sandbox: batch.sandbox,
    file: { name: batch.fileName, sha256: batch.sha256, rows: batch.rows },
    outcomes: { ...noOutcomes(), rejected, pending: Math.max(0, batch.rows - rejected) },
    totals: [],
    received: [],
    waitingFor: null,
    startedAt: batch.startedAt ?? batch.acceptedAt,
    finishedAt,
    answers,
  };
}
