// How people come in: the first one and those who are invited by a link, everybody after that by a passkey; and what one sees and ends of oneself.
import { hashOf, inOneCommit, PeopleFault } from '../app/people/people-file.ts';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../app/people/passkeys.ts';
import type { Session } from '../app/people/sessions.ts';
import { nothing } from '../contract/schema.ts';
import {
  challenged,
  type DemoSignIn,
  demoSignIn,
  type Enrolment,
  enrolment,
  type EnrolmentAsked,
  enrolmentAsked,
  invited,
  mine,
  passkey as passkeyBody,
  type PasskeyMade,
  passkeyMade,
  personRef,
  returned,
  type Returned,
  session as sessionBody,
  type Session as ShownSession,
  type Signature,
  signature,
  steppingUp,
  type StepUpAsked,
  stepUpAsked,
} from '../contract/session.ts';
import { type Call, found, param, type Reply, type Route, route } from './call.ts';
import { purposeOf, wayCookieOf, wayIn } from './callers.ts';
import { Problem } from './problems.ts';

function shown({ room, by }: Pick<Call, 'room' | 'by'>, session: Session | null = by.session): ShownSession {
  const { paydrop, demo, door } = room;
  const people = door.people.all();
  return {
    person: session === null ? null : personRef.parse(session.person),
    idleEndsAt: session?.idleEndsAt ?? null,
    endsAt: session?.endsAt ?? null,
    sandbox: paydrop.isSandbox,
    language: paydrop.config.language,
    signing: demo === null ? 'passkey' : 'click',
    oidc: door.oidc && { name: door.oidc.settings.name },
    passkeys: session === null ? 0 : door.passkeys.of(session.person).length,
    needsSetup: !people.some(({ roles }) => roles.includes('admin')),
    demo: demo === null ? null : people.map((person) => personRef.parse(person)),
  };
}

const SIGN_IN = 'sign-in';

async function signIn(call: Call<Signature>) {
  const { passkeys } = call.room.door;
  const said = call.body;
  const assertion = said.assertion as unknown as AuthenticationResponseJSON;
  const { person, passkey } = await passkeys.signed(said.challenge, SIGN_IN, assertion, call.place);
  return comeIn(call, person, passkey);
}

/** The person who was signed in at this browser before no longer is. */
function comeIn(
  call: Call,
  person: Session['person'],
  how: string,
  status: 200 | 201 = 200,
): Reply<ShownSession> {
  const { sessions, browsers } = call.room.door;
  if (call.by.session !== null) sessions.end(call.by.session.id, call.by.session.person);
  const { secret, session } = sessions.begin(person, how);
  call.setSession(secret);
  call.rememberBrowser(browsers.remember(person));
  return { status, json: shown(call, session) };
}

function signOut(call: Call) {
  const { session } = call.by;
  if (session !== null) call.room.door.sessions.end(session.id, session.person);
  call.setSession(null);
  return Promise.resolve({ status: 200 as const, json: {} });
}

// Through a company's directory. The browser comes back from another site, so that the strict cookie of a session is not sent then: a separate
// cookie, which is sent, binds the answer to the browser that left.

const RETURN = '/api/v1/session/oidc/return';
const led = (to: string, cookie: string): Reply<never> => ({
  status: 302,
  headers: { location: to, 'set-cookie': cookie },
  bytes: new Uint8Array(),
  type: 'text/plain',
});

async function askProvider({ room, place }: Call) {
  const oidc = found(room.door.oidc, 'route_unknown');
  try {
    const { url, secret } = await oidc.begin(`${place.origin}${RETURN}`);
    return led(url, wayCookieOf(secret));
  } catch (error) {
    room.paydrop.log.warn('provider of identities not asked', {
      reason: error instanceof Error ? error.message : 'unknown',
    });
    return led('/#sign-in=away', wayCookieOf(null));
  }
}

async function comeBack(call: Call<unknown, Returned>) {
  const oidc = found(call.room.door.oidc, 'route_unknown');
  const url = new URL(`${RETURN}?${new URLSearchParams(call.query).toString()}`, call.place.origin);
  const secret = wayIn(call.header('cookie') ?? '');
  try {
    comeIn(call, await oidc.end(url, secret), oidc.settings.name);
  } catch (error) {
    if (!(error instanceof PeopleFault)) throw error;
    return led(`/#sign-in=${error.code === 'person_exists' ? 'name' : 'refused'}`, wayCookieOf(null));
  }
  return led('/', wayCookieOf(null));
}

function signInByClick(call: Call<DemoSignIn>) {
  const { demo, door } = call.room;
  if (demo === null) throw new Problem('route_unknown');
  const { person: id, token: said } = call.body;
  if (call.by.session === null && said !== demo.token) throw new PeopleFault('token_unknown');
  const person = door.people.find(id);
  if (person === null) throw new PeopleFault('person_unknown');
  return Promise.resolve(comeIn(call, person, 'demo'));
}

/** A name that was typed for the challenge is the one that counts. */
function enrolling({
  token: shownToken,
  name,
}: {
  readonly token: string;
  readonly name?: string | undefined;
}): string {
  return `enrol ${hashOf(shownToken)} ${name ?? ''}`;
}

async function askEnrolment({ room, place, body: said }: Call<EnrolmentAsked>) {
  const { people, passkeys } = room.door;
  const { id, name, roles } = people.invited(said.token, said.name);
  return {
    status: 200 as const,
    json: { ...(await passkeys.offer(enrolling(said), { id, name }, place)), name, roles },
  };
}

