// Who asks, and whether they may: a program by its key, a person by the cookie of a session. Asked in one place for every route, so that none can forget it.
import { BROWSER_KEPT_MS } from '../app/people/browsers.ts';
import type { AuthenticationResponseJSON, RelyingParty } from '../app/people/passkeys.ts';
import type { ProgramKey } from '../app/people/program-keys.ts';
import type { Signature } from '../contract/session.ts';
import type { Role, Scope } from '../contract/words.ts';
import type { Session, Sessions } from '../app/people/sessions.ts';
import { isOfProgram } from '../app/desk/batch-status.ts';
import {
  type Call,
  type Caller,
  type CookiesOfCall,
  type HttpContext,
  param,
  type Room,
  type Route,
} from './call.ts';
import { sentence } from '../messages/messages.ts';
import type { Limiter } from './limits.ts';
import { Problem } from './problems.ts';

type Doorway = Room & { readonly limiter: Limiter };

const NOBODY: Caller = {
  ...{ kind: 'nobody', id: 'nobody', name: '', scopes: [], roles: [], session: null, key: null },
};

/** Throws a `Problem` for a key or a session that is none, and for a request that another site made with a browser. */
export function callerOf(web: Doorway, { who }: Route, context: HttpContext): Caller {
  const shown = context.req.header('authorization');
  if (shown !== undefined && who !== 'everybody') return programOf(web, shown);
  const secret = sessionIn(context.req.header('cookie') ?? '');
  // Without a session there is nothing that another site could borrow: a program that forgot its key is told so.
  if (secret === null && who !== 'everybody') throw new Problem('key_missing', { headers: WWW });
  assertOwnSite(web, context);
  const isActive = context.req.header('x-background') === undefined;
  const session = secret === null ? null : web.door.sessions.find(secret, isActive);
  if (session !== null) return personOf(session);
  if (who === 'everybody') return NOBODY;
  throw new Problem('session_missing');
}

const WWW = { 'www-authenticate': 'Bearer' };

function programOf({ door, limiter }: Doorway, shown: string): Caller {
  const [, secret] = /^Bearer (\S+)$/i.exec(shown) ?? [];
  if (secret === undefined) throw new Problem('key_missing', { headers: WWW });
  const key = door.keys.find(secret);
  if (key === null) {
    // Only who guesses is told to wait: a key that is right works whatever others try.
    if (!limiter.mayTryKey()) throw new Problem('rate_exceeded', { headers: { 'retry-after': '1' } });
    limiter.keyTried();
    throw new Problem('key_unknown', { headers: WWW });
  }
  return programCaller(key);
}

/** No name that an admin gives a key makes it the same caller as a person. */
export function programCaller({
  name,
  scopes,
  prefix,
}: Pick<ProgramKey, 'name' | 'scopes' | 'prefix'>): Caller {
  return { kind: 'program', id: `program ${name}`, name, scopes, roles: [], session: null, key: prefix };
}

export function personOf(session: Session): Caller {
  const { id, name, roles } = session.person;
  const scopes = (Object.keys(SCOPE_ROLES) as Scope[]).filter((scope) => isOneOf(SCOPE_ROLES[scope], roles));
  return { kind: 'person', id: `person ${id}`, name, scopes, roles, session, key: null };
}

/** Which roles may do what a scope lets a program do; null for all of them. */
const SCOPE_ROLES: Readonly<Record<Scope, readonly Role[] | null>> = {
  'files:read': null,
  'files:read-all': null,
  'money:read': null,
  'files:write': ['maker'],
  reconcile: ['treasurer'],
};

function isOneOf(allowed: readonly Role[] | null, roles: readonly Role[]): boolean {
  return allowed === null ? roles.length > 0 : allowed.some((role) => roles.includes(role));
}

