// The state of rows at the service now: each one's present attempt, the ones that were given up, and the later ones that this ledger may not know. The list
// answers for a hundred transfers at once, but it decides nothing: only what stands in it exactly as we know it is taken from it.
import pLimit from 'p-limit';

import { parseIsoTime } from '../base/clock.ts';
import type { RowRecord } from '../ledger/records.ts';
import { externalId } from '../payouts/payout.ts';
import { attemptNumberOf, type DeadAttempt, type KnownTransfer, withForeign } from '../payouts/progress.ts';
import { isFault, Refused, type Fault } from '../service/errors.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Transfer } from '../service/wire.ts';
import { toKnownTransfer, toTransferOfUnread } from './known-transfer.ts';
import { LIST_WINDOW_MS, listTransfers, type Period } from './list-transfers.ts';
import type { DeliveryTools } from './tools.ts';

/** A transfer, and the service's own time when it showed it. */
export type ShownTransfer = Answer<Transfer>;

/** The same, or nothing, which never proves that there is none. */
export type Sight = { readonly value: Transfer | null; readonly serverTime: number | null };

/** By `externalId` in lower case. */
export type Listed = ReadonlyMap<string, ShownTransfer>;

export type Place = { readonly fileId: string; readonly row: Pick<RowRecord, 'row' | 'progress'> };

export type Observed = {
  readonly present: Sight;
  /** Those that were given up, by attempt. */
  readonly dead: ReadonlyMap<number, Sight>;
};

type Observing = {
  readonly concurrency: number;
  /** Transfers that were listed before. A row without one on record is looked for among them alone. */
  readonly listed?: Listed;
  /** True for a fault after which no further row is asked for: each has it then. */
  readonly endsAll: (fault: Fault) => boolean;
};

type Reader = Pick<DeliveryTools, 'service' | 'serviceClock' | 'listLeast'>;

/** In the order of the rows: what the service shows of each, or why it does not tell. */
export async function observe(
  tools: Reader,
  asked: readonly Place[],
  { concurrency, listed, endsAll }: Observing,
): Promise<readonly (Observed | Fault)[]> {
  const fromList = listed ?? (await listedWhereTold(tools, asked.flatMap(knownOf)));
  const lanes = pLimit(concurrency);
  const end: { fault: Fault | null } = { fault: null };
  const ask = async (one: Place): Promise<Observed | Fault> => {
    if (end.fault !== null) return end.fault;
    try {
      return await observeRow(tools, one, { fromList, isListedOnly: listed !== undefined });
    } catch (error) {
      if (!isFault(error)) throw error;
      if (endsAll(error)) end.fault = error;
      return error;
    }
  };
  // One finds out whether the service tells anything at all.
  const first = await Promise.all(asked.slice(0, 1).map(ask));
  return [...first, ...(await Promise.all(asked.slice(1).map((one) => lanes(() => ask(one)))))];
}

function knownOf({ row: { progress } }: Place): readonly KnownTransfer[] {
  const { transfer, deadAttempts } = withForeign(progress);
  return [...(transfer === null ? [] : [transfer]), ...deadAttempts.map((dead) => dead.transfer)];
}

type Looking = {
  readonly fromList: Listed;
  readonly isListedOnly: boolean;
};

async function observeRow(
  tools: Reader,
  { fileId, row }: Place,
  { fromList, isListedOnly }: Looking,
): Promise<Observed> {
  const { progress } = row;
  const { transfer, deadAttempts } = withForeign(progress);
  const idOf = (number: number) => externalId(fileId, row.row, 'transfer', number);
  const known = (one: KnownTransfer): Promise<Sight> | Sight => {
    const inList = fromList.get(keyOf(one));
    // Only a look at the transfer itself may prove that it was never confirmed.
    const mayProve = !isListedOnly && inList?.value.status === 'created';
    const isEnough = inList !== undefined && !mayProve && isUnchanged(one, inList.value);
    return isEnough ? inList : byId(tools, one.transferId);
  };
  const unknown = (id: string): Promise<Sight> | Sight =>
    isListedOnly ? (fromList.get(id) ?? { value: null, serverTime: null }) : byExternalId(tools, id);
  const present = await (transfer === null ? unknown(idOf(attemptNumberOf(progress))) : known(transfer));
  const dead = new Map<number, Sight>();
  for (const given of deadAttempts) dead.set(given.attempt, await known(given.transfer));
  return { present, dead };
}

/** The transfer under an id of ours, by any maker. Throws a `Fault` when the service does not tell. */
export function byExternalId({ service, serviceClock }: Reader, id: string): Promise<Sight> {
  return orNothing(serviceClock.ask(() => service.transferByExternalId(id)));
}

/** A transfer that is known. Throws a `Fault` when the service does not tell. */
export function byId({ service, serviceClock }: Reader, transferId: string): Promise<Sight> {
  return orNothing(serviceClock.ask(() => service.transfer(transferId)));
}

