// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.
import { batchRows } from '../ledger/batch-rows.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import type { HeldCode } from '../payouts/held.ts';
import type { Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { isFault, Unavailable } from '../service/errors.ts';
import { judgeTransfer } from './judge-transfer.ts';
import { unlessLaterAttempt } from './later-attempt.ts';
import { transferExternalId } from './requests.ts';
import type { RunEnd } from './runner.ts';
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
  'file_not_whole',
]);

/** Looks once at the held rows of a batch, before it goes on. Nothing is sent; a service that refuses the key is asked nothing more. */
export async function lookAtHeldRows(
  ledger: Ledger,
  { id, fileId }: Pick<BatchRecord, 'id' | 'fileId'>,
  tools: DeliveryTools,
): Promise<RunEnd> {
  if (((await ledger.stageCounts(id)).get('held') ?? 0) === 0) return { kind: 'done' };
  for await (const row of batchRows(ledger, id)) {
    const { payout, progress } = row;
    if (progress.stage !== 'held' || payout === null) continue;
    const due = { fileId, row: { ...row, payout }, isOwnRecord: false, mustLook: true };
    try {
      const verdict = await lookAtHeld(due, tools);
      if (verdict === null) continue;
      const moved = { ...applyVerdict(withoutHeldWords(progress), verdict), heldCode: null };
      await ledger.record(row, {
        progress: moved,
        dueAt: 0,
        keepClaim: false,
        event: 'found ended while held',
      });
    } catch (error) {
      if (!isFault(error)) throw error;
      if (error instanceof Unavailable && error.reason === 'credentials') return { kind: 'credentials' };
      // Whoever cannot be asked now is asked by the next resume.
    }
  }
  return { kind: 'done' };
}

/** The move of a held row whose transfer is on its way or at its end; null when a person still has to look. Throws a `Fault`. */
async function lookAtHeld(due: DueRow, tools: DeliveryTools): Promise<Verdict | null> {
  const { heldCode, transfer, finalAt } = due.row.progress;
  // One that had ended, and was changed by the service, waits for a person who knows why.
  if (heldCode === null || transfer === null || finalAt !== null || !MAY_END.has(heldCode)) return null;
  const { value, serverTime } = await tools.serviceClock.ask(() =>
    tools.service.transfer(transfer.transferId),
  );
  const isOurs =
    value.id === transfer.transferId && value.externalId.toLowerCase() === transferExternalId(due);
  if (!isOurs || value.status === 'created') return null;
  const held = { ...withoutHeldWords(due.row.progress), heldCode: null, stage: 'documented' } as const;
  const asDocumented = { ...due, row: { ...due.row, progress: held } };
  const verdict = await unlessLaterAttempt(
    judgeTransfer(held, value, readTimes(tools, serverTime)),
    asDocumented,
    tools,
  );
  // What only time can settle waits where it is.
  const isSettled =
    verdict.kind === 'refused' || (verdict.kind === 'advanced' && verdict.afterMs === undefined);
  return isSettled ? verdict : null;
}

/** Why it waited for a person is not why it ended; a code of the service's own is kept. */
function withoutHeldWords(progress: Progress): Progress {
  return progress.errorCode === progress.heldCode ? { ...progress, errorCode: null, reason: null } : progress;
}
