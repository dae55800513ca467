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
import { answersOf, ownAnswersOf } from '../close/answers.ts';
import { PreviewTotals, Unusual, warningsOf } from '../check/unusual.ts';
import type { Work } from '../work.ts';
import { sentence } from '../../../messages/messages.ts';

/** `sha256`: hex, over its bytes. */
type ApprovalPreview = {
  readonly name: string;
  readonly sha256: string;
  readonly lines: readonly PreviewLine[];
};

/** Publishes it under the number of its question: what an approver was shown is never overwritten. */
export async function publishPreview(
  { paydrop, batch, open }: Work,
  question: number,
): Promise<ApprovalPreview> {
  const totals = new PreviewTotals(paydrop.service);
  const place = await ownAnswersOf(paydrop, batch);
  const { read } = await open();
  const rows = previewRows(paydrop, batch, read, totals);
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
  { ledger }: Pick<Work['paydrop'], 'ledger'>,
  { id }: BatchRecord,
  read: ReadFile,
  totals: PreviewTotals,
): AsyncGenerator<PreviewRow> {
  const unusual = new Unusual(ledger);
  for await (const { row, record } of rowsWithRecords(read, ledger, id)) {
    const preview = { row, ...(await shownAs(record, unusual)) };
    totals.add(preview);
    yield preview;
  }
}

async function shownAs(
  { row, payout, rejections, progress }: RowRecord,
  unusual: Unusual,
): Promise<Omit<PreviewRow, 'row'>> {
  const unpriced = { payout, rejections, price: null, wrong: null, warnings: [], met: null };
  const { transfer, price } = progress;
  const stage = stageOrHeld(progress);
  const words = whyOf(progress)?.reason ?? sameWords('');
  switch (stage) {
    case 'rejected':
      return { ...unpriced, wrong: payout === null ? null : words };
    case 'held':
      return { ...unpriced, met: { outcome: 'held', words } };
    case 'duplicate':
      return { ...unpriced, met: { outcome: 'duplicate', words } };
    case 'confirmed':
    case 'paid':
    case 'failed':
      return { ...unpriced, met: { outcome: 'duplicate', words: SENT_BEFORE } };
    case 'ready':
    case 'quoted':
    case 'created':
    case 'confirming': {
      const agreed = transfer !== null && (stage === 'created' || stage === 'confirming') ? transfer : price;
      if (payout === null || agreed === null) return unpriced;
      const look = await unusual.look(row, payout);
      return {
        ...unpriced,
        price: agreed,
        warnings: warningsOf(look, payout, agreed.receiveAmount).map(({ words }) => words),
      };
    }
  }
}

const SENT_BEFORE: Words = sentence('approvalPreview.sentBefore');
