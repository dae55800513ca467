// The facts about one attempt of a payout, and the conclusions when the service shows nothing more of it. Silence, or `created`, proves
// nothing before a certain moment. Moving to a new externalId too early is the one way to pay twice: every doubt here ends in waiting or with a person.
import { parseIsoTime } from '../base/clock.ts';
import { furthest, type ConfirmSent, type KnownTransfer, type Progress, type Tenure } from './progress.ts';

/** The service's own time, in ms since 1970. */
type ServiceTime = number;

/** `intended`: on record, not known to be sent; `sent`: one may have arrived; `refused-late`: the write path has answered that it is too late (10016). */
type Confirm = ConfirmSent | 'intended';

export type Attempt = {
  /** The tenure that has known this attempt from its beginning; null where nobody vouches for it. */
  readonly begunBy: Tenure | null;
  /** The tenure that last saw it at the service; null where it has to be looked at before anything is sent. */
  readonly lookedBy: Tenure | null;
  readonly transfer: KnownTransfer | null;
  /** A create without an answer may land until then. */
  readonly mayArriveUntil: ServiceTime | null;
  /** Only ever moves to the right; its own run may take back an intent. */
  readonly confirm: Confirm;
  /** The first look beyond `provableAt` that showed nothing more than `created`. */
  readonly silentAt: ServiceTime | null;
};

/** The result of one look: a transfer or nothing, and the service's own time of that look; null where it told none, which proves nothing. */
export type Shown = {
  readonly transfer: Pick<KnownTransfer, 'status' | 'statusCode' | 'expiredAt'> | null;
  readonly at: ServiceTime | null;
};

/** `lookAgainAt`: the first moment at which a look can tell; null where the service has not told its time. */
type LookAgain = { readonly lookAgainAt: ServiceTime | null };

/** `ask-by-confirming`: the write path has to answer first, and confirming the same transfer can only ever pay it once. */
export type MayPay = 'yes' | 'no' | 'ask-by-confirming' | 'ask-a-person' | LookAgain;

export type IsLast = 'yes' | 'no' | LookAgain;

/** Beyond the expiry by this much it is over by the clock of every machine of the service: enough where no confirm can have been sent. */
const FENCE_UNCONFIRMED_MS = 60_000;

/** The same when a confirm may have been sent, or another run had the row: must exceed any time for which a read may be stale. */
const FENCE_CONFIRMED_MS = 15 * 60_000;

/** Two looks beyond the fence must be this far apart, so that one stale copy cannot give both. */
const SECOND_LOOK_MS = 60_000;

/** The `Date` header has whole seconds, so a look exactly at a moment would come a little early. */
const DATE_GRAIN_MS = 1_001;

/**
 * Before this moment silence, or `created`, proves nothing. It is the latest of facts that are only ever added.
 * @param doubtSince the service's time since which the ledger is in doubt: lost, or an older copy; null while it is not.
 */
export function provableAt(attempt: Attempt, run: Tenure, doubtSince: ServiceTime | null): ServiceTime {
  return provableAfter(attempt, null, run, doubtSince);
}

/** The same where nobody vouches for the attempt, for any run. */
export function provableByAnyone(progress: Progress): ServiceTime {
  return provableAt(unvouched(attemptOf(progress)), '', null);
}

/** The same once a look has shown a transfer: of two expiries the later one counts, so that no look brings the proof nearer. */
function provableAfter(
  attempt: Attempt,
  shown: Shown['transfer'],
  run: Tenure,
  doubtSince: ServiceTime | null,
): ServiceTime {
  // A read that lags can hide that a transfer exists, even from the run that created it.
  const isKnown = attempt.transfer !== null || shown !== null;
  const isShort = isKnown && neverMeantToConfirm(attempt, run);
  const byExpiry = endOf(attempt, shown) + (isShort ? FENCE_UNCONFIRMED_MS : FENCE_CONFIRMED_MS);
  return Math.max(byExpiry, doubtSince === null ? -Infinity : doubtSince + FENCE_CONFIRMED_MS);
}

