// What a batch waits for, as far as time decides it: its time has not come, or was missed; of a message that names several days, that of the next.
import { timeWords } from '../../config/schedule-config.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { clockDifference, differenceWords, timeByBoth } from '../../parts/wait-for-service.ts';
import { keepManifest } from './epoch.ts';
import { scheduledWords } from './decide-pay-at.ts';
import { AGAIN, type Gate, MOVED, type Step, type Work } from './work.ts';
import { isoTime } from '../../../base/clock.ts';
import { type Words, joinWords } from '../../../base/language.ts';
import { isMissed } from '../../../ledger/batch-rules.ts';
import { type BatchState, PAYING } from '../../../ledger/batch-states.ts';
import { dayToCome, isOnDays, isTimeDecided, nextDayOpen } from '../../../ledger/days.ts';
import { type BatchRevision, changeBatch, moveOn } from '../../../ledger/ledger.ts';
import { type BatchRecord, type Decision, type PayAt, decisionAbout } from '../../../ledger/records.ts';
import { type Wait, waitFor } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';
import { isAnyUnsent } from '../../../payouts/lifecycle.ts';
import type { StoppedBy } from '../../../payouts/stop.ts';

/** What the batch waits for; null when its time has come. */
export async function awaitTime(
  paydrop: Paydrop,
  batch: BatchRecord,
): Promise<{ readonly wait: Wait; readonly payAt?: PayAt } | null> {
  const { payAt } = batch;
  if (payAt === undefined || (!isOnDays(payAt) && isTimeDecided(batch))) return null;
  const isEarly = paydrop.clock.now() < Date.parse(payAt.at);
  if (isEarly && clockDifference(paydrop) === null)
    return { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) };
  // Our clock alone is not enough to pay by: it may be wrong by a month.
  const now = await timeByBoth(paydrop);
  if (now === null) return { wait: waitFor('service', sentence('awaitTime.unknown')) };
  const differ = differenceWords(paydrop);
  if (differ !== null)
    return { wait: waitFor('schedule', joinWords([scheduledWords(payAt), differ]), payAt.at) };
  if (now < Date.parse(payAt.at)) return { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) };
  if (!isMissed(payAt, now) || isTimeDecided(batch)) return null;
  const mustHold = payAt.missed === 'hold' || (await isOneOfSeveral(paydrop, batch, payAt, now));
  if (!mustHold) return null;
  const wait = waitFor('missed-time', missedWords(batch.id, payAt));
  return { wait, payAt: await held(paydrop, batch, payAt) };
}

/** Once a person was told that it waits for a decision, it does so, even if the other times of the series are decided, or the ledger is lost. */
async function held(records: Records, { id }: BatchRecord, payAt: PayAt): Promise<PayAt> {
  if (payAt.missed === 'hold') return payAt;
  const kept: PayAt = { ...payAt, missed: 'hold' };
  await keepManifest(records, id, { payAt: kept });
  return kept;
}

/** False while a set time has not come, or a person has to decide: another look would find the same. */
export function isTimeToLook(batch: BatchRecord, now: number): boolean {
  const { payAt, wait } = batch;
  if (isTimeDecided(batch)) return true;
  if (wait?.for === 'missed-time') return false;
  return payAt === undefined || wait?.for !== 'schedule' || now >= Date.parse(payAt.at);
}

/** For a standing file, one missed time may be paid late; if there are several, only its owner can decide. */
async function isOneOfSeveral(
  { ledger }: Paydrop,
  { id }: BatchRecord,
  { at, standing }: PayAt,
  now: number,
): Promise<boolean> {
  if (standing === undefined) return false;
  if (now >= Date.parse(standing.next)) return true;
  return (await ledger.batches({ toLookAt: 0 })).some(
    (other) =>
      other.id !== id &&
      UNDECIDED.has(other.state) &&
      decisionAbout(other, 'time') === null &&
      other.payAt?.standing?.series === standing.series &&
      other.payAt.at < at,
  );
}

/** States of an earlier time of the series that was missed too, and is neither paid nor refused. */
const UNDECIDED: ReadonlySet<BatchState> = new Set<BatchState>(['taking', 'checking', 'pricing', 'accepted']);

function missedWords(batch: string, { at, timeZone }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('awaitTime.missed', { time, batch });
}

/** Milliseconds until the first of these batches is to be paid. */
export function nextTimeIn(batches: readonly BatchRecord[], now: number): number {
  const times = batches
    .filter(({ state, payAt }) => (state === 'accepted' ? payAt !== undefined : isBetween({ state, payAt })))
    .map(({ payAt }) => Date.parse(payAt?.at ?? '') - now);
  return Math.min(Infinity, ...times.filter((inMs) => inMs > 0));
}

// What a person decides about a file that waits for its time, or has missed it: a missed one may be paid after all, and either may be cancelled.
// No decision pays a file before its time.

