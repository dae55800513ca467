// `reconcile BATCH`: compares the rows of one batch with the service. The answer is rewritten while the batch is open. The answers of a closed
// batch are never edited: a change found there is answered once the ledger has recorded it.
import type { Words } from '../../base/language.ts';
import { toKnownTransfer } from '../../delivery/known-transfer.ts';
import { type Listed, type Sight, observe } from '../../delivery/observe.ts';
import { expiryOf } from '../../payouts/proof.ts';
import { findTakenFile, hashFile } from '../../inbox/take-file.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { type BatchState, PAYING } from '../../ledger/batch-states.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { sentence } from '../../messages/messages.ts';
import type { Stage, StageOrHeld } from '../../payouts/lifecycle.ts';
import { stageOrHeld, withForeign } from '../../payouts/progress.ts';
import {
  type BalanceEffect,
  MoneyTally,
  effectOf,
  isNoEffect,
  rowCurrencies,
} from '../../results/money-tally.ts';
import {
  LOOKED_COLUMNS,
  type LineStyle,
  type ReconciliationLine,
  moneyLines,
  reconciliationLines,
  tableOf,
} from '../../results/reconciliation.ts';
import {
  type Difference,
  type RowLook,
  type SeenTransfer,
  compareRow,
  effectsOf,
} from '../../results/side-by-side.ts';
import { publishTable } from '../../results/write-results.ts';
import type { DecimalMark } from '../../rows/form.ts';
import type { ReadFile } from '../../rows/format.ts';
import { answersAs } from '../../rows/formats.ts';
import { isFault } from '../../service/errors.ts';
import { askedAtOnce } from '../config/config.ts';
import type { Paydrop } from '../parts.ts';
import { assertGoesOn } from '../parts/describe-error.ts';
import type { RunControl } from '../parts/run-options.ts';
import { answersOf, lastSummary, nextVersion, numbered } from '../workflow/answers/answers.ts';
import { takenProfile } from '../workflow/batch/profile-for.ts';
import { readTakenFile, rowsOf } from '../workflow/batch/read-batch-file.ts';

/** States in which a batch may have transfers, and all its rows are on record. */
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

/** Adds its differences to `findings`; returns the answers that it wrote. Throws a `Fault` when the service gives no answer, or `ReconciliationStopped`. */
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

/** Findings are recorded as the lines are read, whether or not they are written. */
async function drain(lines: AsyncIterable<ReconciliationLine>): Promise<void> {
  const each = lines[Symbol.asyncIterator]();
  while ((await each.next()).done !== true);
}

/** The sums follow their lines. */
export async function* withTotals(
  lines: AsyncIterable<ReconciliationLine>,
  findings: Findings,
  mark: DecimalMark,
): AsyncGenerator<ReconciliationLine> {
  yield* lines;
  for (const sums of findings.money.lines()) yield* moneyLines(sums, mark);
}

/** What the ledger knows about the file is valid only while the file still has the bytes that were read. */
async function findOriginal(
  { workspace, config }: Paydrop,
  batch: BatchRecord,
): Promise<{ readonly file: ReadFile } | { readonly astray: Words }> {
  const { fileName, sha256, id } = batch;
  const file = await findTakenFile(fileName, sha256, id, workspace);
  if (file === null) return { astray: missingWords(id) };
  if ((await hashFile(file.path)) !== sha256) return { astray: changedWords(id) };
  const profile = await takenProfile(workspace, batch);
  return { file: rowsOf(batch, await readTakenFile(file.path, config, profile?.profile ?? null)) };
}

function missingWords(batch: string): Words {
  return sentence('reconcileBatch.missing', { batch });
}

function changedWords(batch: string): Words {
  return sentence('reconcileBatch.changed', { batch });
}

// Reconciles rows one after the other: compares each with the service, adds it to the findings, and makes changed rows due.

export type ReconcileOptions = {
  readonly style: LineStyle;
  /** If given, rows are looked up in it before the service is asked. */
  readonly listed?: Listed;
  readonly signal: AbortSignal;
  /** Called after each row. */
  readonly onRow?: () => void;
};

/** Rows that are looked up together. */
const CHUNK_ROWS = 500;

/** Stages whose next step is a look that records the change; in any other stage the row is due already, or waits for a person. */
const LOOKED_AT: ReadonlySet<StageOrHeld> = new Set<Stage>([
  'created',
  'confirming',
  'confirmed',
  'paid',
  'failed',
]);

