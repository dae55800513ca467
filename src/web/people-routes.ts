// The work of admins: who may come in, with which roles, which programs have keys, and what was done about all that.
import { z } from 'zod';

import { accessChain, type Access, accessLog, lastActOf } from '../app/people/people-file.ts';
import type { Invitation, Person, Role } from '../app/people/people.ts';
import { SCOPES } from '../app/people/program-keys.ts';
import { doctor } from '../app/desk/commands.ts';
import { say } from '../base/language.ts';
import {
  access,
  finding,
  invitation,
  listOf,
  moment,
  page,
  person,
  programKey,
  role,
  stepUp,
  text,
} from './bodies.ts';
import { type Call, cursor, found, limitOf, list, param, placeOf, type Route, textIn } from './call.ts';
import { Problem } from './problems.ts';

const ADMINS: readonly Role[] = ['admin'];
const THOSE_WHO_LOOK: readonly Role[] = ['admin', 'auditor'];

function shown({ room }: Pick<Call, 'room'>, known: Person): z.output<typeof person> {
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

const listPeople: Route['does'] = (call) =>
  Promise.resolve(
    list(
      call.room.door.people.all().map((known) => shown(call, known)),
      null,
    ),
  );

const listInvitations: Route['does'] = ({ room }) =>
  Promise.resolve(list(room.door.people.invitations().map(shownInvitation), null));

const invited = z.strictObject({ name: text.max(200), roles: z.array(role).min(1), stepUp });

const invite: Route['does'] = ({ room, by, body, place }) => {
  const { name, roles } = body as z.output<typeof invited>;
  const { token, invitation: made } = room.door.people.invite(name, roles, by.name);
  const json = { ...shownInvitation(made), url: `${place.origin}/invitation#${token}` };
  return Promise.resolve({ status: 201, json });
};

const endInvitation: Route['does'] = (call) => {
  if (!call.room.door.people.endInvitation(param(call, 'invitation'), call.by.name))
    throw new Problem('invitation_unknown');
  return Promise.resolve({ status: 200, json: {} });
};

const rolesGiven = z.strictObject({ roles: z.array(role).min(1), stepUp });

const setRoles: Route['does'] = (call) => {
  const { roles } = call.body as z.output<typeof rolesGiven>;
  const changed = call.room.door.people.setRoles(param(call, 'person'), roles, call.by.name);
  return Promise.resolve({ status: 200, json: shown(call, changed) });
};

/** With the roles that the admin has seen. */
const rolesConfirmed = z.strictObject({ roles: z.array(role).min(1).optional(), stepUp });

const confirmRoles: Route['does'] = (call) => {
  const { people } = call.room.door;
  const by = found(call.by.session, 'session_missing').person;
  const { roles = null } = call.body as z.output<typeof rolesConfirmed>;
  const confirmed = people.confirmRoles(param(call, 'person'), by, roles);
  return Promise.resolve({ status: 200, json: shown(call, confirmed) });
};

const removePerson: Route['does'] = (call) => {
  call.room.door.people.remove(param(call, 'person'), call.by.name);
  return Promise.resolve({ status: 200, json: {} });
};

const listKeys: Route['does'] = ({ room }) => Promise.resolve(list(room.door.keys.list(), null));

const keyMade = z.strictObject({
  name: text.max(200),
  scopes: z.array(z.enum(SCOPES)).min(1),
  endsAt: moment.nullable().default(null),
  stepUp,
});

const makeKey: Route['does'] = ({ room, by, body }) => {
  const { name, scopes, endsAt } = body as z.output<typeof keyMade>;
  const called = room.door.people.programName(name);
  const key = room.door.keys.make(called, scopes, { endsAt, isSandbox: room.paydrop.isSandbox, by: by.name });
  return Promise.resolve({ status: 201, json: { key } });
};

const endKey: Route['does'] = (call) => {
  const ended = call.room.door.keys.end(param(call, 'prefix'), call.by.name);
  if (ended === 0) throw new Problem('program_key_unknown');
  return Promise.resolve({ status: 200, json: { ended } });
};

/** What an owner looks at twice. */
const WEAK: ReadonlySet<Access> = new Set<Access>(['roles_given_alone', 'sign_in_refused']);

const chain = z.object({ isWhole: z.boolean(), seq: z.int(), hash: text });

const readAudit: Route['does'] = (call) => {
  const { file } = call.room.door;
  const before = placeOf(call, z.int().min(1));
  const entries = accessLog(file, { who: textIn(call, 'person') ?? null, before, limit: limitOf(call) });
  const data = entries.map((entry) => ({ ...entry, isWeak: WEAK.has(entry.what) }));
  const next = entries.length < limitOf(call) ? null : (entries.at(-1)?.seq ?? null);
  return Promise.resolve(list(data, cursor(call, next), { chain: accessChain(file) }));
};

const readDoctor: Route['does'] = async ({ room, reader }) => {
  const findings = await doctor(room.paydrop);
  return list(
    findings.map(({ name, ok, words }) => ({ name, ok, words: say(words, reader) })),
    null,
  );
};

export const PEOPLE_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/people',
    who: 'people',
    roles: THOSE_WHO_LOOK,
    summary: 'Who may use the page',
    replies: { 200: listOf(person) },
    does: listPeople,
  },
  {
    method: 'GET',
    path: '/people/invitations',
    who: 'people',
    roles: ADMINS,
    summary: 'Who is invited',
    replies: { 200: listOf(invitation) },
    does: listInvitations,
  },
  {
    method: 'POST',
    path: '/people/invitations',
    who: 'people',
    roles: ADMINS,
    stepUp: 'always',
    isToldOnce: true,
    summary: 'Invites somebody; the link is shown once',
    body: invited,
    replies: { 201: invitation.extend({ url: text }) },
    does: invite,
  },
  {
    method: 'DELETE',
    path: '/people/invitations/:invitation',
    who: 'people',
    roles: ADMINS,
    summary: 'Ends an invitation',
    does: endInvitation,
  },
  {
    method: 'PUT',
    path: '/people/:person/roles',
    who: 'people',
    roles: ADMINS,
    stepUp: 'always',
    summary: 'Gives somebody other roles',
    body: rolesGiven,
    replies: { 200: person },
    does: setRoles,
  },
  {
    method: 'POST',
    path: '/people/:person/confirmation',
    who: 'people',
    roles: ADMINS,
    stepUp: 'always',
    summary: 'Confirms the roles that another admin gave',
    body: rolesConfirmed,
    does: confirmRoles,
  },
  {
    method: 'DELETE',
    path: '/people/:person',
    who: 'people',
    roles: ADMINS,
    stepUp: 'always',
    summary: 'Removes somebody',
    body: z.strictObject({ stepUp }),
    does: removePerson,
  },
  {
    method: 'GET',
    path: '/keys',
    who: 'people',
    roles: THOSE_WHO_LOOK,
    summary: 'The keys of programs',
    replies: { 200: listOf(programKey) },
    does: listKeys,
  },
  {
    method: 'POST',
    path: '/keys',
    who: 'people',
    roles: ADMINS,
    stepUp: 'always',
    isToldOnce: true,
    summary: 'Makes a key, which is shown once',
    body: keyMade,
    replies: { 201: z.object({ key: text }) },
    does: makeKey,
  },
  {
    method: 'DELETE',
    path: '/keys/:prefix',
    who: 'people',
    roles: ADMINS,
    summary: 'Ends a key',
    does: endKey,
  },
  {
    method: 'GET',
    path: '/audit',
    who: 'people',
    roles: THOSE_WHO_LOOK,
    summary: 'Who came in and what was done about people and keys, newest first',
    query: z.strictObject({ ...page, person: text.max(200).optional() }),
    replies: { 200: listOf(access).extend({ chain }) },
    does: readAudit,
  },
  {
    method: 'GET',
    path: '/doctor',
    who: 'people',
    roles: ['admin', 'treasurer', 'auditor'],
    summary: 'What is wrong with the set-up, and what to do',
    replies: { 200: listOf(finding) },
    does: readDoctor,
  },
];
