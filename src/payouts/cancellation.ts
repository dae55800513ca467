// What becomes of a row that a person decided not to pay: it has ended, and its code says by which decision.
import type { Words } from '../base/language.ts';
import { furthest, mayHaveBeenConfirmed, type Progress } from './progress.ts';

/** `cancelled` by `release --skip`; `declined` with its whole batch. */
export type Cancellation = 'cancelled' | 'declined';

/** What stood as an intent to confirm is remembered beyond its stage. */
export function cancelled(progress: Progress, code: Cancellation, reason: Words): Progress {
  const confirm = mayHaveBeenConfirmed(progress) ? furthest(progress.confirm, 'sent') : progress.confirm;
  return { ...progress, stage: 'rejected', hold: null, errorCode: code, reason, confirm };
}

export function isCancelled(errorCode: string | null): boolean {
  return errorCode === 'cancelled' || errorCode === 'declined';
}
