// What becomes of a row that a person closed unpaid: it has ended, and its code says by whom it was decided.

/** The error code of a row that a person closed. */
export const CLOSED_UNPAID = 'closed_unpaid';

/** What becomes of a row that a person closed. */
export function closedUnpaid(reason: string) {
  return { stage: 'rejected', heldCode: null, errorCode: CLOSED_UNPAID, reason } as const;
}