/** Of several days some have come, and others have not. */
function isBetween({
  state,
  payAt,
}: {
  readonly state: BatchState;
  readonly payAt: PayAt | undefined;
}): boolean {
  return PAYING.has(state) && isOnDays(payAt) && dayToCome(payAt) !== null;
}

/** Also while it waits for its approval, or has just got it. */
export function waitsForTime({ state, wait, payAt }: BatchRecord): boolean {
  if (state !== 'accepted' && !isBetween({ state, payAt })) return false;
  if (wait?.for === 'schedule' || wait?.for === 'missed-time') return true;
  return state === 'accepted' && payAt !== undefined && (wait === null || wait.for === 'approval');
}

/** To be cancelled, all of its rows have to be so before. Returns what had stopped the file and no longer does. */
export async function waiveTime(
  { ledger, clock }: Pick<Records, 'ledger' | 'clock'>,
  { id, wait, payAt }: BatchRecord,
  {
    by,
    reason,
    skip,
    via,
  }: { readonly [Part in 'by' | 'reason' | 'via']: string } & { readonly skip: boolean },
): Promise<StoppedBy | null> {
  const missed = wait?.for === 'missed-time' ? wait.for : null;
  if (!skip && missed === null) return null;
  const day = isOnDays(payAt) ? dayToCome(payAt)?.day : undefined;
  const about = { about: 'time', ...(day === undefined ? {} : { day }) } as const;
  const decision: Decision = { ...about, by, reason, at: isoTime(clock.now()) };
  const { at } = decision;
  await ledger.revise(id, (now) => {
    const revision = decided(now, decision);
    const { approval } = now;
    // Nothing is left to approve.
    const isMoot =
      skip && approval?.kind === 'asked' && approval.given === null && approval.declined === null;
    if (!isMoot) return revision;
    const declined = { by, reason, at, via, proof: 'typed' } as const;
    return { ...revision, change: { ...revision.change, approval: { ...approval, declined } } };
  });
  return missed;
}

/** The reason that stopped a batch no longer does. */
export function decided(
  { decisions, token }: Pick<BatchRecord, 'decisions' | 'token'>,
  decision: Decision,
): BatchRevision {
  const event = `decided about ${decision.about} by ${decision.by}: ${decision.reason}`;
  return { change: { decisions: [...decisions, { ...decision, token }], wait: null }, event };
}

// The rows of a day of a message wait until it has come; then they are sent, followed and answered, while those of later days wait.

/** Opens the next day, once both clocks say that it has come; null where there is nothing to open. Where all or nothing is paid, one day is confirmed before the next is reserved. */
export async function toNextDay({ paydrop, batch }: Work): Promise<Step | null> {
  const { ledger } = paydrop;
  const { payAt, whole, state } = batch;
  if (!isOnDays(payAt) || dayToCome(payAt) === null) return null;
  if (whole !== null && isAnyUnsent(await ledger.stageCounts(batch.id), 'open')) return null;
  if ((await awaitTime(paydrop, batch)) !== null) return null;
  const opened = { payAt: nextDayOpen(payAt), wait: null };
  if (whole !== null) await moveOn(ledger, batch, state, 'reserving', { ...opened, whole: 'reserving' });
  else if (state === 'following') await moveOn(ledger, batch, state, 'sending', opened);
  else await changeBatch(ledger, batch, opened);
  return whole === null && state !== 'following' ? AGAIN : MOVED;
}

/** The rows of days that have come are like those of any other file. A kill may have come between the day and its rows. */
export const wakeRows: Gate = async ({ paydrop: { ledger }, batch: { id, payAt } }) => {
  if (payAt?.openTo !== undefined) await ledger.makeDue(id, { upToDay: payAt.openTo }, []);
  return null;
};

/** Whether the time of the next day has come by this clock (ms), and nobody has to decide about it first. */
export function isDayDue({ payAt, wait, state }: BatchRecord, now: number): boolean {
  if (!isOnDays(payAt) || dayToCome(payAt) === null) return false;
  // Where all or nothing is paid, one day is decided after the other.
  if (wait?.for === 'missed-time' || state === 'reserving') return false;
  return now >= Date.parse(payAt.at);
}

/** What a batch waits for between its days; null where it is not between them. A day that was missed is told at once. */
export async function betweenDays(paydrop: Paydrop, batch: BatchRecord): Promise<Wait | null> {
  const { payAt, id } = batch;
  if (!isOnDays(payAt) || dayToCome(payAt) === null) return null;
  const counts = await paydrop.ledger.stageCounts(id);
  if (!counts.has('scheduled')) return null;
  const wait = (await awaitTime(paydrop, batch))?.wait ?? null;
  return wait?.for === 'missed-time' || !isAnyUnsent(counts, 'open') ? wait : null;
}
