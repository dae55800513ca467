// A known receiver on an unknown account is how invoices are forged; where the policy says so, such a row waits for a person.
import type { Ledger } from '../../../ledger/ledger.ts';
import { accountKey, payeeKey } from '../../../payouts/duplicates.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { isNewAccount, LOOK_BACK_ROWS } from './unusual.ts';

/** Positions of the rows of a registered batch whose receiver was never paid on their account, only on others. */
export async function newAccountRows(ledger: Ledger, batch: string): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for await (const { position, payout } of batchRows(ledger, batch)) {
    const payee = payout === null ? null : payeeKey(payout);
    if (payout === null || payee === null) continue;
    if (isNewAccount(accountKey(payout), await ledger.paidTo(payee, LOOK_BACK_ROWS))) found.add(position);
  }
  return found;
}
