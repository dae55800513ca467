// A message that names several days is one batch: which of them have come, and whether a row's has.
import type { BatchRecord, PayAt, RowRecord } from './records.ts';

/** A message that names several days, each of whose rows is paid on its own. */
export type PayOnDays = PayAt & Required<Pick<PayAt, 'days'>>;

export function isOnDays(payAt: PayAt | undefined): payAt is PayOnDays {
  return payAt?.days !== undefined;
}

/** The first of its days that has not come; null once all have. */
export function dayToCome({ days, openTo }: PayOnDays): PayOnDays['days'][number] | null {
  return days.find(({ day }) => openTo === undefined || day > openTo) ?? null;
}

/** The same once that day has come, too. */
export function nextDayOpen(payAt: PayOnDays): PayOnDays {
  const openTo = dayToCome(payAt)?.day;
  const now = openTo === undefined ? payAt : { ...payAt, openTo };
  return { ...now, at: dayToCome(now)?.at ?? payAt.at };
}

/** Whether the day of a row has not come. */
export function isToCome(
  { payAt }: Pick<BatchRecord, 'payAt'>,
  { payout }: Pick<RowRecord, 'payout'>,
): boolean {
  const day = payout?.payOn;
  return day !== undefined && isOnDays(payAt) && (payAt.openTo === undefined || day > payAt.openTo);
}