/** Throws a `Problem` where the caller may not. */
export function assertMay(
  { door }: Pick<Room, 'door'>,
  { who, roles, delegates }: Route,
  { kind, scopes, roles: own, session }: Caller,
): void {
  if (who === 'everybody') return;
  if (who === 'people') {
    if (kind === 'program') throw new Problem('people_only');
    if (isOneOf(roles ?? null, own) || (roles === undefined && kind === 'person')) return;
    const isDelegate = session !== null && door.delegates.stoodFor(session.person.id) !== null;
    if (delegates !== true || !isDelegate) throw new Problem('role_missing');
  } else if (!scopes.includes(who) && !(who === 'files:read' && scopes.includes('files:read-all')))
    throw kind === 'person' ? new Problem('role_missing') : scopeMissing(who);
}

/** Names it: a key is made with the scopes that somebody typed. */
export function scopeMissing(scope: Scope): Problem {
  return new Problem('scope_missing', { words: sentence('problem.scope_missing.named', { scope }) });
}

/** The name of a program that sees its own files alone; null for whoever sees those of everybody. */
export function onlyOwnOf({ kind, name, scopes }: Caller): string | null {
  return kind === 'program' && !scopes.includes('files:read-all') ? name : null;
}

/** Throws a `Problem` for a batch that is not the caller's to see: whether there is one is not told either. */
export async function assertOwn({ path }: Pick<Route, 'path'>, call: Call): Promise<void> {
  const own = onlyOwnOf(call.by);
  if (own === null || !path.includes('/:batch')) return;
  const batch = await call.room.paydrop.ledger.batch(param(call, 'batch'));
  if (batch === null || !isOfProgram(batch, own)) throw new Problem('batch_unknown');
}

/** Throws a `Problem` where the session has ended since the request began: a role that is taken away ends it. */
export function assertStands({ door }: Room, { session }: Caller): void {
  if (session !== null && !door.sessions.isAlive(session.id)) throw new Problem('session_missing');
}

// Cross-site request forgery (CSRF): a page of strangers may send a request with our cookie, and cannot lie about where it was made.

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function assertOwnSite(web: Room, { req }: HttpContext): void {
  if (SAFE.has(req.method)) return;
  const [site, origin] = [req.header('sec-fetch-site'), req.header('origin')];
  const isOwn = origin === placeOf(web, req.header('host')).origin;
  const isRight = site === undefined ? isOwn : site === 'same-origin' && (origin === undefined || isOwn);
  if (!isRight) throw new Problem('cross_site');
}

/** The name that the request was made under, which is one of ours. */
export function placeOf({ paydrop }: Pick<Room, 'paydrop'>, host = ''): RelyingParty {
  const { publicUrl, tls } = paydrop.config.web;
  const own = new URL(publicUrl ?? `${tls === null ? 'http' : 'https'}://${host}`);
  return { origin: own.origin, rpId: own.hostname };
}

/** Key of the rate limit for anonymous callers: the client address as the proxy has seen it, where there is one; of IPv6 the network (/64). */
export function addressOf({ paydrop }: Room, { env, req }: HttpContext): string {
  const told = paydrop.config.web.behindProxy
    ? req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
    : null;
  // Some proxies write the port, which is another one with each connection.
  const address = (told ?? env.incoming.socket.remoteAddress ?? '')
    .replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
    .replace(/^::ffff:(?=\d+\.)/, '');
  const [head = [], tail] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])];
  return `address ${groups.slice(0, 4).join(':')}`;
}

// The cookie: of this very name no other host and no page without TLS may set one.

const COOKIE = '__Host-paydrop';

function sessionIn(cookies: string): string | null {
  return cookieIn(cookies, COOKIE);
}

function cookieIn(cookies: string, name: string): string | null {
  const found = cookies.split(';').map((each) => each.trim().split('='));
  return found.find(([each]) => each === name)?.[1] ?? null;
}

