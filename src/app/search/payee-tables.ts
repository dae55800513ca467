// The tables of the index that say who was paid: by the key of a name and that of an account, with the places of the payments and what they brought.
import type { DatabaseSync } from 'node:sqlite';

import { addDecimals, type DecimalText } from '../../base/decimal.ts';
import type { Payout } from '../../payouts/payout.ts';

/** `payees.last`, `payee_accounts.last`: the place of the newest payment; 0 where none stands as paid any more. */
export const payeeTables = (fts: string): string => `
  CREATE TABLE payees (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, last INTEGER NOT NULL) STRICT;
  CREATE INDEX payees_by_last ON payees (last);
  CREATE TABLE payee_accounts (
    number INTEGER PRIMARY KEY, payee INTEGER NOT NULL, account TEXT NOT NULL, last INTEGER NOT NULL, UNIQUE (payee, account)
  ) STRICT;
  CREATE VIRTUAL TABLE payee_words USING fts5(words, ${fts});
  CREATE TABLE paid (place INTEGER PRIMARY KEY, account INTEGER NOT NULL, currency TEXT NOT NULL, amount TEXT NOT NULL) STRICT;
  CREATE INDEX paid_by_account ON paid (account, place);`;

/** A payment that was made. */
export type PaidEntry = {
  /** See `payeeKey`. */
  readonly payee: string;
  /** See `accountKey`; empty where no field names one. */
  readonly account: string;
  /** Of the name, and the end of the account. */
  readonly words: readonly string[];
  /** What the payee got. */
  readonly currency: string;
  readonly amount: DecimalText;
};

/** A row to fix whose payee lacks something that earlier payments to exactly this name and account may have. */
export type RowToFill = Pick<PaidEntry, 'payee' | 'account'> & {
  /** Its identity, and its position among the rows of the file. */
  readonly row: string;
  readonly position: number;
  /** Where it is empty, by the index of the column, and what the column means. */
  readonly cells: readonly { readonly column: number; readonly canonical: string }[];
  /** How it is paid, and what it says of its payee: no payment that says otherwise is meant. */
  readonly said: Pick<
    Payout,
    | 'payoutCorridorId'
    | 'transactionMode'
    | 'deliveryMethod'
    | 'targetCurrency'
    | 'receivingParty'
    | 'deliveryMethodInfo'
  >;
};

/** In pieces of about a hundred: a file may have thousands, and whoever reads them serves others meanwhile. */
export type RowsToFill = AsyncIterable<readonly RowToFill[]>;

type Sum = { readonly currency: string; readonly payments: number; readonly amount: DecimalText };

/** `At` is how a place is told. */
export type PayeeEntry<At> = {
  readonly key: string;
  readonly accounts: number;
  readonly last: At;
  /** The newest payment on an account that may be what is asked for. */
  readonly fitting: At;
};

export type PayeeHistory<At> = {
  /** The one that was paid last stands first. */
  readonly accounts: readonly {
    readonly account: string;
    readonly payments: number;
    readonly first: At;
    readonly last: At;
  }[];
  readonly sums: readonly Sum[];
  /** The newest first. */
  readonly payments: readonly At[];
};

type PreparedStatement = ReturnType<DatabaseSync['prepare']>;

export class PayeeTables {
  readonly #sql: (text: string) => PreparedStatement;

  /** @param sql gives each statement, prepared once. */
  constructor(sql: (text: string) => PreparedStatement) {
    this.#sql = sql;
  }

