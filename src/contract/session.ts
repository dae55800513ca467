// How people come in, and what they sign. What a browser makes of a passkey (WebAuthn) is read by the library that verifies it.
import { z } from 'zod';

import { type Body, moment, text } from './schema.ts';
import { ROLES } from './words.ts';

export const role = z.enum(ROLES);
export const personRef = z.object({ id: text, name: text, roles: z.array(role) });
export type PersonRef = Body<typeof personRef>;

export const session = z.object({
  person: personRef.nullable(),
  idleEndsAt: moment.nullable(),
  endsAt: moment.nullable(),
  sandbox: z.boolean(),
  language: text,
  signing: z.enum(['passkey', 'click']),
  oidc: z.object({ name: text }).nullable(),
  /** How many the person has; none where somebody came through the company's directory for the first time. */
  passkeys: z.int(),
  needsSetup: z.boolean(),
  /** The people of the demo, who may be played in turn. */
  demo: z.array(personRef).nullable(),
});
export type Session = Body<typeof session>;

const challenge = z.uuid();
/** What a passkey is to sign, or is made of. */
export const challenged = z.object({ challenge, options: z.unknown() });
export type Challenged = Body<typeof challenged>;

const assertion = z.looseObject({
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  response: z.looseObject({ authenticatorData: text, clientDataJSON: text, signature: text }),
});
export const signature = z.strictObject({ challenge, assertion });
export type Signature = Body<typeof signature>;
export const stepUp = signature.optional();
export const steppingUp = z.strictObject({ stepUp });
export const stepUpAsked = z.strictObject({ action: text.max(300) });
export type StepUpAsked = Body<typeof stepUpAsked>;

/** What a provider of identities (OpenID Connect) says as it leads back. */
export const returned = z.object({}).catchall(text);
export type Returned = Body<typeof returned>;

const token = text.max(100);
export const demoSignIn = z.strictObject({ person: text, token: token.optional() });
export type DemoSignIn = Body<typeof demoSignIn>;

const credential = z.looseObject({
  id: text,
  rawId: text,
  response: z.looseObject({}),
  type: z.literal('public-key'),
});
/** The token of a link; and the name that the first person of all typed, where an invitation has one already. */
export const enrolmentAsked = z.strictObject({ token, name: text.max(200).optional() });
export type EnrolmentAsked = Body<typeof enrolmentAsked>;
export const invited = challenged.extend({ name: text, roles: z.array(role) });
export type Invited = Body<typeof invited>;
export const enrolment = enrolmentAsked.extend({
  challenge,
  credential,
  passkeyName: text.max(100).default(''),
});
export type Enrolment = Body<typeof enrolment>;

/** What one sees and ends of oneself. */
export const mine = z.object({
  passkeys: z.array(z.object({ id: text, name: text, createdAt: moment, lastUsedAt: moment.nullable() })),
  sessions: z.array(
    z.object({ id: text, createdAt: moment, lastSeenAt: moment, endsAt: moment, isThis: z.boolean() }),
  ),
});
export type Mine = Body<typeof mine>;
export const passkeyMade = z.strictObject({
  challenge,
  credential,
  name: text.max(100).default(''),
  stepUp,
});
export type PasskeyMade = Body<typeof passkeyMade>;
export const passkey = z.object({ id: text, name: text });
