// The browsers in which people are told (Web Push): the subscription of each, and the key by which the push services know paydrop (VAPID), made once and
// kept in the file of the people.
import { createECDH, generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { type PeopleRow, inOneCommit, logAccess, type PeopleFile } from './people-file.ts';
import type { Person } from './people.ts';

type PushBrowser = { readonly id: string; readonly name: string; readonly createdAt: string };

/** Points and secrets in base64url. */
export type PushSubscription = { readonly endpoint: string; readonly p256dh: string; readonly auth: string };

/** The private key as a JWK; the public one as a browser takes it: the point, in base64url. */
export type PushKey = { readonly privateKey: JsonWebKey; readonly publicKey: string };

/** More browsers nobody looks at; the oldest are forgotten. */
const OF_ONE_MOST = 10;

export class PushBrowsers {
  readonly #file: PeopleFile;

  constructor(file: PeopleFile) {
    this.#file = file;
  }

  /** Made when it is first asked for. */
  key(): PushKey {
    const made = (): string =>
      JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }));
    const found = inOneCommit(this.#file, () => {
      const known = this.#db('SELECT private_key FROM push_key').get()?.['private_key'];
      if (typeof known === 'string') return known;
      const text = made();
      this.#db('INSERT INTO push_key (id, private_key) VALUES (1, ?)').run(text);
      return text;
    });
    const privateKey = JSON.parse(found) as JsonWebKey;
    const point = [Buffer.of(UNCOMPRESSED), ...[privateKey.x, privateKey.y].map(bytesOf)];
    return { privateKey, publicKey: Buffer.concat(point).toString('base64url') };
  }

  /** Oldest first. */
  of({ id }: Pick<Person, 'id'>): readonly PushBrowser[] {
    return this.#db('SELECT * FROM notice_browsers WHERE person = ? ORDER BY created_at, id')
      .all(id)
      .map(toBrowser);
  }

  /** Of two people at one browser it tells the later one. */
  add(person: Person, name: string, { endpoint, p256dh, auth }: PushSubscription): void {
    inOneCommit(this.#file, () => {
      this.#db('DELETE FROM notice_browsers WHERE endpoint = ?').run(endpoint);
      this.#db(
        `DELETE FROM notice_browsers WHERE id IN
          (SELECT id FROM notice_browsers WHERE person = ? ORDER BY created_at DESC LIMIT -1 OFFSET ?)`,
      ).run(person.id, OF_ONE_MOST - 1);
      this.#db(
        'INSERT INTO notice_browsers (id, person, name, endpoint, p256dh, auth, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ).run(randomUUID(), person.id, name, endpoint, p256dh, auth, isoTime(this.#file.clock.now()));
      logAccess(this.#file, person.name, 'notice_browser_added', `${name}, ${new URL(endpoint).host}`);
    });
  }

  /** False where this person has no such browser. */
  remove(person: Person, id: string): boolean {
    return inOneCommit(this.#file, () => {
      const browser = this.of(person).find((each) => each.id === id);
      if (browser === undefined) return false;
      this.forget(id);
      logAccess(this.#file, person.name, 'notice_browser_removed', browser.name);
      return true;
    });
  }

  /** One that its push service no longer knows. */
  forget(id: string): void {
    this.#db('DELETE FROM notice_browsers WHERE id = ?').run(id);
  }

  find(person: string, id: string): PushSubscription | null {
    const found = this.#db('SELECT * FROM notice_browsers WHERE person = ? AND id = ?').get(person, id);
    if (found === undefined) return null;
    const { endpoint, p256dh, auth } = found;
    return { endpoint: String(endpoint), p256dh: String(p256dh), auth: String(auth) };
  }

  isAny(): boolean {
    return this.#db('SELECT id FROM notice_browsers LIMIT 1').get() !== undefined;
  }

  #db(sql: string) {
    return this.#file.database.prepare(sql);
  }
}

/** How a point begins that has both coordinates (SEC 1). */
const UNCOMPRESSED = 4;

function bytesOf(coordinate: string | undefined): Buffer {
  return Buffer.from(coordinate ?? '', 'base64url');
}

/** Whether something can be encrypted for it: the point lies on the curve. */
export function isPoint(p256dh: string): boolean {
  const own = createECDH('prime256v1');
  own.generateKeys();
  try {
    own.computeSecret(bytesOf(p256dh));
    return true;
  } catch {
    return false;
  }
}

function toBrowser({ id, name, created_at: createdAt }: PeopleRow): PushBrowser {
  return { id: String(id), name: String(name), createdAt: String(createdAt) };
}
