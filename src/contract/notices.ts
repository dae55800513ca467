// What a person chooses to be told of, and where to.
import { z } from 'zod';

import { type Body, moment, text } from './schema.ts';
import { stepUp } from './session.ts';
import { NOTICE_KINDS } from './words.ts';

/** One mailbox, without a name: nothing in it can end a header or add a receiver. */
export const MAILBOX = /^[^\s<>()[\]\\,;:"@\p{C}]+@[^\s<>()[\]\\,;:"@\p{C}]+$/u;

const kinds = z.array(z.enum(NOTICE_KINDS)).max(NOTICE_KINDS.length);
export const noticesChosen = z.strictObject({ mail: kinds });
export type NoticesChosen = Body<typeof noticesChosen>;

export const notices = z.object({
  chosen: noticesChosen,
  mail: z.object({
    /** False where the config names no mail server. */
    isOffered: z.boolean(),
    /** Confirmed. */
    address: text.nullable(),
    /** An address to which a code was sent that counts until then. */
    asked: z.object({ address: text, endsAt: moment }).nullable(),
  }),
});
export type Notices = Body<typeof notices>;

/** As long as an address may be (RFC 5321). */
const ADDRESS_MOST = 254;
export const addressAsked = z.strictObject({ address: text.max(ADDRESS_MOST).regex(MAILBOX), stepUp });
export type AddressAsked = Body<typeof addressAsked>;
export const addressCode = z.strictObject({ code: text.regex(/^\d{6}$/) });
export type AddressCode = Body<typeof addressCode>;
