// The status reports to a program that wrote its payments as a message, whenever a process ends. The program repeats a payment that is reported as rejected:
// no such payment may have been made, or be on its way, at the service.
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import { statusOf } from '../../src/results/status-codes.ts';
import type { Violation } from '../invariants/case-file.ts';
import { expectedTransferId } from '../invariants/expected-id.ts';

type Shown = { readonly externalId: string; readonly status: string };

/** How the model service has a transfer that is paid or on its way. */
const MADE: readonly string[] = ['submitted', 'paid'];

/** More than any row of a schedule comes to. */
const ATTEMPTS_MOST = 40;

export class ToldStatuses {
  readonly #violations: Violation[] = [];
  readonly #fileId: string;
  readonly #rejected = new Set<string>();

  constructor(fileId: string) {
    this.#fileId = fileId;
  }

  /** Tells how all payments stand, and holds it against the transfers that there are. */
  tell(batch: BatchRecord, rows: readonly RowRecord[], transfers: readonly Shown[]): void {
    for (const row of rows) if (statusOf(row, batch).status === 'RJCT') this.#rejected.add(row.row);
    this.#check(transfers);
  }

  /** At the end: also what was made since. */
  found(transfers: readonly Shown[]): readonly Violation[] {
    this.#check(transfers);
    return this.#violations;
  }

  #check(transfers: readonly Shown[]): void {
    const made = new Map(
      transfers
        .filter(({ status }) => MADE.includes(status))
        .map(({ externalId, status }) => [externalId, status]),
    );
    for (const row of this.#rejected) {
      const ids = Array.from({ length: ATTEMPTS_MOST }, (_none, index) =>
        expectedTransferId(this.#fileId, row, index + 1),
      );
      const status = ids.map((id) => made.get(id)).find((each) => each !== undefined);
      if (status === undefined) continue;
      this.#rejected.delete(row);
      this.#violations.push({ invariant: 'told as rejected', row, words: `its transfer is ${status}` });
    }
  }
}
