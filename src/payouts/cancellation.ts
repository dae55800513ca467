// What becomes of a row that a person decided not to pay: it has ended, and its code says by which decision.
import type { Words } from '../base/language.ts';

/** `cancelled` by `release --skip`; `declined` with its whole batch. */
export type Cancellation = 'cancelled' | 'declined';

export function cancelled(code: Cancellation, reason: Words) {
  return { stage: 'rejected', heldCode: null, errorCode: code, reason } as const;
}

export function isCancelled(errorCode: string | null): boolean {
  return errorCode === 'cancelled' || errorCode === 'declined';
}
