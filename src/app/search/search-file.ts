// `search-N.sqlite`, N being its format: what is looked for, and where it stands (full-text search by an inverted index). It is a read model: all of it is read out
// of the ledger, and whoever removes it has it built anew. It keeps words, and no text: what is shown of a payment comes from the ledger.
import { hash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { EventCursor } from '../../ledger/history.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { RowPlace } from '../../payouts/progress.ts';
import {
  type PaidEntry,
  type PayeeEntry,
  type PayeeHistory,
  PayeeTables,
  payeeTables,
} from './payee-tables.ts';
import type { SearchQuery, Term } from './words.ts';

/** To be raised with every change of the tables or the words: a file of another format stands beside it, and is no concern of this program. */
const FORMAT = 3;

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
  CREATE TABLE transfers (digest INTEGER NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (digest, place)) STRICT, WITHOUT ROWID;
  ${payeeTables(FTS)}`;

/** A batch has a number, and so has each of its rows: the newest batches have the highest. */
const ROWS_OF_BATCH = 2 ** 32;
/** Batches of the time before the file was built are numbered down from here, later ones up. */
const MIDDLE = 2 ** 20;

/** How far it has come. */
export type SearchState = {
  readonly ledger: string;
  /** The last payee of those who were erased when it was begun: of them it has neither name nor account. */
  readonly erased: number;
  /** What was committed behind this place is not in it yet. */
  readonly place: EventCursor;
  /** The last event that is in it, and the place before: a ledger that has another one there is not the one that was read. */
  readonly witness: { readonly after: EventCursor; readonly event: string } | null;
  /** What is left to read for the first time: the batches before this one, and of it the rows from a position on. Null once all were read. */
  readonly build: {
    readonly before: Pick<BatchRecord, 'acceptedAt' | 'id'> | null;
    readonly from: number | null;
  } | null;
  /** Batches whose rows leave it, and those that leave it themselves. */
  readonly leaving: readonly Leaving[];
};
export type Leaving = { readonly batch: string; readonly isWhole: boolean };

/** A row, and where it stands. */
export type Entry = RowPlace & {
  readonly words: readonly string[];
  /** The ids of its transfers. */
  readonly transfers: readonly string[];
  /** Null of a row that is not paid, and of one without a name. */
  readonly paid: PaidEntry | null;
};

export type BatchEntry = {
  readonly id: string;
  readonly words: readonly string[];
  /** Not of the time before the file was built. */
  readonly isNew: boolean;
};

export class SearchFile {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  readonly #payees: PayeeTables;
  readonly #inode: number;

  /** Waits for nobody: while another process makes it, that is an error. @param first of a file that is made. */
  constructor(path: string, first: SearchState) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#database = new DatabaseSync(path, { timeout: 0 });
    this.#payees = new PayeeTables((text) => this.#sql(text));
    try {
      this.#inode = statSync(path).ino;
      this.#set(first);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #set(first: SearchState): void {
    chmodSync(this.#path, 0o600);
    // A power cut may take the last commits: they are read again.
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${String(CACHE_KB)};`,
    );
    const isMade = (): boolean =>
      this.#sql("SELECT 1 FROM sqlite_master WHERE name = 'state'").get() !== undefined;
    if (isMade()) return;
    this.#inCommit(() => {
      if (isMade()) return;
      this.#database.exec(TABLES);
      this.#sql('INSERT INTO state (one, value) VALUES (1, ?)').run(JSON.stringify(first));
    });
    discardOlder(this.#path);
  }

  state(): SearchState {
    return JSON.parse(this.#stateText()) as SearchState;
  }

  /** False once it was removed, or another one stands in its place. */
  isThere(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode;
  }

  close(): void {
    this.#database.close();
  }

  // What is written, each in one commit, since it stood as it was seen; false, and nothing, where another process was faster.

  /** @param batches only the first time: a name stays. @param rows of batches that are known. */
  write(
    seen: SearchState,
    next: Partial<SearchState>,
    batches: readonly BatchEntry[],
    rows: readonly Entry[],
  ): boolean {
    return this.#change(seen, () => {
      for (const batch of batches) this.#putBatch(batch);
      for (const row of rows) this.#put(row);
      return next;
    });
  }

  /** Removes some rows of the first batch that leaves. */
  leave(seen: SearchState, most: number): boolean {
    const [first, ...leaving] = seen.leaving;
    return this.#change(seen, () => (first === undefined || this.#remove(first, most) ? { leaving } : {}));
  }

  #change(seen: SearchState, work: () => Partial<SearchState>): boolean {
    return this.#inCommit(() => {
      if (this.#stateText() !== JSON.stringify(seen)) return false;
      this.#sql('UPDATE state SET value = ?').run(JSON.stringify({ ...seen, ...work() }));
      return true;
    });
  }

  #putBatch({ id, words, isNew }: BatchEntry): void {
    if (this.#numberOf(id) !== null) return;
    const number = this.#newNumber(id, isNew);
    this.#sql('INSERT INTO files (rowid, words) VALUES (?, ?)').run(number, words.join(' '));
    this.#list(words);
  }

  #put({ batch, position, words, transfers, paid }: Entry): void {
    const number = this.#numberOf(batch);
    if (number === null) return;
    const place = number * ROWS_OF_BATCH + position;
    const digest = digestOf(JSON.stringify([words, transfers, paid]));
    const known = this.#sql('SELECT digest FROM rows WHERE place = ?').get(place)?.['digest'];
    if (known === digest) return;
    const order = known === undefined ? 'INSERT' : 'INSERT OR REPLACE';
    this.#sql(`${order} INTO payments (rowid, words) VALUES (?, ?)`).run(place, words.join(' '));
    this.#list(words);
    for (const id of transfers)
      this.#sql('INSERT OR IGNORE INTO transfers (digest, place) VALUES (?, ?)').run(digestOf(id), place);
    this.#payees.put(place, paid);
    this.#sql('INSERT OR REPLACE INTO rows (place, digest) VALUES (?, ?)').run(place, digest);
  }

  #list(words: readonly string[]): void {
    for (const word of words)
      if (isListed(word)) this.#sql('INSERT OR IGNORE INTO vocabulary (word) VALUES (?)').run(word);
  }

  /** Removes some rows of a batch; true once nothing is left that has to leave. */
  #remove({ batch, isWhole }: Leaving, most: number): boolean {
    const number = this.#numberOf(batch);
    if (number === null) return true;
    const rows = this.#sql('SELECT place FROM rows WHERE place >= ? AND place < ? LIMIT ?').all(
      number * ROWS_OF_BATCH,
      (number + 1) * ROWS_OF_BATCH,
      most,
    );
    for (const { place = null } of rows) {
      this.#payees.put(Number(place), null);
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

  // What is found. The newest first, from `after` on; null for the newest of all.

  hasBatch(id: string): boolean {
    return this.#numberOf(id) !== null;
  }

  /** Batches whose name or id may fit. */
  files(query: SearchQuery, owner: string | null, after: string | null, limit: number): readonly string[] {
    const before = after === null ? Number.MAX_SAFE_INTEGER : this.#numberOf(after);
    return this.#sql(
      `SELECT b.id FROM files f JOIN batches b ON b.number = f.rowid WHERE files MATCH ? AND f.rowid < ? ORDER BY f.rowid DESC LIMIT ?`,
    )
      .all(this.#matchOf(query, owner), before, limit)
      .map((found) => String(found['id']));
  }

  /** Rows that may fit: the index knows less of a prefix that very many words have. */
  payments(
    query: SearchQuery,
    owner: string | null,
    after: RowPlace | null,
    limit: number,
  ): readonly RowPlace[] {
    const before = after === null ? Number.MAX_SAFE_INTEGER : this.#placeOf(after);
    return this.#sql(
      'SELECT rowid AS place FROM payments WHERE payments MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    )
      .all(this.#matchOf(this.#narrowed(query, owner), owner), before, limit)
      .flatMap((found) => this.#placeIn(Number(found['place'])));
  }

  /** The rows whose transfer has this id. */
  rowsOfTransfer(id: string): readonly RowPlace[] {
    return this.#sql(
      'SELECT t.place FROM transfers t JOIN rows r ON r.place = t.place WHERE t.digest = ? LIMIT 8',
    )
      .all(digestOf(id))
      .flatMap((found) => this.#placeIn(Number(found['place'])));
  }

  /** Payees of whom a name or an account may fit, whoever was paid last first. @param query null for everybody. */
  payees(query: SearchQuery | null, after: RowPlace | null, limit: number): readonly PayeeEntry<RowPlace>[] {
    const before = after === null ? Number.MAX_SAFE_INTEGER : this.#placeOf(after);
    return this.#payees
      .list(query && this.#matchOf(query, null), before, limit)
      .map((entry) => ({ ...entry, last: this.#placeAt(entry.last), fitting: this.#placeAt(entry.fitting) }));
  }

  /** What a payee got, with the newest payments; null of whoever got nothing. */
  payee(key: string, limit: number): PayeeHistory<RowPlace> | null {
    const found = this.#payees.history(key, limit);
    return (
      found && {
        ...found,
        accounts: found.accounts.map((each) => ({
          ...each,
          first: this.#placeAt(each.first),
          last: this.#placeAt(each.last),
        })),
        payments: found.payments.map((place) => this.#placeAt(place)),
      }
    );
  }

  /** The newest payments to each of these, the last one first. */
  paymentsTo(
    asked: readonly Pick<PaidEntry, 'payee' | 'account'>[],
    limit: number,
  ): readonly (readonly RowPlace[])[] {
    return asked.map((each) => this.#payees.paymentsTo(each, limit).map((place) => this.#placeAt(place)));
  }

  #placeOf({ batch, position }: RowPlace): number {
    return (this.#numberOf(batch) ?? 0) * ROWS_OF_BATCH + position;
  }

  #placeIn(place: number): readonly RowPlace[] {
    const number = Math.floor(place / ROWS_OF_BATCH);
    const found = this.#sql('SELECT id FROM batches WHERE number = ?').get(number);
    return found === undefined ? [] : [{ batch: String(found['id']), position: place % ROWS_OF_BATCH }];
  }

  /** Of a row that stands in the index, and so its batch. */
  #placeAt(place: number): RowPlace {
    const [found] = this.#placeIn(place);
    if (found === undefined) throw new Error('A payment of the index has no batch.');
    return found;
  }

  /** An exact word alone that few payments have: to look at those costs less than to look for the other words in all payments. */
  #narrowed(query: SearchQuery, owner: string | null): SearchQuery {
    const isExact = (clause: SearchQuery['clauses'][number]): boolean =>
      clause.every((phrase) => phrase.every(({ isPrefix }) => !isPrefix));
    for (const clause of query.clauses.filter(isExact)) {
      const narrow = { ...query, clauses: [clause] };
      const found = this.#sql('SELECT 1 FROM payments WHERE payments MATCH ? LIMIT ?').all(
        this.#matchOf(narrow, owner),
        FEW_PAYMENTS,
      );
      if (found.length < FEW_PAYMENTS) return narrow;
    }
    return query;
  }

  /** In the language of the index. Its words have letters and digits alone, so that none of them is an operator. */
  #matchOf({ clauses }: SearchQuery, owner: string | null): string {
    const said = clauses
      .map(
        (clause) => `(${clause.map((phrase) => `(${phrase.map(this.#term).join(' AND ')})`).join(' OR ')})`,
      )
      .join(' AND ');
    return owner === null ? said : `"${owner}" AND ${said}`;
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
      // A full disk has ended it already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #sql(text: string) {
    const known = this.#statements.get(text) ?? this.#database.prepare(text);
    this.#statements.set(text, known);
    return known;
  }
}

/** Of a page of results. */
const FEW_PAYMENTS = 100;
const CACHE_KB = 64 * 1024;
const LAST_SIGN = '\u{10ffff}';

/** Numbers are very many, and asked for as they are. */
function isListed(word: string): boolean {
  return word.length > PREFIX_SIGNS && /\D/.test(word);
}

/** 48 bits, which a number holds. */
function digestOf(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 12), 16);
}

export function searchFileIn(folder: string, suffix = ''): string {
  return join(folder, `search-${String(FORMAT)}${suffix}.sqlite`);
}

/** The file itself last: whoever opens it meanwhile leaves nothing that the next one would take for its own. */
export function discardSearchFile(path: string): void {
  for (const each of [`${path}-wal`, `${path}-shm`, path]) rmSync(each, { force: true });
}

/** Nobody else removes the names that an earlier version has left. */
function discardOlder(path: string): void {
  const folder = dirname(path);
  const suffix = basename(path).slice(`search-${String(FORMAT)}`.length);
  for (let format = FORMAT - 1; format >= 0; format -= 1)
    discardSearchFile(join(folder, `search-${String(format)}${suffix}`));
}
