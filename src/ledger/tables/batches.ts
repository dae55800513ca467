// Batches to and from their table. The record is JSON; the other columns serve searches.
import type { RunId } from '../../payouts/progress.ts';
import { acceptedAtOf, assertMayBecome, checkedTo, commitmentOf, isAtRest, pauseOf } from '../batch-rules.ts';
import type { BatchState } from '../batch-states.ts';
import { WITHOUT_DATE } from '../encounters.ts';
import { readRecord } from '../ledger-unusable.ts';
import type { CountedBatches, CountedBy, UnknownAmong, WhichBatches } from '../ledger.ts';
import {
  find,
  findAll,
  findOne,
  isTrue,
  lock,
  type Plan,
  send,
  type Statement,
  type Value,
} from '../plan.ts';
import type { BatchChange, BatchRecord } from '../records.ts';
import { batchDigest, type Found, SEALED_BATCH_COLUMNS } from '../seals.ts';

/** What the text of a record says, as the conditions of the indexes have it, word for word. */
const MESSAGE_OF = `record::json -> 'content' ->> 'message'`;
const DISPENSED_ON = `record::json -> 'approval' ->> 'on'`;
/** An id of a file begins with the hash of its bytes. */
const BYTES_OF = `substr(file_id, 1, strpos(file_id || '#', '#') - 1)`;

/** Its part of the schema. */
export const BATCHES_TABLES = `
  CREATE TABLE batches (
    id text PRIMARY KEY,
    file_id text NOT NULL UNIQUE,
    content_fingerprint text,
    paused int NOT NULL,
    accepted_at text NOT NULL,
    -- Who alone may write it until it is free, and which take-over that was.
    owner text,
    is_free int NOT NULL DEFAULT 0,
    token bigint NOT NULL,
    state text NOT NULL,
    -- How its rows count against those of other files, up to which position, and since when: see batch-rules.ts.
    counts text NOT NULL,
    checked_to bigint NOT NULL,
    recent_from text NOT NULL,
    -- Closed, and yet something is left to do.
    is_restless boolean NOT NULL DEFAULT false,
    record text NOT NULL
  ) /* long lines */;
  CREATE INDEX batches_owned ON batches (owner) WHERE owner IS NOT NULL;
  CREATE INDEX batches_by_file ON batches (${WITHOUT_DATE('id')});
  CREATE INDEX batches_by_content ON batches (content_fingerprint) WHERE content_fingerprint IS NOT NULL;
  CREATE INDEX batches_recent ON batches (recent_from, id);
  CREATE INDEX batches_newest ON batches (accepted_at, id);
  CREATE INDEX batches_of_bytes ON batches ((${BYTES_OF}));
  CREATE INDEX batches_of_messages ON batches (accepted_at, id) WHERE ${MESSAGE_OF} IS NOT NULL;
  CREATE INDEX batches_dispensed ON batches ((${DISPENSED_ON})) WHERE ${DISPENSED_ON} IS NOT NULL;
  -- A look at what there is to do must not cost more with every batch that is closed.
  CREATE INDEX batches_open ON batches (accepted_at, id) WHERE state NOT IN ('closed', 'refused');
  CREATE INDEX batches_by_state ON batches (state);
  CREATE INDEX batches_restless ON batches (id) WHERE is_restless;
  -- Every run that has had it, until that run has ended by its own word: one that was killed may have done more than stands here.
  CREATE TABLE carriers (batch text NOT NULL, run text NOT NULL, PRIMARY KEY (run, batch));
  CREATE INDEX carriers_of_batch ON carriers (batch);
  -- The rows that the approval of a batch was asked for.
  CREATE TABLE approved_rows (batch text NOT NULL, position int NOT NULL, PRIMARY KEY (batch, position));
`;

/** With each batch comes whether its owner still works, so that nobody is taken for living who has ended. */
const SELECT = `SELECT owner, is_free, token, record, owner IS NULL OR EXISTS (SELECT 1 FROM runs WHERE run = owner AND ended_at IS NULL) AS is_owner_open FROM batches`;

const IN_ORDER = 'ORDER BY accepted_at, id';

const OPEN = `${SELECT} WHERE state NOT IN ('closed', 'refused') ${IN_ORDER}`;

const NEWEST = `
  ${SELECT} WHERE $1::text IS NULL OR (accepted_at, id) < ($1, $2) ORDER BY accepted_at DESC, id DESC LIMIT $3`;

const UNKNOWN =
  'SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS (SELECT 1 FROM batches WHERE id = name)';

const COUNTED = 'SELECT state, count(*) AS batches FROM batches GROUP BY state';

function toCounted({ state, batches }: Found): CountedBatches {
  return { state: String(state) as BatchState, batches: Number(batches) };
}