async function enrol(call: Call<Enrolment>) {
  const { people, passkeys, file } = call.room.door;
  const said = call.body;
  const made = said.credential as unknown as RegistrationResponseJSON;
  const passkey = await passkeys.made(said.challenge, enrolling(said), made, call.place);
  // With the passkey, or not at all: a person without one could never come in.
  const person = inOneCommit(file, () => {
    const enrolled = people.enrol(said.token, said.name);
    passkeys.keep(passkey, enrolled, said.passkeyName);
    return enrolled;
  });
  return comeIn(call, person, said.passkeyName, 201);
}

async function askStepUp(call: Call<StepUpAsked>) {
  const { action } = call.body;
  const session = sessionOf(call);
  const { passkeys } = call.room.door;
  return {
    status: 200 as const,
    json: await passkeys.ask(purposeOf(session, action), session.person, call.place),
  };
}

function readMine(call: Call) {
  const session = sessionOf(call);
  const { passkeys, sessions } = call.room.door;
  const own = sessions.of(session.person).map(({ id, createdAt, lastSeenAt, endsAt }) => ({
    id,
    createdAt,
    lastSeenAt,
    endsAt,
    isThis: id === session.id,
  }));
  return Promise.resolve({
    status: 200 as const,
    json: { passkeys: passkeys.of(session.person), sessions: own },
  });
}

function endMine(call: Call) {
  const { person } = sessionOf(call);
  if (!call.room.door.sessions.end(param(call, 'session'), person)) throw new Problem('session_unknown');
  return Promise.resolve({ status: 200 as const, json: {} });
}

const ADDING = 'passkey';

async function askPasskey(call: Call) {
  const session = sessionOf(call);
  const { passkeys } = call.room.door;
  return {
    status: 200 as const,
    json: await passkeys.offer(`${ADDING} ${session.id}`, session.person, call.place),
  };
}

async function addPasskey(call: Call<PasskeyMade>) {
  const session = sessionOf(call);
  const { passkeys, file } = call.room.door;
  const said = call.body;
  const made = said.credential as unknown as RegistrationResponseJSON;
  const passkey = await passkeys.made(said.challenge, `${ADDING} ${session.id}`, made, call.place);
  const { id, name } = inOneCommit(file, () => passkeys.keep(passkey, session.person, said.name));
  return { status: 201 as const, json: { id, name } };
}

function endPasskey(call: Call) {
  const { person } = sessionOf(call);
  if (!call.room.door.passkeys.end(param(call, 'passkey'), person)) throw new Problem('passkey_unknown');
  return Promise.resolve({ status: 200 as const, json: {} });
}

/** For routes of people, whom nobody reaches without one. */
export function sessionOf({ by }: Pick<Call, 'by'>): Session {
  if (by.session === null) throw new Problem('session_missing');
  return by.session;
}

export const SESSION_ROUTES: readonly Route[] = [
  route('GET /session', 'everybody', 'Who is signed in, and how one does', {
    replies: { 200: sessionBody },
    does: (call) => Promise.resolve({ status: 200, json: shown(call) }),
  }),
  route('GET /session/oidc', 'everybody', 'Leads to the provider of identities', { does: askProvider }),
  route('GET /session/oidc/return', 'everybody', 'Comes in with what the provider says', {
    query: returned,
    does: comeBack,
  }),
  route('POST /session/options', 'everybody', 'What a passkey is to sign to come in', {
    body: nothing,
    replies: { 200: challenged },
    does: async ({ room, place }) => ({
      status: 200,
      json: await room.door.passkeys.ask(SIGN_IN, null, place),
    }),
  }),
  route('POST /session', 'everybody', 'Comes in with a passkey', {
    body: signature,
    replies: { 200: sessionBody },
    does: signIn,
  }),
  route('DELETE /session', 'everybody', 'Signs out', { replies: { 200: nothing }, does: signOut }),
  route('POST /session/demo', 'everybody', 'Comes in as one of the three of the demo', {
    body: demoSignIn,
    replies: { 200: sessionBody },
    does: signInByClick,
  }),
  route('POST /enrolment/options', 'everybody', 'Who is invited, and what a new passkey is made of', {
    body: enrolmentAsked,
    replies: { 200: invited },
    does: askEnrolment,
  }),
  route('POST /enrolment', 'everybody', 'Accepts an invitation with a new passkey', {
    body: enrolment,
    replies: { 201: sessionBody },
    does: enrol,
  }),
  route('POST /session/step-up', 'people', 'What a passkey is to sign for one action', {
    body: stepUpAsked,
    replies: { 200: challenged },
    does: askStepUp,
  }),
  route('GET /session/mine', 'people', 'One’s own passkeys and sessions', {
    replies: { 200: mine },
    does: readMine,
  }),
  route('DELETE /session/mine/:session', 'people', 'Ends a session of one’s own', {
    replies: { 200: nothing },
    does: endMine,
  }),
  route('POST /session/passkeys/options', 'people', 'What another passkey is made of', {
    body: nothing,
    replies: { 200: challenged },
    does: askPasskey,
  }),
  route('POST /session/passkeys', 'people', 'Adds a passkey of one’s own', {
    stepUp: 'unless-first',
    body: passkeyMade,
    replies: { 201: passkeyBody },
    does: addPasskey,
  }),
  route('DELETE /session/passkeys/:passkey', 'people', 'Ends a passkey of one’s own', {
    stepUp: 'always',
    body: steppingUp,
    replies: { 200: nothing },
    does: endPasskey,
  }),
];
