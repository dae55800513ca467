// `people.sqlite` of the workspace: who may use the page and the interface. It is not in the ledger, which may be lost and rebuilt. Each entry of
// its access log carries the hash of the one before, so that a changed or removed entry shows.
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';

import { type Clock, isoTime } from '../../base/clock.ts';
import type { Access } from '../../contract/words.ts';
import type { Workspace } from '../../inbox/workspace.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS people (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, roles TEXT NOT NULL, pending_roles TEXT, pending_by TEXT,
    invited_by TEXT, created_at TEXT NOT NULL, ended_at TEXT, subject TEXT UNIQUE, unseated INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS invitations (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT, roles TEXT NOT NULL, invited_by TEXT,
    confirmed INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS passkeys (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, name TEXT NOT NULL, public_key BLOB NOT NULL, counter INTEGER NOT NULL,
    transports TEXT NOT NULL, created_at TEXT NOT NULL, last_used_at TEXT, ended_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, person TEXT NOT NULL, created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS browsers (
    hash TEXT PRIMARY KEY, person TEXT NOT NULL, signed_in_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS challenges (
    id TEXT PRIMARY KEY, challenge TEXT NOT NULL, nonce TEXT NOT NULL, purpose TEXT NOT NULL, ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS access_log (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT, what TEXT NOT NULL, about TEXT, hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS program_keys (
    prefix TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
    created_at TEXT NOT NULL, ends_at TEXT, last_used_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kept_responses (
    name TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    location TEXT, at INTEGER NOT NULL, PRIMARY KEY (name, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notice_choices (
    person TEXT NOT NULL, kind TEXT NOT NULL, way TEXT NOT NULL, PRIMARY KEY (person, kind, way)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notice_addresses (
    person TEXT PRIMARY KEY, address TEXT, asked TEXT, code_hash TEXT, code_ends_at INTEGER, tries INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notice_browsers (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, name TEXT NOT NULL, endpoint TEXT NOT NULL UNIQUE, p256dh TEXT NOT NULL,
    auth TEXT NOT NULL, created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS comments (
    batch TEXT NOT NULL, number INTEGER NOT NULL, of_row TEXT, who TEXT NOT NULL, at TEXT NOT NULL, said TEXT NOT NULL,
    PRIMARY KEY (batch, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS push_key (id INTEGER PRIMARY KEY CHECK (id = 1), private_key TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS verified_accounts (
    seq INTEGER PRIMARY KEY, payee TEXT NOT NULL, account TEXT NOT NULL, at TEXT NOT NULL, by TEXT NOT NULL, how TEXT NOT NULL,
    shown TEXT, batch TEXT NOT NULL, row TEXT NOT NULL, withdrawn_at TEXT, withdrawn_why TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS erased_payees (seq INTEGER PRIMARY KEY, payee TEXT NOT NULL, at TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS verified_by_payee ON verified_accounts (payee);
  CREATE TABLE IF NOT EXISTS delegates (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, delegate TEXT NOT NULL, from_day TEXT NOT NULL, to_day TEXT NOT NULL,
    named_at TEXT NOT NULL, ended_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS balances (
    slot INTEGER NOT NULL, currency TEXT NOT NULL, at INTEGER NOT NULL, available TEXT NOT NULL,
    PRIMARY KEY (slot, currency)
  ) STRICT, WITHOUT ROWID;`;

/** No other process of this machine holds the file for longer. */
const BUSY_MS = 5_000;

export type PeopleRow = Readonly<Record<string, SQLOutputValue>>;

/** The database of the people who may use the page, and the clock for its records. */
export type PeopleFile = { readonly database: DatabaseSync; readonly clock: Clock };

export function openPeopleFile({ root }: Pick<Workspace, 'root'>, clock: Clock): PeopleFile {
  const path = join(root, 'people.sqlite');
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  chmodSync(path, 0o600);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
  database.exec(TABLES);
  return { database, clock };
}

/** The same, or null where nobody was ever invited to the page of this workspace: opened, the file would be made. */
export function openedPeople(workspace: Pick<Workspace, 'root'>, clock: Clock): PeopleFile | null {
  return existsSync(join(workspace.root, 'people.sqlite')) ? openPeopleFile(workspace, clock) : null;
}

/** Commits all of it, or nothing; what `work` reads is still true when it writes. */
export function inOneCommit<T>({ database }: Pick<PeopleFile, 'database'>, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const done = work();
    database.exec('COMMIT');
    return done;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

type PeopleFaultCode =
  | 'challenge_unknown'
  | 'signature_refused'
  | 'token_unknown'
  | 'name_unfit'
  | 'person_exists'
  | 'person_unknown'
  | 'admin_last'
  | 'passkey_last'
  | 'second_admin_needed'
  | 'roles_changed'
  | 'delegate_unfit'
  | 'delegate_days'
  | 'delegate_unknown'
  | 'notice_codes_many'
  | 'notice_code_wrong';

/** A request about people that cannot be carried out. */
export class PeopleFault extends Error {
  override readonly name = 'PeopleFault';
  readonly code: PeopleFaultCode;

  constructor(code: PeopleFaultCode) {
    super(code);
    this.code = code;
  }
}

export function textOrNull(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

const SECRET_BYTES = 32;

/** Random and long, so that nobody can guess it, and a plain hash is enough to hide it. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

// The log of access.

export type AccessEntry = {
  readonly seq: number;
  readonly at: string;
  /** Null for an unknown person. */
  readonly who: string | null;
  readonly what: Access;
  readonly about: string | null;
};

/** If the event is a write, call this within the same commit. */
export function logAccess(
  { database, clock }: PeopleFile,
  who: string | null,
  what: Access,
  about: string | null = null,
): void {
  // The same statement reads the previous place and hash, so two processes never take the same place.
  const last = lastOf(database);
  const entry = { seq: last.seq + 1, at: isoTime(clock.now()), who, what, about };
  database
    .prepare('INSERT INTO access_log (seq, at, who, what, about, hash) VALUES (?, ?, ?, ?, ?, ?)')
    .run(entry.seq, entry.at, who, what, about, sealOf(last.hash, entry));
}

/** Nothing where that is in the log already, as for what a screen asks for again. */
export function logAccessOnce(file: PeopleFile, who: string, what: Access, about: string): void {
  const known = file.database
    .prepare('SELECT 1 FROM access_log WHERE who = ? AND what = ? AND about = ? LIMIT 1')
    .get(who, what, about);
  if (known === undefined) logAccess(file, who, what, about);
}

function lastOf(database: DatabaseSync): { readonly seq: number; readonly hash: string } {
  const last = database.prepare('SELECT seq, hash FROM access_log ORDER BY seq DESC LIMIT 1').get();
  return last === undefined ? { seq: 0, hash: '' } : { seq: Number(last['seq']), hash: String(last['hash']) };
}

function sealOf(before: string, { seq, at, who, what, about }: AccessEntry): string {
  return hashOf(JSON.stringify([before, seq, at, who, what, about]));
}

/** Null asks for all. `what`: one of these; `about`: one of these texts is in it; `from`, `to`: ISO, the second excluded; `before`: a place; `limit`: -1 for all. */
type AccessFilter = {
  readonly who: string | null;
  readonly what: readonly Access[] | null;
  readonly about: readonly string[] | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly before: number | null;
  readonly limit: number;
};

/** Newest first. */
export function accessLog(
  { database }: Pick<PeopleFile, 'database'>,
  { who, what, about, from, to, before, limit }: AccessFilter,
): readonly AccessEntry[] {
  return database
    .prepare(
      `SELECT seq, at, who, what, about FROM access_log WHERE (?1 IS NULL OR who = ?1) AND (?2 IS NULL OR what IN (SELECT value FROM json_each(?2)))
        AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(?3) WHERE instr(about, value) > 0))
        AND (?4 IS NULL OR at >= ?4) AND (?5 IS NULL OR at < ?5) AND (?6 IS NULL OR seq < ?6) ORDER BY seq DESC LIMIT ?7`,
    )
    .all(who, what && JSON.stringify(what), about && JSON.stringify(about), from, to, before, limit)
    .map(toEntry);
}

/** When somebody did something last, whether or not they are still signed in; null where they never did. */
export function lastActOf({ database }: Pick<PeopleFile, 'database'>, who: string): string | null {
  const found = database
    .prepare('SELECT at FROM access_log WHERE who = ? ORDER BY seq DESC LIMIT 1')
    .get(who);
  return textOrNull(found?.['at']);
}

/** Whether each entry follows from the one before, and the last entry, to be noted elsewhere. */
export function accessChain({ database }: Pick<PeopleFile, 'database'>): {
  readonly isWhole: boolean;
  readonly seq: number;
  readonly hash: string;
} {
  let [seq, hash] = [0, ''];
  for (const found of database.prepare('SELECT * FROM access_log ORDER BY seq').iterate()) {
    const entry = toEntry(found);
    if (entry.seq !== seq + 1 || sealOf(hash, entry) !== String(found['hash']))
      return { isWhole: false, seq, hash };
    [seq, hash] = [entry.seq, String(found['hash'])];
  }
  return { isWhole: true, seq, hash };
}

function toEntry(found: PeopleRow): AccessEntry {
  return {
    seq: Number(found['seq']),
    at: String(found['at']),
    who: textOrNull(found['who']),
    what: String(found['what']) as Access,
    about: textOrNull(found['about']),
  };
}
