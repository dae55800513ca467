// The history: events that are only ever added, each sealed with the hash of the one before it and with a digest of the record that it left
// behind. Whoever edits an event or a record by hand breaks the chain, and `verifyHistory` finds where.
import { digestOf } from './digest.ts';
import type { Sql } from './statements.ts';

/** What the history says of a batch when all its rows were taken out: what they were before counts no more. */
export const ROWS_REMOVED = 'rows removed';

/** What it says of a new row; the detail is its name. */
export const REGISTERED = 'registered';

export type NewEvent = {
  readonly batch: string;
  /** Null for an event of the batch itself. */
  readonly position: number | null;
  readonly event: string;
  readonly stage?: string | null;
  readonly detail?: string | null;
  /** Digest of the record as this event leaves it; null when it leaves none. */
  readonly digest: string | null;
};

type Sealed = {
  readonly seq: number;
  readonly at: string;
  readonly batch: string;
  readonly position: number | null;
  readonly event: string;
  readonly stage: string | null;
  readonly detail: string | null;
  readonly digest: string | null;
};

type Head = { readonly seq: number; readonly hash: string };

/** What stands before the first event. */
export const NO_HASH = '';

export function sealOf(before: string, event: Sealed): string {
  const { seq, at, batch, position, stage, detail, digest } = event;
  return digestOf([before, seq, at, batch, position, event.event, stage, detail, digest]);
}

export class History {
  readonly #sql: Sql;
  #head: Head | null = null;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** To be called when a write transaction has begun: only in it does nobody else add to the chain. */
  begin(): void {
    this.#head = null;
  }

  /** @param at ISO time. */
  add(at: string, { stage = null, detail = null, ...event }: NewEvent): void {
    const before = (this.#head ??= this.#readHead());
    const sealed = { ...event, seq: before.seq + 1, at, stage, detail };
    const hash = sealOf(before.hash, sealed);
    this.#sql(
      'INSERT INTO events (seq, at, batch, position, event, stage, detail, digest, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(sealed.seq, at, event.batch, event.position, event.event, stage, detail, event.digest, hash);
    this.#head = { seq: sealed.seq, hash };
  }

  #readHead(): Head {
    const found = this.#sql('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1').get();
    return found === undefined
      ? { seq: 0, hash: NO_HASH }
      : { seq: Number(found['seq']), hash: String(found['hash']) };
  }
}
