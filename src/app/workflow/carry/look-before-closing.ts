// Whether a row is cancelled depends on what the service shows now: a ledger without a payment may be an older copy that was put back.
import { isoTime } from '../../../base/clock.ts';
import type { Words } from '../../../base/language.ts';
import { reconcile } from '../../../delivery/reconcile.ts';
import { standingManifest } from '../../../inbox/manifest.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { BatchRecord, RowRecord } from '../../../ledger/records.ts';
import type { Wait } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';
import { HOLDS, isBeyondLooking } from '../../../payouts/hold.ts';
import { liftedBy } from '../../../payouts/limits.ts';
import { withComparison, withReleasedPrice } from '../../../payouts/moved-price.ts';
import {
  isServicesWord,
  mayHaveBeenConfirmed,
  type Progress,
  withForeign,
} from '../../../payouts/progress.ts';
import { deadForAnyone } from '../../../payouts/proof.ts';
import { adoptRevived, liveAttempt, mayAdopt } from '../../../payouts/reinstated.ts';
import { cancelled } from '../../../payouts/cancelled.ts';
import { type Fault, Refused } from '../../../service/errors.ts';
import type { Paydrop } from '../../parts.ts';
import { describeFault, earliestAt, momentOf } from '../../parts/wait-for-service.ts';
import { deliveryTools } from './pay-batch.ts';

/** By row identity. A row in neither set could not be determined, and has to be looked at again. */
export type Looked = LookedWhen & {
  /** For these the service shows nothing beyond `created`. */
  readonly quiet: ReadonlySet<string>;
  /** These were sent after all, and are followed. */
  readonly followed: readonly string[];
};

/** Records its findings; or returns the wait, when the service gives no answer. */
export async function lookBeforeClosing(
  paydrop: Paydrop,
  batch: BatchRecord,
  isAsked: (row: RowRecord) => boolean,
): Promise<Looked | Wait<'service' | 'credentials'>> {
  const { ledger, serviceClock } = paydrop;
  const startedAt = momentOf(paydrop);
  const quiet = new Set<string>();
  const followed: string[] = [];
  const stillCreated = new Set<string>();
  const isSent = await mayHaveBeenSent(paydrop, batch);
  async function* askedRows(): AsyncGenerator<RowRecord> {
    for await (const row of batchRows(ledger, batch.id)) {
      if (!isAsked(row)) continue;
      // A decision that rests on time alone needs the time that a look shows.
      if (isSent || hasTransfer(row.progress) || isFenced(row.progress)) yield row;
      else quiet.add(row.row);
    }
  }
  const tools = deliveryTools(paydrop, batch);
  const fault = await reconcile(
    askedRows(),
    { ledger, leased: batch, tools, fileId: batch.fileId, endsAll: isOfAll },
    ({ row }, { is, isStillCreated }) => {
      if (is === 'quiet') quiet.add(row);
      if (is === 'quiet' && isStillCreated === true) stillCreated.add(row);
      if (is === 'followed') followed.push(row);
    },
  );
  if (fault !== null) return describeFault(fault);
  const timeless = serviceClock.earliestNow() === null ? stillCreated : new Set<string>();
  return { quiet, followed, at: earliestAt(paydrop, startedAt), timeless };
}

/** A fault that concerns one row says nothing about the others. */
function isOfAll(fault: Fault): boolean {
  return !(fault instanceof Refused);
}

/** No ledger can have sent a batch that was never accepted. A time that has not come proves nothing: the clock may have been ahead when it was paid. */
async function mayHaveBeenSent(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  const manifest = await standingManifest(paydrop.workspace, batch.id);
  // A folder that was moved away proves nothing.
  return manifest?.acknowledged !== undefined || manifest === null;
}

function hasTransfer(progress: Progress): boolean {
  const { transfer, deadAttempts, confirm } = withForeign(progress);
  return transfer !== null || deadAttempts.length > 0 || confirm !== 'none';
}

// A confirm on its way can pay a cancelled row, and a create can leave a reservation that belongs to no row. So such a row is not cancelled
// before the service can no longer accept either, and has shown that it accepted none.

