// Checks every row of a taken file and registers it, in chunks, so that a million rows need the memory of a thousand. Nothing is sent here.
import type { DocumentList } from '../../../inbox/documents.ts';
import type { BatchRecord, NewRow } from '../../../ledger/records.ts';
import { paymentFingerprint, paymentKey } from '../../../payouts/duplicates.ts';
import { liftsItself } from '../../../payouts/hold.ts';
import { begunBy, stageOrHeld, type Progress, type RunId } from '../../../payouts/progress.ts';
import { startContentFingerprint } from '../../../rows/content-fingerprint.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { rulesFor } from './check-rules.ts';
import type { Paydrop } from '../../parts.ts';
import { validateFile, type CheckedRow } from './validate-file.ts';

/** Rows registered in one commit: few enough that the payments of other batches, which wait for it, do not feel it. */
const CHUNK_ROWS = 200;

export type Registered = {
  readonly rejected: number;
  readonly warnings: ReadonlySet<string>;
};

/**
 * Registers all rows of a batch that is being read, and by what its content is known again; a batch whose reading was interrupted is read again from the start.
 * @param start the progress from which a row starts; a rebuilt ledger knows more than a fresh one.
 */
export async function registerBatch(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: ReadFile,
  documents: DocumentList,
  start: (checked: CheckedRow) => Progress = freshStart(paydrop.ledger.run),
): Promise<Registered> {
  const { ledger } = paydrop;
  const rules = await rulesFor(paydrop, file, documents);
  await ledger.clearRows(batch.id);
  const fingerprint = startContentFingerprint(file.table);
  const warnings = new Set<string>();
  let rejected = 0;
  let chunk: NewRow[] = [];
  for await (const checked of validateFile(file, rules)) {
    fingerprint.take(checked.row);
    if (checked.payout === null) rejected += 1;
    for (const warning of checked.warnings) warnings.add(warning);
    chunk.push(toNewRow(checked, batch, start));
    if (chunk.length < CHUNK_ROWS) continue;
    await ledger.addRows(batch.id, chunk);
    chunk = [];
  }
  await ledger.addRows(batch.id, chunk);
  await ledger.changeBatch(batch.id, { contentFingerprint: await fingerprint.digest() });
  return { rejected, warnings };
}

/** A row that nobody knows of yet: to be paid, or to be fixed. */
function freshStart(run: RunId): (checked: CheckedRow) => Progress {
  const fresh = begunBy(run);
  return ({ payout }) => (payout === null ? { ...fresh, stage: 'rejected' } : fresh);
}

function toNewRow(checked: CheckedRow, batch: BatchRecord, start: (checked: CheckedRow) => Progress): NewRow {
  const { row, payout, rejections, reference } = checked;
  const progress = start(checked);
  return {
    position: row.position,
    row: row.place,
    payout,
    // Those of a row that was sent all the same are part of its reason.
    rejections: progress.stage === 'rejected' || liftsItself(progress.hold) ? rejections : [],
    reference: reference === '' ? null : reference,
    lineage: checked.lineage,
    fingerprint: payout === null ? null : paymentFingerprint(payout),
    payment: payout === null ? null : paymentKey(payout),
    progress,
    isDue:
      stageOrHeld(progress) === 'ready' &&
      payout !== null &&
      (batch.onInvalidRows === 'skip-rows' || payout.requested.side === 'source'),
  };
}