  /** @param entry null for a row that is not paid, or not any more. */
  put(place: number, entry: PaidEntry | null): void {
    const before = this.#sql('SELECT account FROM paid WHERE place = ?').get(place);
    if (before !== undefined) this.#sql('DELETE FROM paid WHERE place = ?').run(place);
    const account = entry === null ? null : this.#accountOf(entry);
    if (entry !== null)
      this.#sql('INSERT INTO paid (place, account, currency, amount) VALUES (?, ?, ?, ?)').run(
        place,
        account,
        entry.currency,
        entry.amount,
      );
    for (const each of new Set([before?.['account'] ?? null, account]))
      if (each !== null) this.#setLast(Number(each));
  }

  #accountOf({ payee: key, account, words }: PaidEntry): number {
    this.#sql('INSERT OR IGNORE INTO payees (key, last) VALUES (?, 0)').run(key);
    const payee = Number(this.#sql('SELECT number FROM payees WHERE key = ?').get(key)?.['number']);
    const known = 'SELECT number FROM payee_accounts WHERE payee = ? AND account = ?';
    const found = this.#sql(known).get(payee, account);
    if (found !== undefined) return Number(found['number']);
    const made = this.#sql('INSERT INTO payee_accounts (payee, account, last) VALUES (?, ?, 0)').run(
      payee,
      account,
    );
    const number = Number(made.lastInsertRowid);
    this.#sql('INSERT INTO payee_words (rowid, words) VALUES (?, ?)').run(number, words.join(' '));
    return number;
  }

  #setLast(account: number): void {
    this.#sql(
      'UPDATE payee_accounts SET last = coalesce((SELECT max(place) FROM paid WHERE account = ?1), 0) WHERE number = ?1',
    ).run(account);
    this.#sql(
      `UPDATE payees SET last = (SELECT max(a.last) FROM payee_accounts a WHERE a.payee = payees.number)
        WHERE number = (SELECT payee FROM payee_accounts WHERE number = ?)`,
    ).run(account);
  }

  /** Who was paid last stands first. @param match in the language of the index; null for everybody. */
  list(match: string | null, before: number, limit: number): readonly PayeeEntry<number>[] {
    const found =
      match === null
        ? this.#sql(`SELECT p.*, p.last AS fitting, ${ACCOUNTS} FROM payees p WHERE ${LISTED}`).all(
            before,
            limit,
          )
        : this.#sql(
            `SELECT p.*, max(a.last) AS fitting, ${ACCOUNTS}
               FROM payee_words w CROSS JOIN payee_accounts a ON a.number = w.rowid CROSS JOIN payees p ON p.number = a.payee
              WHERE payee_words MATCH ?3 AND a.last > 0 AND ${LISTED_ONCE}`,
          ).all(before, limit, match);
    return found.map((each) => ({
      key: String(each['key']),
      accounts: Number(each['accounts']),
      last: Number(each['last']),
      fitting: Number(each['fitting']),
    }));
  }

  /** Null of whoever was never paid. */
  history(key: string, limit: number): PayeeHistory<number> | null {
    const payee = this.#sql('SELECT number FROM payees WHERE key = ? AND last > 0').get(key)?.['number'];
    if (payee === undefined) return null;
    const accounts = this.#sql(
      `SELECT a.account, count(*) AS payments, min(d.place) AS first, a.last AS last FROM payee_accounts a JOIN paid d ON d.account = a.number
        WHERE a.payee = ? GROUP BY a.number ORDER BY a.last DESC`,
    ).all(payee);
    const payments = this.#sql(`SELECT d.place ${OF_PAYEE} ORDER BY d.place DESC LIMIT ?`).all(payee, limit);
    return {
      accounts: accounts.map((each) => ({
        account: String(each['account']),
        payments: Number(each['payments']),
        first: Number(each['first']),
        last: Number(each['last']),
      })),
      sums: this.#sums(Number(payee)),
      payments: payments.map(({ place }) => Number(place)),
    };
  }

  /** The newest payments to exactly this account of a payee, the last one first. */
  paymentsTo({ payee, account }: Pick<PaidEntry, 'payee' | 'account'>, limit: number): readonly number[] {
    const found = this.#sql(
      `SELECT d.place FROM payees p JOIN payee_accounts a ON a.payee = p.number JOIN paid d ON d.account = a.number
        WHERE p.key = ? AND a.account = ? ORDER BY d.place DESC LIMIT ?`,
    ).all(payee, account, limit);
    return found.map(({ place }) => Number(place));
  }

  #sums(payee: number): readonly Sum[] {
    const sums = new Map<string, Sum>();
    for (const each of this.#sql(`SELECT d.currency, d.amount ${OF_PAYEE}`).iterate(payee)) {
      const [currency, amount] = [String(each['currency']), String(each['amount'])];
      const before = sums.get(currency) ?? { currency, payments: 0, amount: '0' };
      sums.set(currency, {
        currency,
        payments: before.payments + 1,
        amount: addDecimals(before.amount, amount),
      });
    }
    return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
  }
}

const ACCOUNTS =
  '(SELECT count(*) FROM payee_accounts o WHERE o.payee = p.number AND o.last > 0) AS accounts';
const PAID_BEFORE = 'p.last > 0 AND p.last < ?1';
const LISTED = `${PAID_BEFORE} ORDER BY p.last DESC LIMIT ?2`;
const LISTED_ONCE = `${PAID_BEFORE} GROUP BY p.number ORDER BY p.last DESC LIMIT ?2`;
const OF_PAYEE = 'FROM payee_accounts a CROSS JOIN paid d ON d.account = a.number WHERE a.payee = ?';