function cookieOf(secret: string | null): string {
  const ends = secret === null ? '; Max-Age=0' : '';
  return `${COOKIE}=${secret ?? ''}; Path=/; HttpOnly; Secure; SameSite=Strict${ends}`;
}

// A browser that has signed in before, whoever did: it opens nothing, and lets its next sign-in pass where strangers have to wait.

const BROWSER = '__Host-paydrop-browser';

export function browserIn({ req }: HttpContext): string | null {
  return cookieIn(req.header('cookie') ?? '', BROWSER);
}

function browserCookieOf(secret: string): string {
  const seconds = String(BROWSER_KEPT_MS / 1_000);
  return `${BROWSER}=${secret}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=${seconds}`;
}

/** What the browser is told to keep with an answer. */
export class CookieToSet implements CookiesOfCall {
  readonly #sessions: Sessions;
  #secret: (() => string | null) | null = null;
  #browser: string | null = null;

  constructor({ sessions }: Room['door']) {
    this.#sessions = sessions;
  }

  readonly setSession = (secret: string | null): void => {
    this.#secret = () => secret;
  };

  /** Not before the answer: until then the browser asks with the secret that it has. */
  readonly renewSession = (session: Session): void => {
    this.#secret = () => this.#sessions.renew(session);
  };

  readonly rememberBrowser = (secret: string): void => {
    this.#browser = secret;
  };

  setIn(headers: Headers): void {
    if (this.#secret !== null) headers.append('set-cookie', cookieOf(this.#secret()));
    if (this.#browser !== null) headers.append('set-cookie', browserCookieOf(this.#browser));
  }
}

/** Binds an OpenID Connect sign-in to the browser that started it (login CSRF). */
const WAY = '__Host-paydrop-way';

export function wayIn(cookies: string): string {
  return cookieIn(cookies, WAY) ?? '';
}

export function wayCookieOf(secret: string | null): string {
  return `${WAY}=${secret ?? ''}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${secret === null ? '0' : '600'}`;
}

// A signature for one thing: what somebody does at a desk that another has left open.

/** What the challenge of a step-up is for. */
export function purposeOf(session: Session, action: string): string {
  return `step-up ${session.id} ${action}`;
}

/** To be called before the route does anything. Throws a `Problem` or a `PeopleFault`. */
export async function assertSteppedUp({ stepUp }: Route, call: Call, action: string): Promise<void> {
  if (stepUp === undefined || call.by.session === null) return;
  const { stepUp: shown, dryRun } = call.body as { readonly stepUp?: Signature; readonly dryRun?: boolean };
  if (stepUp === 'unless-dry-run' && dryRun === true) return;
  if (stepUp === 'unless-first' && isNewHere(call, call.by.session)) return;
  if (call.room.demo !== null) return;
  if (shown === undefined) throw new Problem('step_up_needed');
  const { session } = call.by;
  await assertSigned(call, session, shown, purposeOf(session, action));
  call.room.door.log(call.by.name, 'stepped_up', action);
}

/** Who came through a provider has no passkey to sign with. */
function isNewHere({ room }: Call, { person, createdAt }: Session): boolean {
  const hasNone = room.door.passkeys.of(person).length === 0;
  return hasNone && room.paydrop.clock.now() < Date.parse(createdAt) + FIRST_WITHIN_MS;
}

/** A new sign-in may add a passkey without a step-up for so long only: later somebody else may sit there. */
const FIRST_WITHIN_MS = 5 * 60_000;

/** The signature of the person of this session for one purpose; gives what shows it again later. The session's secret is another one once the order is answered. */
export async function assertSigned(call: Call, session: Session, shown: Signature, purpose: string) {
  const { passkeys } = call.room.door;
  const assertion = shown.assertion as unknown as AuthenticationResponseJSON;
  const signed = await passkeys.signed(shown.challenge, purpose, assertion, call.place, session.person);
  assertStands(call.room, call.by);
  call.renewSession(session);
  return signed;
}
