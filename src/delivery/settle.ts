// The meaning of a look for a row on its way: its record and the attempts that were shown give the verdict. Pure: if a verdict needs another look first,
// it says so.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import type { Stage } from '../payouts/lifecycle.ts';
import { externalId } from '../payouts/payout.ts';
import {
  laterNumberOf,
  furthest,
  type ConfirmSent,
  type DeadAttempt,
  type KnownTransfer,
  type Progress,
} from '../payouts/progress.ts';
import {
  evidenceOf,
  mayHaveNext,
  nextHiddenUntil,
  proving,
  type ServiceTime,
  untilReadMs,
} from '../payouts/proof.ts';
import { type Learned, shownStatus, type Verdict } from '../payouts/verdict.ts';
import type { Quotation, Transfer } from '../service/wire.ts';
import {
  type AgreedPrice,
  quotationDifferences,
  quotationExternalId,
  QUOTATIONS_MOST,
  transferDifferences,
  transferExternalId,
} from './requests.ts';
import { created } from './calls.ts';
import { nextAttempt } from './next-attempt.ts';
import { doubtful, judgeTransfer, toKnownTransfer, type Look } from './judge-transfer.ts';
import { isSameTransfer, keyOf, type Sight } from './observe.ts';
import type { Asker, DueRow } from './tools.ts';

/** A transfer that is on record: it has to be the one that was asked for. */
export function settleKnown(due: DueRow, shown: Transfer, look: Look): Verdict {
  const isOurs =
    shown.id === due.row.progress.transfer?.transferId && keyOf(shown) === transferExternalId(due);
  return isOurs
    ? judgeTransfer(due.row.progress, shown, look)
    : doubtful(due.row.progress, null, 'id_collision');
}

/**
 * A transfer that was found under the row's own id: after a create without an answer, after a restart, and when the ledger was lost. It is compared with
 * the row before it is adopted.
 * @param quotation that of the transfer; null where its price is on record.
 */
export function settleFound(due: DueRow, found: Transfer, quotation: Quotation | null, look: Look): Verdict {
  const price = priceOf(due, found, quotation);
  if (price === null || transferDifferences(due, found, price).length > 0) return asCollided(found);
  const learned = { lookedBy: due.run, confirm: confirmedBy(due), why: null };
  const progress = { ...due.row.progress, ...learned, stage: 'created' } satisfies Progress;
  const verdict = judgeTransfer(progress, found, look);
  if (verdict.kind === 'advanced' && verdict.stage === 'created')
    return created(due.row.payout, found, look.latestNow, learned);
  if (verdict.kind === 'waiting')
    return {
      kind: 'advanced',
      stage: 'created',
      learned: { ...learned, ...verdict.learned },
      afterMs: verdict.lookAgainMs,
    };
  if (verdict.kind === 'interrupted') return verdict;
  const settled = { ...verdict, learned: { ...learned, ...verdict.learned } };
  // It was compared with the row, so it is the row's own in any status.
  return settled.kind === 'held' ? { ...settled, stage: 'created' } : settled;
}

/** Somebody else's transfer may have been paid: our words about it must be true of that transfer. */
function asCollided(found: Transfer): Verdict {
  const { status } = found;
  const words = status === 'created' ? {} : { reason: sentence('findTransfer.collided', { status }) };
  return { kind: 'held', code: 'id_collision', ...words, learned: {}, foreign: toKnownTransfer(found) };
}

/**
 * Only the answer to a create says who made a transfer: one that is found may be another's, who may have confirmed it, also where this very run lost the
 * answer to its create. Of a batch of which nothing may be confirmed yet, and of whose ledger nobody doubts, this run's own is its own.
 */
function confirmedBy({ row, run, doubtSince, isReserving = false }: DueRow): ConfirmSent {
  const { confirm, begunBy, stage } = row.progress;
  const isOwn = isReserving && begunBy === run && stage !== 'ready' && doubtSince === null;
  return isOwn ? confirm : furthest(confirm, 'sent');
}

