// Connections to the database: their settings, the words for their faults, and the few that a process shares.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

import pg from 'pg';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { LedgerAway, LedgerUnusable } from '../ledger-unusable.ts';
import type { Value } from '../plan.ts';
import type { Found } from '../seals.ts';

export type PostgresPlace = {
  /** `postgres://USER@HOST/DATABASE?schema=NAME`, and what else the driver knows, such as `sslmode`. */
  readonly url: string;
  /** Null where the URL has it, or none is asked for. */
  readonly password: string | null;
  /** How long a run may be silent before the others take it for dead. */
  readonly giveUpAfterMs: number;
};

/** One statement, and the lines that it gives. */
export type Query = (text: string, values?: readonly Value[]) => Promise<readonly Found[]>;

/** What distinguishes a connection, and how long each of its responses may take. */
type Manner = {
  readonly name?: string;
  readonly answersWithinMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * For statements about few rows, whose plans are kept: they go from row to row by the indexes. A plan that was made while the tables were small would else
 * read all of them each time, once they have grown.
 */
export const BY_INDEX = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Where nothing else is possible the plan is costly by these settings, and would be compiled.
  jit: 'off',
};

/** How long a connection may take to come about. */
const CONNECT_MS = 5_000;

/** How long a write waits for what another process holds; as `BUSY_MS` of SQLite. */
const LOCK_MS = 10_000;

const DEFAULT_SCHEMA = 'paydrop';

/** Quoted nowhere, so that it reads the same everywhere. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** The schema that a URL names. Throws `LedgerUnusable` for a name that PostgreSQL would read otherwise. */
export function schemaOf({ url }: Pick<PostgresPlace, 'url'>): string {
  const schema = new URL(url).searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (SCHEMA_NAME.test(schema)) return schema;
  throw new LedgerUnusable(sentence('ledger.schemaName', { schema }));
}

/** Longer than any statement of ours takes, and than any lock is waited for. */
const ANSWER_MS = 60_000;

function clientConfig(
  place: PostgresPlace,
  { name = 'paydrop', answersWithinMs = ANSWER_MS, settings: more = {} }: Manner,
): pg.ClientConfig {
  const silent = String(place.giveUpAfterMs);
  const settings = {
    search_path: schemaOf(place),
    lock_timeout: String(LOCK_MS),
    // A process that is frozen inside a commit must not keep its locks for longer than it is waited for.
    idle_in_transaction_session_timeout: silent,
    tcp_user_timeout: silent,
    client_min_messages: 'warning',
    // Each read follows an index in its order. Of a table that nobody has counted yet the server expects few rows, and reads all that lie behind a page.
    enable_bitmapscan: 'off',
    ...more,
  };
  return {
    ...addressOf(place),
    application_name: name,
    query_timeout: answersWithinMs,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    // Statements that are written together are sent together, and answered in that order.
    pipeline: true,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types: TYPES,
  };
}

/** Field by field: of a `connectionString` without a password the driver reads an empty one, and lets that win over the one beside it. */
function addressOf({ url, password }: PostgresPlace): pg.ClientConfig {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  return {
    host: decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    ...(password === null ? {} : { password }),
    ssl: tlsOf(searchParams),
  };
}

/** TLS by the parameters of libpq. Every `sslmode` that encrypts also verifies the server, but for `no-verify`; the files are read at each connection. */
function tlsOf(parameters: URLSearchParams): ConnectionOptions | false {
  const mode = parameters.get('sslmode');
  const files = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;
  const given = Object.entries(files).flatMap(([option, name]) => {
    const path = parameters.get(name);
    return path === null ? [] : [[option, readNamed(path)] as const];
  });
  if (mode === 'disable' || (mode === null && given.length === 0)) return false;
  return { ...Object.fromEntries(given), ...(mode === 'no-verify' ? { rejectUnauthorized: false } : {}) };
}

/** A file that is missing is no database that is away. */
function readNamed(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new LedgerUnusable(sentence('ledger.fileOfUrl', { path, code: codeOf(error) }), { cause: error });
  }
}

/** `int8` is a number here: none of ours comes near 2^53. */
const TYPES = new pg.TypeOverrides();
TYPES.setTypeParser(pg.types.builtins.INT8, Number);

/** One connection, whose statements are prepared the first time that they are used. */
export class Connection {
  readonly #client: pg.Client;
  #isOpen = true;
  /** While statements are collected that go on their way together. */
  #isCollecting = false;

  private constructor(client: pg.Client) {
    this.#client = client;
    // An idle connection that breaks says so here, and to the next query.
    client.on('error', () => {
      this.#isOpen = false;
    });
    client.on('end', () => {
      this.#isOpen = false;
    });
  }

  /** Throws what `toldFault` tells. */
  static async open(place: PostgresPlace, manner: Manner = {}): Promise<Connection> {
    const client = new pg.Client(clientConfig(place, manner));
    const connection = new Connection(client);
    try {
      await client.connect();
      // A server that forgets what it acknowledged would have a transfer made twice known once.
      await client.query(
        `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`,
      );
      return connection;
    } catch (error) {
      // The driver leaves the socket open where signing in fails on its own side; it would keep the process.
      client.connection.stream.destroy();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async query(text: string, values: readonly Value[] = []): Promise<readonly Found[]> {
    const { name, lists } = statementOf(text);
    const sent = values.map((value, index) => {
      const kind = lists.get(index + 1);
      return kind === undefined || !Array.isArray(value) ? value : listOf(kind, value as readonly Item[]);
    });
    this.#collect();
    const { rows } = await this.#client.query<Found>({ name, text, values: sent });
    return rows;
  }

  /** What is asked before anything is waited for is sent at once: a send for each statement costs more than the statements. */
  #collect(): void {
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#isCollecting = false;
      stream.uncork();
    });
  }

  /** Several statements without values. */
  async script(text: string): Promise<void> {
    await this.#client.query(text);
  }

  /** Ends it however it stands. */
  async close(): Promise<void> {
    if (this.#isOpen) await this.#client.end().catch(() => undefined);
    this.#isOpen = false;
  }
}

