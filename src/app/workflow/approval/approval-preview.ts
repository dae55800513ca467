// The preview of a batch that needs approval: the real quotations of its rows from the ledger, so that the approved prices are the ones that
// will be sent.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { sameWords, type Words } from '../../../base/language.ts';
import { readAnswerName } from '../../../inbox/answer-name.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { stageOrHeld, whyOf } from '../../../payouts/progress.ts';
import { writePreview, type PreviewRow } from '../../../results/preview.ts';
import type { PreviewLine } from '../../../results/summary.ts';
import { rowsWithRecords } from '../../../results/answer-table.ts';
import { answersOf, ownAnswersOf } from '../answers/answers.ts';
import { PreviewTotals, Unusual, type Warning, warningsOf } from '../check/unusual.ts';
import { verifiedFor } from '../../people/verified-accounts.ts';
import type { Work } from '../batch/work.ts';
import { priceToSend } from './question-subject.ts';
import { sentence } from '../../../messages/messages.ts';

/** `sha256`: hex, over its bytes. */
type ApprovalPreview = {
  readonly name: string;
  readonly sha256: string;
  readonly lines: readonly PreviewLine[];
};

/**
 * Publishes it under the number of its question: what an approver was shown is never overwritten.
 * @param take each row as it is shown: what is asked is what stands there.
 */
export async function publishPreview(
  { paydrop, batch, open }: Work,
  question: number,
  take: (row: RowRecord, warnings: readonly Warning[]) => void,
): Promise<ApprovalPreview> {
  const totals = new PreviewTotals(paydrop.service);
  const place = await ownAnswersOf(paydrop, batch);
  const { read } = await open();
  const rows = previewRows(paydrop, batch, read, (shown, record, warnings) => {
    totals.add(shown);
    take(record, warnings);
  });
  const name = await writePreview(place, batch, read, rows, () => totals.lines(), question);
  const sha256 = await hashFile(join(place.folder ?? place.outbox, name));
  return { name, sha256, lines: await totals.lines() };
}

/** The highest number of a preview that is the evidence of a question, whatever the ledger knows of it; 0 where there is none. */
export async function lastPreview({ paydrop, batch }: Pick<Work, 'paydrop' | 'batch'>): Promise<number> {
  const { folder } = await answersOf(paydrop, batch);
  if (folder === null) return 0;
  const previews = (await readdir(folder))
    .map((name) => readAnswerName(name))
    .filter((name) => name?.kind === 'preview' && name.batch === batch.id);
  return Math.max(0, ...previews.map((name) => name?.version ?? 0));
}

async function* previewRows(
  paydrop: Work['paydrop'],
  batch: BatchRecord,
  read: ReadFile,
  take: (shown: PreviewRow, record: RowRecord, warnings: readonly Warning[]) => void,
): AsyncGenerator<PreviewRow> {
  const unusual = new Unusual(paydrop.ledger, verifiedFor(paydrop, batch));
  for await (const { row, record } of rowsWithRecords(read, paydrop.ledger, batch.id)) {
    const price = priceToSend(record);
    const { payout } = record;
    const isSent = price !== null && payout !== null;
    const found = isSent
      ? warningsOf(await unusual.look(row.place, payout), payout, price.receiveAmount)
      : [];
    const shown = { ...shownAs(record, price), row, warnings: found.map(({ words }) => words) };
    take(shown, record, found);
    yield shown;
  }
}

function shownAs(
  { payout, rejections, progress }: RowRecord,
  price: PreviewRow['price'],
): Omit<PreviewRow, 'row' | 'warnings'> {
  const unpriced = { payout, rejections, price: null, wrong: null, met: null };
  const stage = stageOrHeld(progress);
  const words = whyOf(progress)?.reason ?? sameWords('');
  switch (stage) {
    case 'rejected':
      return { ...unpriced, wrong: payout === null ? null : words };
    case 'held':
    case 'duplicate':
      return { ...unpriced, met: { outcome: stage, words } };
    case 'confirmed':
    case 'paid':
    case 'failed':
      return { ...unpriced, met: { outcome: 'duplicate', words: SENT_BEFORE } };
    case 'ready':
    case 'quoted':
    case 'created':
    case 'confirming':
      return { ...unpriced, price: payout === null ? null : price };
  }
}

const SENT_BEFORE: Words = sentence('approvalPreview.sentBefore');