/** The lines of these rows; the findings are complete when it ends. Throws a `Fault` when the service gives no answer, or `ReconciliationStopped`. */
export async function* reconciledLines(
  paydrop: Paydrop,
  batch: BatchRecord,
  rows: AsyncIterable<RowRecord>,
  findings: Findings,
  { style, listed, signal, onRow }: ReconcileOptions,
): AsyncGenerator<ReconciliationLine> {
  for await (const chunk of chunksOf(rows)) {
    assertGoesOn(signal);
    const looks = await lookAtRows(paydrop, batch, chunk, listed);
    for (const [index, row] of chunk.entries()) {
      const look = looks[index];
      if (look === undefined) throw new Error('Every row has its look.');
      const differences = compareRow(row, look);
      await note(paydrop, row, look, differences, findings);
      onRow?.();
      yield* reconciliationLines(row, look, differences, style);
    }
  }
}

/** One look for each row, in their order. Throws a `Fault` when the service gives no answer. */
async function lookAtRows(
  paydrop: Paydrop,
  { fileId }: BatchRecord,
  rows: readonly RowRecord[],
  listed: Listed | undefined,
): Promise<readonly RowLook[]> {
  const concurrency = askedAtOnce(paydrop.config.service, paydrop.rateControl);
  const asked = rows.map((row) => ({ fileId, row }));
  const observing = { concurrency, endsAll: () => true };
  const observed = await observe(paydrop, asked, listed === undefined ? observing : { ...observing, listed });
  return observed.map((one) => {
    if (isFault(one)) throw one;
    const dead = [...one.dead].map(([attempt, sight]) => [attempt, toSeen(sight)] as const);
    return { current: toSeen(one.present), dead: new Map(dead) };
  });
}

export function toSeen({ value, serverTime }: Sight): SeenTransfer | null {
  if (value === null) return null;
  const known = toKnownTransfer(value);
  const { sourceCurrency, destinationCurrency } = value;
  const isExpired = serverTime !== null && serverTime > expiryOf(known);
  return { ...known, sourceCurrency, destinationCurrency, isExpired };
}

async function note(
  { ledger }: Paydrop,
  row: RowRecord,
  look: RowLook,
  differences: readonly Difference[],
  findings: Findings,
): Promise<void> {
  findings.rows += 1;
  const { service, ...own } = effectsOf(row, look);
  const currencies = rowCurrencies(row, look.current);
  if (currencies !== null && withForeign(row.progress).transfer !== null)
    findings.addOwn(currencies.sourceCurrency, own);
  for (const transfer of service) findings.addService(transfer);
  for (const difference of differences)
    findings.addDifference(difference, { batch: row.batch, row: row.row });
  if (!hasMoved(row, differences)) return;
  const event = `reconcile: the service says ${look.current?.status ?? 'nothing'}`;
  if (await ledger.hint(row, event)) findings.dueAgain += 1;
}

function hasMoved({ payout, progress }: RowRecord, differences: readonly Difference[]): boolean {
  const id = progress.transfer?.transferId;
  return (
    // No run can carry a row that can no longer be read as a payment.
    payout !== null &&
    LOOKED_AT.has(stageOrHeld(progress)) &&
    differences.some(({ kind, transfer }) => kind === 'status' && transfer.transferId === id)
  );
}

async function* chunksOf(rows: AsyncIterable<RowRecord>): AsyncGenerator<readonly RowRecord[]> {
  let chunk: RowRecord[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < CHUNK_ROWS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

// The findings of a reconciliation so far, over one batch or many.

/** A difference and its place; null where no batch knows the transfer. */
export type FoundDifference = Difference & { readonly batch: string | null; readonly row: string | null };

export class Findings {
  readonly differences: FoundDifference[] = [];
  readonly money = new MoneyTally();
  /** The reasons why the file itself could not be compared. */
  readonly astray: Words[] = [];
  /** The number of rows compared. */
  rows = 0;
  /** The number of those whose status has changed at the service, and which are due now. */
  dueAgain = 0;

  get agrees(): boolean {
    return this.differences.length === 0 && this.astray.length === 0;
  }

  addDifference(difference: Difference, place: Pick<FoundDifference, 'batch' | 'row'>): void {
    this.differences.push({ ...difference, ...place });
    if (!isNoEffect(difference.effect))
      this.money.add(difference.sourceCurrency, 'differences', difference.effect);
  }

  addService(transfer: SeenTransfer): void {
    this.money.add(transfer.sourceCurrency, 'service', effectOf(transfer.status, transfer));
  }

  addOwn(currency: string, { file, ledger }: Readonly<Record<'file' | 'ledger', BalanceEffect>>): void {
    this.money.add(currency, 'file', file);
    this.money.add(currency, 'ledger', ledger);
  }

  addAll(other: Findings): void {
    this.differences.push(...other.differences);
    this.money.addAll(other.money);
    this.astray.push(...other.astray);
    this.rows += other.rows;
    this.dueAgain += other.dueAgain;
  }
}
