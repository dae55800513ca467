// One hash of all that a closed batch has told of its rows: when it is another, there is something new to tell.
import { createHash } from 'node:crypto';

import type { Ledger } from '../ledger/ledger.ts';
import type { RowRecord } from '../ledger/records.ts';
import { outcomeOf } from '../payouts/outcome.ts';
import { stageOrHeld } from '../payouts/progress.ts';
import { batchRows } from '../ledger/batch-rows.ts';

/** SHA-256 in hex over outcome, transfer, status and amounts of every row: all of it can be told again after a lost ledger. */
export async function rowsDigest(ledger: Ledger, batch: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const row of batchRows(ledger, batch)) hash.update(`${JSON.stringify(told(row))}\n`);
  return hash.digest('hex');
}

function told({ row, progress }: RowRecord): readonly (string | null)[] {
  const { transfer } = progress;
  const outcome = outcomeOf(stageOrHeld(progress));
  if (transfer === null || outcome === 'rejected' || outcome === 'duplicate') return [row, outcome];
  const { transferId, status, statusCode, sendAmount, feeAmount, receiveAmount } = transfer;
  return [row, outcome, transferId, status, statusCode, sendAmount, feeAmount, receiveAmount];
}
