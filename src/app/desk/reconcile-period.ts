// `reconcile --from --to`: compares every transfer that was created in a period, of any batch, with the ledger. It also lists transfers that no
// batch knows: the account may have other users, and nobody else would notice.
import { join } from 'node:path';

import { joinWords } from '../../base/language.ts';
import { publishFile } from '../../base/atomic-file.ts';
import { parseIsoTime } from '../../base/clock.ts';
import { listTransfers, type Period } from '../../delivery/list-transfers.ts';
import { keyOf, type ShownTransfer } from '../../delivery/observe.ts';
import { transferExternalId } from '../../delivery/requests.ts';
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { attemptNumberOf, type KnownTransfer, withForeign, withoutForeign } from '../../payouts/progress.ts';
import { effectOf } from '../../results/money-tally.ts';
import { batchRows } from '../../ledger/batch-rows.ts';
import { answerMode, csvAnswer, sandboxTable } from '../../results/answer-table.ts';
import {
  type Difference,
  expiredWords,
  type SeenTransfer,
  UNKNOWN_WORDS,
} from '../../results/side-by-side.ts';
import {
  differenceLine,
  LOOKED_COLUMNS,
  tableOf,
  type LineStyle,
  type ReconciliationLine,
} from '../../results/reconciliation.ts';
import { PLAIN_FORM } from '../../rows/form.ts';
import type { Paydrop } from '../parts.ts';
import {
  type Findings,
  MAY_HAVE_TRANSFERS,
  reconciledLines,
  type ReconcileOptions,
  toSeen,
  withTotals,
} from './reconcile-batch.ts';
import { assertGoesOn } from '../parts/describe-error.ts';
import type { RunControl } from '../parts/run-options.ts';

/** Days in UTC, `yyyy-mm-dd`, both included. */
export type Days = { readonly from: string; readonly to: string };

const DAY_MS = 86_400_000;

/** The period of these days; null when one of them is no day, or they are in the wrong order. */
export function periodOf({ from, to }: Days): Period | null {
  const fromMs = parseIsoTime(`${from}T00:00:00Z`);
  const lastMs = parseIsoTime(`${to}T00:00:00Z`);
  if (fromMs === null || lastMs === null || lastMs < fromMs) return null;
  return { fromMs, toMs: lastMs + DAY_MS - 1 };
}

/** Adds its differences to `findings`; returns the answer that it wrote. Throws a `Fault` when the service gives no answer, or `ReconciliationStopped`. */
export async function reconcilePeriod(
  paydrop: Paydrop,
  days: Days,
  period: Period,
  findings: Findings,
  { signal }: Pick<RunControl, 'signal'>,
): Promise<readonly string[]> {
  const name = `reconciliation.${days.from}_${days.to}.csv`;
  const style = { mark: PLAIN_FORM.decimalMark, language: paydrop.config.language };
  const lines = withTotals(linesOf(paydrop, period, findings, { style, signal }), findings, style.mark);
  const { outbox } = paydrop.workspace;
  const table = tableOf(LOOKED_COLUMNS, lines);
  const bytes = csvAnswer(PLAIN_FORM, paydrop.isSandbox ? sandboxTable(table) : table);
  await publishFile(join(outbox, name), bytes, { mode: await answerMode(outbox) });
  return [name];
}

async function* linesOf(
  paydrop: Paydrop,
  period: Period,
  findings: Findings,
  { style, signal }: ReconcileOptions,
): AsyncGenerator<ReconciliationLine> {
  const listed = await listAll(paydrop, period, signal);
  const unknown = new Map(listed);
  for (const batch of await paydrop.ledger.batches()) {
    if (!MAY_HAVE_TRANSFERS.has(batch.state)) continue;
    const rows = rowsWithin(paydrop, batch, period, listed, unknown);
    yield* reconciledLines(paydrop, batch, rows, findings, { style, listed, signal });
  }
  for (const shown of unknown.values()) yield* unknownLines(toSeen(shown), findings, style);
}

/** The whole list is held in memory, because the ledger's rows come in another order. */
async function listAll(
  paydrop: Paydrop,
  { fromMs, toMs }: Period,
  signal: AbortSignal,
): Promise<Map<string, ShownTransfer>> {
  const listed = new Map<string, ShownTransfer>();
  // Allows a day for the difference of two clocks, and asks for no window in the future, where nothing can have been created.
  const endMs = Math.max(fromMs, Math.min(toMs, paydrop.clock.now() + DAY_MS));
  for await (const { transfers, serverTime } of listTransfers(paydrop, { fromMs, toMs: endMs })) {
    assertGoesOn(signal);
    for (const value of transfers) listed.set(keyOf(value), { value, serverTime });
  }
  return listed;
}

/** The rows with a transfer of this period, and of each only that part; transfers that a row knows are removed from `unknown`. */
async function* rowsWithin(
  { ledger }: Paydrop,
  batch: BatchRecord,
  period: Period,
  listed: ReadonlyMap<string, ShownTransfer>,
  unknown: Map<string, ShownTransfer>,
): AsyncGenerator<RowRecord> {
  const isWithin = (transfer: KnownTransfer): boolean => {
    const createdAt = parseIsoTime(transfer.createdAt);
    return listed.has(keyOf(transfer)) || isBetween(createdAt, period);
  };
  for await (const row of batchRows(ledger, batch.id)) {
    const { transfer, deadAttempts } = withForeign(row.progress);
    for (const known of [
      ...(transfer === null ? [] : [transfer]),
      ...deadAttempts.map((dead) => dead.transfer),
    ])
      unknown.delete(keyOf(known));
    const isFound = transfer === null && unknown.delete(idOf(batch, row));
    const dead = deadAttempts.filter((attempt) => isWithin(attempt.transfer));
    if (transfer !== null && isWithin(transfer))
      yield { ...row, progress: { ...row.progress, deadAttempts: dead } };
    else if (isFound || dead.length > 0)
      yield { ...row, progress: { ...withoutForeign(row.progress), transfer: null, deadAttempts: dead } };
  }
}

function isBetween(timeMs: number | null, { fromMs, toMs }: Period): boolean {
  return timeMs !== null && timeMs >= fromMs && timeMs <= toMs;
}

function unknownLines(
  seen: SeenTransfer | null,
  findings: Findings,
  style: LineStyle,
): readonly ReconciliationLine[] {
  if (seen === null) return [];
  findings.addService(seen);
  const { sourceCurrency } = seen;
  const words =
    seen.status === 'created' && seen.isExpired
      ? joinWords([UNKNOWN_WORDS, expiredWords(seen.expiredAt)])
      : UNKNOWN_WORDS;
  const effect = effectOf(seen.status, seen);
  const difference: Difference = {
    kind: 'unknown-to-the-ledger',
    transfer: seen,
    sourceCurrency,
    effect,
    words,
  };
  findings.addDifference(difference, { batch: null, row: null });
  return [differenceLine(difference, style)];
}

function idOf({ fileId }: BatchRecord, row: RowRecord): string {
  return transferExternalId({ fileId, row }, attemptNumberOf(row.progress));
}
