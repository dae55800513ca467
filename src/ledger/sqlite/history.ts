// The history: events that are only ever added, in one chain of groups. Somebody who edits an event or a record by hand breaks the chain, and
// `verifyHistory` finds where.
import type { LedgerHistory, Seal } from '../history.ts';
import { type Head, type NewEvent, NO_GROUP, Telling } from '../seals.ts';
import type { Sql } from './group-commit.ts';

/** Under which name the ledger keeps what its own chain begins with, where others were moved here before it. */
export const CHAIN_START = 'start';

export class History {
  readonly #sql: Sql;
  /** Of the commit that is being made. */
  #told = new Telling();
  #head: Head | null = null;
  /** The last group of this run, which it knows to be on the disk. */
  #acknowledged: Head | null = null;
  /** Of each batch the last group of the commit that is being made, and of those that nobody was told of yet. */
  #sealing = new Map<string, Seal>();
  #sealed = new Map<string, Seal>();
  tell: Parameters<LedgerHistory['tellOf']>[0] = () => undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * To be called when a write transaction has begun. False where what was acknowledged to this run stands in it no more: an older copy was put in the place of
   * the ledger.
   */
  begin(): boolean {
    this.#told = new Telling();
    this.#head = null;
    this.#sealing = new Map();
    if (this.#acknowledged === null) return true;
    const { seq, hash } = this.#acknowledged;
    return this.#sql('SELECT hash FROM groups WHERE seq = ?').get(seq)?.['hash'] === hash;
  }

  /** To be called once the transaction is committed: nobody but a power cut takes it back then, and no run of this start outlives that. */
  committed(): void {
    this.#acknowledged = this.#head ?? this.#acknowledged;
    for (const [batch, seal] of this.#sealing) this.#sealed.set(batch, seal);
  }

  /** To be called once all that is committed has reached the disk. */
  synced(): void {
    for (const [batch, seal] of this.#sealed) this.tell(batch, seal);
    this.#sealed.clear();
  }

  add(event: NewEvent): void {
    this.#told.add(event);
  }

  /** To be called before the write transaction ends: only in it does nobody else add to the chain. @param at ISO time. */
  end(at: string): void {
    if (this.#told.isEmpty) return;
    for (const group of this.#told.sealed(this.#readHead(), at)) {
      const { seq, last, batch, from, to, hash, events } = group;
      this.#sql(
        'INSERT INTO groups (seq, last, at, batch, from_position, to_position, hash, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ).run(seq, last, at, batch, from, to, hash, events);
      this.#head = group;
      this.#sealing.set(batch, { to, hash });
    }
    this.#told = new Telling();
  }

  #readHead(): Head {
    const found = this.#sql('SELECT seq, last, hash, chain FROM groups ORDER BY seq DESC LIMIT 1').get();
    if (found === undefined) return NO_GROUP;
    const hash = found['chain'] === null ? found['hash'] : this.#start();
    return { seq: Number(found['seq']), last: Number(found['last']), hash: String(hash) };
  }

  /** Behind groups that were moved here. */
  #start(): unknown {
    return this.#sql('SELECT value FROM meta WHERE name = ?').get(CHAIN_START)?.['value'];
  }
}
