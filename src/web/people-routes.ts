// The work of admins: who may come in, with which roles, which programs have keys, and what was done about all that.
import { Readable } from 'node:stream';

import { z } from 'zod';

import { accessChain, lastActOf } from '../app/people/people-file.ts';
import type { Delegation } from '../app/people/delegates.ts';
import type { Invitation, Person } from '../app/people/people.ts';
import {
  AUDIT_NAME,
  auditTable,
  auditTrail,
  type AuditPlace,
  type AuditSources,
} from '../app/desk/audit-trail.ts';
import { doctor } from '../app/desk/commands.ts';
import { say } from '../base/language.ts';
import {
  audit,
  type AuditEntry,
  auditFilter,
  type AuditFilter,
  type AuditQuery,
  auditQuery,
  delegation,
  endedKeys,
  finding,
  invitation,
  type Inviting,
  inviting,
  madeInvitation,
  madeKey,
  type MakingKey,
  makingKey,
  type NamingDelegate,
  namingDelegate,
  person,
  type PersonView,
  programKey,
  type RolesConfirmed,
  rolesConfirmed,
  type RolesGiven,
  rolesGiven,
} from '../contract/people.ts';
import { listOf, nothing, text } from '../contract/schema.ts';
import { personRef, steppingUp } from '../contract/session.ts';
import { type Role, ROLES } from '../contract/words.ts';
import {
  asAttachment,
  type Call,
  cursor,
  found,
  list,
  MEDIA_TYPES,
  param,
  placeOf,
  type Route,
  route,
} from './call.ts';
import { ROLES_THAT_DECIDE } from './approval-routes.ts';
import { Problem } from './problems.ts';
import { sessionOf } from './session-routes.ts';

const ADMINS: readonly Role[] = ['admin'];
const THOSE_WHO_LOOK: readonly Role[] = ['admin', 'auditor'];

function shown({ room }: Pick<Call, 'room'>, known: Person): PersonView {
  const sessions = room.door.sessions.of(known);
  const passkeys = room.door.passkeys.of(known);
  return person.parse({
    ...known,
    sessions: sessions.length,
    // A session that has ended is known no more; what was done in it is.
    lastSeenAt:
      [...sessions.map(({ lastSeenAt }) => lastSeenAt), lastActOf(room.door.file, known.name) ?? '']
        .sort()
        .at(-1) || null,
    passkeys,
  });
}

function shownInvitation({ isConfirmed, ...known }: Invitation) {
  return { ...known, needsConfirmation: !isConfirmed };
}

function invite({ room, by, body: { name, roles }, place }: Call<Inviting>) {
  const { token, invitation: made } = room.door.people.invite(name, roles, by.name);
  const json = { ...shownInvitation(made), url: `${place.origin}/invitation#${token}` };
  return Promise.resolve({ status: 201 as const, json });
}

function endInvitation(call: Call) {
  if (!call.room.door.people.endInvitation(param(call, 'invitation'), call.by.name))
    throw new Problem('invitation_unknown');
  return Promise.resolve({ status: 200 as const, json: {} });
}

function setRoles(call: Call<RolesGiven>) {
  const changed = call.room.door.people.setRoles(param(call, 'person'), call.body.roles, call.by.name);
  return Promise.resolve({ status: 200 as const, json: shown(call, changed) });
}

function confirmRoles(call: Call<RolesConfirmed>) {
  const { people } = call.room.door;
  const by = found(call.by.session, 'session_missing').person;
  const { roles = null } = call.body;
  const confirmed = people.confirmRoles(param(call, 'person'), by, roles);
  return Promise.resolve({ status: 200 as const, json: shown(call, confirmed) });
}

function removePerson(call: Call) {
  call.room.door.people.remove(param(call, 'person'), call.by.name);
  return Promise.resolve({ status: 200 as const, json: {} });
}

function makeKey({ room, by, body: { name, scopes, endsAt } }: Call<MakingKey>) {
  const called = room.door.people.programName(name);
  const key = room.door.keys.make(called, scopes, { endsAt, isSandbox: room.paydrop.isSandbox, by: by.name });
  return Promise.resolve({ status: 201 as const, json: { key } });
}

function endKey(call: Call) {
  const ended = call.room.door.keys.end(param(call, 'prefix'), call.by.name);
  if (ended === 0) throw new Problem('program_key_unknown');
  return Promise.resolve({ status: 200 as const, json: { ended } });
}

// Delegates of approvers on leave.

function shownDelegation(each: Delegation) {
  return { ...each, person: personRef.parse(each.person), delegate: personRef.parse(each.delegate) };
}

function mayBeDelegates({ room: { door } }: Pick<Call, 'room'>): readonly Person[] {
  return door.delegates.able((each) => door.passkeys.of(each).length > 0);
}

function nameDelegate(call: Call<NamingDelegate>) {
  const { delegate, from, to } = call.body;
  const { person: own } = sessionOf(call);
  const made = call.room.door.delegates.name(own, delegate, from, to, mayBeDelegates(call));
  return Promise.resolve({ status: 201 as const, json: shownDelegation(made) });
}

function endDelegation(call: Call) {
  call.room.door.delegates.end(param(call, 'delegation'), sessionOf(call).person);
  return Promise.resolve({ status: 200 as const, json: {} });
}

