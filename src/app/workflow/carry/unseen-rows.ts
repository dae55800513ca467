// A row of a lost ledger without a visible transfer: for a while reads may lag. If more than the row's own payment depends on it, it is held until
// it can be looked for again, and no person has to do anything.
import { isoTime } from '../../../base/clock.ts';
import { joinWords, sameWords, type Words } from '../../../base/language.ts';
import type { ProbedAttempts } from '../../../delivery/observe.ts';
import type { ClosedUnpaid } from '../../../inbox/manifest.ts';
import { archiveFolder, standingFolder } from '../../../inbox/workspace.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { CrossCheck } from '../../../ledger/ledger.ts';
import type { BatchRecord, Doubt, Encounter, RowRecord } from '../../../ledger/records.ts';
import { type Wait, waitFor } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';
import { HOLDS, type HoldCode, liftsItself, newHold } from '../../../payouts/hold.ts';
import { BEFORE_CONFIRM } from '../../../payouts/lifecycle.ts';
import { FRESH, type Progress } from '../../../payouts/progress.ts';
import { doubtEndsAt } from '../../../payouts/proof.ts';
import { rejectionText } from '../../../payouts/rejection.ts';
import type { Paydrop } from '../../parts.ts';
import { SERVICE_WORDS } from '../../parts/wait-for-service.ts';
import type { CheckedRow } from '../validate/validate-file.ts';
import type { RejectedBefore } from '../answers/told-status.ts';

/**
 * Since when a batch is in doubt, by the service's time; from now on if its record does not say, and null if the service has shown no time yet. Our own clock
 * may be hours behind: a doubt that began by it would end before a read can show anything. So one that did begins anew with the first time that is shown.
 */
export function doubtOf(
  { doubt }: Pick<BatchRecord, 'doubt'>,
  { serviceClock }: Pick<Paydrop, 'serviceClock'>,
): number | null {
  const now = serviceClock.latestNow();
  return doubt?.isOwnTime === true ? (now ?? doubt.since) : (doubt?.since ?? now);
}

/** Of two doubts about a batch the one that began later: a time that is still to be found out is now. */
export function laterDoubt(known: Doubt | undefined, other: Doubt): Doubt {
  if (known === undefined || isToBegin(other)) return other;
  return isToBegin(known) || Number(known.since) > Number(other.since) ? known : other;
}

/** Until the service tells its time: no other says when a doubt began. */
export function isToBegin(doubt: Doubt | undefined): boolean {
  return doubt?.since === null || doubt?.isOwnTime === true;
}

/** Before this time, nothing that is shown of its rows proves anything; null for a batch without doubt. If the service has shown no time, our clock is used. */
export function doubtFloor(
  batch: BatchRecord,
  known: Pick<Paydrop, 'serviceClock' | 'clock'>,
): number | null {
  return batch.doubt === undefined ? null : (doubtOf(batch, known) ?? known.clock.now());
}

/** The same for one go, in which the first time that the service tells stands. */
export function doubtIn(...about: Parameters<typeof doubtFloor>): () => number | null {
  let told: number | null = null;
  return () => {
    if (about[1].serviceClock.latestNow() !== null) told ??= doubtFloor(...about);
    return told ?? doubtFloor(...about);
  };
}

/** When the latest of the doubts began, in ms: the rows of all batches in doubt are looked for together, once reads can hide none of them. */
export async function latestDoubt(
  known: Pick<Paydrop, 'ledger' | 'serviceClock' | 'clock'>,
): Promise<number> {
  const floors = (await known.ledger.batches()).map((batch) => doubtFloor(batch, known));
  return Math.max(...floors.filter((each) => each !== null));
}

/** @param since when somebody else may have had it last, the service's time in ms. */
export function heldUnseen(progress: Progress, since: number): Progress {
  const until = isoTime(doubtEndsAt(since));
  const reason = sentence('heldUnseen.text', { counted: HOLDS.in_doubt_unseen.words, until });
  return {
    ...progress,
    hold: newHold('in_doubt_unseen', since, reason),
    // Until it was looked for again.
    lookedBy: null,
    mayArriveUntil: latestOf(progress.mayArriveUntil, isoTime(since)),
  };
}

/** Nothing brings a proof nearer: the later of two times, ISO. */
function latestOf(one: string | null, other: string): string {
  return one !== null && Date.parse(one) > Date.parse(other) ? one : other;
}

/** True for a row that is held until it can be looked for again. */
export function isUnseenRow({ progress }: Pick<RowRecord, 'progress'>): boolean {
  return liftsItself(progress.hold);
}

// What a batch waits for meanwhile, in plain words; and which batches wait as a whole.

type Known = Pick<Paydrop, 'ledger' | 'workspace'>;

