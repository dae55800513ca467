// Sign-in through a company's directory (OpenID Connect, the code flow with PKCE): each time, the provider decides who the person is, and its groups
// decide the roles. Orders that move money are signed with a passkey all the same.
import { randomUUID } from 'node:crypto';

import type { Configuration } from 'openid-client';

import { readNamedFile } from '../../base/plain-file.ts';
import { hashOf, inOneCommit, logAccess, newSecret, PeopleFault, textOrNull } from './people-file.ts';
import { type Role, ROLES } from '../../contract/words.ts';
import type { People, Person } from './people.ts';

type OidcSettings = {
  /** For the button: the company's name for it. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The file of the secret; null for a public client. */
  readonly clientSecretFile: string | null;
  /** The claim that lists the groups. */
  readonly groupsClaim: string;
  /** Roles by group. */
  readonly roles: Readonly<Record<string, readonly Role[]>>;
};

/** Enough for a person to type a password and show a second factor. */
const WITHIN_MS = 10 * 60_000;

/** Nobody waits longer in front of an empty page. */
const ANSWER_SECONDS = 10;

export class Oidc {
  readonly settings: OidcSettings;
  readonly #people: People;
  #provider: Promise<Configuration> | null = null;

  constructor(people: People, settings: OidcSettings) {
    this.#people = people;
    this.settings = settings;
  }

  /**
   * The URL to which the browser goes, and a secret that only this browser keeps: an answer that another browser brings back does not count.
   * Throws if the provider does not answer.
   */
  async begin(back: string): Promise<{ readonly url: string; readonly secret: string }> {
    const client = await import('openid-client');
    const [state, secret, nonce] = [randomUUID(), newSecret(), client.randomNonce()];
    const verifier = client.randomPKCECodeVerifier();
    const url = client.buildAuthorizationUrl(await this.#asked(), {
      redirect_uri: back,
      scope: 'openid profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    const { database, clock } = this.#people.file;
    database.prepare('DELETE FROM challenges WHERE ends_at <= ?').run(clock.now());
    database
      .prepare('INSERT INTO challenges (id, challenge, nonce, purpose, ends_at) VALUES (?, ?, ?, ?, ?)')
      .run(state, verifier, nonce, purposeOf(secret), clock.now() + WITHIN_MS);
    return { url: url.href, secret };
  }

  /** The person who has come back; created at the first visit. Throws `PeopleFault`. @param url as the browser requested it, under our own name. */
  async end(url: URL, secret: string): Promise<Person> {
    const { database, clock } = this.#people.file;
    const state = url.searchParams.get('state') ?? '';
    const found = database
      .prepare('DELETE FROM challenges WHERE id = ? AND purpose = ? RETURNING *')
      .get(state, purposeOf(secret));
    if (found === undefined || clock.now() >= Number(found['ends_at'])) throw this.#refused('');
    const claims = await this.#claims(url, {
      pkceCodeVerifier: String(found['challenge']),
      expectedNonce: String(found['nonce']),
      expectedState: state,
    }).catch((error: unknown) => {
      throw this.#refused(error instanceof Error ? error.name : '');
    });
    const said = claims[this.settings.groupsClaim];
    const groups = (Array.isArray(said) ? said : [said]).filter((group) => typeof group === 'string');
    const given = new Set(groups.flatMap((group) => this.#rolesOf(group) ?? []));
    const name = claims['name'] ?? claims['preferred_username'];
    const person = this.#comeWith(
      JSON.stringify([claims['iss'], claims['sub']]),
      typeof name === 'string' ? name : '',
      ROLES.filter((role) => given.has(role)),
    );
    if (person === null || person.roles.length === 0) throw this.#refused('roles');
    return person;
  }

  /** Sets the roles that the provider gives now. Null for an unknown person without roles. Throws `PeopleFault` for somebody else's name. */
  #comeWith(subject: string, name: string, roles: readonly Role[]): Person | null {
    const { file } = this.#people;
    const db = (sql: string) => file.database.prepare(sql);
    return inOneCommit(file, () => {
      const found = db('SELECT id FROM people WHERE subject = ? AND ended_at IS NULL').get(subject);
      const known = this.#people.find(textOrNull(found?.['id']) ?? '');
      if (known === null) {
        if (roles.length === 0) return null;
        const called = this.#people.newName(name);
        return this.#people.add({ name: called, roles, invitedBy: this.settings.name, subject });
      }
      if (roles.join(' ') === known.roles.join(' ')) return known;
      db('UPDATE people SET roles = ?, pending_roles = NULL, pending_by = NULL WHERE id = ?').run(
        roles.join(' '),
        known.id,
      );
      db('DELETE FROM sessions WHERE person = ?').run(known.id);
      logAccess(file, this.settings.name, 'roles_changed', `${known.name}: ${roles.join(', ')}`);
      return { ...known, roles, pending: null };
    });
  }

  #rolesOf(group: string): readonly Role[] | undefined {
    return Object.hasOwn(this.settings.roles, group) ? this.settings.roles[group] : undefined;
  }

  /** The claims of the signed token; if that does not list the groups, the provider's further information. */
  async #claims(
    url: URL,
    expected: {
      readonly pkceCodeVerifier: string;
      readonly expectedNonce: string;
      readonly expectedState: string;
    },
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = await import('openid-client');
    const provider = await this.#asked();
    const tokens = await client.authorizationCodeGrant(provider, url, { ...expected, idTokenExpected: true });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('The provider gave no token of identity.');
    if (this.settings.groupsClaim in claims && 'name' in claims) return claims;
    return {
      ...claims,
      ...(await client.fetchUserInfo(provider, tokens.access_token, claims.sub)),
      iss: claims.iss,
    };
  }

  /** If the provider did not answer, the next caller asks again. */
  #asked(): Promise<Configuration> {
    this.#provider ??= this.#discover().catch((error: unknown) => {
      this.#provider = null;
      throw error;
    });
    return this.#provider;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecretFile } = this.settings;
    const secret =
      clientSecretFile === null ? undefined : readNamedFile(clientSecretFile).toString('utf8').trim();
    const auth = secret === undefined ? client.None() : client.ClientSecretPost(secret);
    return client.discovery(new URL(issuer), clientId, {}, auth, { timeout: ANSWER_SECONDS });
  }

  #refused(about: string): PeopleFault {
    const { file } = this.#people;
    inOneCommit(file, () =>
      logAccess(file, null, 'sign_in_refused', `${this.settings.name} ${about}`.trim()),
    );
    return new PeopleFault('signature_refused');
  }
}

function purposeOf(secret: string): string {
  return `oidc ${hashOf(secret)}`;
}