async function orNothing(answer: Promise<ShownTransfer>): Promise<Sight> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refused && (error.errorCode === 10013 || error.errorCode === 10014))
      return { value: null, serverTime: error.context.serverTime };
    throw error;
  }
}

export type ProbedAttempts = {
  /** The ones before the last that exists: a later attempt exists only because each was proved dead. */
  readonly deadAttempts: readonly DeadAttempt[];
  /** The last attempt as the service shows it; null when none exists. */
  readonly last: KnownTransfer | null;
  /** When the first attempt was created, ISO; null when none exists. */
  readonly firstCreatedAt: string | null;
};

/** Asks for attempts 1, 2, … of a row of which nothing is known. They are contiguous, so the first that is missing ends the search. Throws a `Fault`. */
export async function probeAttempts(fileId: string, row: string, tools: Reader): Promise<ProbedAttempts> {
  const found: Transfer[] = [];
  for (;;) {
    const { value } = await byExternalId(tools, externalId(fileId, row, 'transfer', found.length + 1));
    if (value === null) break;
    found.push(value);
  }
  const last = found.at(-1);
  return {
    deadAttempts: found.slice(0, -1).map((transfer, index) => ({
      attempt: index + 1,
      transfer: toKnownTransfer(transfer),
      proof: 'later-attempt-exists',
    })),
    last: last === undefined ? null : toTransferOfUnread(last),
    firstCreatedAt: found[0]?.createdAt ?? null,
  };
}

/** Fewer than this in a window are read one by one: a page of the list may be full of others. */
const LIST_LEAST = 20;

export function listLeastOf({ listLeast }: Pick<DeliveryTools, 'listLeast'>): number {
  return listLeast ?? LIST_LEAST;
}

/** Those of the known transfers that stand in the list, where asking it costs less than asking for each; without the pages that the service does not tell. */
export async function listedWhereTold(
  tools: Reader,
  known: readonly KnownTransfer[],
  least = listLeastOf(tools),
): Promise<Listed> {
  const listed = new Map<string, ShownTransfer>();
  try {
    for (const together of inWindows(known))
      if (together.length >= least) await readList(tools, together, listed);
  } catch (error) {
    if (!isFault(error)) throw error;
  }
  return listed;
}

/** A known transfer, and when it was created (ms). */
type Created = { readonly known: KnownTransfer; readonly at: number };

async function readList(
  tools: Reader,
  together: readonly Created[],
  listed: Map<string, ShownTransfer>,
): Promise<void> {
  const wanted = new Set(together.map(({ known }) => keyOf(known)));
  let pages = 0;
  for await (const { transfers, serverTime } of listTransfers(tools, periodOf(together))) {
    pages += 1;
    for (const value of transfers)
      if (wanted.has(keyOf(value))) listed.set(keyOf(value), { value, serverTime });
    // A list that is full of others' transfers costs more than it tells; what it has not shown yet is read one by one.
    if (2 * pages > together.length) break;
  }
}

/** `createdAt` may have been rounded on its way to us. */
const MARGIN_MS = 1_000;

/** In as few windows of the list as hold them all; without those whose creation cannot be told. */
function inWindows(known: readonly KnownTransfer[]): readonly (readonly Created[])[] {
  const created = known.flatMap((one) => {
    const at = parseIsoTime(one.createdAt);
    return at === null ? [] : [{ known: one, at }];
  });
  const windows: Created[][] = [];
  for (const one of created.toSorted((a, b) => a.at - b.at)) {
    const last = windows.at(-1);
    const first = last?.[0];
    if (last === undefined || first === undefined || one.at - first.at > LIST_WINDOW_MS - 2 * MARGIN_MS)
      windows.push([one]);
    else last.push(one);
  }
  return windows;
}

/** From the first to the last creation. */
function periodOf(together: readonly Created[]): Period {
  const [first, last] = [together[0]?.at ?? 0, together.at(-1)?.at ?? 0];
  return { fromMs: first - MARGIN_MS, toMs: last + MARGIN_MS };
}

/** True when the service shows exactly what we know. Amounts are compared as text: both are canonical. */
export function isUnchanged(known: KnownTransfer, shown: Transfer): boolean {
  return (
    isSameTransfer(known, shown) && known.status === shown.status && known.statusCode === shown.statusCode
  );
}

/** True when it is the transfer that we know, in any status. */
export function isSameTransfer(known: KnownTransfer, shown: Transfer): boolean {
  return (
    known.transferId === shown.id &&
    keyOf(known) === keyOf(shown) &&
    known.sendAmount === shown.sendAmount &&
    known.feeAmount === shown.feeAmount &&
    known.receiveAmount === shown.receiveAmount
  );
}

export function keyOf({ externalId }: { readonly externalId: string }): string {
  return externalId.toLowerCase();
}
