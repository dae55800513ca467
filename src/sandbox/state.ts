// The state of the service: everything on which an answer can depend. Only `applyChange` changes it, so replaying the journal leads to exactly
// the state that wrote it.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';

import { z } from 'zod';

import { publishFile } from '../base/atomic-file.ts';
import type { Clock } from '../base/clock.ts';
import { parseExactJson } from '../base/exact-json.ts';
import { CORRIDORS, type Corridor } from './corridors.ts';
import { SandboxFileWrong } from './faults.ts';

export type State = {
  readonly books: Map<string, Book>;
  readonly corridors: Map<string, Corridor>;
  /** By currency; see `MovedRates`. */
  readonly movedRates: Map<string, bigint>;
  readonly quotations: Map<string, QuotationRecord>;
  /** Quotation ids by the caller's reference. */
  readonly quotationIds: Map<string, string>;
  readonly transfers: Map<string, TransferRecord>;
  /** Transfer ids by the caller's reference. */
  readonly transferIds: Map<string, string>;
  /** Transfer ids in the order of their creation, for lists. */
  readonly transferOrder: string[];
};

export function emptyState(): State {
  return {
    books: new Map(),
    corridors: new Map(CORRIDORS.map((corridor) => [corridor.id, corridor])),
    movedRates: new Map(),
    quotations: new Map(),
    quotationIds: new Map(),
    transfers: new Map(),
    transferIds: new Map(),
    transferOrder: [],
  };
}

export function applyChange(state: State, change: Change): void {
  for (const book of change.books ?? []) state.books.set(book.currency, book);
  if (change.corridor !== undefined) switchCorridor(state, change.corridor);
  if (change.rate !== undefined)
    state.movedRates.set(change.rate.currency, BigInt(change.rate.thousandthsPerEur));
  if (change.quotation !== undefined) putQuotation(state, change.quotation);
  if (change.transfer !== undefined) putTransfer(state, change.transfer);
  if (change.transferChange !== undefined) changeTransfer(state, change.transferChange);
}

/** The fewest changes that lead to this state, for a compacted journal. */
function* changesTo(state: State): Generator<Change> {
  yield { books: [...state.books.values()] };
  for (const { id, isEnabled } of state.corridors.values()) yield { corridor: { id, isEnabled } };
  for (const [currency, rate] of state.movedRates)
    yield { rate: { currency, thousandthsPerEur: String(rate) } };
  for (const quotation of state.quotations.values()) yield { quotation };
  for (const transfer of state.transfers.values()) yield { transfer };
}

function switchCorridor(state: State, { id, isEnabled }: NonNullable<Change['corridor']>): void {
  const corridor = state.corridors.get(id);
  // A state file may name a corridor that this version no longer has.
  if (corridor !== undefined) state.corridors.set(id, { ...corridor, isEnabled });
}

function putQuotation(state: State, quotation: QuotationRecord): void {
  state.quotations.set(quotation.id, quotation);
  state.quotationIds.set(quotation.externalId, quotation.id);
}

function putTransfer(state: State, transfer: TransferRecord): void {
  state.transfers.set(transfer.id, transfer);
  state.transferIds.set(transfer.externalId, transfer.id);
  state.transferOrder.push(transfer.id);
}

function changeTransfer(state: State, change: NonNullable<Change['transferChange']>): void {
  const transfer = state.transfers.get(change.id);
  if (transfer === undefined) throw new Error('a change of a transfer that was never created');
  state.transfers.set(change.id, Object.assign({}, transfer, change));
}

// The records that the sandbox keeps, as zod schemas, because they come back from a file after a restart. Amounts are exact decimal text and
// moments ISO text, so that a journal line holds the very digits that were answered.

const decimal = z.string();

/** A party or `deliveryMethodInfo`: every field is kept as it was sent. */
const openRecord = z.record(z.string(), z.unknown());
export type OpenRecord = Readonly<z.infer<typeof openRecord>>;

const bookSchema = z.object({
  currency: z.string(),
  availableAmount: decimal,
  pendingAmount: decimal,
  debitedAmount: decimal,
  depositedAmount: decimal,
});
export type Book = Readonly<z.infer<typeof bookSchema>>;

const quotationRecordSchema = z.object({
  id: z.string(),
  externalId: z.string(),
  sourceCurrency: z.string(),
  targetCurrency: z.string(),
  payoutCorridorId: z.string(),
  sourceAmount: decimal,
  destinationAmount: decimal,
  feeAmount: decimal,
  variableFeeAmount: decimal,
  fixedFeeAmount: decimal,
  transferType: z.string(),
  mode: z.string(),
  createdAt: z.string(),
  expiredAt: z.string(),
});
export type QuotationRecord = Readonly<z.infer<typeof quotationRecordSchema>>;

