// How the history is sealed, the same in every ledger: the events of one commit about the rows of a batch, or about the batch itself, are a group,
// sealed with the hash of the group before it; each event has a digest of the record that it left.
import { hash } from 'node:crypto';

import type { EventCursor, EventRecord, RecordFault } from './history.ts';
import { readRecord } from './ledger-unusable.ts';

/** The event of a batch when all its rows were removed: their earlier state counts no more. */
export const ROWS_REMOVED = 'rows removed';

/** The event of a new row; the detail is its name. */
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

/** A commit that is being made, as far as its writes ask. */
export type Tells = { readonly tell: (event: NewEvent) => void };

export type Group = {
  /** The numbers of its first event and of its last. */
  readonly seq: number;
  readonly last: number;
  readonly at: string;
  readonly batch: string;
  /** Between which its rows lie; null for events of the batch itself. */
  readonly from: number | null;
  readonly to: number | null;
  readonly events: string;
};

/** Of the last group: the numbers of its first event and of its last, and its hash. */
export type Head = { readonly seq: number; readonly last: number; readonly hash: string };

/** What stands before the first group. */
export const NO_GROUP: Head = { seq: 0, last: 0, hash: '' };

export function sealOf(before: string, { seq, last, at, batch, from, to, events }: Group): string {
  return digestOf([before, seq, last, at, batch, from, to, events]);
}

// Chains. A ledger of several machines has one for each run; one of a single machine has one for all, which begins behind those that were moved there with
// it, and so vouches for them.

/** Where a ledger of one chain keeps that chain's name. */
export const OWN_CHAIN = 'chain';

const IS_OF_ALL = /^sqlite(-\d+)?$/;

/** How far a chain goes, and how many events it has. */
export type Chain = Head & { readonly events: number };

/** The beginning of a chain: the name of its run, so that none can pass for another's, or everything before it. */
export function startOf(name: string, before: ReadonlyMap<string, Chain>): Head {
  return IS_OF_ALL.test(name) ? startBehind(before) : { ...NO_GROUP, hash: name };
}

export function startBehind(chains: ReadonlyMap<string, Chain>): Head {
  if (chains.size === 0) return NO_GROUP;
  const last = [...chains.values()].reduce((sum, { events }) => sum + events, 0);
  return { seq: 0, last, hash: headsDigest(chains) };
}

/** One over the heads of all chains, in the order in which they began. */
export function headsDigest(chains: ReadonlyMap<string, Head>): string {
  return digestOf([...chains].flatMap(([name, { last, hash }]) => [name, last, hash]));
}

/** Notes the next group of a chain. */
export function chainAfter(chains: Map<string, Chain>, name: string, head: Head): void {
  const events = (chains.get(name)?.events ?? 0) + head.last - head.seq + 1;
  chains.set(name, { ...head, events });
}

/** The name of the next chain of a ledger of one chain. */
export function nextOwnChain(chains: Iterable<string>): string {
  const own = [...chains].filter((name) => IS_OF_ALL.test(name)).length;
  return own === 0 ? 'sqlite' : `sqlite-${String(own + 1)}`;
}

/** What most events of a row say. */
export function advancedTo(stage: string): string {
  return `advanced to ${stage}`;
}

/** One event as it stands in its group: null for one that says nothing but the stage that the row has advanced to. */
type Stored = readonly [
  position: number | null,
  event: string | null,
  stage: string | null,
  detail: string | null,
  digest: string | null,
];

/** The events of a commit, in groups that wait for their place in the history. */
export class Telling {
  readonly #groups: { readonly batch: string; readonly events: Stored[] }[] = [];

  get isEmpty(): boolean {
    return this.#groups.length === 0;
  }

  add({ batch, position, event, stage = null, detail = null, digest }: NewEvent): void {
    const isAdvance = stage !== null && event === advancedTo(stage);
    const stored: Stored = [position, isAdvance ? null : event, stage, detail, digest];
    const group = this.#groups.at(-1);
    const isOfGroup = group?.batch === batch && (group.events[0]?.[0] === null) === (position === null);
    if (isOfGroup) group.events.push(stored);
    else this.#groups.push({ batch, events: [stored] });
  }

  /** The groups behind the last one of the history, each with its seal. @param at ISO time. */
  sealed(before: Head, at: string): readonly (Group & { readonly hash: string })[] {
    let head = before;
    return this.#groups.map(({ batch, events }) => {
      const positions = events.flatMap(([position]) => position ?? []).sort((one, other) => one - other);
      const [seq, last] = [head.last + 1, head.last + events.length];
      const [from, to] = [positions.at(0) ?? null, positions.at(-1) ?? null];
      const group = { seq, last, at, batch, from, to, events: JSON.stringify(events) };
      head = { seq, last, hash: sealOf(head.hash, group) };
      return { ...group, hash: head.hash };
    });
  }
}

/** An event of a group, with its number. */
export type ToldEvent = Omit<Required<NewEvent>, 'batch'> & { readonly seq: number };