/** Closed batches with ended rows that are due again; and those that are restless. */
const CLOSED_TO_LOOK_AT = `
  ${SELECT} WHERE state = 'closed'
     AND id IN (SELECT batch FROM row_states /*+ rows_ended_due */ WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL AND due_at <= $1
                 UNION SELECT id FROM batches WHERE is_restless) ${IN_ORDER}`;

function statementsOf(which?: WhichBatches): readonly Statement[] {
  const one = (text: string, ...values: readonly Value[]): readonly Statement[] => [{ text, values }];
  if (which === undefined) return one(`${SELECT} ${IN_ORDER}`);
  if ('toLookAt' in which) return [...one(OPEN), ...one(CLOSED_TO_LOOK_AT, which.toLookAt)];
  if ('sha256' in which) return one(`${SELECT} WHERE ${BYTES_OF} = $1 ${IN_ORDER}`, which.sha256);
  if ('content' in which) return one(`${SELECT} WHERE content_fingerprint = $1 ${IN_ORDER}`, which.content);
  if ('messagesSince' in which)
    return one(
      `${SELECT} WHERE ${MESSAGE_OF} IS NOT NULL AND accepted_at >= $1 ${IN_ORDER}`,
      which.messagesSince,
    );
  if ('dispensedOn' in which)
    return one(`${SELECT} WHERE ${DISPENSED_ON} = $1 ${IN_ORDER}`, which.dispensedOn);
  return one(NEWEST, which.before?.acceptedAt ?? null, which.before?.id ?? null, which.limit);
}

type Parts = {
  /** Is told which owners work and which have ended. */
  readonly learn: (owner: RunId, isOpen: boolean) => void;
};

export type BatchesTable = ReturnType<typeof batchesTable>;

export function batchesTable({ learn }: Parts) {
  const toBatchRecord = (found: Found): BatchRecord => {
    const record = readRecord(String(found['record'])) as Omit<BatchRecord, 'owner' | 'isFree' | 'token'>;
    const owner = typeof found['owner'] === 'string' ? found['owner'] : null;
    if (owner !== null) learn(owner, isTrue(found['is_owner_open']));
    const free = isTrue(found['is_free']) ? { isFree: true } : {};
    return { ...record, owner, ...free, token: Number(found['token']) };
  };
  const where = function* (column: 'id' | 'file_id', value: string): Plan<BatchRecord | null> {
    const found = yield* findOne(`${SELECT} WHERE ${column} = $1`, [value]);
    return found === null ? null : toBatchRecord(found);
  };
  const which = function* (asked?: WhichBatches): Plan<readonly BatchRecord[]> {
    return (yield* findAll(statementsOf(asked))).flat().map(toBatchRecord);
  };
  return {
    where,
    which,
    /** Throws when there is none. */
    known: function* (id: string): Plan<BatchRecord> {
      const batch = yield* where('id', id);
      if (batch === null) throw new Error(`There is no batch ${id} to change.`);
      return batch;
    },
    find: function* (
      asked?: WhichBatches | UnknownAmong | CountedBy,
    ): Plan<readonly (BatchRecord | CountedBatches | string)[]> {
      if (asked !== undefined && 'countedBy' in asked) return (yield* find(COUNTED)).map(toCounted);
      if (asked === undefined || !('unknownAmong' in asked)) return yield* which(asked);
      return (yield* find(UNKNOWN, [asked.unknownAmong])).map(({ name }) => String(name));
    },
    /** Those of these ids that there are. */
    of: function* (ids: readonly string[]): Plan<readonly BatchRecord[]> {
      return (yield* find(`${SELECT} WHERE id = ANY ($1::text[])`, [ids])).map(toBatchRecord);
    },
  };
}

// Writes, each inside a commit that nobody else's write of a batch comes between.

/** One write of a batch at a time, for all batches and processes: of two rows that meet, the one that is checked later sees the other. */
export function* lockBatches(): Plan<void> {
  yield* lock(`SELECT pg_advisory_xact_lock(hashtext('paydrop batches in ' || current_schema()))`);
}

/** Nobody writes a row of the batch meanwhile either. */
export function* lockRowsOf(id: string): Plan<void> {
  yield* lock('SELECT 1 AS is_locked FROM batches WHERE id = $1 FOR UPDATE', [id]);
}

/** Of the record as it stands; null when there is none. */
export function* digestOfBatch(id: string): Plan<string | null> {
  const found = yield* findOne(`SELECT ${SEALED_BATCH_COLUMNS} FROM batches WHERE id = $1`, [id]);
  return found === null ? null : batchDigest(found);
}

/** The columns that follow from the record, and change with it. */
const COLUMNS = [
  'content_fingerprint',
  'paused',
  'state',
  'counts',
  'checked_to',
  'recent_from',
  'is_restless',
  'record',
] as const;

