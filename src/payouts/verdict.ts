// What one step ended in. The list is closed, and each kind says what the runner does next; no step acts on its own verdict.
import type { Words } from '../base/language.ts';
import type { HoldCode } from './hold.ts';
import type { Stage } from './lifecycle.ts';
import type { Progress } from './progress.ts';

/** What a verdict may change besides stage and tries, which `applyVerdict` keeps. */
export type Learned = Partial<Omit<Progress, 'stage' | 'tries' | 'hold'>>;

/** What stops a file until a person has decided: a limit of the file or the day, too many refusals, an approval that is missing, the file `STOP` in the inbox, or a time for paying that has passed. */
export const STOPPED_BY = ['limits', 'refusals', 'approval', 'stop-file', 'missed-time'] as const;
export type StoppedBy = (typeof STOPPED_BY)[number];

/** With plain words to it. */
export type Stop = { readonly by: StoppedBy; readonly words: Words };

export const BREAKERS = ['funds', 'credentials', 'service'] as const;
export type Breaker = (typeof BREAKERS)[number];

export type Verdict =
  /** The next step can follow at once. */
  | {
      readonly kind: 'advanced';
      readonly stage: Stage;
      readonly learned: Learned;
      /** A pause before the next step, where going on at once would only go round in circles. */
      readonly afterMs?: number;
    }
  /** Nothing to do before `lookAgainMs` from now; costs no try. */
  | { readonly kind: 'waiting'; readonly lookAgainMs: number; readonly learned: Learned }
  /** The step is tried again after a back-off, or after what the service asked for; costs a try. */
  | {
      readonly kind: 'later';
      readonly retryAfterMs: number | null;
      /** True when the call got no usable answer, which may say something about the service. */
      readonly isUnanswered: boolean;
      /** What was answered, in short, when it may be about this payout alone: the interface does not describe it. */
      readonly oddity?: string;
      readonly learned: Learned;
    }
  /** The service's final no: `failed` when a transfer ended so, `rejected` when none was ever made. */
  | { readonly kind: 'refused'; readonly stage: 'failed' | 'rejected'; readonly learned: Learned }
  /** A person has to look. `errorCode` and `reason` that were learned are those of the hold. */
  | {
      readonly kind: 'held';
      readonly code: HoldCode;
      readonly learned: Learned;
      /** Where the look that led to it has found the row; left out, it stands where it stood. */
      readonly stage?: Stage;
    }
  /** A person has to decide about the file before anything more of it is sent; the payout stays where it is. */
  | { readonly kind: 'stopped'; readonly stop: Stop; readonly learned: Learned }
  /** We are stopping; costs nothing. */
  | { readonly kind: 'interrupted' }
  /** Something beyond this payout is missing: the batch stops, the payout stays where it is. `final`: waiting does not help. */
  | {
      readonly kind: 'breaker';
      readonly breaker: Breaker;
      readonly retryAfterMs: number | null;
      readonly final: boolean;
      readonly learned: Learned;
      /** True for a confirm that was certainly not executed. */
      readonly isUnsentConfirm?: true;
    };
