// The one place where a verdict becomes progress.
import { HELD_WORDS } from './held.ts';
import { mayMove, type Stage } from './lifecycle.ts';
import { mayHaveBeenConfirmed, type Progress } from './progress.ts';
import type { Verdict } from './verdict.ts';

/** The progress after a verdict. A move that the lifecycle does not have is a bug, and throws. */
export function applyVerdict(progress: Progress, verdict: Verdict): Progress {
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
          reason: HELD_WORDS[verdict.code],
          errorCode: verdict.code,
          // What stood as an intent on record has to be remembered beyond the stage.
          mayBeConfirmed: mayHaveBeenConfirmed(progress),
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
    case 'stopped':
      return { ...progress, ...verdict.learned };
    case 'interrupted':
      return progress;
  }
}

function moved(progress: Progress, from: Stage, to: Stage): Progress {
  if (!mayMove(from, to)) throw new Error(`A payout cannot go from ${from} to ${to}.`);
  return { ...progress, stage: to, doubts: from === to ? progress.doubts : 0 };
}
