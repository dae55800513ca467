// What people decide about held rows and about everything: release, cancellation, the stop.
import { z } from 'zod';

import { reason, stating } from './approvals.ts';
import { stepUp } from './session.ts';
import { row } from './files.ts';
import { type Body, moment, page, text } from './schema.ts';

export const heldGroup = z.object({
  code: text,
  words: text,
  liftsItself: z.boolean(),
  rows: z.int(),
  /** `isOwn`: brought by who reads. */
  files: z.array(z.object({ batch: text, file: text, rows: z.int(), isOwn: z.boolean() })),
});
export type HeldGroup = Body<typeof heldGroup>;

/** A held row beside the payment that made paydrop ask; null where the hold is about no other row, or it cannot be told any more. */
export const heldRow = z.object({
  row,
  met: z
    .object({
      batch: text,
      file: text,
      acceptedAt: moment,
      row,
      /** In what the two differ, by the whole account. */
      differs: z.array(z.enum(['reference', 'receiver', 'account', 'amount'])),
    })
    .nullable(),
});
export type HeldRow = Body<typeof heldRow>;
export const heldRowsQuery = z.strictObject({ ...page, code: text.max(64).optional() });
export type HeldRowsQuery = Body<typeof heldRowsQuery>;

const names = z.array(text.max(200)).min(1).max(100_000).nullable().default(null);
export const releasing = z.strictObject({
  codes: names,
  rows: names,
  dryRun: z.boolean().default(false),
  seen: text.max(100).nullable().default(null),
  reason: reason.optional(),
  stepUp,
});
export type Releasing = Body<typeof releasing>;

/** The effect of an order on the rows as they are now. Before rows are cancelled, the service still has to be asked. */
export const releaseTrial = z.object({
  matching: z.int(),
  released: z.int(),
  onlySkip: z.int(),
  followed: z.int(),
  left: z.array(z.object({ row: text, tryAgainAt: moment.nullable() })),
  /** A digest of exactly these rows in their present state: an order with it concerns nothing else. */
  seen: text,
});
export type ReleaseTrial = Body<typeof releaseTrial>;
/** What an order came to, in rows. */
export const released = z.object({
  released: z.int(),
  onlySkip: z.int(),
  followed: z.int(),
  left: z.int(),
  notHeld: z.int(),
  closedBefore: z.int(),
  stillHeld: z.int(),
  file: text.nullable(),
  /** Why nothing could be closed: what the service did not tell. */
  unasked: z.enum(['service', 'credentials']).nullable(),
  /** On record, but not carried out yet: another go has the batch. */
  isRecorded: z.boolean(),
  isDone: z.boolean(),
});
export type Released = Body<typeof released>;

/** Who stopped everything, why, and since when; only the time is null where the file cannot be seen now. */
export const stop = z.object({ stop: z.object({ words: text, since: moment.nullable() }).nullable() });
export type Stop = Body<typeof stop>;
export const lifting = stating.extend({ stepUp });
export type Lifting = Body<typeof lifting>;
