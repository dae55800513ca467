// An attempt that was proved dead can be brought back to life by the service's staff, and nobody is told. Before anything more is done for a row
// that has one, it is looked at: what pays twice must be stopped where it can be, and be seen at once where it cannot.
import type { Words } from '../base/language.ts';
import type { DeadAttempt, Progress } from '../payouts/progress.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import { Refused } from '../service/errors.ts';
import type { Transfer } from '../service/wire.ts';
import { toKnownTransfer } from './judge-transfer.ts';
import { findAttempt } from './probe-attempts.ts';
import { isSameTransfer } from './read-transfers.ts';
import { transferExternalId } from './requests.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { sentence } from '../messages/messages.ts';

/** Null while every given-up attempt of the row is as dead as it was; one that a person has decided about already is not looked at. */
export async function heldForRevived(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
  const { progress } = due.row;
  const revived = await findRevived(progress, tools, ({ isDecided }) => isDecided !== true);
  if (revived === null) return null;
  return asHeld(revived, await laterOne(due, tools));
}

type Revived = { readonly words: Words; readonly deadAttempts: Progress['deadAttempts'] };

/** The first given-up attempt that the service shows as anything but `created` or `failed`, as it shows it; null while none is. Throws a `Fault`. */
export async function findRevived(
  { deadAttempts }: Progress,
  tools: DeliveryTools,
  isAsked: (dead: DeadAttempt) => boolean,
): Promise<Revived | null> {
  for (const dead of deadAttempts) {
    const shown = isAsked(dead) ? await read(dead, tools) : null;
    if (shown === null || shown.status === 'created' || shown.status === 'failed') continue;
    const isOurs = isSameTransfer(dead.transfer, shown);
    const renewed = isOurs ? { ...dead, transfer: toKnownTransfer(shown) } : dead;
    return {
      words: revivedWords(dead, shown),
      deadAttempts: deadAttempts.map((each) => (each === dead ? renewed : each)),
    };
  }
  return null;
}

export function asHeld({ words, deadAttempts }: Revived, learned: Learned = {}): Verdict {
  return { kind: 'held', code: 'transfer_reinstated', learned: { reason: words, deadAttempts, ...learned } };
}

/** The transfer that took the place of the other, where this ledger has not met it: known, it is only followed when a person lets the row go on. */
async function laterOne(due: DueRow, tools: DeliveryTools): Promise<Pick<Learned, 'transfer' | 'confirm'>> {
  if (due.row.progress.transfer !== null) return {};
  const id = transferExternalId(due);
  const found = await findAttempt(id, tools);
  if (found?.externalId.toLowerCase() !== id) return {};
  // Who made it may have confirmed it: an older ledger does not know.
  return { transfer: toKnownTransfer(found), confirm: 'sent' };
}

/** Null for a transfer that the service does not have any more. */
async function read(
  { transfer }: DeadAttempt,
  { service, serviceClock }: DeliveryTools,
): Promise<Transfer | null> {
  try {
    return (await serviceClock.ask(() => service.transfer(transfer.transferId))).value;
  } catch (error) {
    if (error instanceof Refused && error.errorCode === 10014) return null;
    throw error;
  }
}

function revivedWords({ attempt, transfer }: DeadAttempt, { status, statusCode }: Transfer): Words {
  const now = `${status} (${statusCode})`;
  return sentence('revived.text', { transferId: transfer.transferId, attempt, now });
}
