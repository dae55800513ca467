// The one place where a verdict becomes progress.
import { HOLDS, newHold } from './hold.ts';
import { FINAL, mayMove, stageUnderHold, type Stage } from './lifecycle.ts';
import { furthest, mayHaveBeenConfirmed, type Progress } from './progress.ts';
import type { Verdict } from './verdict.ts';

/** The progress after a verdict; `now` (our time, in ms) is since when it is held. A move that the lifecycle does not have is a bug, and throws. */
export function applyVerdict(progress: Progress, verdict: Exclude<Verdict, { kind: 'held' }>): Progress;
export function applyVerdict(progress: Progress, verdict: Verdict, now: number): Progress;
export function applyVerdict(progress: Progress, verdict: Verdict, now = 0): Progress {
  if (verdict.kind === 'interrupted') return progress;
  const after = verdict.kind === 'held' ? held(progress, verdict, now) : applied(progress, verdict);
  return after.transferAttempt === progress.transferAttempt ? keepingDoubts(progress, after) : after;
}

/** Within one attempt nobody unlearns that a confirm may have arrived. */
function keepingDoubts(before: Progress, after: Progress): Progress {
  // What stood as an intent on record has to be remembered beyond the stage.
  const wasIntended = after.hold !== null && mayHaveBeenConfirmed(before);
  const confirm = furthest(before.confirm, after.confirm);
  return { ...after, confirm: wasIntended ? furthest(confirm, 'sent') : confirm };
}

function applied(
  progress: Progress,
  verdict: Exclude<Verdict, { kind: 'interrupted' } | { kind: 'held' }>,
): Progress {
  switch (verdict.kind) {
    case 'advanced':
      // Looking again at the same stage is not progress: a service that keeps contradicting itself runs out of tries.
      return moved(
        { ...progress, ...verdict.learned, tries: verdict.stage === progress.stage ? progress.tries : 0 },
        progress.stage,
        verdict.stage,
      );
    case 'refused':
      return moved({ ...progress, ...verdict.learned, tries: 0 }, progress.stage, verdict.stage);
    case 'waiting':
      return { ...progress, ...verdict.learned, tries: 0 };
    case 'later':
      return { ...progress, ...verdict.learned, tries: progress.tries + 1 };
    case 'breaker':
      // A service that does not answer is asked ever more rarely; that money is missing is no fault of the row.
      return {
        ...progress,
        ...verdict.learned,
        tries: progress.tries + (verdict.breaker === 'service' ? 1 : 0),
      };
    case 'stopped':
      return { ...progress, ...verdict.learned };
  }
}

/** The hold is laid over the stage, and nothing else of the row is lost. */
function held(progress: Progress, verdict: Verdict & { readonly kind: 'held' }, now: number): Progress {
  const { errorCode = null, reason, ...learned } = verdict.learned;
  const hold = { ...newHold(verdict.code, now, reason ?? HOLDS[verdict.code].words), errorCode };
  const stage = stageUnderHold(verdict.stage ?? progress.stage);
  // What the service said of an end that it takes back is no longer true.
  const why = stage === progress.stage ? {} : { errorCode: null, reason: null };
  const isNew = progress.hold === null && !isContradicted({ ...progress, ...learned });
  const doubts = isNew ? 0 : (learned.doubts ?? progress.doubts);
  return { ...progress, ...learned, ...why, stage, hold, tries: 0, doubts };
}

function moved(progress: Progress, from: Stage, to: Stage): Progress {
  if (!mayMove(from, to)) throw new Error(`A payout cannot go from ${from} to ${to}.`);
  // A final stage wins over a hold.
  const hold = FINAL.has(to) ? null : progress.hold;
  return {
    ...progress,
    stage: to,
    hold,
    doubts: from === to || isContradicted(progress) ? progress.doubts : 0,
  };
}

/** The service has said that the transfer exists, and does not show it: a new price does not change that, however often one is asked for. */
function isContradicted({ transfer, confirm, mayArriveUntil }: Progress): boolean {
  return transfer === null && confirm !== 'none' && mayArriveUntil !== null;
}
