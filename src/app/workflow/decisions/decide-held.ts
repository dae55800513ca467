// What becomes of one held row by the word of a person: where it goes on, or that it is closed; and what nobody's word decides, because the
// service alone knows how it ended.
import type { Words } from '../../../base/language.ts';
import { adoptRevived, liveAttempt, mayAdopt } from '../../../delivery/adopt-revived.ts';
import { cancelled } from '../../../payouts/cancellation.ts';
import { HOLDS } from '../../../payouts/hold.ts';
import { liftedBy } from '../../../payouts/lifted.ts';
import type { Progress } from '../../../payouts/progress.ts';
import { sentence } from '../../../messages/messages.ts';

type Decision = { readonly by: string; readonly reason: string; readonly skip: boolean };

/** Null for a row that can only be closed. `now` is our wall time in ms. */
export function decide(progress: Progress, { skip, by, reason }: Decision, now: number): Progress | null {
  const isReinstated = progress.hold?.code === 'transfer_reinstated';
  const live = isReinstated && mayAdopt(progress) ? liveAttempt(progress) : null;
  // What is to be closed has just been looked at, unless it is not for a person to close.
  if (live !== null && (!skip || isServicesWord(progress, skip))) return adoptRevived(progress, live, now);
  const freed: Progress = {
    ...progress,
    hold: null,
    // Looked at, also by its id where no transfer is known, before anything is sent.
    lookedBy: null,
    deadAttempts: isReinstated ? decided(progress.deadAttempts) : progress.deadAttempts,
    uploads: 0,
    isAttached: false,
    tries: 0,
  };
  if (isServicesWord(progress, skip)) return { ...freed, stage: 'confirmed' };
  if (skip) return cancelled(freed, 'cancelled', cancelledWords({ by, reason }));
  return mayGoOn(progress) ? { ...freed, lifted: liftedBy(progress) } : null;
}

/**
 * What was confirmed, or had ended, is what the service says: it is followed, and neither confirmed again nor cancelled by anybody's word.
 * So is one that may have been, when an earlier transfer of the same row has come back to life. Only of a transfer that the service shows as never
 * taken may a person say that nothing comes of it (`isToClose`): nobody else ever would.
 */
export function isServicesWord(progress: Progress, isToClose: boolean): boolean {
  const { hold, transfer, finalAt, confirmedAt, confirm } = progress;
  if (transfer === null) return false;
  if (finalAt !== null) return true;
  if (confirmedAt !== null) return !isToClose || !isForPerson(progress);
  return hold?.code === 'transfer_reinstated' && confirm !== 'none';
}

/** The service shows it as never taken, or as something that nobody knows. What it does not show at all was confirmed all the same. */
function isForPerson({ hold, transfer }: Progress): boolean {
  return transfer?.status === 'created' || hold?.code === 'unknown_status';
}

/** A transfer of this attempt exists, as far as can be told, and has never been seen: whether it was paid only a look at it can say. */
export function isUnseen({ hold, transfer, confirm, deadAttempts }: Progress): boolean {
  if (transfer !== null || confirm === 'none') return false;
  if (hold?.code === 'id_collision' || hold?.code === 'transfer_reinstated') return true;
  return deadAttempts.at(-1)?.proof === 'later-attempt-exists';
}

/** A row that was held before anything was seen of a transfer looks for one first, whatever it was held for. */
function mayGoOn(progress: Progress): boolean {
  const { hold, transfer } = progress;
  if (hold === null) return false;
  if (HOLDS[hold.code].lifts === 'release') return true;
  return transfer === null && (hold.code === 'id_collision' || isUnseen(progress));
}

/** The row may go on beside those that were seen to be back. Any other is looked at before the next create or confirm, as it was before. */
function decided(dead: Progress['deadAttempts']): Progress['deadAttempts'] {
  return dead.map((attempt) => (attempt.revived === 'seen' ? { ...attempt, revived: 'decided' } : attempt));
}

export function cancelledWords({ by, reason }: Pick<Decision, 'by' | 'reason'>): Words {
  return sentence('decideHeld.cancelled', { by, reason });
}
