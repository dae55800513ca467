// Rows are cancelled by what the service shows now: a ledger that says nothing of a payment may be an older copy that was put back.
import pLimit from 'p-limit';

import { lookToClose, UNCLEAR, type LookedAt } from '../../../delivery/look-to-close.ts';
import {
  keyOf,
  readByExternalIds,
  readTransfers,
  type ShownTransfer,
} from '../../../delivery/read-transfers.ts';
import { standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Progress } from '../../../payouts/progress.ts';
import { Refused } from '../../../service/errors.ts';
import { wasAcknowledged } from '../check/acknowledge.ts';
import { isFenced, type LookedWhen } from './close-in-time.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../send/pay-batch.ts';
import { presentExternalId } from '../resolve-doubt/look-at-rows.ts';
import { earliestAt, momentOf } from '../../parts/time-at-service.ts';

/** By row identity. What is in neither could not be told, and has to be looked at again. */
export type Looked = LookedWhen & {
  /** The service shows nothing of them that has gone further than `created`. */
  readonly quiet: ReadonlySet<string>;
  /** They were sent after all, and are followed. */
  readonly followed: readonly string[];
};

/** Rows that are looked at together: the list shows a hundred of them at a time, and their records fit into memory. */
const TOGETHER_ROWS = 500;

/** Writes down what it finds. Throws a `Fault` when the service does not tell. */
export async function lookBeforeClosing(
  paydrop: Paydrop,
  batch: BatchRecord,
  isAsked: (row: RowRecord) => boolean,
): Promise<Looked> {
  const startedAt = momentOf(paydrop);
  const quiet = new Set<string>();
  const followed: string[] = [];
  const stillCreated = new Set<string>();
  const isSent = await mayHaveBeenSent(paydrop, batch);
  let rows: RowRecord[] = [];
  const lookAtAll = async (): Promise<void> => {
    for (const { row, looked } of await lookAt(paydrop, batch, rows)) {
      const end = await written(paydrop, row, looked);
      if (end === 'quiet') quiet.add(row.row);
      if (end === 'quiet' && looked.isStillCreated === true) stillCreated.add(row.row);
      if (end === 'followed') followed.push(row.row);
    }
    rows = [];
  };
  for await (const row of batchRows(paydrop.ledger, batch.id)) {
    if (!isAsked(row)) continue;
    // What time alone decides needs the time that a look tells.
    if (isSent || hasTransfer(row.progress) || isFenced(row.progress)) rows.push(row);
    else quiet.add(row.row);
    if (rows.length >= TOGETHER_ROWS) await lookAtAll();
  }
  await lookAtAll();
  const timeless = paydrop.serviceClock.earliestNow() === null ? stillCreated : new Set<string>();
  return { quiet, followed, at: earliestAt(paydrop, startedAt), timeless };
}

/** What was never accepted no ledger can have sent. A time that has not come proves nothing: the clock may have been ahead of this one when it was paid. */
async function mayHaveBeenSent(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  // A folder that was carried away proves nothing.
  const isAway = (await standingFolder(paydrop.workspace, batch.id)) === null;
  return isAway || wasAcknowledged(paydrop, batch);
}

function hasTransfer({ transfer, deadAttempts, confirm }: Progress): boolean {
  return transfer !== null || deadAttempts.length > 0 || confirm !== 'none';
}

type RowLooked = { readonly row: RowRecord; readonly looked: LookedAt };

/** What the service will not tell of one row says nothing of the others. */
async function lookAt(
  paydrop: Paydrop,
  batch: BatchRecord,
  rows: readonly RowRecord[],
): Promise<readonly RowLooked[]> {
  try {
    return await lookTogether(paydrop, batch, rows);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const [row] = rows;
    if (rows.length === 1 && row !== undefined) return [{ row, looked: UNCLEAR }];
    const lanes = pLimit(paydrop.config.service.concurrency);
    const each = await Promise.all(rows.map((one) => lanes(() => lookAt(paydrop, batch, [one]))));
    return each.flat();
  }
}

async function lookTogether(
  paydrop: Paydrop,
  batch: BatchRecord,
  rows: readonly RowRecord[],
): Promise<readonly RowLooked[]> {
  const { concurrency } = paydrop.config.service;
  const tools = deliveryTools(paydrop, batch);
  const shown = await presentOf(paydrop, batch, rows);
  const lanes = pLimit(concurrency);
  const look = async (row: RowRecord): Promise<RowLooked> => {
    const asked = { fileId: batch.fileId, row, run: paydrop.ledger.run };
    return { row, looked: await lookToClose(asked, shown.get(row.position) ?? null, tools) };
  };
  return Promise.all(rows.map((row) => lanes(() => look(row))));
}

/** The transfer of each row's present attempt, by position: known ones by the list where that costs less, the others by the id that they would have. */
async function presentOf(
  paydrop: Paydrop,
  batch: BatchRecord,
  rows: readonly RowRecord[],
): Promise<ReadonlyMap<number, ShownTransfer | null>> {
  const { concurrency } = paydrop.config.service;
  const known = await readTransfers(
    paydrop,
    rows.flatMap(({ progress }) => progress.transfer ?? []),
    concurrency,
  );
  const without = rows.filter(({ progress }) => progress.transfer === null);
  const ids = without.map((row) => presentExternalId(batch, row));
  const found = await readByExternalIds(paydrop, ids, concurrency);
  const shown = new Map(without.map(({ position }, index) => [position, found[index] ?? null]));
  for (const { position, progress } of rows)
    if (progress.transfer !== null) shown.set(position, known.get(keyOf(progress.transfer)) ?? null);
  return shown;
}

/** A row that somebody has changed meanwhile was not looked at as it is now. */
async function written({ ledger }: Paydrop, row: RowRecord, { is, seen }: LookedAt): Promise<LookedAt['is']> {
  if (seen === null) return is;
  const { written: isWritten } = await ledger.record(row, { ...seen, keepClaim: false });
  return isWritten ? is : 'unclear';
}
