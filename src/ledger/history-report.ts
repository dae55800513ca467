// What a look through the whole history of a ledger found: nothing, or the first places where somebody else than the ledger wrote.

/** An event as a person can look for it. */
export type EventPlace = {
  /** Its number in the history, from 1. */
  readonly seq: number;
  /** ISO time. */
  readonly at: string;
  readonly batch: string;
  /** The row's own name; null for an event of the batch itself. */
  readonly row: string | null;
  readonly event: string;
};

export type HistoryFault =
  /** The event is not the one that was written there: edited, or put in. */
  | { readonly kind: 'event-forged'; readonly place: EventPlace }
  | { readonly kind: 'events-missing'; readonly from: number; readonly to: number };

/** A record that is not as the last event of its own left it: `added` without any event, `missing`, or `edited` since. */
export type RecordFault = {
  readonly kind: 'edited' | 'missing' | 'added';
  readonly batch: string;
  /** Null for the batch's own record. */
  readonly row: string | null;
};

/** A running sum that is not the sum of its rows: of a day or a file, with its currency. */
export type SumFault = { readonly of: string };

export type HistoryReport = {
  readonly events: number;
  /** Of the last event, in hex: whoever noted it beside its number sees whether the end of the history was taken out since. */
  readonly lastHash: string;
  readonly fault: HistoryFault | null;
  readonly batchFault: RecordFault | null;
  readonly rowFault: RecordFault | null;
  readonly sumFault: SumFault | null;
};
