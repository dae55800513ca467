// An attempt that was proved dead can be brought back to life by the service's staff, and nobody is told. Before anything more is done for a row
// that has one, it is looked at: what pays twice must be stopped where it can be, and be seen at once where it cannot.
import type { Words } from '../base/language.ts';
import type { DeadAttempt } from '../payouts/progress.ts';
import type { Learned, Verdict } from '../payouts/verdict.ts';
import { Refused } from '../service/errors.ts';
import type { Transfer } from '../service/wire.ts';
import { toKnownTransfer } from './judge-transfer.ts';
import { findAttempt } from './probe-attempts.ts';
import { transferExternalId } from './requests.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** Null while every given-up attempt of the row is as dead as it was; one that a person has decided about already is not looked at. */
export async function heldForRevived(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
  for (const dead of due.row.progress.deadAttempts) {
    const shown = dead.isDecided === true ? null : await read(dead, tools);
    if (shown === null || shown.status === 'created' || shown.status === 'failed') continue;
    const learned = { reason: revivedWords(dead, shown), ...(await laterOne(due, tools)) };
    return { kind: 'held', code: 'attempt_revived', learned };
  }
  return null;
}

/** The transfer that took the place of the other, where this ledger has not met it: known, it is only followed when a person lets the row go on. */
async function laterOne(due: DueRow, tools: DeliveryTools): Promise<Pick<Learned, 'transfer'>> {
  const { transfer, mayBeConfirmed } = due.row.progress;
  if (transfer !== null || !mayBeConfirmed) return {};
  const id = transferExternalId(due);
  const found = await findAttempt(id, tools);
  return found?.externalId.toLowerCase() === id ? { transfer: toKnownTransfer(found) } : {};
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
  return {
    en: `Transfer ${transfer.transferId} (attempt ${String(attempt)}) had expired unpaid and was given up for another, and the service now says ${now} of it: this payment may be made twice. Call the service at once. "paydrop release" then goes on with the row.`,
    fr: `Le transfert ${transfer.transferId} (tentative ${String(attempt)}) avait expiré sans paiement et avait été abandonné pour un autre, et le service en indique maintenant ${now} : ce paiement peut être fait deux fois. Appelez le service immédiatement. « paydrop release » poursuit ensuite la ligne.`,
  };
}
