// The state of the service: everything that an answer can depend on. It changes only by `applyChange`, so that replaying the journal
// leads to exactly the state that wrote it.
import { CORRIDORS, type Corridor } from './corridors.ts';
import type { Book, Change, QuotationRecord, TransferRecord } from './records.ts';

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
export function* changesTo(state: State): Generator<Change> {
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