/** May money still move by this attempt, after a look that showed `shown`? */
export function canStillPay(
  attempt: Attempt,
  shown: Shown,
  run: Tenure,
  doubtSince: ServiceTime | null,
): MayPay {
  switch (shown.transfer?.status ?? 'created') {
    case 'created':
      return afterSilence(attempt, shown, run, doubtSince);
    case 'submitted':
    case 'paid':
      return 'yes';
    case 'failed':
      return 'no';
    default:
      return 'ask-a-person';
  }
}

function afterSilence(
  attempt: Attempt,
  { transfer, at }: Shown,
  run: Tenure,
  doubtSince: ServiceTime | null,
): MayPay {
  const end = endOf(attempt, transfer);
  // An expiry that cannot be read never passes.
  if (end === Infinity) return 'ask-a-person';
  // An attempt that this run began and never sent needs no look.
  if (provableAfter(attempt, transfer, run, doubtSince) === -Infinity && attempt.begunBy === run) return 'no';
  if (at === null) return { lookAgainAt: null };
  if (transfer !== null && isUnansweredConfirm(attempt))
    return isLongOver(end, at) ? 'ask-a-person' : 'ask-by-confirming';
  // Another run's attempt without a known expiry is in doubt from the first look on, whatever was in doubt before.
  const isUnknown = end === -Infinity && attempt.begunBy !== run;
  const provable = provableAfter(attempt, transfer, run, isUnknown ? latest(doubtSince, at) : doubtSince);
  if (at <= provable) return { lookAgainAt: firstLookBeyond(provable) };
  // A transfer that was known is gone: another key or environment, or a restore at the provider.
  if (transfer === null && attempt.transfer !== null) return 'ask-a-person';
  return neverMeantToConfirm(attempt, run) ? 'no' : afterSecondLook(attempt, at, provable);
}

/** If this run cannot vouch for an attempt, only time can prove it dead. */
function afterSecondLook({ silentAt }: Attempt, at: ServiceTime, provable: ServiceTime): 'no' | LookAgain {
  const first = silentAt !== null && silentAt > provable ? silentAt : at;
  return at - first >= SECOND_LOOK_MS ? 'no' : { lookAgainAt: firstLookBeyond(first + SECOND_LOOK_MS) };
}

/**
 * Is there no later attempt that this ledger does not know?
 * @param laterShown the result of a look under the next externalId.
 */
export function isLast(
  attempt: Attempt,
  shown: Shown,
  laterShown: Shown,
  run: Tenure,
  doubtSince: ServiceTime | null,
): IsLast {
  if (laterShown.transfer !== null) return 'no';
  if (attempt.begunBy === run && doubtSince === null) return 'yes';
  if (shown.transfer !== null && wasTaken(shown.transfer)) return 'yes';
  // None is given up before its expiry is over by the clock of every machine of the service.
  const end = endOf(attempt, shown.transfer);
  if (shown.at !== null && shown.at <= end && end < Infinity) return 'yes';
  const { at } = laterShown;
  if (at === null) return { lookAgainAt: null };
  // The doubt about an attempt that nobody vouches for begins with the first look.
  const since = doubtSince ?? attempt.silentAt ?? at;
  return at > since + FENCE_CONFIRMED_MS ? 'yes' : { lookAgainAt: doubtEndsAt(since) };
}

/** `silentAt` once a look has shown `shown`; a look without a time changes nothing. */
export function silentAfter(
  attempt: Attempt,
  { transfer, at }: Shown,
  run: Tenure,
  doubtSince: ServiceTime | null,
): ServiceTime | null {
  const { silentAt } = attempt;
  const showsMore = transfer !== null && transfer.status !== 'created';
  const provable = provableAfter(attempt, transfer, run, doubtSince);
  if (at === null || showsMore || at <= provable) return silentAt;
  return silentAt !== null && silentAt > provable ? silentAt : at;
}

/** Long after its expiry a confirm makes no sense any more, so a person is asked instead. */
export function isLongOver(expiry: ServiceTime, at: ServiceTime): boolean {
  return at > expiry + FENCE_CONFIRMED_MS;
}

/** From this moment on, by the service's own time, a transfer is over by the clock of every machine of the service. */
export function overForAll(expiry: ServiceTime): ServiceTime {
  return firstLookBeyond(expiry + FENCE_UNCONFIRMED_MS);
}

/** The first moment at which a look is certain to be beyond another. */
function firstLookBeyond(moment: ServiceTime): ServiceTime {
  return moment + DATE_GRAIN_MS;
}

