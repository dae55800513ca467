// Who is signed in, and what they may do: the server decides; the page only does not offer what would be refused. Passkeys as the browser has them:
// paydrop asks, the person shows finger, face or key, and paydrop verifies the result.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Challenged, EnrolmentAsked, Invited, Session, Signature } from '../contract/session.ts';
import type { Role } from '../contract/words.ts';
import { ask, Problem } from './api.ts';
import { t, tCode } from './language.ts';

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

/** True where this browser can do it at all. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Signs what paydrop asks to be signed. */
async function sign({ challenge, options }: Challenged): Promise<Signature> {
  if (!hasPasskeys()) throw new Problem(0, 'no_passkeys', t('problem.noPasskeys'));
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey }).catch(cancelled);
  return { challenge, assertion: jsonOf(credential) as Signature['assertion'] };
}

async function make({ challenge, options }: Challenged): Promise<{ challenge: string; credential: unknown }> {
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
  const signed = await sign(await ask<Challenged>('/session/options', { method: 'POST', body: {} }));
  return ask<Session>('/session', { method: 'POST', body: signed });
}

export function askEnrolment(coming: EnrolmentAsked): Promise<Invited> {
  return ask<Invited>('/enrolment/options', { method: 'POST', body: coming });
}

export async function enrol(coming: EnrolmentAsked, passkeyName: string): Promise<Session> {
  const made = await make(await askEnrolment(coming));
  return ask<Session>('/enrolment', { method: 'POST', body: { ...coming, ...made, passkeyName } });
}

export async function addPasskey(name: string, stepUp: Signature | undefined): Promise<void> {
  const made = await make(await ask<Challenged>('/session/passkeys/options', { method: 'POST', body: {} }));
  await ask('/session/passkeys', { method: 'POST', body: { ...made, name, stepUp } });
}

/** An order that moves money or rights needs more: that this person means this very order now. Nothing in the demo, where a click does. */
export async function stepUp(signing: Session['signing'], action: string): Promise<Signature | undefined> {
  if (signing === 'click') return undefined;
  return sign(await ask<Challenged>('/session/step-up', { method: 'POST', body: { action } }));
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
  const asked = await ask<Challenged>(`/files/${batch}/approval/options`, {
    method: 'POST',
    body: { question: digest },
  });
  return { question: digest, ...(await sign(asked)) };
}
