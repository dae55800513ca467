// The mailbox of a batch: what people want of rows that another process, or another go of this one, has. Only the owner of a batch writes its rows, so an order waits
// for the owner, who carries it out between two steps; while one waits, no further row of the batch is taken up and nothing is newly confirmed.
import type { LeasedBatch } from './records.ts';

export type Order = {
  readonly id: number;
  readonly batch: string;
  /** What is wanted, as JSON. */
  readonly body: string;
  /** ISO. */
  readonly givenAt: string;
};

export interface Orders {
  /** Puts one into the mailbox; from then on it is in force. */
  give(order: Omit<Order, 'id'>): Promise<number>;
  /** Those of a batch, or of all, that nobody has carried out, oldest first. */
  open(batch: string | null): Promise<readonly Order[]>;
  /** Says how one was carried out, as JSON. Throws `LeaseLost` where this run has the batch no more. */
  answer(leased: LeasedBatch, id: number, outcome: string): Promise<void>;
  /** How one was carried out; null while it waits. */
  outcome(id: number): Promise<string | null>;
  /** Calls at once when this very process gives an order for the batch, until the returned function is called. Orders of others are found by a look. */
  onGiven(batch: string, call: () => void): () => void;
}
