// How a row is written and told (serialization), and how a tenure takes it up again. What only spares a call is left out: whoever takes the row up looks again.
import { isoTime, parseIsoTime } from '../../base/clock.ts';
import { BEFORE_CONFIRM, FINAL } from '../lifecycle.ts';
import { isCancelled } from '../cancelled.ts';
import { type ConfirmSent, mayHaveBeenConfirmed, type Progress, type Tenure, type Why } from '../progress.ts';
import { failureOf } from './changes.ts';
import { type Closing, freshRow, type RowEnd, type RowState, stageOf } from './row-state.ts';

/**
 * A row as a tenure takes it up: it vouches for nothing that another one began, and looks at what another one saw last.
 * @param isInPeace the batch is in no doubt: whoever had it before gave it back, with all that was sent on record.
 */
export function stateOf(progress: Progress, tenure: Tenure, isInPeace = false): RowState {
  const { stage, transfer, begunBy, confirmedAt, finalAt, mayArriveUntil } = progress;
  return {
    ...freshRow(begunBy === tenure ? tenure : null),
    quotation: progress.quotationAttempt,
    price: progress.price,
    deadAttempts: progress.deadAttempts,
    transfer,
    silentAt: progress.silentAt,
    mayBeAnothers: progress.confirm !== 'none' || (stage === 'confirming' && begunBy !== tenure),
    mayLandUntil: mayArriveUntil === null ? null : (parseIsoTime(mayArriveUntil) ?? Infinity),
    // What another tenure intended is doubted anyway, and each records its own intent before its confirm.
    isIntended:
      transfer !== null && (confirmedAt !== null || (begunBy === tenure && mayHaveBeenConfirmed(progress))),
    isRefusedLate: progress.confirm === 'refused-late',
    mustLook: progress.lookedBy !== tenure && !(isInPeace && isUnsent(progress)),
    document: progress.document,
    comparison: progress.comparison,
    hold: progress.hold,
    closing: closingOf(progress),
    networkRefusal: stage === 'confirmed' ? progress.why : null,
    end: endOf(progress),
    why: endOf(progress) === null ? null : progress.why,
    confirmedAt:
      confirmedAt === null ? (stage === 'confirmed' ? UNKNOWN_TIME : null) : Date.parse(confirmedAt),
    finalAt: finalAt === null ? null : Date.parse(finalAt),
    doubts: progress.doubts,
  };
}

/** Registered or looked for by some tenure, and nothing of it sent. If something were there all the same, the create would be refused for it. */
function isUnsent(progress: Progress): boolean {
  const { stage, lookedBy, transfer, mayArriveUntil, confirm, hold, deadAttempts, why } = progress;
  const isBefore = (stage === 'ready' || stage === 'quoted') && transfer === null && mayArriveUntil === null;
  return (
    isBefore &&
    confirm === 'none' &&
    lookedBy !== null &&
    hold === null &&
    why === null &&
    deadAttempts.length === 0
  );
}

/** It is on its way, and nobody here knows since when. */
const UNKNOWN_TIME = 0;

function endOf(progress: Progress): RowEnd | null {
  const { stage, hold } = progress;
  // An end that the service took back was no end.
  if (hold !== null) return null;
  if (stage === 'rejected') return isCancelled(progress) ? 'cancelled' : 'rejected';
  return stage === 'paid' || stage === 'failed' || stage === 'duplicate' ? stage : null;
}

/** A failure, or a refusal, that is not told yet: looks come first. */
function closingOf({ stage, transfer, why, hold }: Progress): Closing | null {
  if (FINAL.has(stage) && hold === null) return null;
  const isOpen = BEFORE_CONFIRM.has(stage);
  if (transfer?.status === 'failed' && hold?.code !== 'status_went_back')
    return {
      as: 'failed',
      why: failureOf({ networkRefusal: isOpen ? null : why }, transfer),
      isOwnOver: true,
      mayHaveNext: true,
    };
  return isOpen && why !== null ? { as: 'rejected', why, isOwnOver: false, mayHaveNext: false } : null;
}

/** The record of a row. @param tenure the one that writes it. */
export function progressOf(row: RowState, tenure: Tenure): Progress {
  const { confirmedAt, finalAt, mayLandUntil } = row;
  return {
    stage: stageOf(row),
    quotationAttempt: row.quotation,
    price: row.price,
    transfer: row.transfer,
    confirm: confirmOf(row),
    mayArriveUntil:
      mayLandUntil === null ? null : Number.isFinite(mayLandUntil) ? isoTime(mayLandUntil) : 'never',
    begunBy: row.vouchedBy,
    // One that is shown as open again is looked at before its failure is told.
    lookedBy: row.mustLook || row.closing?.isTakenBack === true ? null : tenure,
    silentAt: row.silentAt,
    document: row.document,
    deadAttempts: row.deadAttempts,
    hold: row.hold,
    why: whyOf(row),
    comparison: row.comparison,
    confirmedAt: confirmedAt === null || confirmedAt === UNKNOWN_TIME ? null : isoTime(confirmedAt),
    finalAt: finalAt === null ? null : isoTime(finalAt),
    doubts: row.doubts,
  };
}

/** An intent of this tenure is the stage itself. */
function confirmOf(row: RowState): ConfirmSent {
  if (row.isRefusedLate) return 'refused-late';
  const isSent = row.isIntended && stageOf(row) !== 'confirming';
  return isSent || row.mayBeAnothers ? 'sent' : 'none';
}

function whyOf({ end, why, confirmedAt, networkRefusal, closing }: RowState): Why | null {
  if (end !== null) return why;
  if (confirmedAt !== null) return networkRefusal;
  return closing?.as === 'rejected' ? closing.why : null;
}
