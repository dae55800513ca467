// One row of the input as the checker knows it: what was asked to be paid, and to whom.
import type { Minor } from './journal.ts';

export type AskedRow = {
  readonly row: string;
  readonly payoutCorridorId: string;
  readonly sourceCurrency: string;
  readonly targetCurrency: string;
  readonly mode: 'SOURCE_AMOUNT' | 'DESTINATION_AMOUNT';
  /** In the currency of the side that the row fixes. */
  readonly amount: Minor;
  readonly purposeOfRemittance: string;
  readonly documentReferenceNumber: string | null;
  readonly parties: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly deliveryMethodInfo: Readonly<Record<string, string>>;
  readonly documentSha256: string | null;
};

/** What the answers say of a row at the end. */
export type FinalRow = {
  readonly row: string;
  readonly stage: string;
  /** The cells of the result, by column. */
  readonly cells: Readonly<Record<string, string>>;
  readonly deadAttempts: readonly string[];
  readonly transferId: string | null;
  readonly transferAttempt: number;
  readonly heldCode: string | null;
};

export type FinalTotals = {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly debited: Readonly<Record<string, string>>;
  readonly reserved: Readonly<Record<string, string>>;
  readonly received: Readonly<Record<string, string>>;
};
