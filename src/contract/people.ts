// The work of admins: people, invitations, keys of programs, the log of access, and what is wrong with the set-up.
import { z } from 'zod';

import { personRef, role, stepUp } from './session.ts';
import { type Body, listOf, moment, page, text } from './schema.ts';
import { ACCESS, SCOPES } from './words.ts';

const roles = z.array(role).min(1);

export const person = personRef.extend({
  pending: z.object({ roles: z.array(role), by: text }).nullable(),
  invitedBy: text.nullable(),
  createdAt: moment,
  lastSeenAt: moment.nullable(),
  sessions: z.int(),
  passkeys: z.array(z.object({ name: text, createdAt: moment, lastUsedAt: moment.nullable() })),
});
export type PersonView = Body<typeof person>;
export const rolesGiven = z.strictObject({ roles, stepUp });
export type RolesGiven = Body<typeof rolesGiven>;
/** With the roles that the admin has seen. */
export const rolesConfirmed = z.strictObject({ roles: roles.optional(), stepUp });
export type RolesConfirmed = Body<typeof rolesConfirmed>;

export const invitation = z.object({
  id: text,
  name: text.nullable(),
  roles: z.array(role),
  by: text.nullable(),
  endsAt: moment,
  needsConfirmation: z.boolean(),
});
export type Invitation = Body<typeof invitation>;
/** The link is told once. */
export const madeInvitation = invitation.extend({ url: text });
export const inviting = z.strictObject({ name: text.max(200), roles, stepUp });
export type Inviting = Body<typeof inviting>;

export const programKey = z.object({
  /** The beginning of the key, by which people recognise it. */
  prefix: text,
  name: text,
  scopes: z.array(text),
  createdAt: moment,
  endsAt: moment.nullable(),
  lastUsedAt: moment.nullable(),
});
export type ProgramKey = Body<typeof programKey>;
export const makingKey = z.strictObject({
  name: text.max(200),
  scopes: z.array(z.enum(SCOPES)).min(1),
  endsAt: moment.nullable().default(null),
  stepUp,
});
export type MakingKey = Body<typeof makingKey>;
/** It is told once. */
export const madeKey = z.object({ key: text });
export const endedKeys = z.object({ ended: z.int() });

const access = z.object({
  seq: z.int(),
  at: moment,
  who: text.nullable(),
  what: z.enum(ACCESS),
  about: text.nullable(),
  /** What an owner looks at twice. */
  isWeak: z.boolean(),
});
export type AuditEntry = Body<typeof access>;
/** With the hash chain, which shows whether entries were changed or taken away. */
export const audit = listOf(access).extend({
  chain: z.object({ isWhole: z.boolean(), seq: z.int(), hash: text }),
});
export const auditQuery = z.strictObject({ ...page, person: text.max(200).optional() });
export type AuditQuery = Body<typeof auditQuery>;

export const finding = z.object({ name: text, ok: z.boolean(), words: text });
export type Finding = Body<typeof finding>;
