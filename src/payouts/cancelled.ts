// The end of a row that a person decided not to pay; its code names the decision.
import type { Words } from '../base/language.ts';
import { furthest, mayHaveBeenConfirmed, type Progress, withForeign } from './progress.ts';

/** `cancelled` by `release --skip`; `declined` with its whole batch. */
type Cancellation = 'cancelled' | 'declined';

/** The recorded intent to confirm survives the change of stage, and the transfer under the row's id survives the hold: the row acts on neither any more. */
export function cancelled(progress: Progress, code: Cancellation, reason: Words): Progress {
  const confirm = mayHaveBeenConfirmed(progress) ? furthest(progress.confirm, 'sent') : progress.confirm;
  return {
    ...withForeign(progress),
    stage: 'rejected',
    hold: null,
    why: { errorCode: code, reason },
    confirm,
  };
}

export function isCancelled({ why }: Pick<Progress, 'why'>): boolean {
  return why?.errorCode === 'cancelled' || why?.errorCode === 'declined';
}
