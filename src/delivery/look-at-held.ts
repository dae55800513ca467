// A row that waits for a person may have come to its end meanwhile: what the service can tell now, nobody has to look up by hand.
import { batchRows } from '../ledger/batch-rows.ts';
import type { Ledger, RowChange } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { applyVerdict } from '../payouts/apply-verdict.ts';
import type { HeldCode } from '../payouts/held.ts';
import type { KnownTransfer, Progress } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { isFault, Unavailable } from '../service/errors.ts';
import { FENCE_CONFIRMED_MS } from './judge-expiry.ts';
import { judgeTransfer } from './judge-transfer.ts';
import { unlessLaterAttempt } from './later-attempt.ts';
import { transferExternalId } from './requests.ts';
import type { RunEnd } from './runner.ts';
import { expiryOf } from './time-left.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { readTimes } from './track.ts';

/** Held although the transfer is certainly this row's own, and agreed with it: it may have been confirmed, or may be by a copy that is still under way. */
export const MAY_END: ReadonlySet<HeldCode> = new Set<HeldCode>([
  'unknown_status',
  'status_went_back',
  'confirm_uncertain',
  'network_undecided',
  'unexpected_refusal',
  'too_many_attempts',
  'file_not_whole',
  'document_refused',
  'document_changed',
  'document_demanded',
  'over_row_limit',
  'over_payee_limit',
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
      const seen = await lookAtHeld(due, tools);
      if (seen !== null) await ledger.record(row, { ...seen, keepClaim: false });
    } catch (error) {
      if (!isFault(error)) throw error;
      if (error instanceof Unavailable && error.reason === 'credentials') return { kind: 'credentials' };
      // Whoever cannot be asked now is asked by the next resume.
    }
  }
  return { kind: 'done' };
}

type Seen = Pick<RowChange, 'progress' | 'dueAt' | 'event'>;

/** What the look changes: the move of a row whose transfer is on its way or at its end, or what a person's decision will rest on. Throws a `Fault`. */
async function lookAtHeld(due: DueRow, tools: DeliveryTools): Promise<Seen | null> {
  const { progress } = due.row;
  const { heldCode, transfer, finalAt } = progress;
  // One that had ended, and was changed by the service, waits for a person who knows why.
  if (heldCode === null || transfer === null || finalAt !== null || !MAY_END.has(heldCode)) return null;
  const { value, serverTime } = await tools.serviceClock.ask(() =>
    tools.service.transfer(transfer.transferId),
  );
  const isOurs =
    value.id === transfer.transferId && value.externalId.toLowerCase() === transferExternalId(due);
  if (!isOurs) return null;
  if (value.status === 'created') return stillCreated(progress, transfer, serverTime);
  const held = { ...withoutHeldWords(progress), heldCode: null, stage: 'documented' } as const;
  const asDocumented = { ...due, row: { ...due.row, progress: held } };
  const verdict = await unlessLaterAttempt(
    judgeTransfer(held, value, readTimes(tools, serverTime)),
    asDocumented,
    tools,
  );
  const isSettled =
    verdict.kind === 'refused' || (verdict.kind === 'advanced' && verdict.afterMs === undefined);
  if (!isSettled) return waitsWhereItIs(progress, verdict);
  const moved = { ...applyVerdict(withoutHeldWords(progress), verdict), heldCode: null };
  return { progress: moved, dueAt: 0, event: 'found ended while held' };
}

/** Beyond the fence no read is so old that it hides a confirm: from then on a person may say that nothing comes of it. */
function stillCreated(progress: Progress, transfer: KnownTransfer, serverTime: number | null): Seen | null {
  const fence = (expiryOf(transfer) ?? Infinity) + FENCE_CONFIRMED_MS;
  if (serverTime === null || serverTime <= fence || progress.stillCreatedAt !== null) return null;
  return {
    progress: { ...progress, stillCreatedAt: serverTime },
    dueAt: null,
    event: 'seen unconfirmed while held',
  };
}

/** What only time can settle waits where it is; since when, the next look has to know. */
function waitsWhereItIs(progress: Progress, verdict: Verdict): Seen | null {
  const rebuiltAt = 'learned' in verdict ? (verdict.learned.rebuiltAt ?? null) : null;
  if (rebuiltAt === null || rebuiltAt === progress.rebuiltAt) return null;
  return { progress: { ...progress, rebuiltAt }, dueAt: null, event: 'a later transfer may be hidden' };
}

/** Why it waited for a person is not why it ended; a code of the service's own is kept. */
function withoutHeldWords(progress: Progress): Progress {
  return progress.errorCode === progress.heldCode ? { ...progress, errorCode: null, reason: null } : progress;
}
