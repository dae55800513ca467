// What happened in one run, as its witness wrote it down: every call, every effect at the service, every movement of money, every durable record.
// The checker believes nothing else.

/** Money is counted in minor units of its currency. */
export type Minor = bigint;

export type Account = 'world' | 'available' | 'pending' | 'paidOut';

/** A transfer as the service holds it. */
export type TransferFacts = {
  readonly id: string;
  readonly externalId: string;
  readonly quotationId: string;
  readonly sourceCurrency: string;
  readonly destinationCurrency: string;
  readonly sendAmount: Minor;
  readonly feeAmount: Minor;
  readonly receiveAmount: Minor;
  readonly purposeOfRemittance: string;
  readonly documentReferenceNumber: string | null;
  readonly parties: Readonly<Record<string, unknown>>;
  readonly deliveryMethodInfo: Readonly<Record<string, unknown>>;
  readonly expiredAt: number;
};

export type QuotationFacts = {
  readonly id: string;
  readonly externalId: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
  readonly payoutCorridorId: string;
  readonly mode: string;
  readonly sourceAmount: Minor;
  readonly destinationAmount: Minor;
  readonly feeAmount: Minor;
  readonly expiredAt: number;
};

export type Proof = { readonly attempt: number; readonly proof: string; readonly transferId: string };

/** What the ledger durably holds of a row. */
export type RowFacts = {
  readonly row: string;
  readonly stage: string;
  readonly transferAttempt: number;
  readonly quotationId: string | null;
  readonly transferId: string | null;
  readonly status: string | null;
  readonly heldCode: string | null;
  readonly deadAttempts: readonly Proof[];
};

export type Operation = 'rates' | 'create' | 'attach' | 'confirm' | 'read' | 'list' | 'other';

export type What =
  /** A request leaves a process. `subject`: the transfer id, or the externalId, that it is about. */
  | {
      readonly kind: 'sent';
      readonly call: number;
      readonly life: string;
      readonly operation: Operation;
      readonly line: string;
      readonly subject: string;
      readonly quotationId: string | null;
      readonly apiKey: string;
    }
  /** A request, or a copy of it, reaches the service. */
  | { readonly kind: 'arrived'; readonly call: number; readonly copy: number }
  /** Its answer, or the lack of one, reaches the process. `serverTime`: its `Date`. */
  | {
      readonly kind: 'answered';
      readonly call: number;
      readonly life: string;
      readonly httpStatus: number | null;
      readonly errorCode: number | null;
      readonly transferId: string | null;
      readonly status: string | null;
      readonly serverTime: number | null;
      /** Changed on its way: `echo` in what it says of the payment, `broken` beyond reading; `unsent`: the request never left. */
      readonly damage: 'echo' | 'broken' | 'unsent' | null;
    }
  | { readonly kind: 'quotation'; readonly quotation: QuotationFacts; readonly isAsAsked: boolean }
  | { readonly kind: 'transfer'; readonly transfer: TransferFacts; readonly by: 'us' | 'other' }
  | {
      readonly kind: 'status';
      readonly transferId: string;
      readonly from: string;
      readonly to: string;
      readonly statusCode: string;
      readonly by: 'confirm' | 'network' | 'expiry' | 'staff' | 'other';
    }
  | { readonly kind: 'document'; readonly transferId: string; readonly sha256: string }
  | {
      readonly kind: 'moved';
      readonly currency: string;
      readonly from: Account;
      readonly to: Account;
      readonly amount: Minor;
    }
  | { readonly kind: 'recorded'; readonly life: string; readonly record: RowFacts; readonly event: string }
  /** The ledger stands with other contents than it had. */
  | {
      readonly kind: 'ledger';
      readonly what: 'registered' | 'restored' | 'rebuilt';
      /** What was put back is the ledger as it was at this place of the journal; 0 for an empty one, null where nothing was put back. */
      readonly asOf: number | null;
      readonly records: readonly RowFacts[];
    }
  | { readonly kind: 'life'; readonly life: string; readonly what: string; readonly detail: string }
  /** What a command said that a person gave about held rows. */
  | {
      readonly kind: 'decided';
      readonly life: string;
      readonly order: 'try again' | 'skip';
      readonly done: readonly string[];
      readonly followed: readonly string[];
      readonly refused: readonly string[];
    }
  | { readonly kind: 'faults'; readonly what: 'stopped' };

export type Entry = What & { readonly at: number };

/** Time at the service, in ms since 1970. */
export type Journal = readonly Entry[];