/** Each text is compiled once a connection. `lists`: which of its values are lists that are sent as bytes, and of what. */
type Statement = { readonly name: string; readonly lists: ReadonlyMap<number, ListKind> };

const statements = new Map<string, Statement>();

function statementOf(text: string): Statement {
  const known = statements.get(text);
  if (known !== undefined) return known;
  const lists = new Map([...text.matchAll(LIST)].map(([, index, kind]) => [Number(index), kind as ListKind]));
  const statement = { name: `p${String(statements.size)}`, lists };
  statements.set(text, statement);
  return statement;
}

// Lists are most of what is written: as text the driver would quote each item, and the server read it letter by letter.

type Item = Value & (string | number | boolean | null);
type ListKind = 'text' | 'int' | 'bigint' | 'boolean';

/** A statement says of which type each list among its values is. */
const LIST = /\$(\d+)::(text|int|bigint|boolean)\[\]/g;

/** `pg_type`: the number of the kind, and the bytes of an item; a text has its own. */
const KINDS: Readonly<Record<ListKind, readonly [oid: number, bytes: number | null]>> = {
  text: [25, null],
  int: [23, 4],
  bigint: [20, 8],
  boolean: [16, 1],
};

const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** As `array_recv` of PostgreSQL reads it: dimensions, whether there are nulls, the kind; items and the number of the first; each item behind its length. */
function listOf(kind: ListKind, items: readonly Item[]): Buffer {
  const [oid, fixedBytes] = KINDS[kind];
  const bytesOf = (item: Item): number =>
    item === null ? NULL_LENGTH : (fixedBytes ?? Buffer.byteLength(String(item)));
  const lengths = items.map(bytesOf);
  const header = items.length === 0 ? [0, 0, oid] : [1, Number(items.includes(null)), oid, items.length, 1];
  const total = lengths.reduce((sum, bytes) => sum + LENGTH_BYTES + Math.max(0, bytes), 0);
  const list = Buffer.allocUnsafe(header.length * LENGTH_BYTES + total);
  let at = 0;
  for (const field of header) at = list.writeInt32BE(field, at);
  for (const [index, item] of items.entries()) {
    const bytes = lengths[index] ?? 0;
    at = list.writeInt32BE(bytes, at);
    if (item === null) continue;
    if (kind === 'text') list.write(String(item), at);
    else if (kind === 'boolean') list.writeUInt8(Number(item), at);
    else if (kind === 'int') list.writeInt32BE(Number(item), at);
    else list.writeBigInt64BE(BigInt(item), at);
    at += bytes;
  }
  return list;
}

// Faults.

/** SQLSTATE, or an error of the network. */
const CANNOT_CONNECT = /^(08...|57P0[123]|53300|25006|25P03|E(?!RR_)[A-Z_]{3,})$/;
const OF_DRIVER =
  /^(Connection terminated|Client has encountered|timeout expired|Query read timeout|terminating connection)/;

/** Two commits met in a way that only one of them could be made; it is made again. */
const MET_ANOTHER = /^(40001|40P01)$/;
const NOT_WAITED = '55P03';

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function meetsAnother(error: unknown): boolean {
  return MET_ANOTHER.test(codeOf(error));
}

/** True where the database may be there again in a moment. */
export function isAway(error: unknown): boolean {
  if (error instanceof LedgerAway) return true;
  if (CANNOT_CONNECT.test(codeOf(error))) return true;
  return error instanceof Error && OF_DRIVER.test(error.message);
}

/** By SQLSTATE or the code of a certificate, and by what server and driver say. */
const WORDS: readonly (readonly [RegExp, Words])[] = [
  [/no encryption/, sentence('ledger.encryptionMissing')],
  [/does not support SSL/, sentence('ledger.notEncrypted')],
  [/client password must be a/, sentence('ledger.passwordMissing')],
  [/^28P01/, sentence('ledger.passwordRefused')],
  [/^28000/, sentence('ledger.userRefused')],
  [/^3D000/, sentence('ledger.noDatabase')],
  [/^42501/, sentence('ledger.noRight')],
  [/^53100/, sentence('ledger.databaseDiskFull')],
  [/^XX001/, sentence('ledger.databaseDamaged')],
  [/^(CERT_|DEPTH_|ERR_TLS_CERT_|SELF_SIGNED_|UNABLE_TO_)/, sentence('ledger.notTrusted')],
];

/** A fault of the database as a `LedgerUnusable`; any other error as it is, because it is a bug. */
export function toldFault(error: unknown): unknown {
  if (error instanceof LedgerUnusable || !(error instanceof Error)) return error;
  const cause = { cause: error };
  if (codeOf(error) === NOT_WAITED) return new LedgerAway(sentence('ledger.held'), cause);
  if (isAway(error)) return new LedgerAway(sentence('ledger.databaseAway'), cause);
  const said = `${codeOf(error)} ${error.message}`;
  const words = WORDS.find(([fault]) => fault.test(said))?.[1];
  return words === undefined ? error : new LedgerUnusable(words, cause);
}