const auditPlace = z.object({ seq: z.int().min(1).nullable(), decision: text.nullable() });

function auditSources({ room: { paydrop, door } }: Pick<Call, 'room'>): AuditSources {
  return { ledger: paydrop.ledger, file: door.file };
}

async function readAudit(call: Call<unknown, AuditQuery>) {
  const { limit, ...filter } = call.query;
  const data: AuditEntry[] = [];
  let last: AuditPlace | null = null;
  let isMore = false;
  for await (const { entry, place } of auditTrail(
    auditSources(call),
    filter,
    placeOf(call, auditPlace) ?? undefined,
  )) {
    isMore = data.length === limit;
    if (isMore) break;
    data.push(entry);
    last = place;
  }
  const json = { data, next: cursor(call, isMore ? last : null), chain: accessChain(call.room.door.file) };
  return { status: 200 as const, json };
}

function exportAudit(call: Call<unknown, AuditFilter>) {
  const bytes = Readable.from(auditTable(auditSources(call), call.query));
  return Promise.resolve({
    status: 200 as const,
    bytes,
    type: MEDIA_TYPES.table,
    headers: asAttachment(AUDIT_NAME),
  });
}

async function readDoctor({ room, reader }: Call) {
  const findings = await doctor(room.paydrop);
  return list(
    findings.map(({ name, ok, words }) => ({ name, ok, words: say(words, reader) })),
    null,
  );
}

export const PEOPLE_ROUTES: readonly Route[] = [
  route('GET /people', THOSE_WHO_LOOK, 'Who may use the page', {
    replies: { 200: listOf(person) },
    does: (call) => {
      const people = call.room.door.people.all().map((known) => shown(call, known));
      return Promise.resolve(list(people, null));
    },
  }),
  route('GET /people/invitations', ADMINS, 'Who is invited', {
    replies: { 200: listOf(invitation) },
    does: ({ room }) => Promise.resolve(list(room.door.people.invitations().map(shownInvitation), null)),
  }),
  route('POST /people/invitations', ADMINS, 'Invites somebody; the link is shown once', {
    stepUp: 'always',
    isToldOnce: true,
    body: inviting,
    replies: { 201: madeInvitation },
    does: invite,
  }),
  route('DELETE /people/invitations/:invitation', ADMINS, 'Ends an invitation', {
    replies: { 200: nothing },
    does: endInvitation,
  }),
  route('PUT /people/:person/roles', ADMINS, 'Gives somebody other roles', {
    stepUp: 'always',
    body: rolesGiven,
    replies: { 200: person },
    does: setRoles,
  }),
  route('POST /people/:person/confirmation', ADMINS, 'Confirms the roles that another admin gave', {
    stepUp: 'always',
    body: rolesConfirmed,
    replies: { 200: person },
    does: confirmRoles,
  }),
  route('DELETE /people/:person', ADMINS, 'Removes somebody', {
    stepUp: 'always',
    body: steppingUp,
    replies: { 200: nothing },
    does: removePerson,
  }),
  route(
    'GET /delegations',
    ROLES,
    'Who approves for whom while they are on leave: one’s own, and all for an admin',
    {
      replies: { 200: listOf(delegation) },
      does: (call) => {
        const seen = call.room.door.delegates.seenBy(sessionOf(call).person);
        return Promise.resolve(list(seen.map(shownDelegation), null));
      },
    },
  ),
  route('GET /delegations/people', ROLES_THAT_DECIDE, 'Who may become a delegate', {
    replies: { 200: listOf(personRef) },
    does: (call) =>
      Promise.resolve(
        list(
          mayBeDelegates(call).map((each) => personRef.parse(each)),
          null,
        ),
      ),
  }),
  route('POST /delegations', ROLES_THAT_DECIDE, 'Names a delegate for so many days of leave', {
    stepUp: 'always',
    body: namingDelegate,
    replies: { 201: delegation },
    does: nameDelegate,
  }),
  route('DELETE /delegations/:delegation', ROLES, 'Ends it', {
    replies: { 200: nothing },
    does: endDelegation,
  }),
  route('GET /keys', THOSE_WHO_LOOK, 'The keys of programs', {
    replies: { 200: listOf(programKey) },
    does: ({ room }) => Promise.resolve(list(room.door.keys.list(), null)),
  }),
  route('POST /keys', ADMINS, 'Makes a key, which is shown once', {
    stepUp: 'always',
    isToldOnce: true,
    body: makingKey,
    replies: { 201: madeKey },
    does: makeKey,
  }),
  route('DELETE /keys/:prefix', ADMINS, 'Ends a key', { replies: { 200: endedKeys }, does: endKey }),
  route(
    'GET /audit',
    THOSE_WHO_LOOK,
    'Who came in, what was done about people and keys, and what was decided about files, newest first',
    {
      query: auditQuery,
      replies: { 200: audit },
      does: readAudit,
    },
  ),
  route('GET /audit/table', THOSE_WHO_LOOK, 'The same as a table, all of it', {
    query: auditFilter,
    replies: { 200: 'table' },
    does: exportAudit,
  }),
  route('GET /doctor', ['admin', 'treasurer', 'auditor'], 'What is wrong with the set-up, and what to do', {
    replies: { 200: listOf(finding) },
    does: readDoctor,
  }),
];
