// `reconcile BATCH`: the rows of one batch against the service. The answer is rewritten while the batch is open; what a closed batch has
// answered is never edited, and a change that is found there is answered once the ledger has taken it over.
import type { Words } from '../../base/language.ts';
import { hashFile } from '../../inbox/hash-file.ts';
import { findTakenFile } from '../../inbox/take-file.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import {
  LOOKED_COLUMNS,
  moneyLines,
  tableOf,
  type ReconciliationLine,
} from '../../results/reconciliation.ts';
import { publishTable } from '../../results/write-results.ts';
import { answersAs } from '../../rows/formats.ts';
import type { DecimalMark } from '../../rows/form.ts';
import type { ReadFile } from '../../rows/format.ts';
import { lastSummary, nextVersion, numbered } from '../workflow/close/answer-version.ts';
import { answersOf } from '../workflow/close/answers.ts';
import { PAYING, type BatchState } from '../../ledger/batch-states.ts';
import type { Paydrop } from '../parts.ts';
import { Findings } from './findings.ts';
import { takenProfile } from '../workflow/take/profile-for.ts';
import { readTakenFile } from '../workflow/take/read-batch-file.ts';
import { reconciledLines } from './reconciled-rows.ts';
import type { RunControl } from '../parts/run-options.ts';
import { sentence } from '../../messages/messages.ts';

/** States in which transfers of a batch may exist, and all its rows are on record. */
export const MAY_HAVE_TRANSFERS: ReadonlySet<BatchState> = new Set<BatchState>([
  'accepted',
  ...PAYING,
  'closed',
  'resolving',
]);

/** One batch, or all; null when there is none of that name. */
export async function reconcileBatches(
  paydrop: Paydrop,
  id: string | undefined,
  findings: Findings,
  control: Pick<RunControl, 'signal' | 'view'>,
): Promise<readonly string[] | null> {
  const batches = (await paydrop.ledger.batches()).filter((batch) => id === undefined || batch.id === id);
  if (id !== undefined && batches.length === 0) return null;
  const answers: string[] = [];
  for (const batch of batches)
    if (MAY_HAVE_TRANSFERS.has(batch.state))
      answers.push(...(await reconcileBatch(paydrop, batch, findings, control)));
  return answers;
}

/** Adds what it finds to `findings`; gives the answers that it wrote. Throws a `Fault` when the service does not tell, or `ReconciliationStopped`. */
export async function reconcileBatch(
  paydrop: Paydrop,
  batch: BatchRecord,
  findings: Findings,
  { signal, view }: Pick<RunControl, 'signal' | 'view'>,
): Promise<readonly string[]> {
  const { ledger, config } = paydrop;
  const own = new Findings();
  const original = await findOriginal(paydrop, batch);
  const file = 'astray' in original ? null : original.file;
  if ('astray' in original) own.astray.push(original.astray);
  const style = { mark: file?.table.form.decimalMark ?? '.', language: config.language };
  const options = { style, signal, onRow: view.settled };
  const rows = reconciledLines(paydrop, batch, batchRows(ledger, batch.id), own, options);
  view.start(batch.id, batch.rows, 0);
  try {
    const answers = await publish(paydrop, batch, file, withTotals(rows, own, style.mark));
    findings.addAll(own);
    return answers;
  } finally {
    view.end();
  }
}

async function publish(
  paydrop: Paydrop,
  batch: BatchRecord,
  file: ReadFile | null,
  lines: AsyncIterable<ReconciliationLine>,
): Promise<readonly string[]> {
  if (batch.state === 'closed' || file === null) {
    await drain(lines);
    return [];
  }
  const place = await answersOf(paydrop, batch);
  const kind = numbered('reconciliation', nextVersion(await lastSummary(place)));
  const name = place.nameOf(kind, answersAs(batch.fileName));
  await publishTable(place, name, file, tableOf(LOOKED_COLUMNS, lines), []);
  return [name];
}

/** What is found is noted as the lines come, whether anybody writes them or not. */
async function drain(lines: AsyncIterable<ReconciliationLine>): Promise<void> {
  const each = lines[Symbol.asyncIterator]();
  while ((await each.next()).done !== true);
}

/** The sums follow the lines that they are of. */
export async function* withTotals(
  lines: AsyncIterable<ReconciliationLine>,
  findings: Findings,
  mark: DecimalMark,
): AsyncGenerator<ReconciliationLine> {
  yield* lines;
  for (const sums of findings.money.lines()) yield* moneyLines(sums, mark);
}

/** What the ledger knows of the file counts for the file only while its bytes are the ones that were read. */
async function findOriginal(
  { workspace, config }: Paydrop,
  batch: BatchRecord,
): Promise<{ readonly file: ReadFile } | { readonly astray: Words }> {
  const { fileName, sha256, id } = batch;
  const file = await findTakenFile(fileName, sha256, id, workspace);
  if (file === null) return { astray: missingWords(id) };
  if ((await hashFile(file.path)) !== sha256) return { astray: changedWords(id) };
  const profile = await takenProfile(workspace, batch);
  return { file: await readTakenFile(file.path, config, profile?.profile ?? null) };
}

function missingWords(batch: string): Words {
  return sentence('reconcileBatch.missing', { batch });
}

function changedWords(batch: string): Words {
  return sentence('reconcileBatch.changed', { batch });
}
