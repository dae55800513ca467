// The contents of a ledger that move from one place to another, and the state of a move: at any moment only one of the two places is in use.
import { createHash } from 'node:crypto';

import type { HistoryReport } from './history.ts';
import { LedgerUnusable } from './ledger-unusable.ts';
import { sentence } from '../messages/messages.ts';

/** One line of a table, its columns in the order in which they are named below. */
export type Line = readonly (string | number | null)[];
export type MovedTable = keyof typeof MOVED;

/** The type of a column. */
export type Kind = 'text' | 'number' | 'amount';

function texts<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, 'text'>> {
  return Object.fromEntries(names.map((name) => [name, 'text'])) as Record<Name, 'text'>;
}

type Columns = Readonly<Record<string, Kind>>;

/** By table, all that cannot be made again of the rest. */
export const MOVED = {
  runs: {
    ...texts('run', 'host', 'boot', 'namespace'),
    pid: 'number',
    ...texts('start', 'started_at', 'ended_at', 'ended_by'),
  },
  batches: {
    ...texts('id', 'file_id', 'content_fingerprint'),
    paused: 'number',
    ...texts('accepted_at', 'owner'),
    is_free: 'number',
    token: 'number',
    ...texts('state', 'counts'),
    checked_to: 'number',
    ...texts('recent_from', 'record'),
  },
  carriers: texts('batch', 'run'),
  approved_rows: { batch: 'text', position: 'number' },
  orders: { id: 'number', ...texts('batch', 'given_at', 'body', 'outcome') },
  rows: {
    batch: 'text',
    position: 'number',
    ...texts('row', 'source_currency', 'reference', 'reference_key', 'lineage', 'fingerprint', 'payment'),
    ...texts('payee', 'payee_short', 'account', 'payout'),
  },
  row_states: {
    batch: 'text',
    position: 'number',
    ...texts('source_currency', 'fixed', 'stage', 'held', 'rejections', 'progress'),
    version: 'number',
    ...texts('written_by', 'counted_day', 'counted'),
    due_at: 'number',
    hints: 'number',
    pay_on: 'text',
  },
  transfers: { ...texts('external_id', 'batch'), position: 'number', attempt: 'number' },
  spent: { ...texts('scope', 'key', 'day', 'currency'), amount: 'amount' },
  // Each chain under its name, in the order of the whole.
  groups: {
    run: 'text',
    seq: 'number',
    last: 'number',
    ...texts('at', 'batch'),
    from_position: 'number',
    to_position: 'number',
    ...texts('hash', 'events'),
  },
  notices: {
    ...texts('topic', 'version', 'channel', 'message'),
    created_at: 'number',
    due_at: 'number',
    told_at: 'number',
    tries: 'number',
    fault: 'text',
  },
  sftp_accounts: texts('account', 'record'),
  sftp_pulls: { id: 'number', ...texts('account', 'phase', 'sha256'), number: 'number', record: 'text' },
  sftp_answers: texts('account', 'name', 'record'),
  // Single values: the account that it belongs to, and the last token that a carrier had.
  meta: texts('name', 'value'),
} as const satisfies Readonly<Record<string, Columns>>;

/** The sort order of a table; other tables are sorted by their first columns. */
export const ORDER: Readonly<Record<MovedTable, readonly string[]>> = {
  runs: ['run'],
  batches: ['id'],
  carriers: ['batch', 'run'],
  approved_rows: ['batch', 'position'],
  orders: ['id'],
  rows: ['batch', 'position'],
  row_states: ['batch', 'position'],
  transfers: ['external_id'],
  spent: ['scope', 'key', 'day', 'currency'],
  groups: [],
  notices: ['topic', 'version', 'channel'],
  sftp_accounts: ['account'],
  sftp_pulls: ['id'],
  sftp_answers: ['account', 'name'],
  meta: ['name'],
};

export const MOVED_TABLES = Object.keys(MOVED) as readonly MovedTable[];

export function columnsOf(table: MovedTable): readonly (readonly [name: string, kind: Kind])[] {
  return Object.entries(MOVED[table]);
}

/** A ledger at rest, past all rules of payments. */
export interface MovableLedger {
  /** How its move stands; null where it was never moved. */
  move(): Promise<LedgerMove | null>;
  /** Says how its move stands, where it still stands as it was seen. False where it does not, or where somebody works on the ledger. */
  sayMove(seen: LedgerMove | null, move: LedgerMove | null): Promise<boolean>;
  isEmpty(): Promise<boolean>;
  /** All lines of a table, in an order that is the same in every kind of ledger. */
  lines(table: MovedTable): AsyncIterable<Line>;
  /** Puts these lines in the place of all that is there, in one commit with `move`. False where `mayBeReplaced` does not hold in it, or somebody works on the ledger. */
  fill(move: LedgerMove, lines: (table: MovedTable) => AsyncIterable<Line>): Promise<boolean>;
  verifyHistory(): Promise<HistoryReport>;
  close(): Promise<void>;
}

/** `moving`: being copied; `moved`: closed for good; `arriving`: a copy that nobody has worked with; `arrived`: the ledger now. `other`: where it goes, or came from. */
export type LedgerMove = {
  readonly state: 'moving' | 'moved' | 'arriving' | 'arrived';
  /** Unique; the same at both places. */
  readonly move: string;
  readonly other: string;
};

/** Whether nobody uses, or ever will, the content of a ledger: a delayed move must not put an old copy over the present ledger. */
export function mayBeReplaced(move: LedgerMove | null, isEmpty: boolean): boolean {
  return isEmpty || move?.state === 'arriving' || move?.state === 'moved';
}

/** Under which name its text stands among the single values of a ledger. */
export const MOVE = 'move';

export function readMove(text: unknown): LedgerMove | null {
  return typeof text === 'string' ? (JSON.parse(text) as LedgerMove) : null;
}

/** To be called when a ledger is opened, and in the first commit of a run. Throws `LedgerUnusable` where the ledger is not here. */
export function assertIsHere(move: LedgerMove | null): void {
  if (move === null || move.state === 'arrived') return;
  const { state, other } = move;
  if (state === 'moved') throw new LedgerUnusable(sentence('ledger.moved', { other }));
  if (state === 'moving') throw new LedgerUnusable(sentence('ledger.moving', { other }));
  throw new LedgerUnusable(sentence('ledger.notHereYet', { other }));
}

/** A digest over all lines of each table, as they pass. */
export class Digests {
  readonly #digests = new Map<MovedTable, string>();
  readonly #tell: (lines: number) => void;
  #lines = 0;

  /** @param tell is told now and then how many lines have passed. */
  constructor(tell: (lines: number) => void) {
    this.#tell = tell;
  }

  async *of(table: MovedTable, lines: AsyncIterable<Line>): AsyncGenerator<Line> {
    const hash = createHash('sha256');
    for await (const line of lines) {
      hash.update(`${JSON.stringify(line)}\n`);
      this.#lines += 1;
      if (this.#lines % TOLD_LINES === 0) this.#tell(this.#lines);
      yield line;
    }
    this.#digests.set(table, hash.digest('hex'));
  }

  async readAll(table: MovedTable, lines: AsyncIterable<Line>): Promise<void> {
    const passing = this.of(table, lines);
    while ((await passing.next()).done !== true);
  }

  named(table: MovedTable): string | undefined {
    return this.#digests.get(table);
  }
}

const TOLD_LINES = 10_000;
