// The search over all that is on record: files, payees and payments.
import { z } from 'zod';

import { row } from './files.ts';
import { type Body, moment, text } from './schema.ts';

/** In a body: what is looked for may be an account, and no address names one. */
export const searchOrder = z.strictObject({
  words: text.min(1).max(200),
  /** The most payments, and the most files. */
  limit: z.int().min(1).max(50).default(20),
});
export type SearchOrder = Body<typeof searchOrder>;

const place = { batch: text, file: text, acceptedAt: moment };
export const foundPayment = z.object({ ...place, row });
/** All newest first. */
export const found = z.object({
  files: z.array(z.object({ ...place, rows: z.int() })),
  payments: z.array(foundPayment),
  /** There may be more than are told: also where nothing is, because very many begin with these words. */
  isMore: z.boolean(),
  /** False while the index is being built: what is older may be missing. */
  isWhole: z.boolean(),
});
export type FoundPayments = Body<typeof found>;
export type FoundPayment = Body<typeof foundPayment>;
