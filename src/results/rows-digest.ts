// One hash of all that a closed batch has told of its rows: when it is another, there is something new to tell.
import { createHash } from 'node:crypto';

import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { outcomeOf } from '../payouts/outcome.ts';
import { stageOrHeld, withForeign } from '../payouts/progress.ts';
import { batchPages } from '../ledger/batch-rows.ts';

/** SHA-256 in hex over outcome, transfer, status and amounts of every row: all of it can be told again after a lost ledger. */
export async function rowsDigest(ledger: Ledger, batch: string): Promise<string> {
  const digest = new RowsDigest();
  for await (const page of batchPages(ledger, batch)) digest.add(page);
  return digest.hex();
}

/** The same of rows that are read for something else too. */
export class RowsDigest {
  readonly #hash = createHash('sha256');

  add(page: readonly RowRecord[]): void {
    this.#hash.update(page.map((row) => `${JSON.stringify(told(row))}\n`).join(''));
  }

  hex(): string {
    return this.#hash.digest('hex');
  }
}

function told({ row, progress }: RowRecord): readonly (string | null)[] {
  const { transfer } = withForeign(progress);
  const outcome = outcomeOf(stageOrHeld(progress));
  if (transfer === null || outcome === 'rejected' || outcome === 'duplicate') return [row, outcome];
  const { transferId, status, statusCode, sendAmount, feeAmount, receiveAmount } = transfer;
  return [row, outcome, transferId, status, statusCode, sendAmount, feeAmount, receiveAmount];
}
