// Who is signed in, and what they may do: the server decides, the page only does not offer what would be refused.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import { tCode } from './language.ts';
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
