// Passkeys (WebAuthn): people sign in with them, prove their presence again, and sign what they approve. Each challenge serves one purpose, counts once,
// and expires soon; the key that was stored at enrolment verifies the signature.
import { createHash, randomBytes, randomUUID } from 'node:crypto';

import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

import { isoTime } from '../../base/clock.ts';
import type { SignedEvidence } from '../../ledger/approval.ts';
import {
  type PeopleRow,
  inOneCommit,
  logAccess,
  PeopleFault,
  type PeopleFile,
  textOrNull,
} from './people-file.ts';
import type { People, Person } from './people.ts';

/** The place of the page: the origin that a browser reports, and the name under which it keeps passkeys. */
export type RelyingParty = { readonly origin: string; readonly rpId: string };

type Passkey = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};

export type PasskeyChallenge<Options> = { readonly challenge: string; readonly options: Options };
export type { AuthenticationResponseJSON, RegistrationResponseJSON };

/** Long enough to look for the phone, too short for a lunch break. */
const CHALLENGE_MS = 5 * 60_000;
const NAME_MOST = 60;

export class Passkeys {
  readonly #people: People;
  readonly #file: PeopleFile;

  constructor(people: People) {
    this.#people = people;
    this.#file = people.file;
  }

  of(person: Person): readonly Passkey[] {
    return this.#db('SELECT * FROM passkeys WHERE person = ? AND ended_at IS NULL ORDER BY created_at')
      .all(person.id)
      .map(toPasskey);
  }

