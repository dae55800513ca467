// The forms of single fields that several requests share, each with the words that follow the field's name in a validation error.
import { z } from 'zod';

import type { SOURCE_CURRENCIES } from '../service/wire.ts';

/** Far longer than any reference, yet short enough for a header or a path. */
const REFERENCE_CHARACTERS_MAX = 255;

/** A reference or an id: a string that is not empty. */
export const reference = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .max(REFERENCE_CHARACTERS_MAX, `must have at most ${REFERENCE_CHARACTERS_MAX} characters`);

/** One value of a closed list. */
export function oneOf<const T extends readonly string[]>(values: T) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}

/** A whole number in a query, within bounds. */
export function limitWithin({ least, most, usual }: { least: number; most: number; usual: number }) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .refine((limit) => limit >= least && limit <= most, error)
    .default(usual);
}

// The currencies of the organization's balances, as a type, because every amount that moves is in one of them.

export type SourceCurrency = (typeof SOURCE_CURRENCIES)[number];
