// `search.sqlite` of the workspace: what is looked for, and where it stands (full-text search by an inverted index). It is a read model: all of it is read out of
// the ledger, and whoever removes it has it built anew. It keeps words, and no text: what is shown of a payment comes from the ledger.
import { chmodSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import type { EventCursor } from '../../ledger/history.ts';
import { type SearchQuery, type Term } from './words.ts';

/** To be raised with every change of the tables or the words: another file is built anew. */
const FORMAT = 1;

/**
 * The index has the prefixes of so many signs. Of a longer one FTS5 reads all payments of all its words before it gives the first: few words are named one by
 * one instead, and where they are very many the rest of the prefix is compared with the payment itself.
 */
const PREFIX_SIGNS = 4;
const WORDS_OF_PREFIX_MOST = 500;
const WORDS_NAMED_MOST = 30;

const FTS = `content='', contentless_delete=1, detail=none, tokenize='ascii', prefix='1 2 3 ${String(PREFIX_SIGNS)}'`;
const TABLES = `
  CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL) STRICT;
  CREATE TABLE batches (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
  CREATE VIRTUAL TABLE files USING fts5(words, ${FTS});
  CREATE VIRTUAL TABLE payments USING fts5(words, ${FTS});
  CREATE TABLE vocabulary (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE rows (place INTEGER PRIMARY KEY, digest INTEGER NOT NULL) STRICT;
  CREATE TABLE transfers (digest INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (digest, place)) STRICT, WITHOUT ROWID;`;

/** A batch has a number, and so has each of its rows: the newest batches have the highest. */
const ROWS_OF_BATCH = 2 ** 32;
/** Batches of the time before the file was built are numbered down from here, later ones up. */
const MIDDLE = 2 ** 20;

/** How far it has come. */
export type SearchState = {
  readonly format: number;
  readonly ledger: string;
  /** What was committed behind this place is not in it yet. */
  readonly place: EventCursor;
  /** The last event that is in it, and the place before: a ledger that has another one there is not the one that was read. */
  readonly witness: { readonly after: EventCursor; readonly event: string } | null;
  /** What is left to read for the first time: the batches before this one, and of it the rows from a position on. Null once all were read. */
  readonly build: { readonly before: SearchPlace | null; readonly from: number | null } | null;
  /** Batches whose rows leave it, and those that leave it themselves. */
  readonly leaving: readonly Leaving[];
};
export type Leaving = { readonly batch: string; readonly isWhole: boolean };
type SearchPlace = { readonly acceptedAt: string; readonly id: string };

/** A row, and where it stands. */
export type Place = { readonly batch: string; readonly position: number };

export type Entry = Place & {
  readonly words: Iterable<string>;
  /** Digests of the ids of its transfers. */
  readonly transfers: readonly number[];
  /** Of all of the above: an entry that says the same is not written again. */
  readonly digest: number;
};

export class SearchFile {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  readonly #inode: number;

  /** Null of one that is damaged. @param first of a file that is made. @param waitMs for another process that writes; whoever waits does nothing else. */
  static open(path: string, first: Omit<SearchState, 'format'>, waitMs: number): SearchFile | null {
    try {
      return new SearchFile(path, first, waitMs);
    } catch (error) {
      if (isDamaged(error)) return null;
      throw error;
    }
  }

  private constructor(path: string, first: Omit<SearchState, 'format'>, waitMs: number) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { timeout: BUSY_MS });
    chmodSync(path, 0o600);
    // A power cut may take the last commits: they are read again.
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${String(CACHE_KB)};`,
    );
    this.#inode = statSync(path).ino;
    this.#inCommit(() => {
      if (this.#sql("SELECT 1 FROM sqlite_master WHERE name = 'state'").get() !== undefined) return;
      this.#database.exec(TABLES);
      const state: SearchState = { format: FORMAT, ...first };
      this.#sql('INSERT INTO state (one, value) VALUES (1, ?)').run(JSON.stringify(state));
    });
    this.#database.exec(`PRAGMA busy_timeout = ${String(waitMs)}`);
  }

  /** Null of a file that another version of paydrop has written. */
  state(): SearchState | null {
    const state = JSON.parse(this.#stateText()) as SearchState;
    return state.format === FORMAT ? state : null;
  }

  /** False once it was removed, or another one stands in its place. */
  isThere(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  /** Removes it with all that it knew. */
  discard(): void {
    this.close();
    discardSearchFile(this.#path);
  }

  close(): void {
    this.#database.close();
  }

  /** Writes in one commit what was read since it stood as it was seen; false, and nothing, where another process was faster. */
  write(seen: SearchState, next: Partial<SearchState>, work: () => void): boolean {
    return this.#inCommit(() => {
      if (this.#stateText() !== JSON.stringify(seen)) return false;
      work();
      this.#sql('UPDATE state SET value = ?').run(JSON.stringify({ ...seen, ...next }));
      return true;
    });
  }

  // Within `write`.

  /** Only the first time: its name stays. @param isNew not of the time before the file was built. */
  putBatch(id: string, words: Iterable<string>, isNew: boolean): void {
    if (this.#numberOf(id) !== null) return;
    const number = this.#newNumber(id, isNew);
    this.#sql('INSERT INTO files (rowid, words) VALUES (?, ?)').run(number, textOf(words));
  }

  /** Of a batch that is known. */
  put({ batch, position, words, transfers, digest }: Entry): void {
    const number = this.#numberOf(batch);
    if (number === null) return;
    const place = number * ROWS_OF_BATCH + position;
    const known = this.#sql('SELECT digest FROM rows WHERE place = ?').get(place)?.['digest'];
    if (known === digest) return;
    const order = known === undefined ? 'INSERT' : 'INSERT OR REPLACE';
    this.#sql(`${order} INTO payments (rowid, words) VALUES (?, ?)`).run(place, textOf(words));
    for (const word of words)
      if (isListed(word)) this.#sql('INSERT OR IGNORE INTO vocabulary (word) VALUES (?)').run(word);
    for (const each of transfers)
      this.#sql('INSERT OR IGNORE INTO transfers (digest, place) VALUES (?, ?)').run(each, place);
    this.#sql('INSERT OR REPLACE INTO rows (place, digest) VALUES (?, ?)').run(place, digest);
  }

  /** Removes some rows of a batch; true once nothing is left that has to leave. */
  remove({ batch, isWhole }: Leaving, most: number): boolean {
    const number = this.#numberOf(batch);
    if (number === null) return true;
    const rows = this.#sql('SELECT place FROM rows WHERE place >= ? AND place < ? LIMIT ?').all(
      number * ROWS_OF_BATCH,
      (number + 1) * ROWS_OF_BATCH,
      most,
    );
    for (const { place = null } of rows) {
      this.#sql('DELETE FROM payments WHERE rowid = ?').run(place);
      this.#sql('DELETE FROM rows WHERE place = ?').run(place);
    }
    if (rows.length === most) return false;
    if (!isWhole) return true;
    this.#sql('DELETE FROM files WHERE rowid = ?').run(number);
    this.#sql('DELETE FROM batches WHERE number = ?').run(number);
    return true;
  }

  #numberOf(batch: string): number | null {
    const found = this.#sql('SELECT number FROM batches WHERE id = ?').get(batch);
    return found === undefined ? null : Number(found['number']);
  }

  #newNumber(id: string, isNew: boolean): number {
    const beside = isNew ? 'max(number) + 1' : 'min(number) - 1';
    const found = this.#sql(`SELECT coalesce(${beside}, ?) AS number FROM batches`).get(MIDDLE);
    const number = Number(found?.['number']);
    this.#sql('INSERT INTO batches (number, id) VALUES (?, ?)').run(number, id);
    return number;
  }

  // What is found. The newest first.

  /** Batches whose name or id fits. */
  files(query: SearchQuery, owner: string | null, limit: number): readonly string[] {
    return this.#sql(
      `SELECT b.id FROM files f JOIN batches b ON b.number = f.rowid WHERE files MATCH ? ORDER BY f.rowid DESC LIMIT ?`,
    )
      .all(this.#matchOf({ ...query, account: null }, owner), limit)
      .map((found) => String(found['id']));
  }

  /** Rows that may fit: the index knows less of an account, and of a prefix that very many words have. @param after null for the newest of all. */
  payments(query: SearchQuery, owner: string | null, after: Place | null, limit: number): readonly Place[] {
    const before = after === null ? Number.MAX_SAFE_INTEGER : this.#placeOf(after);
    return this.#sql(
      'SELECT rowid AS place FROM payments WHERE payments MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    )
      .all(this.#matchOf(query, owner), before, limit)
      .flatMap((found) => this.#placeIn(Number(found['place'])));
  }

  /** The rows whose transfer has this id. */
  rowsOfTransfer(digest: number): readonly Place[] {
    return this.#sql(
      'SELECT t.place FROM transfers t JOIN rows r ON r.place = t.place WHERE t.digest = ? LIMIT 8',
    )
      .all(digest)
      .flatMap((found) => this.#placeIn(Number(found['place'])));
  }

  #placeOf({ batch, position }: Place): number {
    return (this.#numberOf(batch) ?? 0) * ROWS_OF_BATCH + position;
  }

  #placeIn(place: number): readonly Place[] {
    const number = Math.floor(place / ROWS_OF_BATCH);
    const found = this.#sql('SELECT id FROM batches WHERE number = ?').get(number);
    return found === undefined ? [] : [{ batch: String(found['id']), position: place % ROWS_OF_BATCH }];
  }

  /** In the language of the index. Its words have letters and digits alone, so that none of them is an operator. */
  #matchOf({ clauses, account }: SearchQuery, owner: string | null): string {
    const said = clauses
      .map(
        (clause) => `(${clause.map((phrase) => `(${phrase.map(this.#term).join(' AND ')})`).join(' OR ')})`,
      )
      .join(' AND ');
    const whole = account === null ? said : `((${said}) OR "${account.slice(-PREFIX_SIGNS)}")`;
    return owner === null ? whole : `"${owner}" AND ${whole}`;
  }

  readonly #term = ({ word, isPrefix }: Term): string => {
    if (!isPrefix) return `"${word}"`;
    const short = Array.from(word).slice(0, PREFIX_SIGNS).join('');
    if (short === word) return `"${word}" *`;
    const known = isListed(word) ? this.#wordsThatBegin(word) : null;
    if (known === null || known.length > WORDS_OF_PREFIX_MOST) return `"${short}" *`;
    if (known.length > WORDS_NAMED_MOST) return `"${word}" *`;
    return `(${[word, ...known].map((each) => `"${each}"`).join(' OR ')})`;
  };

  #wordsThatBegin(prefix: string): readonly string[] {
    return this.#sql('SELECT word FROM vocabulary WHERE word >= ?1 AND word < ?1 || ?2 LIMIT ?3')
      .all(prefix, LAST_SIGN, WORDS_OF_PREFIX_MOST + 1)
      .map((found) => String(found['word']));
  }

  #stateText(): string {
    return String(this.#sql('SELECT value FROM state').get()?.['value']);
  }

  #inCommit<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const done = work();
      this.#database.exec('COMMIT');
      return done;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #sql(text: string) {
    const known = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, known);
    return known;
  }
}

const BUSY_MS = 5_000;
const CACHE_KB = 64 * 1024;
const LAST_SIGN = '\u{10ffff}';

/** Numbers are very many, and asked for as they are. */
function isListed(word: string): boolean {
  return word.length > PREFIX_SIGNS && /\D/.test(word);
}

function textOf(words: Iterable<string>): string {
  return [...words].join(' ');
}

export function discardSearchFile(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === SQLITE_BUSY;
}

/** Also one that is no database at all. */
export function isDamaged(error: unknown): boolean {
  return codeOf(error) === SQLITE_CORRUPT || codeOf(error) === SQLITE_NOTADB;
}

/** The kind is the lower half of the code. */
function codeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : null;
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