  /** The data that a browser needs to create one. */
  async offer(
    purpose: string,
    { id, name }: { readonly id: string; readonly name: string },
    place: RelyingParty,
  ): Promise<PasskeyChallenge<PublicKeyCredentialCreationOptionsJSON>> {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    const { challenge, bytes } = this.#newChallenge(purpose, null);
    const known = this.#db('SELECT id FROM passkeys WHERE person = ? AND ended_at IS NULL').all(id);
    const options = await generateRegistrationOptions({
      rpName: 'paydrop',
      rpID: place.rpId,
      userName: name,
      userDisplayName: name,
      userID: new Uint8Array(Buffer.from(id)),
      challenge: bytes,
      timeout: CHALLENGE_MS,
      attestationType: 'none',
      excludeCredentials: known.map((found) => ({ id: String(found['id']) })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return { challenge, options };
  }

  /** The verified passkey, to be stored with `keep`. Throws `PeopleFault`. */
  async made(
    challenge: string,
    purpose: string,
    credential: RegistrationResponseJSON,
    place: RelyingParty,
  ): Promise<NewPasskey> {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    const { text } = this.#take(challenge, purpose);
    const verified = await verifyRegistrationResponse({
      response: credential,
      expectedChallenge: text,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: true,
    }).catch(() => null);
    if (verified?.verified !== true) throw new PeopleFault('signature_refused');
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return { id, publicKey, counter, transports };
  }

  /** Call it within a commit. Throws `PeopleFault` for a passkey that already belongs to somebody. */
  keep({ id, publicKey, counter, transports }: NewPasskey, person: Person, name: string): Passkey {
    if (this.#db('SELECT id FROM passkeys WHERE id = ?').get(id) !== undefined)
      throw new PeopleFault('signature_refused');
    const called = name.replaceAll(/\p{C}/gu, '').trim().slice(0, NAME_MOST) || 'passkey';
    const at = isoTime(this.#file.clock.now());
    this.#db(
      'INSERT INTO passkeys (id, person, name, public_key, counter, transports, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(id, person.id, called, publicKey, counter, transports.join(' '), at);
    logAccess(this.#file, person.name, 'passkey_added', called);
    return { id, name: called, createdAt: at, lastUsedAt: null };
  }

  /** False where the person has no such passkey. Throws `PeopleFault` for the last one. */
  end(id: string, person: Person): boolean {
    return inOneCommit(this.#file, () => {
      const own = this.of(person);
      const passkey = own.find((each) => each.id === id);
      if (passkey === undefined) return false;
      if (own.length === 1) throw new PeopleFault('passkey_last');
      this.#db('UPDATE passkeys SET ended_at = ? WHERE id = ?').run(isoTime(this.#file.clock.now()), id);
      logAccess(this.#file, person.name, 'passkey_ended', passkey.name);
      return true;
    });
  }

  /** The data that a browser needs to sign. @param person null where the passkey is to show who it is. @param digest hex, where something is signed. */
  async ask(
    purpose: string,
    person: Person | null,
    { rpId }: RelyingParty,
    digest: string | null = null,
  ): Promise<PasskeyChallenge<PublicKeyCredentialRequestOptionsJSON>> {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    const { challenge, bytes } = this.#newChallenge(purpose, digest);
    const known =
      person === null
        ? []
        : this.#db('SELECT id, transports FROM passkeys WHERE person = ? AND ended_at IS NULL').all(
            person.id,
          );
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      challenge: bytes,
      timeout: CHALLENGE_MS,
      userVerification: 'required',
      allowCredentials: known.map((found) => ({
        id: String(found['id']),
        transports: String(found['transports']).split(' ').filter(Boolean),
      })),
    });
    return { challenge, options };
  }

  /**
   * The person who has signed, and the evidence that shows it later. Throws `PeopleFault`.
   * @param person null for any known person; else it must be this one.
   */
  async signed(
    challenge: string,
    purpose: string,
    assertion: AuthenticationResponseJSON,
    place: RelyingParty,
    person: Person | null = null,
  ): Promise<{
    readonly person: Person;
    readonly passkey: string;
    readonly evidence: Omit<SignedEvidence, 'digest'>;
  }> {
    const { text, nonce } = this.#take(challenge, purpose);
    const found = this.#db('SELECT * FROM passkeys WHERE id = ? AND ended_at IS NULL').get(assertion.id);
    const owner = found === undefined ? null : this.#people.find(String(found['person']));
    if (found === undefined || owner === null || (person !== null && owner.id !== person.id))
      throw this.#refused(owner);
    const counter = await newCounter(found, assertion, text, place);
    if (counter === null) throw this.#refused(owner);
    this.#use(found, counter, owner);
    const { authenticatorData, clientDataJSON, signature } = assertion.response;
    return {
      person: owner,
      passkey: String(found['name']),
      evidence: { nonce, credentialId: assertion.id, authenticatorData, clientDataJSON, signature },
    };
  }

  /** What its owner calls it, also after it was ended; null for one that is not on record. */
  nameOf(credentialId: string): string | null {
    const found = this.#db('SELECT name FROM passkeys WHERE id = ?').get(credentialId);
    return found === undefined ? null : String(found['name']);
  }

  /** Whether the evidence of an approval is valid, by the keys on record; null where the key is not on record. */
  async verify(
    evidence: SignedEvidence,
  ): Promise<{ readonly person: string; readonly isSound: boolean } | null> {
    const found = this.#db('SELECT * FROM passkeys WHERE id = ?').get(evidence.credentialId);
    if (found === undefined) return null;
    const person = this.#people.nameOf(String(found['person'])) ?? '';
    const origin = originIn(evidence.clientDataJSON);
    if (origin === null) return { person, isSound: false };
    const { credentialId: id, authenticatorData, clientDataJSON, signature } = evidence;
    const response = { authenticatorData, clientDataJSON, signature };
    const counter = await newCounter(
      { ...found, counter: -1 },
      { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      challengeOf(evidence.digest, evidence.nonce).toString('base64url'),
      { origin, rpId: new URL(origin).hostname },
    );
    return { person, isSound: counter !== null };
  }

  #newChallenge(purpose: string, digest: string | null) {
    const [id, nonce] = [randomUUID(), randomBytes(NONCE_BYTES).toString('base64url')];
    const bytes = new Uint8Array(challengeOf(digest ?? '', nonce));
    const now = this.#file.clock.now();
    this.#db('DELETE FROM challenges WHERE ends_at <= ?').run(now);
    this.#db('INSERT INTO challenges (id, challenge, nonce, purpose, ends_at) VALUES (?, ?, ?, ?, ?)').run(
      id,
      Buffer.from(bytes).toString('base64url'),
      nonce,
      purpose,
      now + CHALLENGE_MS,
    );
    return { challenge: id, bytes };
  }

  /** Of two callers that use it, exactly one gets it. */
  #take(id: string, purpose: string): { readonly text: string; readonly nonce: string } {
    const found = this.#db('DELETE FROM challenges WHERE id = ? RETURNING *').get(id);
    const isOurs = found?.['purpose'] === purpose && this.#file.clock.now() < Number(found['ends_at']);
    if (found === undefined || !isOurs) throw new PeopleFault('challenge_unknown');
    return { text: String(found['challenge']), nonce: String(found['nonce']) };
  }

  /** A counter that does not grow shows a copied key: two authenticators have used the same number. */
  #use(found: PeopleRow, counter: number, person: Person): void {
    const { changes } = this.#db(
      'UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ? AND counter = ? AND ended_at IS NULL',
    ).run(counter, isoTime(this.#file.clock.now()), String(found['id']), Number(found['counter']));
    if (Number(changes) === 0) throw this.#refused(person);
  }

  #refused(person: Person | null): PeopleFault {
    inOneCommit(this.#file, () => logAccess(this.#file, person?.name ?? null, 'sign_in_refused'));
    return new PeopleFault('signature_refused');
  }

  #db(sql: string) {
    return this.#file.database.prepare(sql);
  }
}

type NewPasskey = {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
};

const NONCE_BYTES = 32;

/** The signed data: the digest of the question, if any, and a nonce. */
function challengeOf(digest: string, nonce: string): Buffer {
  return createHash('sha256')
    .update(Buffer.from(digest, 'hex'))
    .update(Buffer.from(nonce, 'base64url'))
    .digest();
}

/** Null if the signature, the origin, the challenge, the person's presence or the counter is wrong. */
async function newCounter(
  found: PeopleRow,
  response: AuthenticationResponseJSON,
  challenge: string,
  { origin, rpId }: RelyingParty,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
    credential: {
      id: String(found['id']),
      publicKey: new Uint8Array(found['public_key'] as Uint8Array),
      counter: Number(found['counter']),
    },
  }).catch(() => null);
  return verified?.verified === true ? verified.authenticationInfo.newCounter : null;
}

function originIn(clientDataJSON: string): string | null {
  try {
    const said = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
      origin?: unknown;
    };
    return typeof said.origin === 'string' && URL.canParse(said.origin) ? said.origin : null;
  } catch {
    return null;
  }
}

function toPasskey(found: PeopleRow): Passkey {
  return {
    id: String(found['id']),
    name: String(found['name']),
    createdAt: String(found['created_at']),
    lastUsedAt: textOrNull(found['last_used_at']),
  };
}
