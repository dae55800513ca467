// What the service has now of the rows of a batch, in the form in which a reconciliation compares it.
import {
  keyOf,
  readByExternalIds,
  readTransfers,
  type ShownTransfer,
} from '../../../delivery/read-transfers.ts';
import { toKnownTransfer } from '../../../delivery/judge-transfer.ts';
import { expiryOf } from '../../../delivery/time-left.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import { externalId } from '../../../payouts/external-id.ts';
import type { RowLook, SeenTransfer } from '../../../results/side-by-side.ts';
import type { Paydrop } from '../../parts.ts';

/** Transfers of a period, by `externalId` in lower case. */
export type Listed = ReadonlyMap<string, ShownTransfer>;

/**
 * One look for each row, in their order. With `listed`, a row whose ledger has no transfer is looked for in there alone; without, the service is
 * asked for each. Throws a `Fault` when the service does not tell.
 */
export async function lookAtRows(
  paydrop: Paydrop,
  batch: Pick<BatchRecord, 'fileId'>,
  rows: readonly RowRecord[],
  listed?: Listed,
): Promise<readonly RowLook[]> {
  const known = rows.flatMap(({ progress: { transfer, deadAttempts } }) => [
    ...(transfer === null ? [] : [transfer]),
    ...deadAttempts.map((dead) => dead.transfer),
  ]);
  const { concurrency } = paydrop.config.service;
  const [shown, unsent] = await Promise.all([
    readTransfers(paydrop, known, concurrency, listed),
    shownWithoutRecord(paydrop, batch, rows, listed),
  ]);
  return rows.map(({ position, progress: { transfer, deadAttempts } }) => ({
    current: toSeen(transfer === null ? unsent.get(position) : shown.get(keyOf(transfer))),
    dead: new Map(deadAttempts.map((dead) => [dead.attempt, toSeen(shown.get(keyOf(dead.transfer)))])),
  }));
}

/** The id under which the transfer of a row's present attempt stands, or would stand, at the service. */
export function presentExternalId(
  { fileId }: Pick<BatchRecord, 'fileId'>,
  { row, progress }: RowRecord,
): string {
  return externalId(fileId, row, 'transfer', progress.transferAttempt);
}

/**
 * What stands under the ids of rows that have no transfer on record: there should be nothing. Of a row that is rejected here another paydrop,
 * whose settings could read it, may have paid it under the same id. By position.
 */
async function shownWithoutRecord(
  paydrop: Paydrop,
  batch: Pick<BatchRecord, 'fileId'>,
  rows: readonly RowRecord[],
  listed: Listed | undefined,
): Promise<ReadonlyMap<number, ShownTransfer | null>> {
  const without = rows.filter(({ progress }) => progress.transfer === null);
  const ids = without.map((row) => presentExternalId(batch, row));
  const shown =
    listed === undefined
      ? await readByExternalIds(paydrop, ids, paydrop.config.service.concurrency)
      : ids.map((id) => listed.get(id) ?? null);
  return new Map(without.map(({ position }, index) => [position, shown[index] ?? null]));
}

export function toSeen(shown: ShownTransfer | null | undefined): SeenTransfer | null {
  if (shown === null || shown === undefined) return null;
  const { value, serverTime } = shown;
  const known = toKnownTransfer(value);
  const { sourceCurrency, destinationCurrency } = value;
  const isExpired = serverTime !== null && serverTime > (expiryOf(known) ?? Infinity);
  return { ...known, sourceCurrency, destinationCurrency, isExpired };
}
