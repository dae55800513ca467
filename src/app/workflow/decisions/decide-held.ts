// What becomes of one held row by the word of a person: where it goes on, or that it is closed; and what nobody's word decides, because the
// service alone knows how it ended.
import type { Words } from '../../../base/language.ts';
import { adoptRevived, liveAttempt, mayAdopt } from '../../../delivery/adopt-revived.ts';
import { NETWORK_REFUSED } from '../../../delivery/judge.ts';
import { cancelled } from '../../../payouts/cancellation.ts';
import type { HeldCode } from '../../../payouts/held.ts';
import { liftedBy } from '../../../payouts/lifted.ts';
import type { Progress } from '../../../payouts/progress.ts';

type Decision = { readonly by: string; readonly reason: string; readonly skip: boolean };

/** Where a row whose transfer is known goes on, by what held it; null where going on could pay twice. */
const GOES_ON: Readonly<Record<HeldCode, 'ready' | 'created' | null>> = {
  reference_paid_differently: 'ready',
  reference_undecided: 'ready',
  similar_reference: 'ready',
  earlier_row_paid: 'ready',
  reversed_before: 'ready',
  same_payment_recently: 'ready',
  equal_rows: 'ready',
  same_content: 'ready',
  new_account: 'ready',
  in_doubt_unsent: 'ready',
  in_doubt_unreadable: null,
  in_doubt_unseen: null,
  over_row_limit: 'created',
  over_payee_limit: 'created',
  over_fee_limit: 'ready',
  under_rate_limit: 'ready',
  quotation_mismatch: 'ready',
  document_refused: 'created',
  document_changed: 'created',
  document_demanded: 'created',
  echo_mismatch: null,
  id_collision: null,
  unknown_status: null,
  status_went_back: null,
  transfer_reinstated: null,
  confirm_uncertain: null,
  network_undecided: null,
  too_many_attempts: null,
  unexpected_refusal: 'created',
  batch_stopped: 'created',
};

/** Null for a row that can only be closed. `now` is our wall time in ms. */
export function decide(progress: Progress, { skip, by, reason }: Decision, now: number): Progress | null {
  const { heldCode } = progress;
  const revived = heldCode === 'transfer_reinstated' && mayAdopt(progress) ? liveAttempt(progress) : null;
  // What is to be closed has just been looked at, unless it is not for a person to close.
  if (revived !== null && (!skip || isServicesWord(progress, skip)))
    return adoptRevived(progress, revived, now);
  const freed = {
    ...progress,
    heldCode: null,
    errorCode: null,
    reason: null,
    // Looked at, also by its id where no transfer is known, before anything is sent.
    unsure: true,
    deadAttempts: heldCode === 'transfer_reinstated' ? seen(progress.deadAttempts) : progress.deadAttempts,
    uploads: 0,
    isAttached: false,
    tries: 0,
  };
  if (isServicesWord(progress, skip)) {
    // Else a transfer that is still `created` would pass for one that is on its way, and then for one that the service moved back.
    const refusal = heldCode === 'network_undecided' ? { errorCode: '10027', reason: NETWORK_REFUSED } : {};
    return { ...freed, ...refusal, stage: 'confirmed' };
  }
  if (skip) return { ...freed, ...cancelled('cancelled', cancelledWords({ by, reason })) };
  const stage = goesOn(progress);
  if (stage === null) return null;
  return { ...freed, lifted: liftedBy(progress), stage };
}

/**
 * What was confirmed, or had ended, is what the service says: it is followed, and neither confirmed again nor cancelled by anybody's word.
 * So is one that may have been, when an earlier transfer of the same row has come back to life. Only of a transfer that the service shows as never
 * taken may a person say that nothing comes of it (`isToClose`): nobody else ever would.
 */
export function isServicesWord(progress: Progress, isToClose: boolean): boolean {
  const { heldCode, transfer, finalAt, confirmedAt, mayBeConfirmed } = progress;
  if (transfer === null) return false;
  if (finalAt !== null) return true;
  if (confirmedAt !== null) return !isToClose || !isForPerson(progress);
  return heldCode === 'transfer_reinstated' && mayBeConfirmed;
}

/** The service shows it as never taken, or as something that nobody knows. What it does not show at all was confirmed all the same. */
function isForPerson({ heldCode, transfer }: Progress): boolean {
  return transfer?.status === 'created' || heldCode === 'unknown_status';
}

/** A transfer of this attempt exists, as far as can be told, and has never been seen: whether it was paid only a look at it can say. */
export function isUnseen({ heldCode, transfer, mayBeConfirmed, deadAttempts }: Progress): boolean {
  if (transfer !== null || !mayBeConfirmed) return false;
  if (heldCode === 'id_collision' || heldCode === 'transfer_reinstated') return true;
  return deadAttempts.at(-1)?.proof === 'later-attempt-exists';
}

function goesOn(progress: Progress): 'ready' | 'created' | null {
  const { heldCode, transfer } = progress;
  const stage = heldCode === null ? null : GOES_ON[heldCode];
  if (transfer !== null) return stage === 'ready' && isAgreed(progress) ? 'created' : stage;
  // A row that was held before anything was seen of a transfer starts again, whatever it was held for.
  return stage !== null || heldCode === 'id_collision' || isUnseen(progress) ? 'ready' : null;
}

/** Held against its price when it was made, it has nothing left to be compared with: looked at as one that is found it would count as maybe confirmed. */
export function isAgreed({ price, transfer }: Pick<Progress, 'price' | 'transfer'>): boolean {
  return transfer !== null && price?.quotationId === transfer.quotationId;
}

/** The row may go on beside all of them: which ones are alive is not on record, and each would hold it again before its first step. */
function seen(dead: Progress['deadAttempts']): Progress['deadAttempts'] {
  return dead.map((attempt) => ({ ...attempt, isDecided: true }));
}

export function cancelledWords({ by, reason }: Pick<Decision, 'by' | 'reason'>): Words {
  return { en: `Cancelled by ${by}: ${reason}`, fr: `Annulée par ${by} : ${reason}` };
}
