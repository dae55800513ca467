// Browsers that have signed in before, by a cookie that opens nothing: whoever floods the sign-in locks out none of them. Only the hash of the secret is kept.
import { hashOf, inOneCommit, newSecret, type PeopleFile } from './people-file.ts';
import type { People, Person } from './people.ts';

/** Someone who is away for longer signs in as a stranger does. */
export const BROWSER_KEPT_MS = 90 * 24 * 3_600_000;

/** More browsers nobody uses; the oldest are forgotten. */
const OF_ONE_MOST = 20;

export class Browsers {
  readonly #people: People;
  readonly #file: PeopleFile;

  constructor(people: People) {
    this.#people = people;
    this.#file = people.file;
  }

  /** Gives the secret of the cookie. */
  remember(person: Person): string {
    const [secret, now] = [newSecret(), this.#file.clock.now()];
    inOneCommit(this.#file, () => {
      this.#db('DELETE FROM browsers WHERE signed_in_at <= ?').run(now - BROWSER_KEPT_MS);
      this.#db(
        'DELETE FROM browsers WHERE hash IN (SELECT hash FROM browsers WHERE person = ? ORDER BY signed_in_at DESC LIMIT -1 OFFSET ?)',
      ).run(person.id, OF_ONE_MOST - 1);
      this.#db('INSERT INTO browsers (hash, person, signed_in_at) VALUES (?, ?, ?)').run(
        hashOf(secret),
        person.id,
        now,
      );
    });
    return secret;
  }

  /** What tells it from other browsers; null for one that is not known, or whose person was removed. */
  find(secret: string | null): string | null {
    if (secret === null) return null;
    const hash = hashOf(secret);
    const found = this.#db('SELECT person, signed_in_at FROM browsers WHERE hash = ?').get(hash);
    if (found === undefined) return null;
    const isKept = this.#file.clock.now() < Number(found['signed_in_at']) + BROWSER_KEPT_MS;
    return isKept && this.#people.find(String(found['person'])) !== null ? hash : null;
  }

  #db(sql: string) {
    return this.#file.database.prepare(sql);
  }
}