function columnsOf(batch: BatchRecord): readonly Value[] {
  const { state } = batch;
  return [
    batch.content?.fingerprint ?? null,
    pauseOf(batch) === null ? 0 : 1,
    state,
    commitmentOf(batch),
    checkedTo(batch),
    acceptedAtOf(batch),
    state === 'closed' && !isAtRest(batch),
    JSON.stringify({ ...batch, owner: undefined, isFree: undefined, token: undefined }),
  ];
}

const CHANGE = `UPDATE batches SET ${COLUMNS.map((column, index) => `${column} = $${String(index + 2)}`).join(', ')} WHERE id = $1`;

/** Throws when the batch may not go that way from where it stands. */
export function* changeBatch(batch: BatchRecord, change: BatchChange): Plan<void> {
  const changed = { ...batch, ...change };
  assertMayBecome(batch, changed);
  yield* send(CHANGE, [batch.id, ...columnsOf(changed)]);
}

const INSERT = `
  INSERT INTO batches (id, file_id, accepted_at, owner, token, ${COLUMNS.join(', ')})
  VALUES ($1, $2, $3, $4, $5, ${COLUMNS.map((_, index) => `$${String(index + 6)}`).join(', ')})`;

export function* insertBatch(batch: BatchRecord, owner: RunId): Plan<void> {
  const values = [batch.id, batch.fileId, batch.acceptedAt, owner, yield* nextToken()];
  yield* send(INSERT, [...values, ...columnsOf(batch)]);
  yield* send(CARRY, [batch.id, owner]);
}

/** Under a token that no carrier of any batch had before. */
export function* giveTo(id: string, owner: RunId): Plan<void> {
  const token = yield* nextToken();
  yield* send('UPDATE batches SET owner = $2, is_free = 0, token = $3 WHERE id = $1', [id, owner, token]);
  yield* send(CARRY, [id, owner]);
}

/** At the end of a go: whoever a person tells to go on with it takes it over. Its owner lives on, and comes back to it by itself. */
export function* endLease(id: string, owner: RunId, token: number): Plan<void> {
  yield* send('UPDATE batches SET is_free = 1 WHERE id = $1 AND owner = $2 AND token = $3', [
    id,
    owner,
    token,
  ]);
}

const NEXT_TOKEN = `
  INSERT INTO meta (name, value) VALUES ('token', '1')
      ON CONFLICT (name) DO UPDATE SET value = (meta.value::bigint + 1)::text RETURNING value`;

function* nextToken(): Plan<number> {
  return Number((yield* findOne(NEXT_TOKEN))?.['value']);
}

/** Of a ledger that was filled by another: which batches have something left to do follows from their records. */
export const RESTLESS = `
  UPDATE batches SET is_restless = true
   WHERE state = 'closed' AND (record::json -> 'finished' ->> 'due' IS NOT NULL OR record::json ->> 'wait' IS NOT NULL)`;

export function* deleteBatch(id: string): Plan<void> {
  yield* send('DELETE FROM batches WHERE id = $1', [id]);
  for (const table of ['carriers', 'orders']) yield* send(`DELETE FROM ${table} WHERE batch = $1`, [id]);
}

// Carriers.

const CARRY = 'INSERT INTO carriers (batch, run) VALUES ($1, $2) ON CONFLICT DO NOTHING';

/** Other runs that have carried it, and have not ended by their own word. */
export function* carriersBeside(id: string, run: RunId): Plan<readonly RunId[]> {
  const found = yield* find('SELECT run FROM carriers WHERE batch = $1 AND run <> $2', [id, run]);
  return found.map((each) => String(each['run']));
}

/** To be called once the doubt that dead ones leave is on record. */
export function* forgetCarriers(id: string, runs: readonly RunId[]): Plan<void> {
  yield* send('DELETE FROM carriers WHERE batch = $1 AND run = ANY ($2::text[])', [id, runs]);
}

/** Gives back the batches of a run that ends by its own word: it does nothing more for any. */
export function* endBatchesOf(run: RunId): Plan<void> {
  yield* send('UPDATE batches SET owner = NULL WHERE owner = $1', [run]);
  yield* send('DELETE FROM carriers WHERE run = $1', [run]);
}

// The account of the service that a ledger belongs to.

export function* boundAccount(): Plan<string | null> {
  const found = yield* findOne(`SELECT value FROM meta WHERE name = 'account'`);
  return found === null ? null : String(found['value']);
}

const BIND_FIRST = `INSERT INTO meta (name, value) VALUES ('account', $1) ON CONFLICT (name) DO NOTHING RETURNING value`;
const BIND_ANEW = `UPDATE meta SET value = $1 WHERE name = 'account' AND value = $2 RETURNING value`;

export function* bindAccount(account: string, seen: string | null): Plan<boolean> {
  const bound = seen === null ? find(BIND_FIRST, [account]) : find(BIND_ANEW, [account, seen]);
  return (yield* bound).length > 0;
}
