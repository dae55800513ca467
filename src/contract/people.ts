// The work of admins: people, invitations, keys of programs, the log of access, and what is wrong with the set-up.
import { z } from 'zod';

import { personRef, role, stepUp } from './session.ts';
import { type Body, day, listOf, moment, page, text } from './schema.ts';
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

/** `person` is on leave from one day to another, both included, and `delegate` approves for them. */
export const delegation = z.object({ id: text, person: personRef, delegate: personRef, from: day, to: day });
export type Delegation = Body<typeof delegation>;
/** The id of the delegate. */
export const namingDelegate = z.strictObject({ delegate: text.max(100), from: day, to: day, stepUp });
export type NamingDelegate = Body<typeof namingDelegate>;

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

const auditEntry = z.object({
  id: text,
  /** Its place in the log of access; null for a decision that stands in the history of its file. */
  seq: z.int().nullable(),
  at: moment,
  who: text.nullable(),
  what: z.enum(ACCESS),
  about: text.nullable(),
  /** The batch that it is about. */
  file: text.nullable(),
  /** What an owner looks at twice. */
  isWeak: z.boolean(),
});
export type AuditEntry = Body<typeof auditEntry>;
/** With the hash chain, which shows whether entries were changed or taken away. */
export const audit = listOf(auditEntry).extend({
  chain: z.object({ isWhole: z.boolean(), seq: z.int(), hash: text }),
});
/** `file`: words of its name, or of its batch; `from`, `to`: the second excluded. */
const auditFilters = {
  person: text.max(200).optional(),
  what: z.enum(ACCESS).optional(),
  file: text.max(200).optional(),
  from: moment.optional(),
  to: moment.optional(),
};
export const auditFilter = z.strictObject(auditFilters);
export type AuditFilter = Body<typeof auditFilter>;
export const auditQuery = z.strictObject({ ...page, ...auditFilters });
export type AuditQuery = Body<typeof auditQuery>;

export const finding = z.object({ name: text, ok: z.boolean(), words: text });
export type Finding = Body<typeof finding>;
