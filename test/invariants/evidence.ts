// The evidence for the checker of answers: what went in, what came out, and what the service knows, each as plain text or records, from any
// collector.

/** A file that was paid, and its answers as they lie in the outbox. */
export type BatchEvidence = {
  /** The input, byte for byte: one header line, one row a line, canonical column names. */
  readonly file: string;
  readonly fileName: string;
  /** Of a standing file: the day for which it was paid. */
  readonly day?: string;
  readonly result: string;
  readonly reconciliation: string;
  readonly summary: string;
};

/** A transfer as the service tells of it; amounts as the digits that were sent. */
export type TransferEvidence = {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
  readonly statusCode: string;
  readonly sendAmount: string;
  readonly sourceCurrency: string;
  readonly receiveAmount: string;
  readonly destinationCurrency: string;
  readonly feeAmount: string;
  readonly purposeOfRemittance: string;
  readonly receiver: Readonly<Record<string, unknown>> | null;
  readonly receivingBusiness: Readonly<Record<string, unknown>> | null;
  readonly deliveryMethodInfo: Readonly<Record<string, unknown>>;
};

/** The service's account in one currency. */
export type BookEvidence = {
  readonly currency: string;
  readonly availableAmount: string;
  readonly pendingAmount: string;
  readonly debitedAmount: string;
  readonly depositedAmount: string;
};

export type ServiceEvidence = {
  readonly transfers: readonly TransferEvidence[];
  readonly books: readonly BookEvidence[];
  /** Every change of a status in the order in which it happened; the first of a transfer is its creation. */
  readonly history: readonly { readonly id: string; readonly status: string }[];
};

/** `double`: money went out twice. `lost`: a row without its end. `difference`: two books that do not agree. */
export type Violation = { readonly kind: 'double' | 'lost' | 'difference'; readonly words: string };