/** Null for a batch that goes on. A batch that was answered already gets no worse answer than before; an all-or-nothing one is not begun in part. */
export async function waitsForReads(known: Known, batch: BatchRecord): Promise<Words | null> {
  const { workspace } = known;
  if (batch.doubt === undefined) return null;
  const wasClosed = (await standingFolder(workspace, batch.id)) === archiveFolder(workspace, batch.id);
  if (!wasClosed && batch.whole !== 'reserving') return null;
  const rows = await unseenRows(known, batch);
  return rows === 0 ? null : unseenWords(batch, rows);
}

/** How many of its rows are held until they can be looked for again. */
export async function unseenRows({ ledger }: Pick<Known, 'ledger'>, batch: BatchRecord): Promise<number> {
  if (batch.doubt === undefined) return 0;
  let rows = 0;
  for await (const row of batchRows(ledger, batch.id)) if (isUnseenRow(row)) rows += 1;
  return rows;
}

/** A batch whose rows cannot be looked for yet waits for that time; while nobody knows it, for the service that tells the time. */
export function waitUnseen(batch: BatchRecord, words: Words): Wait {
  const since = batch.doubt?.since ?? null;
  return since === null ? waitFor('service', words) : waitFor('doubt', words, isoTime(doubtEndsAt(since)));
}

export function unseenWords({ doubt }: BatchRecord, rows: number): Words {
  const since = doubt?.since ?? null;
  if (since === null) return SERVICE_WORDS;
  return sentence('waitForReads.unseen', { unseenUntil: isoTime(doubtEndsAt(since)), rows });
}

// Two lost rows may be the same payment, and while reads may hide it nobody knows which was paid: both wait until that is over, and nothing else waits.

/** True while nobody knows which of two lost rows in different files was paid. */
export function isOneHidden({ batch }: RowRecord, encounters: readonly Encounter[]): boolean {
  return encounters.some(
    ({ other }) => other.batch !== batch && (other.isUnseen || BEFORE_CONFIRM.has(other.stage)),
  );
}

/** Held until no read can hide what was sent of it, and looked for again then. */
export function unseen({ progress }: RowRecord, since: number): ReturnType<CrossCheck['judge']> {
  return { progress: heldUnseen(progress, since), event: 'cross-check: may be hidden' };
}

// The state in which a row starts in a rebuilt ledger: with what the service and its batch's folder know of it, and never as if it were new.

/** What people and programs were told of its rows before: those that a person cancelled, and those that an answer reported as rejected. */
export type ToldBefore = {
  readonly closed: readonly ClosedUnpaid[];
  readonly rejected: RejectedBefore;
  /** Days of a message that could not be paid whole: a person decides about their rows. */
  readonly stopped: ReadonlySet<string>;
};

/** @param lostAt when somebody else may have had them last, the service's time in ms. */
export function startRebuilt(
  attempts: ReadonlyMap<string, ProbedAttempts>,
  { closed, rejected, stopped }: ToldBefore,
  lostAt: number,
): (checked: CheckedRow) => Progress {
  const reasons = new Map(closed.map(({ row, reason }) => [row, reason]));
  return ({ row, payout, rejections }) => {
    const probed = attempts.get(row.place);
    const transfer = probed?.last ?? null;
    const deadAttempts = probed?.deadAttempts ?? [];
    const isUnpaid = transfer === null || transfer.status === 'created';
    const errorCode = rejected.get(row.position);
    // Whoever was told so may have made the payment again. It was told when no transfer of the row could pay any more.
    if (isUnpaid && errorCode !== undefined) {
      // What is wrong with a row that is no payment, it says itself.
      const why = payout === null ? null : { errorCode, reason: REPORTED };
      return { ...FRESH, deadAttempts, transfer, stage: 'rejected', why };
    }
    const known: Progress = {
      ...FRESH,
      deadAttempts,
      // Another run may have confirmed any existing transfer, and may have created one that cannot be seen yet.
      confirm: 'sent',
      mayArriveUntil: isoTime(lostAt),
    };
    const heldFor = (code: HoldCode, reason: Words): Progress => ({
      ...known,
      hold: newHold(code, lostAt, reason),
    });
    const reason = reasons.get(row.place);
    // A person had looked and cancelled it; if it was confirmed after all, its status is reported as it is.
    if (reason !== undefined && isUnpaid) return { ...heldFor('in_doubt_unsent', reason), transfer };
    if (payout !== null && isUnpaid && stopped.has(payout.payOn ?? ''))
      return { ...heldFor('batch_stopped', HOLDS.batch_stopped.words), transfer };
    if (payout !== null) return known;
    // It may have been readable when it was sent.
    if (transfer === null) return heldUnseen(known, lostAt);
    const faults = sameWords(`(${rejectionText(rejections)})`);
    const unreadable = joinWords([HOLDS.in_doubt_unreadable.words, faults]);
    return { ...heldFor('in_doubt_unreadable', unreadable), transfer };
  };
}

const REPORTED = sentence('startRebuilt.reportedRejected');
