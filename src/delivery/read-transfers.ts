// What the service says now of many transfers that we know. The list answers for a hundred at once, but it decides nothing: only a transfer that
// stands in it exactly as we know it is taken from it, and every other is read by itself.
import pLimit from 'p-limit';

import { parseIsoTime } from '../base/clock.ts';
import type { KnownTransfer } from '../payouts/progress.ts';
import { isFault, Refused } from '../service/errors.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Transfer } from '../service/wire.ts';
import { listTransfers, windowsOf, type Period } from './list-transfers.ts';
import type { DeliveryTools } from './tools.ts';

/** A transfer, and the service's own time when it showed it. */
export type ShownTransfer = Answer<Transfer>;

/** Fewer than this in a window are read one by one: a page of the list may be full of others. */
const LIST_LEAST = 20;

export function listLeastOf({ listLeast }: Pick<DeliveryTools, 'listLeast'>): number {
  return listLeast ?? LIST_LEAST;
}

/** `createdAt` may have been rounded on its way to us. */
const MARGIN_MS = 1_000;

type Reader = Pick<DeliveryTools, 'service' | 'serviceClock' | 'listLeast'>;

/** By `externalId` in lower case; null for what the service does not have. Throws a `Fault` when it does not tell. */
export async function readTransfers(
  tools: Reader,
  known: readonly KnownTransfer[],
  concurrency: number,
  listed?: ReadonlyMap<string, ShownTransfer>,
): Promise<ReadonlyMap<string, ShownTransfer | null>> {
  const shown = new Map<string, ShownTransfer | null>();
  const fromList = listed ?? (await listedOf(tools, known));
  const lanes = pLimit(concurrency);
  const read = async (transfer: KnownTransfer): Promise<void> => {
    const key = keyOf(transfer);
    const inList = fromList.get(key);
    const isSame = inList !== undefined && isUnchanged(transfer, inList.value);
    shown.set(key, isSame ? inList : await lanes(() => readOne(tools, transfer.transferId)));
  };
  await Promise.all(known.map(read));
  return shown;
}

/** Those of the known transfers that stand in the list, where asking it costs less than asking for each. */
export async function listedOf(
  tools: Reader,
  known: readonly KnownTransfer[],
): Promise<ReadonlyMap<string, ShownTransfer>> {
  const listed = new Map<string, ShownTransfer>();
  await readList(tools, known, listed);
  return listed;
}

async function readList(
  tools: Reader,
  known: readonly KnownTransfer[],
  listed: Map<string, ShownTransfer>,
): Promise<void> {
  const period = periodOf(known);
  if (period === null || known.length < listLeastOf(tools) * windowsOf(period)) return;
  const wanted = new Set(known.map(keyOf));
  let pages = 0;
  for await (const { transfers, serverTime } of listTransfers(tools, period)) {
    pages += 1;
    for (const value of transfers)
      if (wanted.has(keyOf(value))) listed.set(keyOf(value), { value, serverTime });
    // A list that is full of others' transfers costs more than it tells; what it has not shown yet is read one by one.
    if (2 * pages > known.length) break;
  }
}

/** The same, without the pages that the service does not tell. */
export async function listedWhereTold(
  tools: Reader,
  known: readonly KnownTransfer[],
): Promise<ReadonlyMap<string, ShownTransfer>> {
  const listed = new Map<string, ShownTransfer>();
  try {
    await readList(tools, known, listed);
  } catch (error) {
    if (!isFault(error)) throw error;
  }
  return listed;
}

/** True when the service shows exactly what we know. Amounts are compared as text: both are canonical. */
export function isUnchanged(known: KnownTransfer, shown: Transfer): boolean {
  return (
    isSameTransfer(known, shown) && known.status === shown.status && known.statusCode === shown.statusCode
  );
}

/** True when it is the transfer that we know, whatever has become of it. */
export function isSameTransfer(known: KnownTransfer, shown: Transfer): boolean {
  return (
    known.transferId === shown.id &&
    keyOf(known) === keyOf(shown) &&
    known.sendAmount === shown.sendAmount &&
    known.feeAmount === shown.feeAmount &&
    known.receiveAmount === shown.receiveAmount
  );
}

/** The transfers under these ids, whoever made them, in their order; null where there is none. Throws a `Fault` when the service does not tell. */
export function readByExternalIds(
  { service, serviceClock }: Reader,
  externalIds: readonly string[],
  concurrency: number,
): Promise<readonly (ShownTransfer | null)[]> {
  const lanes = pLimit(concurrency);
  const read = (id: string) => orNothing(serviceClock.ask(() => service.transferByExternalId(id)));
  return Promise.all(externalIds.map((id) => lanes(() => read(id))));
}

function readOne({ service, serviceClock }: Reader, id: string): Promise<ShownTransfer | null> {
  return orNothing(serviceClock.ask(() => service.transfer(id)));
}

async function orNothing(answer: Promise<ShownTransfer>): Promise<ShownTransfer | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refused && (error.errorCode === 10013 || error.errorCode === 10014)) return null;
    throw error;
  }
}

/** From the first to the last creation; null when one of them cannot be told. */
function periodOf(known: readonly KnownTransfer[]): Period | null {
  const times = known.map(({ createdAt }) => parseIsoTime(createdAt)).filter((time) => time !== null);
  if (times.length === 0 || times.length < known.length) return null;
  const fromMs = times.reduce((least, time) => Math.min(least, time)) - MARGIN_MS;
  return { fromMs, toMs: times.reduce((most, time) => Math.max(most, time)) + MARGIN_MS };
}

export function keyOf({ externalId }: { readonly externalId: string }): string {
  return externalId.toLowerCase();
}
