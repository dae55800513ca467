// Who is signed in, and what they may do: the server decides; the page only does not offer what would be refused. Passkeys as the browser has them:
// paydrop asks, the person shows finger, face or key, and paydrop verifies the result.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { ask, Problem } from './api.ts';
import { t, tCode } from './language.ts';
import type { Role, Session } from './shapes.ts';

export type SignedIn = Session & { readonly person: NonNullable<Session['person']> };

export const SessionContext = createContext<{
  readonly session: SignedIn;
  readonly change: (session: Session) => void;
} | null>(null);

export function useSession(): { readonly session: SignedIn; readonly change: (session: Session) => void } {
  const found = useContext(SessionContext);
  if (found === null) throw new Error('Nobody is signed in here.');
  return found;
}

/** A treasurer may all that a checker may. */
export function may({ person }: SignedIn, ...roles: readonly Role[]): boolean {
  return person.roles.some(
    (role) => roles.includes(role) || (role === 'treasurer' && roles.includes('checker')),
  );
}

export function rolesInWords(roles: readonly string[]): string {
  return roles.map((role) => tCode('role', role) ?? role).join(', ');
}

// Passkeys.

type Asked = { readonly challenge: string; readonly options: unknown };
export type Signed = { readonly challenge: string; readonly assertion: unknown };

/** True where this browser can do it at all. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Signs what paydrop asks to be signed. */
async function sign({ challenge, options }: Asked): Promise<Signed> {
  if (!hasPasskeys()) throw new Problem(0, 'no_passkeys', t('problem.noPasskeys'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey }).catch(cancelled);
  return { challenge, assertion: jsonOf(credential) };
}

async function make({ challenge, options }: Asked): Promise<{ challenge: string; credential: unknown }> {
  if (!hasPasskeys()) throw new Problem(0, 'no_passkeys', t('problem.noPasskeys'));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey }).catch(cancelled);
  return { challenge, credential: jsonOf(credential) };
}

/** The browser tells a person who turned away and one who waited too long by the same name. */
function cancelled(error: unknown): never {
  throw new Problem(0, 'passkey_cancelled', t('problem.passkeyCancelled'), {
    why: error instanceof Error ? error.name : '',
  });
}

function jsonOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) return cancelled(null);
  return credential.toJSON();
}

export async function signIn(): Promise<Session> {
  const signed = await sign(await ask<Asked>('/session/options', { method: 'POST', body: {} }));
  return ask<Session>('/session', { method: 'POST', body: signed });
}

export type Invited = Asked & { readonly name: string; readonly roles: readonly string[] };

/** The token of a link; and the name that the first person of all typed, where an invitation has one already. */
type Coming = { readonly token: string; readonly name?: string };

export function askEnrolment(coming: Coming): Promise<Invited> {
  return ask<Invited>('/enrolment/options', { method: 'POST', body: coming });
}

export async function enrol(coming: Coming, passkeyName: string): Promise<Session> {
  const made = await make(await askEnrolment(coming));
  return ask<Session>('/enrolment', { method: 'POST', body: { ...coming, ...made, passkeyName } });
}

export async function addPasskey(name: string, stepUp: Signed | undefined): Promise<void> {
  const made = await make(await ask<Asked>('/session/passkeys/options', { method: 'POST', body: {} }));
  await ask('/session/passkeys', { method: 'POST', body: { ...made, name, stepUp } });
}

/** An order that moves money or rights needs more: that this person means this very order now. Nothing in the demo, where a click does. */
export async function stepUp(signing: Session['signing'], action: string): Promise<Signed | undefined> {
  if (signing === 'click') return undefined;
  return sign(await ask<Asked>('/session/step-up', { method: 'POST', body: { action } }));
}

/** An order with its step-up. */
export async function orderSigned<T>(
  signing: Session['signing'],
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  const signed = await stepUp(signing, `${method} ${path}`);
  return ask<T>(path, { method, body: { ...body, ...(signed === undefined ? {} : { stepUp: signed }) } });
}

/** The question as it is signed: it must be the question that was read. */
export async function signApproval(
  signing: Session['signing'],
  batch: string,
  digest: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (signing === 'click') return { question: digest };
  const asked = await ask<Asked>(`/files/${batch}/approval/options`, {
    method: 'POST',
    body: { question: digest },
  });
  return { question: digest, ...(await sign(asked)) };
}