/** Whether a row that the look found quiet may be cancelled. */
export function mayCancel({ row, progress }: RowRecord, { at, timeless }: LookedWhen): boolean {
  const { transfer, silentAt } = withForeign(progress);
  const isPast = at > lastMoment(progress);
  if (transfer === null) return !isUnseen(progress) && isPast;
  if (!isDoubtful(progress)) return true;
  // By the service's own time: a look beyond the fence still said `created`.
  const isSilent = silentAt !== null && silentAt > deadForAnyone(withForeign(progress));
  return isSilent || (isPast && (isBeyondLooking(progress.hold) || timeless.has(row)));
}

type LookedWhen = {
  /** The earliest service time of the first look, in ms. */
  readonly at: number;
  /** Row identities shown as `created` by a service that has never shown a time: `at` is by our own clock. */
  readonly timeless: ReadonlySet<string>;
};

/** When it may be cancelled, ISO, in whole minutes; null when waiting does not help, and it has to be looked up. */
export function tryAgainAt(progress: Progress): string | null {
  const last = lastMoment(progress);
  if (isUnseen(progress) || !Number.isFinite(last)) return null;
  return isoTime((Math.floor(last / MINUTE_MS) + 1) * MINUTE_MS);
}

const MINUTE_MS = 60_000;

/** Whether only time can prove that it will not be paid any more. */
function isFenced(progress: Progress): boolean {
  return lastMoment(progress) > -Infinity;
}

/** What another run did with it, or a copy of our own confirm, may still turn out to have paid it. */
function isDoubtful(progress: Progress): boolean {
  return mayHaveBeenConfirmed(progress) || progress.begunBy === null || progress.confirmedAt !== null;
}

/** Before a person takes the service's word for it, no run vouches for it. */
function lastMoment(progress: Progress): number {
  return deadForAnyone(withForeign(progress));
}

// What a person's decision does to one held row: where it goes on, or that it is cancelled; and what no person decides, because only the service
// knows how it ended.

type Decision = {
  readonly by: string;
  readonly reason: string;
  readonly skip: boolean;
  /** The number of the question that stands; 0 where none was asked. */
  readonly round: number;
};

/** Null for a row that can only be cancelled. `now` is our wall time in ms. */
export function decide(
  progress: Progress,
  { skip, by, reason, round }: Decision,
  now: number,
): Progress | null {
  const isReinstated = progress.hold?.code === 'transfer_reinstated';
  const live = isReinstated && mayAdopt(progress) ? liveAttempt(progress) : null;
  // A row to be cancelled has just been looked at, unless a person must not cancel it.
  if (live !== null && (!skip || isServicesWord(progress, skip))) return adoptRevived(progress, live, now);
  const freed: Progress = {
    ...progress,
    hold: null,
    // Looked up before anything is sent, also by its id where no transfer is known.
    lookedBy: null,
    deadAttempts: isReinstated ? decided(progress.deadAttempts) : progress.deadAttempts,
    document: 'none',
  };
  if (isServicesWord(progress, skip)) return { ...freed, stage: 'confirmed' };
  if (skip) return cancelled({ ...freed, hold: progress.hold }, 'cancelled', cancelledWords({ by, reason }));
  if (!mayGoOn(progress)) return null;
  const isOfPrice = progress.hold?.code === 'price_moved';
  return withReleasedPrice(withComparison(freed, { lifted: liftedBy(progress) }), isOfPrice ? round : null);
}

/** A transfer of this attempt probably exists, and has never been seen: only a look can say whether it was paid. */
export function isUnseen(progress: Progress): boolean {
  const { hold, transfer, confirm, deadAttempts } = withForeign(progress);
  if (transfer !== null || confirm === 'none') return false;
  if (hold?.code === 'id_collision' || hold?.code === 'transfer_reinstated') return true;
  return deadAttempts.at(-1)?.proof === 'later-attempt-exists';
}

/** A row that was held before any transfer was seen looks for one first, whatever the hold. */
function mayGoOn(progress: Progress): boolean {
  const { hold, transfer } = withForeign(progress);
  if (hold === null) return false;
  if (HOLDS[hold.code].lifts === 'release') return true;
  return transfer === null && (hold.code === 'id_collision' || isUnseen(progress));
}

/** The row may go on although these were seen to be reinstated. Any other one is looked at before the next create or confirm, as before. */
function decided(dead: Progress['deadAttempts']): Progress['deadAttempts'] {
  return dead.map((attempt) => (attempt.revived === 'seen' ? { ...attempt, revived: 'decided' } : attempt));
}

export function cancelledWords({ by, reason }: Pick<Decision, 'by' | 'reason'>): Words {
  return sentence('decideHeld.cancelled', { by, reason });
}