const transferRecordSchema = z.object({
  id: z.string(),
  externalId: z.string(),
  quotationId: z.string(),
  callbackUrl: z.string().nullable(),
  status: z.enum(['created', 'submitted', 'paid', 'failed']),
  statusCode: z.string(),
  createdAt: z.string(),
  purposeOfRemittance: z.string(),
  documentReferenceNumber: z.string().nullable(),
  sender: openRecord.nullable(),
  sendingBusiness: openRecord.nullable(),
  receiver: openRecord.nullable(),
  receivingBusiness: openRecord.nullable(),
  deliveryMethodInfo: openRecord,
  /** A supporting document was uploaded. */
  hasAttachment: z.boolean(),
  /** When the payout network or the staff next acts on it; null when nothing is due. */
  dueAt: z.string().nullable(),
});
export type TransferRecord = Readonly<z.infer<typeof transferRecordSchema>>;

const transferChangeSchema = transferRecordSchema
  .pick({ status: true, statusCode: true, hasAttachment: true, dueAt: true })
  .partial()
  .extend({ id: z.string() });

/** One indivisible change of the state: the new and the changed parts, with their values afterwards. */
const changeSchema = z.strictObject({
  books: z.array(bookSchema).optional(),
  corridor: z.object({ id: z.string(), isEnabled: z.boolean() }).optional(),
  /** Thousandths of the currency for one euro, as a whole number. */
  rate: z.object({ currency: z.string(), thousandthsPerEur: z.string() }).optional(),
  quotation: quotationRecordSchema.optional(),
  transfer: transferRecordSchema.optional(),
  transferChange: transferChangeSchema.optional(),
});
export type Change = Readonly<z.infer<typeof changeSchema>>;

// The tools of every operation of the sandbox, and the form of a request without its HTTP.

export type Sandbox = {
  /** Everybody may read it; only `commit` changes it. */
  readonly state: State;
  readonly clock: Clock;
  /** Writes the change down, then makes it. If it throws, nothing has changed. */
  commit(change: Change): void;
  /** Makes the payout network or the staff act on this transfer at this moment (milliseconds since 1970). */
  schedule(transferId: string, atMs: number): void;
  readonly settings: SandboxSettings;
};

export type SandboxSettings = {
  readonly allowHttpCallbacks: boolean;
  /** Overrides the corridors' own; null leaves them. */
  readonly quoteLifeMs: number | null;
  readonly settleMs: number;
  readonly reversalMs: number;
};

export type SandboxRequest = {
  /** The decoded id of the path, empty when the path has none. */
  readonly id: string;
  readonly query: Readonly<Record<string, string>>;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
};

// The memory of the sandbox across restarts: an append-only file of JSON lines, one indivisible change each, written before the answer that
// reports it. It survives `kill -9`; it is not synced to the disk, because for a sandbox speed is worth more than surviving a power cut.

export type Journal = {
  /** Writes one change; if that fails, throws and leaves nothing of the change behind. */
  append(change: Change): void;
  close(): void;
};

/** A sandbox without a state file forgets everything at its end. */
export const noJournal: Journal = { append: () => undefined, close: () => undefined };

const CHUNK_BYTES = 1 << 20;
const LINE_END = 0x0a;

/** Replays the journal at `path`, if there is one, into `state`. A last line that the end of its process has cut is left out. */
export function replayJournal(path: string, state: State): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isFile()) throw new SandboxFileWrong(path, 'it is no file');
  let broken: number | null = null;
  let number = 0;
  for (const line of linesOf(path)) {
    number += 1;
    // Only the last line may be cut, and never the first: every start writes the books whole.
    if (broken !== null) throw new SandboxFileWrong(path, `line ${broken} cannot be read`);
    const change = changeOf(line);
    if (change === null) broken = number;
    else applyChange(state, change);
  }
  if (broken === 1 || (number === 0 && statSync(path).size > 0))
    throw new SandboxFileWrong(path, 'it is no state of a sandbox');
}

/** Replaces the file by the fewest lines that say the same, and appends after them. */
export async function openJournal(path: string, state: State): Promise<Journal> {
  await publishFile(path, compacted(state));
  const file = openSync(path, 'r+');
  // The position is kept here, so that the remains of a failed write can be cut off.
  let bytes = fstatSync(file).size;
  return {
    append(change) {
      const line = Buffer.from(`${JSON.stringify(change)}\n`);
      try {
        writeAll(file, line, bytes);
      } catch (error) {
        ftruncateSync(file, bytes);
        throw error;
      }
      bytes += line.byteLength;
    },
    close: () => closeSync(file),
  };
}

function* compacted(state: State): Generator<string> {
  for (const change of changesTo(state)) yield `${JSON.stringify(change)}\n`;
}

function changeOf(line: string): Change | null {
  try {
    return changeSchema.parse(parseExactJson(line));
  } catch {
    // The caller knows what follows, so it decides whether this is a cut last line or a damaged file.
    return null;
  }
}

/** The complete lines of a file of any size; text after the last line end was cut. */
function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    let rest: Buffer = Buffer.alloc(0);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = bytes.lastIndexOf(LINE_END);
      if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n');
      rest = bytes.subarray(end + 1);
    }
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.byteLength;)
    written += writeSync(file, bytes, written, bytes.byteLength - written, position + written);
}
