// A message that names several days is one batch: which of them have come, and whether a row's has.
import { type BatchRecord, decisionAbout, type PayAt, type RowRecord } from './records.ts';

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
  { payAt }: { readonly payAt?: PayAt | undefined },
  { payout }: Pick<RowRecord, 'payout'>,
): boolean {
  const day = payout?.payOn;
  return day !== undefined && isOnDays(payAt) && (payAt.openTo === undefined || day > payAt.openTo);
}

type Decided = Pick<BatchRecord, 'payAt' | 'decisions'>;

/** The day that a decision about the limits is about: the last that has come, or else the first. */
export function dayOfDecision({ payAt }: Pick<BatchRecord, 'payAt'>): { readonly day?: string } {
  const day = isOnDays(payAt) ? (payAt.openTo ?? dayToCome(payAt)?.day) : undefined;
  return day === undefined ? {} : { day };
}

/** A person has let the file exceed its limits; of several days, on this one. */
export function areLimitsLifted(batch: Decided): boolean {
  const { day } = dayOfDecision(batch);
  return batch.decisions.some((decision) => decision.about === 'limits' && decision.day === day);
}

/** A person has decided about its time; of several days, about that of the first that has not come. */
export function isTimeDecided(batch: Decided): boolean {
  const { payAt, decisions } = batch;
  if (!isOnDays(payAt)) return decisionAbout(batch, 'time') !== null;
  const day = dayToCome(payAt)?.day;
  return decisions.some((decision) => decision.about === 'time' && decision.day === day);
}
