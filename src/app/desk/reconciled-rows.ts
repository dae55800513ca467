// Reconciles rows one after the other: compares each with the service, adds it to the findings, and makes due what has moved.
import { toKnownTransfer } from '../../delivery/judge-transfer.ts';
import { observe, type Listed, type Sight } from '../../delivery/observe.ts';
import { expiryOf } from '../../delivery/time-left.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import type { Stage, StageOrHeld } from '../../payouts/lifecycle.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import {
  reconciliationLines,
  type LineStyle,
  type ReconciliationLine,
} from '../../results/reconciliation.ts';
import { rowCurrencies } from '../../results/money-tally.ts';
import {
  compareRow,
  effectsOf,
  type Difference,
  type RowLook,
  type SeenTransfer,
} from '../../results/side-by-side.ts';
import { isFault } from '../../service/errors.ts';
import type { Paydrop } from '../parts.ts';
import type { Findings } from './findings.ts';
import { assertGoesOn } from '../parts/command-errors.ts';

export type ReconcileOptions = {
  readonly style: LineStyle;
  /** Where given, rows are looked up in it before the service is asked. */
  readonly listed?: Listed;
  readonly signal: AbortSignal;
  /** Called after each row. */
  readonly onRow?: () => void;
};

/** Rows that are looked at together. */
const CHUNK_ROWS = 500;

/** Stages whose next step is a look that takes the change over; in any other the row is due already, or waits for a person. */
const LOOKED_AT: ReadonlySet<StageOrHeld> = new Set<Stage>([
  'created',
  'confirming',
  'confirmed',
  'paid',
  'failed',
]);

/** The lines of these rows; the findings are complete when it ends. Throws a `Fault` when the service does not tell, or `ReconciliationStopped`. */
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

/** One look for each row, in their order. Throws a `Fault` when the service does not tell. */
async function lookAtRows(
  paydrop: Paydrop,
  { fileId }: BatchRecord,
  rows: readonly RowRecord[],
  listed: Listed | undefined,
): Promise<readonly RowLook[]> {
  const { concurrency } = paydrop.config.service;
  const asked = rows.map((row) => ({ fileId, row }));
  const observing = { concurrency, isWalking: false, endsAll: () => true };
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
  const isExpired = serverTime !== null && serverTime > (expiryOf(known) ?? Infinity);
  return { ...known, sourceCurrency, destinationCurrency, isExpired };
}

async function note(
  { ledger, clock }: Paydrop,
  row: RowRecord,
  look: RowLook,
  differences: readonly Difference[],
  findings: Findings,
): Promise<void> {
  findings.rows += 1;
  const { service, ...own } = effectsOf(row, look);
  const currencies = rowCurrencies(row, look.current);
  if (currencies !== null && row.progress.transfer !== null) findings.addOwn(currencies.sourceCurrency, own);
  for (const transfer of service) findings.addService(transfer);
  for (const difference of differences)
    findings.addDifference(difference, { batch: row.batch, row: row.row });
  if (!hasMoved(row, differences)) return;
  const event = `reconcile: the service says ${look.current?.status ?? 'nothing'}`;
  if (await ledger.schedule(row, { now: clock.now(), dueAt: 0, event })) findings.dueAgain += 1;
}

function hasMoved({ payout, progress }: RowRecord, differences: readonly Difference[]): boolean {
  const id = progress.transfer?.transferId;
  return (
    // No run can carry a row that is no payment any more.
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