/** The amounts that the transfer must have: those of its quotation, which must be one of this row's. Null when it is somebody else's. */
function priceOf(due: DueRow, { quotationId }: Transfer, quotation: Quotation | null): AgreedPrice | null {
  const { price } = due.row.progress;
  if (price?.quotationId === quotationId) return price;
  if (quotation === null || !isOurs(due, quotation) || quotationDifferences(due, quotation).length > 0)
    return null;
  return {
    quotationId: quotation.id,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
  };
}

function isOurs(due: DueRow, quotation: Quotation): boolean {
  // Nearly always one of the first; one more than the most is asked for before a row is held.
  for (let attempt = 1; attempt <= QUOTATIONS_MOST + 1; attempt++)
    if (quotationExternalId(due, attempt) === keyOf(quotation)) return true;
  return false;
}

/** A failure that the service has taken back is read this often, a minute apart, before a person is asked. */
const CONTRADICTIONS_MOST = 3;

/**
 * The verdict, unless the row's attempt has failed, and the next one exists or may be hidden from reads. A ledger that was lost, or an older copy, must not
 * tell such a failure as the end of the row: it may have been given another attempt, and have been paid by it.
 * @param beyond the transfer shown under the next id; null before the look for it.
 * @returns null where the next id needs a look first.
 */
export function settleEnd(
  verdict: Verdict,
  due: DueRow,
  beyond: Sight | null,
  { latestNow }: Pick<Look, 'latestNow'>,
): Verdict | null {
  const { progress } = due.row;
  const failed = failedIn(verdict) ?? (isBehind(verdict) ? failedBefore(due) : null);
  if (failed === null || isTold(progress) || !mayFollow(progress, failed, latestNow, due)) return verdict;
  if (beyond === null) return null;
  const { value: later, serverTime: at } = beyond;
  // An answer about something else proves no attempt, and must not lead to one.
  if (later !== null && keyOf(later) !== nextExternalId(due)) return doubtful(progress, null, 'id_collision');
  const isReleased = progress.stage === 'confirmed';
  // If a person released the row as confirmed, the next look at held rows finds the later attempt: no step leads back from there.
  if (later !== null && isReleased)
    return { kind: 'held', code: 'confirm_uncertain', learned: { transfer: failed } };
  if (later !== null) return nextAttempt(progress, { transfer: failed, proof: 'later-attempt-exists' }, due);
  const until = hiddenUntil(progress, failed, at, due);
  const isTakenBack = failedIn(verdict) === null;
  if (until === null && !isTakenBack) return verdict;
  const waitMs = untilReadMs(until ?? Infinity, until === null ? null : at);
  const silentAt = progress.silentAt ?? at;
  if (isReleased) return { kind: 'waiting', lookAgainMs: waitMs, learned: { silentAt } };
  if (until === null && progress.doubts >= CONTRADICTIONS_MOST)
    return { kind: 'held', code: 'status_went_back', learned: { lookedBy: null } };
  // Remembered as failed, it is not confirmed again by the word of a read that lags.
  return {
    kind: 'advanced',
    stage: 'created',
    learned: {
      transfer: failed,
      lookedBy: null,
      silentAt,
      doubts: until === null ? progress.doubts + 1 : 0,
    },
    afterMs: waitMs,
  };
}

/** Whether another attempt may follow one that has failed. @param at the latest that it can have been at the read that showed it. */
function mayFollow(
  progress: Progress,
  failed: KnownTransfer,
  at: ServiceTime | null,
  { run }: Asker,
): boolean {
  return mayHaveNext({ ...evidenceOf(progress), transfer: failed }, at, { lease: run });
}

/**
 * When no read can hide an attempt behind a failed one any more; null where this look, which found none, is enough. If nobody vouches for the attempt, the
 * doubt begins with the first such look at the latest: an older ledger may have been put back without anybody's notice.
 */
