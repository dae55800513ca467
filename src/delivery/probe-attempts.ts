// After a lost ledger: which transfer attempts of a row exist. They are contiguous, so the first that is missing ends the search.
import { externalId } from '../payouts/external-id.ts';
import type { DeadAttempt, KnownTransfer } from '../payouts/progress.ts';
import { Refused } from '../service/errors.ts';
import type { Transfer } from '../service/wire.ts';
import { toKnownTransfer, toTransferOfUnread } from './judge-transfer.ts';
import type { DeliveryTools } from './tools.ts';

export type ProbedAttempts = {
  /** The last attempt that exists, or 1 when none does. */
  readonly transferAttempt: number;
  /** The ones before it: a later attempt exists only because each was proved dead. */
  readonly deadAttempts: readonly DeadAttempt[];
  /** The last attempt as the service shows it; null when none exists. */
  readonly last: KnownTransfer | null;
  /** When the first attempt was created, ISO; null when none exists. */
  readonly firstCreatedAt: string | null;
};

/** Asks the service for attempts 1, 2, … of a row. Throws a `Fault` when it cannot tell. */
export async function probeAttempts(
  fileId: string,
  row: string,
  tools: DeliveryTools,
): Promise<ProbedAttempts> {
  const found: Transfer[] = [];
  for (;;) {
    const transfer = await findAttempt(externalId(fileId, row, 'transfer', found.length + 1), tools);
    if (transfer === null) break;
    found.push(transfer);
  }
  const last = found.at(-1);
  return {
    transferAttempt: Math.max(1, found.length),
    deadAttempts: found.slice(0, -1).map((transfer, index) => ({
      attempt: index + 1,
      transfer: toKnownTransfer(transfer),
      proof: 'later-attempt-exists',
      provedAt: found[index + 1]?.createdAt ?? transfer.createdAt,
    })),
    last: last === undefined ? null : toTransferOfUnread(last),
    firstCreatedAt: found[0]?.createdAt ?? null,
  };
}

/** Null while a read does not show it, which never proves that it does not exist. */
export async function findAttempt(id: string, tools: DeliveryTools): Promise<Transfer | null> {
  return (await lookUpAttempt(id, tools)).transfer;
}

/** The same, with the service's own time of the look. */
export async function lookUpAttempt(
  id: string,
  { service, serviceClock }: DeliveryTools,
): Promise<{ readonly transfer: Transfer | null; readonly at: number | null }> {
  try {
    const { value, serverTime } = await serviceClock.ask(() => service.transferByExternalId(id));
    return { transfer: value, at: serverTime };
  } catch (error) {
    if (error instanceof Refused && error.errorCode === 10013)
      return { transfer: null, at: error.context.serverTime };
    throw error;
  }
}
