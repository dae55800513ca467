// Sessions of signed-in people: only the hash of the cookie's secret is stored, and each signature changes the secret.
import { randomUUID } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { type PeopleRow, hashOf, inOneCommit, logAccess, newSecret, type PeopleFile } from './people-file.ts';
import type { People, Person } from './people.ts';

export type Session = {
  readonly id: string;
  readonly person: Person;
  /** ISO. */
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly idleEndsAt: string;
  readonly endsAt: string;
};

/** After this time without activity, the person has left the desk. */
const IDLE_MS = 15 * 60_000;

/** A working day. */
const LASTS_MS = 8 * 3_600_000;

/** The last activity is known to ten seconds, to save writes. */
const SEEN_EVERY_MS = 10_000;

export class Sessions {
  readonly #people: People;
  readonly #file: PeopleFile;

  constructor(people: People) {
    this.#people = people;
    this.#file = people.file;
  }

  /** Returns the secret of the cookie. @param how for the log: the passkey, or who else proved the identity. */
  begin(person: Person, how: string): { readonly secret: string; readonly session: Session } {
    const [id, secret, now] = [randomUUID(), newSecret(), this.#file.clock.now()];
    inOneCommit(this.#file, () => {
      this.#db('DELETE FROM sessions WHERE ends_at <= ? OR seen_at <= ?').run(now, now - IDLE_MS);
      this.#db(
        'INSERT INTO sessions (id, hash, person, created_at, seen_at, ends_at) VALUES (?, ?, ?, ?, ?, ?)',
      ).run(id, hashOf(secret), person.id, now, now, now + LASTS_MS);
      logAccess(this.#file, person.name, 'signed_in', how);
    });
    return { secret, session: this.#known(id, person) };
  }

  /**
   * Null for a session that is unknown, has ended, or whose person was removed. @param isActive false for a request that no person made, which
   * does not prolong the session.
   */
  find(secret: string, isActive: boolean): Session | null {
    const found = this.#db('SELECT * FROM sessions WHERE hash = ?').get(hashOf(secret));
    const now = this.#file.clock.now();
    if (found === undefined || !isAlive(found, now)) return null;
    const person = this.#people.find(String(found['person']));
    if (person === null) return null;
    if (isActive && now - Number(found['seen_at']) >= SEEN_EVERY_MS)
      this.#db('UPDATE sessions SET seen_at = ? WHERE id = ?').run(now, String(found['id']));
    return toSession(isActive ? { ...found, seen_at: now } : found, person);
  }

  isAlive(id: string): boolean {
    const found = this.#db('SELECT * FROM sessions WHERE id = ?').get(id);
    return found !== undefined && isAlive(found, this.#file.clock.now());
  }

  /** Another secret for the same session: the old one opens nothing. */
  renew({ id }: Session): string {
    const secret = newSecret();
    this.#db('UPDATE sessions SET hash = ? WHERE id = ?').run(hashOf(secret), id);
    return secret;
  }

  /** The sessions of one person, newest first. */
  of(person: Person): readonly Session[] {
    const now = this.#file.clock.now();
    return this.#db('SELECT * FROM sessions WHERE person = ? ORDER BY created_at DESC')
      .all(person.id)
      .filter((found) => isAlive(found, now))
      .map((found) => toSession(found, person));
  }

  /** False where this person has no such session. */
  end(id: string, person: Person): boolean {
    return inOneCommit(this.#file, () => {
      const { changes } = this.#db('DELETE FROM sessions WHERE id = ? AND person = ?').run(id, person.id);
      if (Number(changes) > 0) logAccess(this.#file, person.name, 'signed_out');
      return Number(changes) > 0;
    });
  }

  #known(id: string, person: Person): Session {
    const found = this.#db('SELECT * FROM sessions WHERE id = ?').get(id);
    if (found === undefined) throw new Error('The session was begun.');
    return toSession(found, person);
  }

  #db(sql: string) {
    return this.#file.database.prepare(sql);
  }
}

function isAlive(found: PeopleRow, now: number): boolean {
  return now < Number(found['ends_at']) && now < Number(found['seen_at']) + IDLE_MS;
}

function toSession(found: PeopleRow, person: Person): Session {
  const [seen, ends] = [Number(found['seen_at']), Number(found['ends_at'])];
  return {
    id: String(found['id']),
    person,
    createdAt: isoTime(Number(found['created_at'])),
    lastSeenAt: isoTime(seen),
    idleEndsAt: isoTime(Math.min(seen + IDLE_MS, ends)),
    endsAt: isoTime(ends),
  };
}
