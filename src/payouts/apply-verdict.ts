// The one place where a verdict becomes progress.
import { HOLDS } from './hold.ts';
import { mayMove, type Stage } from './lifecycle.ts';
import { furthest, mayHaveBeenConfirmed, type Progress } from './progress.ts';
import type { Verdict } from './verdict.ts';

/** The progress after a verdict. A move that the lifecycle does not have is a bug, and throws. */
export function applyVerdict(progress: Progress, verdict: Verdict): Progress {
  if (verdict.kind === 'interrupted') return progress;
  const after = applied(progress, verdict);
  return after.transferAttempt === progress.transferAttempt ? keepingDoubts(progress, after) : after;
}

/** Within one attempt nobody unlearns that a confirm may have arrived. */
function keepingDoubts(before: Progress, after: Progress): Progress {
  // What stood as an intent on record has to be remembered beyond the stage.
  const wasIntended = after.stage === 'held' && mayHaveBeenConfirmed(before);
  const confirm = furthest(before.confirm, after.confirm);
  return { ...after, confirm: wasIntended ? furthest(confirm, 'sent') : confirm };
}

function applied(progress: Progress, verdict: Exclude<Verdict, { kind: 'interrupted' }>): Progress {
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
    case 'held':
      return moved(
        {
          ...progress,
          reason: HOLDS[verdict.code].words,
          errorCode: verdict.code,
          ...verdict.learned,
          heldCode: verdict.code,
          tries: 0,
        },
        progress.stage,
        'held',
      );
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

function moved(progress: Progress, from: Stage, to: Stage): Progress {
  if (!mayMove(from, to)) throw new Error(`A payout cannot go from ${from} to ${to}.`);
  return { ...progress, stage: to, doubts: from === to || isContradicted(progress) ? progress.doubts : 0 };
}

/** The service has said that the transfer exists, and does not show it: a new price does not change that, however often one is asked for. */
function isContradicted({ transfer, confirm, mayArriveUntil }: Progress): boolean {
  return transfer === null && confirm !== 'none' && mayArriveUntil !== null;
}
