// The tables. Progress and payout are JSON, because only the columns beside them are ever searched by.
import type { DatabaseSync } from 'node:sqlite';

import { EXCHANGE_TABLES } from './exchange-tables.ts';
import { countEarlierRows } from './count-earlier-rows.ts';
import { sealEarlierEvents } from './seal-earlier-events.ts';

/** Statements, or what statements alone cannot do. */
type Migration = string | ((database: DatabaseSync) => void);

/** Each entry brings the schema from its index to the next version; entries are only ever appended. */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    file_id TEXT NOT NULL UNIQUE,
    content_fingerprint TEXT,
    paused INTEGER NOT NULL,
    accepted_at TEXT NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX batches_by_content ON batches (content_fingerprint) WHERE content_fingerprint IS NOT NULL;

  CREATE TABLE rows (
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    row TEXT NOT NULL,
    stage TEXT NOT NULL,
    source_currency TEXT,
    reference TEXT,
    fingerprint TEXT,
    payout TEXT,
    rejections TEXT NOT NULL,
    progress TEXT NOT NULL,
    due_at INTEGER,
    lease_owner TEXT,
    lease_until INTEGER,
    version INTEGER NOT NULL,
    written_by TEXT NOT NULL,
    PRIMARY KEY (batch, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rows_due ON rows (batch, due_at, position) WHERE due_at IS NOT NULL;
  CREATE INDEX rows_by_reference ON rows (reference) WHERE reference IS NOT NULL;
  CREATE INDEX rows_by_fingerprint ON rows (fingerprint) WHERE fingerprint IS NOT NULL;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    batch TEXT NOT NULL,
    position INTEGER,
    event TEXT NOT NULL,
    stage TEXT,
    detail TEXT
  ) STRICT;
  CREATE INDEX events_by_batch ON events (batch, seq);
  `,
  `
  ALTER TABLE batches ADD COLUMN state TEXT NOT NULL DEFAULT '';
  UPDATE batches SET state = json_extract(record, '$.state');
  ALTER TABLE rows ADD COLUMN reference_key TEXT;
  UPDATE rows SET reference_key = reference_key(reference) WHERE reference IS NOT NULL;
  DROP INDEX rows_by_reference;
  CREATE INDEX rows_by_reference ON rows (reference_key, reference) WHERE reference_key IS NOT NULL;
  ALTER TABLE rows ADD COLUMN lineage TEXT;
  ALTER TABLE rows ADD COLUMN payee TEXT;
  ALTER TABLE rows ADD COLUMN account TEXT;
  CREATE INDEX rows_by_payee ON rows (payee) WHERE payee IS NOT NULL;
  CREATE INDEX rows_by_lineage ON rows (lineage) WHERE lineage IS NOT NULL;
  `,
  // A claim finds its rows at the front of their stage and currency, however many others are due.
  `
  DROP INDEX rows_due;
  CREATE INDEX rows_due ON rows (batch, stage, source_currency, due_at, position) WHERE due_at IS NOT NULL;
  CREATE INDEX rows_claimed ON rows (batch, lease_until) WHERE lease_until IS NOT NULL;
  `,
  // What is said to people stands in both languages.
  `
  UPDATE rows SET progress = json_set(progress, '$.reason', json_object('en', progress ->> '$.reason', 'fr', progress ->> '$.reason'))
   WHERE json_type(progress, '$.reason') = 'text';
  UPDATE rows SET progress = json_set(progress, '$.refusal.words', json_object('en', progress ->> '$.refusal.words', 'fr', progress ->> '$.refusal.words'))
   WHERE json_type(progress, '$.refusal.words') = 'text';
  UPDATE batches SET record = json_set(record, '$.waitingWords', json_object('en', record ->> '$.waitingWords', 'fr', record ->> '$.waitingWords'))
   WHERE json_type(record, '$.waitingWords') = 'text';
  `,
  countEarlierRows,
  sealEarlierEvents,
  // A notification names its transfer, and finds the row before its id at the service is known here. A hint outlives the claim that it meets.
  `
  ALTER TABLE rows ADD COLUMN hinted INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE transfers (
    external_id TEXT PRIMARY KEY,
    batch TEXT NOT NULL,
    position INTEGER NOT NULL,
    attempt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  // Whatever has ended is looked at again for as long as it may be reversed; when that is over, the look finds out.
  `
  UPDATE rows SET due_at = 0
   WHERE stage IN ('paid', 'failed') AND due_at IS NULL AND json_extract(progress, '$.transfer.transferId') IS NOT NULL;
  `,
  // A look at what there is to do must not cost more with every batch that is closed.
  `
  CREATE INDEX batches_open ON batches (accepted_at, id) WHERE state NOT IN ('closed', 'refused');
  CREATE INDEX batches_closed_restless ON batches (id)
   WHERE state = 'closed' AND (record ->> '$.answersDue' = 1 OR record ->> '$.waitingFor' IS NOT NULL);
  CREATE INDEX rows_ended_due ON rows (due_at, batch) WHERE stage IN ('paid', 'failed') AND due_at IS NOT NULL;
  `,
  // What people are to be told, until it is told; the name of what was told stays.
  `
  CREATE TABLE notices (
    topic TEXT NOT NULL,
    version TEXT NOT NULL,
    channel TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER,
    told_at INTEGER,
    tries INTEGER NOT NULL DEFAULT 0,
    fault TEXT,
    lease_owner TEXT,
    lease_until INTEGER,
    PRIMARY KEY (topic, version, channel)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
  `,
  // The rows that the approval of a batch was asked for.
  `
  CREATE TABLE approved_rows (batch TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (batch, position)) STRICT, WITHOUT ROWID;
  `,
  EXCHANGE_TABLES,
  // Sums of payees and accounts are made when they are asked for. Of progress only what has changed is stored from here on, which no earlier version can read.
  `
  DELETE FROM spent WHERE scope IN ('payee', 'account');
  CREATE INDEX rows_by_account ON rows (account) WHERE account IS NOT NULL;
  `,
  // An earlier version would take a batch that is being checked for one whose rows may be sent.
  `-- Nothing to change: the state of a batch has one value more.`,
];
