// `preview`: what `run` would send and what it would cost, row by row, without creating a transfer, moving the file or remembering anything.
import { isoTime } from '../../base/clock.ts';
import { joinWords, say, type Language, type Words } from '../../base/language.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { ReadFile } from '../../rows/format.ts';
import { writePreview, type PreviewRow } from '../../results/preview.ts';
import { answersOfUntaken } from '../workflow/close/answers.ts';
import type { BatchResult } from '../workflow/batch-result.ts';
import { windowStart } from '../workflow/check/cross-check.ts';
import { policyOf } from '../config/policy.ts';
import { earliestNow } from '../parts/time-at-service.ts';
import { examineFile, type FileExamined } from './check-file.ts';
import { rulesFor } from '../workflow/check/check-rules.ts';
import type { Paydrop } from '../parts.ts';
import { previewWords } from './preview-words.ts';
import { PreviewTotals } from '../workflow/check/preview-totals.ts';
import { PricingStopped, priceRows } from './price-rows.ts';
import { profileFor } from '../workflow/take/profile-for.ts';
import { documentsOf, readBatchFile } from '../workflow/take/read-batch-file.ts';
import type { RunControl } from '../parts/run-options.ts';
import { announced, isNothing } from '../workflow/take/take-batch.ts';
import { validateFile } from '../workflow/check/validate-file.ts';
import { describeFault } from '../parts/wait-for-service.ts';
import { sentence } from '../../messages/messages.ts';

/** Checks, then prices. Throws a `Fault` when the service cannot tell the corridors, `FileRefused` when the file changes meanwhile. */
export async function previewFile(paydrop: Paydrop, path: string, control: RunControl): Promise<BatchResult> {
  const { result: checked, wouldHold } = await examineFile(paydrop, path);
  if (checked.summary.state === 'refused') return checked;
  const { language } = paydrop.config;
  const profile = profileFor(path, paydrop.config);
  const batch = { ...(await announced(paydrop, path, profile)), rows: checked.summary.file.rows };
  const totals = new PreviewTotals(paydrop.service);
  control.view.start(batch.id, batch.rows, 0, batch.fileName);
  try {
    const file = await readBatchFile(path, paydrop.config, profile?.profile ?? null);
    const answer = await writePriced({ paydrop, path, file, batch, totals, control, wouldHold });
    return await resultOf(checked, answer, totals, await takenBefore(paydrop, batch), language);
  } catch (error) {
    if (error instanceof PricingStopped) return stopped(checked, error, language);
    throw error;
  } finally {
    control.view.end();
  }
}

async function writePriced({
  paydrop,
  path,
  file,
  batch,
  totals,
  control,
  wouldHold,
}: {
  readonly paydrop: Paydrop;
  readonly path: string;
  readonly file: ReadFile;
  readonly batch: BatchRecord;
  readonly totals: PreviewTotals;
  readonly control: RunControl;
  readonly wouldHold: FileExamined['wouldHold'];
}): Promise<string> {
  const documents = await documentsOf(paydrop, path, file, null);
  const rows = validateFile(file, await rulesFor(paydrop, file, documents));
  const policy = policyOf(paydrop.config.policy, profileFor(path, paydrop.config)?.policy);
  const since = windowStart({ acceptedAt: isoTime(earliestNow(paydrop)) }, policy);
  const asked = { fileId: batch.fileId, since, wouldHold };
  const priced = counted(priceRows(paydrop, asked, rows, control), totals);
  return writePreview(answersOfUntaken(paydrop, batch), batch, file, priced, () => totals.lines());
}

async function* counted(rows: AsyncIterable<PreviewRow>, totals: PreviewTotals): AsyncGenerator<PreviewRow> {
  for await (const row of rows) {
    totals.add(row);
    yield row;
  }
}

async function resultOf(
  checked: BatchResult,
  answer: string,
  totals: PreviewTotals,
  earlier: BatchRecord | null,
  language: Language,
): Promise<BatchResult> {
  const { summary } = checked;
  const preview = await totals.lines();
  const rejected = totals.wrong;
  const { duplicate, held } = totals.met;
  const pending = summary.file.rows - rejected - duplicate - held;
  const outcomes = { ...summary.outcomes, rejected, duplicate, held, pending };
  return {
    ...checked,
    summary: { ...summary, outcomes, answers: [...summary.answers, answer], preview },
    words: previewWords(checked, totals, preview, earlier, language),
  };
}

/** The batch that the same bytes already are; one that came to nothing does not count. */
async function takenBefore(paydrop: Paydrop, { fileId }: BatchRecord): Promise<BatchRecord | null> {
  const earlier = await paydrop.ledger.batchOfFile(fileId);
  return earlier === null || isNothing(paydrop, earlier) ? null : earlier;
}

const STOPPED: Words = sentence('previewFile.stopped');
const NOT_TOLD: Words = sentence('previewFile.notTold');
const NO_PREVIEW: Words = sentence('previewFile.noPreview');

/** What the check has found still holds; there is no preview. */
function stopped(checked: BatchResult, { fault }: PricingStopped, language: Language): BatchResult {
  const { summary, words } = checked;
  const why = joinWords([fault === null ? STOPPED : NOT_TOLD, NO_PREVIEW]);
  return {
    ...checked,
    summary: { ...summary, waitingFor: fault === null ? null : describeFault(fault).for },
    words: [...words, say(why, language)],
    isStopped: true,
  };
}
