// What becomes of a row that a person closed unpaid: it has ended, and its code says by whom it was decided.
import type { Words } from '../base/language.ts';

/** The error code of a row that a person closed. */
export const CLOSED_UNPAID = 'closed_unpaid';

/** What becomes of a row that a person closed. */
export function closedUnpaid(reason: Words) {
  return { stage: 'rejected', heldCode: null, errorCode: CLOSED_UNPAID, reason } as const;
}
