// `preview`: what `run` would send and what it would cost, row by row, without creating a transfer, moving the file or remembering anything.
import pLimit from 'p-limit';

import { writePreview, type PreviewRow } from '../results/preview.ts';
import { answersOfUntaken } from './answers.ts';
import type { BatchResult } from './batch-result.ts';
import { checkFile } from './check-file.ts';
import type { Paydrop } from './compose.ts';
import { loadCorridors } from './load-corridors.ts';
import { PreviewTotals } from './preview-totals.ts';
import { quoteForPreview } from './quote-for-preview.ts';
import { documentsOf, readBatchFile } from './read-batch-file.ts';
import type { RunControl } from './run-options.ts';
import { announced } from './take-batch.ts';
import { Unusual } from './unusual.ts';
import { validateFile, type CheckedRow } from './validate-file.ts';
import { waitForService } from './wait-for-service.ts';

/** Rows that are priced together; their order is the file's. */
const CHUNK_ROWS = 200;

/** Checks, then prices. Throws a `Fault` when the service cannot tell, `FileRefused` when the file changes meanwhile. */
export async function previewFile(paydrop: Paydrop, path: string, control: RunControl): Promise<BatchResult> {
  const checked = await checkFile(paydrop, path);
  if (checked.summary.state === 'refused') return checked;
  const batch = { ...(await announced(paydrop, path)), rows: checked.summary.file.rows };
  const file = await readBatchFile(path, paydrop.config);
  const documents = await documentsOf(paydrop.workspace, path, file, null);
  const rows = validateFile(
    file,
    await loadCorridors(paydrop.service),
    paydrop.sender,
    documents,
    paydrop.config.language,
  );
  const totals = new PreviewTotals(paydrop.service);
  control.view.start(batch.id, batch.rows, 0);
  try {
    const priced = pricedRows(paydrop, rows, totals, control);
    const answer = await writePreview(answersOfUntaken(paydrop, batch), batch, file, priced, () =>
      totals.lines(),
    );
    return await resultOf(checked, answer, totals);
  } finally {
    control.view.end();
  }
}

async function resultOf(checked: BatchResult, answer: string, totals: PreviewTotals): Promise<BatchResult> {
  const { summary } = checked;
  const preview = await totals.lines();
  const rejected = totals.wrong;
  const outcomes = { ...summary.outcomes, rejected, pending: summary.file.rows - rejected };
  return {
    summary: { ...summary, outcomes, answers: [...summary.answers, answer], preview },
    words: [
      ...checked.words,
      ...preview.map(describe),
      ...(totals.warnings > 0
        ? [`${String(totals.warnings)} rows look unusual: see the preview, column preview.warning.`]
        : []),
      'Nothing was sent. Prices change until the file is run.',
    ],
  };
}

function describe({
  sourceCurrency,
  sendAmount,
  feeAmount,
  debit,
  availableAmount,
  shortfall,
}: Awaited<ReturnType<PreviewTotals['lines']>>[number]): string {
  const cost = `${sourceCurrency}: ${sendAmount} to send and ${feeAmount} in fees, ${debit} in all`;
  if (availableAmount === null || shortfall === null) return `${cost}; the balance is not known.`;
  return /^0(\.0*)?$/.test(shortfall)
    ? `${cost}; ${availableAmount} are available.`
    : `${cost}; ${availableAmount} are available, ${shortfall} ${sourceCurrency} are missing.`;
}

async function* pricedRows(
  paydrop: Paydrop,
  rows: AsyncIterable<CheckedRow>,
  totals: PreviewTotals,
  control: RunControl,
): AsyncGenerator<PreviewRow> {
  const unusual = new Unusual(paydrop.ledger);
  const limit = pLimit(paydrop.config.service.concurrency);
  const price = (checked: CheckedRow) => limit(() => priceRow(paydrop, checked, unusual, control));
  for await (const chunk of inChunks(rows)) {
    for (const row of await Promise.all(chunk.map(price))) {
      totals.add(row);
      control.view.settled();
      yield row;
    }
  }
}

async function priceRow(
  paydrop: Paydrop,
  { row, payout, rejections }: CheckedRow,
  unusual: Unusual,
  control: RunControl,
): Promise<PreviewRow> {
  if (payout === null) return { row, payout, rejections, price: null, wrong: null, warnings: [] };
  const warnings = await unusual.warningsOf(row.place, payout);
  const quoted = await waitForService(paydrop, control, () => quoteForPreview(paydrop, payout));
  if ('fault' in quoted) throw quoted.fault;
  const { value } = quoted;
  return 'wrong' in value
    ? { row, payout, rejections, price: null, wrong: value.wrong, warnings }
    : { row, payout, rejections, price: value, wrong: null, warnings };
}

async function* inChunks(rows: AsyncIterable<CheckedRow>): AsyncGenerator<readonly CheckedRow[]> {
  let chunk: CheckedRow[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < CHUNK_ROWS) continue;
    yield chunk;
    chunk = [];
  }
  yield chunk;
}