/** How long until a look can tell, in ms, from the service's own time of the last one. Where no moment is known: as long as two looks have to lie apart. */
export function untilLookAgainMs({ lookAgainAt }: LookAgain, at: ServiceTime | null): number {
  return lookAgainAt === null || at === null ? SECOND_LOOK_MS : Math.max(0, lookAgainAt - at);
}

/** The moment from which no read can hide what was done before the ledger was lost. */
export function doubtEndsAt(doubtSince: ServiceTime): ServiceTime {
  return firstLookBeyond(doubtSince + FENCE_CONFIRMED_MS);
}

/** True when the event is so long ago that no read of it can be stale. */
export function isPastAnyLag(ageMs: number): boolean {
  return ageMs > FENCE_CONFIRMED_MS;
}

/** An attempt, or its row, whose last step nobody vouches for. */
export function unvouched<Known extends Pick<Progress, 'begunBy' | 'lookedBy'>>(known: Known): Known {
  return { ...known, begunBy: null, lookedBy: null };
}

/**
 * A row as a run takes it up under its lease, and records that it did. The run vouches for nothing that was begun or seen last under another lease, its
 * own earlier one or another run's: it does not know what happened in between. A confirm that was intended then may have been sent.
 */
export function takenUp(progress: Progress, run: Tenure): Progress {
  const { begunBy, lookedBy, stage, confirm } = progress;
  // Its own row: nothing has to be forgotten.
  if (begunBy === run && (lookedBy === run || lookedBy === null)) return progress;
  const isOthersIntent = stage === 'confirming' && begunBy !== run && lookedBy !== run;
  return {
    ...progress,
    begunBy: begunBy === run ? run : null,
    lookedBy: lookedBy === run ? run : null,
    confirm: isOthersIntent ? furthest(confirm, 'sent') : confirm,
  };
}

/**
 * The moment since which a ledger in doubt may not know what happened to the present attempt. Nobody can do anything with a recorded transfer after its
 * expiry; only the doubt bounds what else may have been created.
 */
export function hiddenSince(
  { transfer }: Pick<Progress, 'transfer'>,
  doubtSince: ServiceTime | null,
): ServiceTime | null {
  return transfer === null ? doubtSince : null;
}

/** The attempt that a row stands at. */
export function attemptOf(progress: Progress): Attempt {
  const { begunBy, lookedBy, transfer, mayArriveUntil, silentAt } = progress;
  return {
    begunBy,
    lookedBy,
    transfer,
    mayArriveUntil: mayArriveUntil === null ? null : timeOf(mayArriveUntil),
    confirm: confirmOf(progress),
    silentAt,
  };
}

/** The stage is the intent on record. */
function confirmOf({ confirm, confirmedAt, stage }: Progress): Confirm {
  if (confirm !== 'none') return confirm;
  if (confirmedAt !== null) return 'sent';
  return stage === 'confirming' ? 'intended' : 'none';
}

/** This very run began the attempt, and never meant to confirm it. */
function neverMeantToConfirm({ begunBy, confirm }: Attempt, run: Tenure): boolean {
  return begunBy === run && confirm === 'none';
}

function isUnansweredConfirm({ confirm }: Attempt): boolean {
  return confirm === 'intended' || confirm === 'sent';
}

/** On its way, paid, or reversed after payout (100001): it was confirmed, and never given up for another. */
function wasTaken({ status, statusCode }: NonNullable<Shown['transfer']>): boolean {
  return status === 'submitted' || status === 'paid' || statusCode === '100001';
}

/** When it can no longer be created or confirmed; Infinity for a time that cannot be read, -Infinity where no create of it is known. */
function endOf({ transfer, mayArriveUntil }: Attempt, shown: Shown['transfer']): ServiceTime {
  const known = [transfer, shown].filter((each) => each !== null);
  if (known.length === 0) return mayArriveUntil ?? -Infinity;
  return Math.max(...known.map(({ expiredAt }) => timeOf(expiredAt)));
}

function latest(one: ServiceTime | null, other: ServiceTime): ServiceTime {
  return one === null ? other : Math.max(one, other);
}

function timeOf(iso: string): ServiceTime {
  return parseIsoTime(iso) ?? Infinity;
}
