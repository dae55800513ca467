// What a person chooses to be told of, and where to.
import { z } from 'zod';

import { type Body, moment, text } from './schema.ts';
import { stepUp } from './session.ts';
import { MAILBOX, NOTICE_KINDS } from './words.ts';

const kinds = z.array(z.enum(NOTICE_KINDS)).max(NOTICE_KINDS.length);
export const noticesChosen = z.strictObject({ mail: kinds, browser: kinds });
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
  /** The key under which a browser subscribes; null where the config names no push service. */
  pushKey: text.nullable(),
  browsers: z.array(z.object({ id: text, name: text, createdAt: moment })),
});
export type Notices = Body<typeof notices>;

/** As long as an address may be (RFC 5321). */
const ADDRESS_MOST = 254;
export const addressAsked = z.strictObject({ address: text.max(ADDRESS_MOST).regex(MAILBOX), stepUp });
export type AddressAsked = Body<typeof addressAsked>;
export const addressCode = z.strictObject({ code: text.regex(/^\d{6}$/) });
export type AddressCode = Body<typeof addressCode>;

/** A subscription as the browser gives it (Push API); points and secrets in base64url. */
const P256_POINT = /^[\w-]{87}$/;
const AUTH_SECRET = /^[\w-]{22}$/;
const ENDPOINT_MOST = 1_000;
export const subscribing = z.strictObject({
  endpoint: z.url().max(ENDPOINT_MOST),
  keys: z.strictObject({ p256dh: text.regex(P256_POINT), auth: text.regex(AUTH_SECRET) }),
  name: text.max(100),
  stepUp,
});
export type Subscribing = Body<typeof subscribing>;
