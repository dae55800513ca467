// The tables of files that are fetched and answers that are brought. Each write is one durable commit: it guards what is done on two machines.
import type { SQLOutputValue } from 'node:sqlite';

import type { AccountRecord, AnswerRecord, Exchange, PullRecord } from '../exchange.ts';
import type { Runs } from '../runs.ts';
import type { Sql } from './group-commit.ts';

/** Their part of the schema. */
export const EXCHANGE_TABLES = `
  CREATE TABLE sftp_accounts (account TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE sftp_pulls (
    id INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    phase TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    number INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX sftp_pulls_open ON sftp_pulls (account, id) WHERE phase <> 'done';
  CREATE INDEX sftp_pulls_by_hash ON sftp_pulls (account, sha256);
  CREATE INDEX sftp_pulls_by_number ON sftp_pulls (account, number, id) WHERE number IS NOT NULL;
  CREATE TABLE sftp_answers (
    account TEXT NOT NULL,
    name TEXT NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (account, name)
  ) STRICT, WITHOUT ROWID;
`;

/** How the ledger commits and reads. */
export type LedgerWays = {
  readonly run: string;
  readonly write: <T>(work: () => T) => Promise<T>;
  readonly read: <T>(work: () => T) => Promise<T>;
};

export function exchangeTables(sql: Sql, runs: Pick<Runs, 'isElsewhere'>, ways: LedgerWays): Exchange {
  return { ...accountsOf(sql, runs, ways), ...pullsOf(sql, ways), ...answersOf(sql, ways) };
}

function accountsOf(
  sql: Sql,
  runs: Pick<Runs, 'isElsewhere'>,
  { run, write, read }: LedgerWays,
): Pick<Exchange, 'hold' | 'letGo' | 'tell' | 'account'> {
  const find = (account: string): AccountRecord | null => {
    const text = textOf(sql('SELECT record FROM sftp_accounts WHERE account = ?').get(account));
    return text === null ? null : (JSON.parse(text) as AccountRecord);
  };
  const put = (record: AccountRecord): void => {
    sql('INSERT INTO sftp_accounts VALUES (?, ?) ON CONFLICT DO UPDATE SET record = excluded.record').run(
      record.account,
      JSON.stringify(record),
    );
  };
  return {
    hold: (account, since) =>
      write(() => {
        const known = find(account) ?? { ...UNKNOWN, account, since };
        const { holder } = known;
        if (holder !== null && runs.isElsewhere(holder)) return false;
        put({ ...known, holder: run });
        return true;
      }),
    letGo: (account) =>
      write(() => {
        const known = find(account);
        if (known?.holder === run) put({ ...known, holder: null });
      }),
    tell: (account, told) =>
      write(() => {
        const known = find(account);
        if (known?.holder === run) put({ ...known, ...told });
      }),
    account: (account) => read(() => find(account)),
  };
}

/** Gives back the accounts that a run works with. */
export function endAccountsOf(sql: Sql, run: string): void {
  sql(
    `UPDATE sftp_accounts SET record = json_set(record, '$.holder', NULL) WHERE record ->> '$.holder' = ?`,
  ).run(run);
}

const UNKNOWN = { holder: null, reachedAt: null, fault: null, troubles: [] } as const;

function pullsOf(
  sql: Sql,
  { write, read }: LedgerWays,
): Pick<Exchange, 'addPull' | 'changePull' | 'dropPull' | 'openPulls' | 'pullsLike' | 'numbered'> {
  return {
    addPull: (pull) =>
      write(() => {
        const { account, phase, sha256, number } = pull;
        const added = sql(
          'INSERT INTO sftp_pulls (account, phase, sha256, number, record) VALUES (?, ?, ?, ?, ?)',
        ).run(account, phase, sha256, number, JSON.stringify(pull));
        return { ...pull, id: Number(added.lastInsertRowid) };
      }),
    changePull: (pull, change) =>
      write(() => {
        const { id, ...changed } = { ...pull, ...change };
        sql('UPDATE sftp_pulls SET phase = ?, record = ? WHERE id = ?').run(
          changed.phase,
          JSON.stringify(changed),
          id,
        );
        return { id, ...changed };
      }),
    dropPull: ({ id }) =>
      write(() => {
        sql(`DELETE FROM sftp_pulls WHERE id = ? AND phase = 'fetched'`).run(id);
      }),
    openPulls: (account) =>
      read(() =>
        sql(`SELECT id, record FROM sftp_pulls WHERE account = ? AND phase <> 'done' ORDER BY id`)
          .all(account)
          .map(pullOf),
      ),
    numbered: (account) =>
      read(() =>
        sql('SELECT id, record FROM sftp_pulls WHERE account = ? AND number IS NOT NULL ORDER BY number, id')
          .all(account)
          .map(pullOf),
      ),
    // Nothing in hex comes behind "f": "g" is the end of all hashes with this beginning.
    pullsLike: (account, hashStart) =>
      read(() =>
        sql('SELECT id, record FROM sftp_pulls WHERE account = ? AND sha256 >= ? AND sha256 < ? ORDER BY id')
          .all(account, hashStart, `${hashStart}g`)
          .map(pullOf),
      ),
  };
}

function answersOf(sql: Sql, { write, read }: LedgerWays): Pick<Exchange, 'answer' | 'noteAnswer'> {
  return {
    answer: (account, name) =>
      read(() => {
        const text = textOf(
          sql('SELECT record FROM sftp_answers WHERE account = ? AND name = ?').get(account, name),
        );
        return text === null ? null : (JSON.parse(text) as AnswerRecord);
      }),
    noteAnswer: (answer) =>
      write(() => {
        sql(
          'INSERT INTO sftp_answers VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET record = excluded.record',
        ).run(answer.account, answer.name, JSON.stringify(answer));
      }),
  };
}

type Found = Readonly<Record<string, SQLOutputValue>>;

/** Null where there is none. */
function textOf(found: Found | undefined): string | null {
  return found === undefined ? null : String(found['record']);
}

function pullOf(found: Found): PullRecord {
  return { ...(JSON.parse(String(found['record'])) as Omit<PullRecord, 'id'>), id: Number(found['id']) };
}
