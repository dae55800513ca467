// Whether a row may still be created under its quotation. Where quotations live hardly longer than a row takes, fewer rows at a time are the cure, not more quotations.
import { lifeMsOf, mayCreate, type Lifetime } from './time-left.ts';
import type { DeliveryTools, DueRow } from './tools.ts';

/** A row must fit twice into the life of its quotation, or its neighbours are too many. */
const FITS_TIMES = 2;

export function isInTime(
  { row }: DueRow,
  price: Lifetime,
  { rateControl, serviceClock }: DeliveryTools,
): boolean {
  const hasDocument = row.payout.document !== null;
  const seenMs = rateControl.times.seenMs(hasDocument);
  const lifeMs = lifeMsOf(price);
  if (lifeMs !== null && FITS_TIMES * seenMs > lifeMs) rateControl.late(seenMs);
  return mayCreate(price, serviceClock.latestNow(), rateControl.times.neededMs(hasDocument));
}