function hiddenUntil(
  progress: Progress,
  failed: KnownTransfer,
  at: ServiceTime | null,
  { run, doubtSince }: Asker,
): ServiceTime | null {
  const since = doubtSince ?? progress.silentAt ?? at;
  if (since === null) return Infinity;
  return nextHiddenUntil({ ...evidenceOf(progress), transfer: failed }, at, proving(run, since));
}

/** Whether a failure may be told of a row that nobody vouches for, by one look that showed it and no attempt behind it. */
export function isLastFailure(
  progress: Progress,
  failed: KnownTransfer,
  at: ServiceTime | null,
  by: Asker,
): boolean {
  return !mayFollow(progress, failed, at, by) || hiddenUntil(progress, failed, at, by) === null;
}

/** The id of the attempt after the row's present one. */
export function nextExternalId({ fileId, row }: Pick<DueRow, 'fileId' | 'row'>): string {
  return externalId(fileId, row.row, 'transfer', laterNumberOf(row.progress));
}

function failedIn(verdict: Verdict): KnownTransfer | null {
  return verdict.kind === 'refused' && verdict.stage === 'failed' ? (verdict.learned.transfer ?? null) : null;
}

/** An earlier look has seen the failure already, while another attempt might still be hidden. */
function failedBefore({ row }: DueRow): KnownTransfer | null {
  const { stage, transfer } = row.progress;
  return stage === 'created' && transfer?.status === 'failed' ? transfer : null;
}

/** One that was seen failed is not given up as expired, either. */
const BEHIND: ReadonlySet<Stage> = new Set(['ready', 'created', 'confirming']);

/** The status of a transfer, in a read from before it failed. */
function isBehind(verdict: Verdict): boolean {
  return (
    verdict.kind === 'waiting' ||
    (verdict.kind === 'held' && verdict.code === 'confirm_uncertain') ||
    (verdict.kind === 'advanced' && BEHIND.has(verdict.stage))
  );
}

/** A transfer that had ended or was confirmed was never given up: its end had been told. */
function isTold({ stage, confirmedAt, finalAt }: Progress): boolean {
  return (
    stage === 'paid' ||
    stage === 'failed' ||
    confirmedAt !== null ||
    (stage === 'confirmed' && finalAt !== null)
  );
}

export type Revived = { readonly words: Words; readonly deadAttempts: Progress['deadAttempts'] };

/**
 * An attempt that was proved dead can be brought back to life by the service's staff, and nobody is told. Each that is shown as anything but `created` or
 * `failed` is marked, as it is shown; the words are of the first. Null while none is.
 */
export function revivedAmong(
  deadAttempts: Progress['deadAttempts'],
  shown: ReadonlyMap<number, Sight>,
): Revived | null {
  const marked = deadAttempts.map((dead) => asRevived(dead, shown.get(dead.attempt)?.value ?? null));
  const first = marked.find((each) => each !== null);
  if (first === undefined) return null;
  return {
    words: first.words,
    deadAttempts: deadAttempts.map((dead, index) => marked[index]?.dead ?? dead),
  };
}

function asRevived(
  dead: DeadAttempt,
  shown: Transfer | null,
): { readonly dead: DeadAttempt; readonly words: Words } | null {
  if (shown === null || shown.status === 'created' || shown.status === 'failed') return null;
  const transfer = isSameTransfer(dead.transfer, shown) ? toKnownTransfer(shown) : dead.transfer;
  return {
    dead: { ...dead, transfer, revived: dead.revived ?? 'seen' },
    words: revivedWords(dead, shown),
  };
}

export function asHeld({ words, deadAttempts }: Revived, learned: Learned = {}): Verdict {
  return { kind: 'held', code: 'transfer_reinstated', reason: words, learned: { deadAttempts, ...learned } };
}

function revivedWords({ attempt, transfer }: DeadAttempt, shown: Transfer): Words {
  const now = shownStatus(shown);
  return sentence('revived.text', { transferId: transfer.transferId, attempt, now });
}
