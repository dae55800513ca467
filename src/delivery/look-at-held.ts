// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.
import type { HeldCode } from '../payouts/held.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { isFault } from '../service/errors.ts';
import { judgeTransfer } from './judge-transfer.ts';
import { transferExternalId } from './requests.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { readTimes } from './track.ts';

/** Held although the transfer is certainly this row's own, agreed with it, and may have been confirmed. */
const MAY_END: ReadonlySet<HeldCode> = new Set<HeldCode>([
  'unknown_status',
  'status_went_back',
  'confirm_uncertain',
  'network_undecided',
  'unexpected_refusal',
  'too_many_attempts',
]);

/** The move of a held row whose transfer is on its way or at its end; null when a person still has to look. Nothing is sent. */
export async function lookAtHeld(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
  const { heldCode, transfer, finalAt } = due.row.progress;
  // One that had ended, and was changed by the service, waits for a person who knows why.
  if (heldCode === null || transfer === null || finalAt !== null || !MAY_END.has(heldCode)) return null;
  try {
    const { value, serverTime } = await tools.serviceClock.ask(() =>
      tools.service.transfer(transfer.transferId),
    );
    const isOurs =
      value.id === transfer.transferId && value.externalId.toLowerCase() === transferExternalId(due);
    if (!isOurs || value.status === 'created') return null;
    const held = { ...due.row.progress, heldCode: null, stage: 'documented' } as const;
    const verdict = judgeTransfer(held, value, readTimes(tools, serverTime));
    return verdict.kind === 'advanced' || verdict.kind === 'refused' ? verdict : null;
  } catch (error) {
    // Whoever cannot be asked now is asked by the next resume.
    if (isFault(error)) return null;
    throw error;
  }
}
