// What the accounts hold, what is promised of it, and when files are paid by themselves. Amounts are in major units with the currency's decimals.
import { z } from 'zod';

import { type Body, decimal, moment, text } from './schema.ts';

/** Null where neither the service nor the config says. */
export const balance = z.object({
  currency: text,
  available: decimal.nullable(),
  reserved: decimal.nullable(),
  /** The debits of rows that are still to be sent, if they have a price or state it themselves. */
  promised: decimal,
  /** How many of those rows have neither. */
  unpriced: z.int(),
  /** The same by file, the oldest first. */
  files: z.array(
    z.object({
      batch: text,
      file: text,
      promised: decimal,
      unpriced: z.int(),
      /** Nobody has approved it yet, and perhaps nobody will. */
      awaitsApproval: z.boolean(),
    }),
  ),
  /** Available minus promised; below zero where money is missing. */
  free: decimal.nullable(),
  spentToday: decimal,
  perDay: decimal.nullable(),
});
export type Balance = Body<typeof balance>;

const point = z.object({ at: moment, available: decimal });
/** Of the last 24 hours, the oldest first. */
export const balanceLine = z.object({
  currency: text,
  points: z.array(point),
  lowest: point,
  highest: point,
});
export type BalanceLine = Body<typeof balanceLine>;

export const schedule = z.object({
  /** Relative to the inbox. */
  folder: text,
  isThere: z.boolean(),
  cron: text,
  timeZone: text,
  missed: z.enum(['pay', 'hold']),
  standing: z.boolean(),
  next: z.array(moment),
  /** Batches that wait for one of its times, or missed it. */
  waiting: z.array(z.object({ batch: text, file: text, payAt: moment, isMissed: z.boolean() })),
});
export type Schedule = Body<typeof schedule>;

export const corridor = z.looseObject({ id: text });
export type Corridor = Body<typeof corridor>;
