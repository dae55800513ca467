// The keys of programs, in `people.sqlite` of the workspace: not in the ledger, which may be lost and rebuilt. Only a key's hash is stored. With them
// stand the responses that a program got, for as long as it may repeat the request.
import type { DatabaseSync } from 'node:sqlite';

import { type Clock, isoTime } from '../../base/clock.ts';
import { type Scope, SCOPES } from '../../contract/words.ts';
import {
  type PeopleRow,
  hashOf,
  inOneCommit,
  logAccess,
  newSecret,
  type PeopleFile,
  textOrNull,
} from './people-file.ts';

export type ProgramKey = {
  /** The beginning of the key, by which people recognise it. */
  readonly prefix: string;
  /** The submitter of everything that comes with it: keys of one name belong to one program. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  /** ISO; null for a key without an end. */
  readonly endsAt: string | null;
  readonly lastUsedAt: string | null;
};

/** A response that the same request gets again. */
export type KeptResponse = {
  readonly digest: string;
  readonly status: number;
  readonly body: string;
  readonly location: string | null;
};

/** The characters of a key that lists show. */
const PREFIX_LENGTH = 14;

/** The last use of a key is known to the minute, to save writes. */
const USED_EVERY_MS = 60_000;

const RESPONSES_KEPT_MS = 7 * 24 * 3_600_000;

export class ProgramKeys {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  readonly #file: PeopleFile;

  constructor(file: PeopleFile) {
    this.#file = file;
    this.#database = file.database;
    this.#clock = file.clock;
  }

  /** Returns the key itself, which is shown once and stored nowhere. */
  make(
    name: string,
    scopes: readonly Scope[],
    {
      endsAt = null,
      isSandbox,
      by = null,
    }: { readonly endsAt?: string | null; readonly isSandbox: boolean; readonly by?: string | null },
  ): string {
    const key = `pd_${isSandbox ? 'test' : 'live'}_${newSecret()}`;
    const prefix = key.slice(0, PREFIX_LENGTH);
    inOneCommit(this.#file, () => {
      this.#database
        .prepare(
          'INSERT INTO program_keys (prefix, name, hash, scopes, created_at, ends_at) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .run(prefix, name, hashOf(key), scopes.join(' '), isoTime(this.#clock.now()), endsAt);
      logAccess(this.#file, by, 'key_made', `${prefix}: ${name}, ${scopes.join(', ')}`);
    });
    return key;
  }

  /** Oldest first; expired keys are still listed. */
  list(): readonly ProgramKey[] {
    return this.#database.prepare('SELECT * FROM program_keys ORDER BY created_at, prefix').all().map(toKey);
  }

  /** Ends the key with this prefix, or all keys of this name; returns how many. */
  end(prefixOrName: string, by: string | null = null): number {
    return inOneCommit(this.#file, () => {
      const { changes } = this.#database
        .prepare('DELETE FROM program_keys WHERE prefix = ?1 OR name = ?1')
        .run(prefixOrName);
      if (Number(changes) > 0) logAccess(this.#file, by, 'key_ended', prefixOrName);
      return Number(changes);
    });
  }

  /** Null for a key that is unknown, or has ended. It is looked up by its hash, so that the time of a comparison reveals nothing of it. */
  find(key: string): ProgramKey | null {
    const found = this.#database.prepare('SELECT * FROM program_keys WHERE hash = ?').get(hashOf(key));
    if (found === undefined) return null;
    const known = toKey(found);
    if (!this.#counts(known)) return null;
    const now = this.#clock.now();
    if (known.lastUsedAt === null || now - Date.parse(known.lastUsedAt) >= USED_EVERY_MS)
      this.#database
        .prepare('UPDATE program_keys SET last_used_at = ? WHERE prefix = ?')
        .run(isoTime(now), known.prefix);
    return known;
  }

  /** Whether the key with this prefix is still valid. */
  isAlive(prefix: string): boolean {
    const found = this.#database.prepare('SELECT * FROM program_keys WHERE prefix = ?').get(prefix);
    return found !== undefined && this.#counts(toKey(found));
  }

  #counts({ endsAt }: ProgramKey): boolean {
    return endsAt === null || this.#clock.now() < Date.parse(endsAt);
  }

  /** The stored response to a program of this name for the idempotency key of its request. */
  response(name: string, key: string): KeptResponse | null {
    const found = this.#database
      .prepare(
        'SELECT digest, status, body, location FROM kept_responses WHERE name = ? AND key = ? AND at > ?',
      )
      .get(name, key, this.#clock.now() - RESPONSES_KEPT_MS);
    if (found === undefined) return null;
    const { digest, status, body, location } = found;
    return {
      digest: String(digest),
      status: Number(status),
      body: String(body),
      location: textOrNull(location),
    };
  }

  keepResponse(name: string, key: string, { digest, status, body, location }: KeptResponse): void {
    const now = this.#clock.now();
    this.#database.prepare('DELETE FROM kept_responses WHERE at <= ?').run(now - RESPONSES_KEPT_MS);
    this.#database
      .prepare(
        'INSERT OR REPLACE INTO kept_responses (name, key, digest, status, body, location, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(name, key, digest, status, body, location, now);
  }
}

function toKey(found: PeopleRow): ProgramKey {
  const scopes = String(found['scopes']).split(' ');
  return {
    prefix: String(found['prefix']),
    name: String(found['name']),
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    createdAt: String(found['created_at']),
    endsAt: textOrNull(found['ends_at']),
    lastUsedAt: textOrNull(found['last_used_at']),
  };
}