/** A field of a table, and a line of one. */
type Field = string | number | bigint | boolean | Uint8Array | null | undefined;
export type Found = Readonly<Record<string, Field>>;

/** Throws `LedgerUnusable` where the text of the group is none any more. */
export function eventsOf(group: Found): readonly ToldEvent[] {
  const events = readRecord(String(group['events'])) as readonly Stored[];
  return events.map(([position, said, stage, detail, digest], index) => {
    const event = said ?? advancedTo(stage ?? '');
    return { seq: Number(group['seq']) + index, position, event, stage, detail, digest: inShort(digest) };
  });
}

/** The event as readers get it, but for the name of its row. */
export function toEventRecord(
  group: Found,
  { position, event, stage, detail }: ToldEvent,
  cursor: EventCursor,
): EventRecord {
  const [at, batch] = [String(group['at']), String(group['batch'])];
  return { cursor, at, batch, position, row: null, event, stage: stage as EventRecord['stage'], detail };
}

// A SHA-256 over a list of fields, each with its length before it: no two lists give the same text, so a part of one field cannot move into the
// next unnoticed.

/** Lengths are in UTF-16 units; a null has none. */
export function digestOf(fields: readonly Field[], encoding: 'hex' | typeof OF_RECORDS = 'hex'): string {
  let text = '';
  for (const field of fields) text += withLength(field);
  return hash('sha256', text, encoding);
}

/** Digests of records are as many as events: they are written as shortly as text allows. */
const OF_RECORDS = 'base64url';

/** Up to 1.0.0-rc.1 they were written in hex digits. */
const HEX_DIGITS = 64;

function inShort(digest: string | null): string | null {
  return digest?.length === HEX_DIGITS ? Buffer.from(digest, 'hex').toString(OF_RECORDS) : digest;
}

function withLength(field: Field): string {
  if (field === null || field === undefined) return '-,';
  const text = String(field);
  return `${String(text.length)}:${text},`;
}

// The columns of a record that the history vouches for: all that say what is paid, to whom and how far it is. When a row is due
// changes with every look, matters only when it is taken up, and is not included.

/** Never changed once a row is registered. They are digested once, into the column `fixed`: a write need not read the whole payment again. */
export const FIXED = [
  'batch',
  'position',
  'row',
  'source_currency',
  'reference',
  'reference_key',
  'lineage',
  'fingerprint',
  'payment',
  'payee',
  'payee_short',
  'account',
  'payout',
] as const;

/** Digested with every write. */
const CHANGING = [
  'fixed',
  'stage',
  'held',
  'rejections',
  'progress',
  'version',
  'written_by',
  'counted_day',
  'counted',
] as const;

const BATCH = [
  'id',
  'file_id',
  'content_fingerprint',
  'paused',
  'accepted_at',
  'state',
  'counts',
  'checked_to',
  'recent_from',
  'record',
] as const;

export const SEALED_BATCH_COLUMNS = BATCH.join(', ');

export function fixedDigest(found: Found): string {
  return digestOf(FIXED.map((column) => found[column]));
}

/** Of a row as it was written; it vouches for the fixed columns as far as `fixed` does. */
export function rowDigest(found: Found): string {
  return recordDigest(CHANGING, found);
}

export function batchDigest(found: Found): string {
  return recordDigest(BATCH, found);
}

function recordDigest(columns: readonly string[], found: Found): string {
  const fields = columns.map((column) => found[column]);
  return digestOf(fields, OF_RECORDS);
}

// Compares records with their own last events: the ledger's last write is what must be there now.

/** Digests by position: as bytes, because they are as many as rows. */
export class Digests {
  #bytes = Buffer.alloc(0);
  /** By position: 1 where a digest stands that was not taken yet. */
  #isLeft = Buffer.alloc(0);

  set(position: number, digest: string): void {
    if (position >= this.#isLeft.length) {
      const rows = Math.max(1_024, 2 * position);
      this.#bytes = Buffer.concat([this.#bytes], rows * DIGEST_BYTES);
      this.#isLeft = Buffer.concat([this.#isLeft], rows);
    }
    this.#bytes.write(digest, position * DIGEST_BYTES, OF_RECORDS);
    this.#isLeft[position] = 1;
  }

  take(position: number): string | null {
    if (this.#isLeft[position] !== 1) return null;
    this.#isLeft[position] = 0;
    return this.#bytes.toString(OF_RECORDS, position * DIGEST_BYTES, (position + 1) * DIGEST_BYTES);
  }

  /** The first position whose digest nobody took; -1 where there is none. */
  firstLeft(): number {
    return this.#isLeft.indexOf(1);
  }
}

/** Of a SHA-256. */
const DIGEST_BYTES = 32;

/** Null when a record is as the history left it; null for the digest of a missing one. */
export function compare(standing: string | null, left: string | null): RecordFault['kind'] | null {
  if (standing === null) return left === null ? null : 'missing';
  if (left === null) return 'added';
  return standing === left ? null : 'edited';
}
