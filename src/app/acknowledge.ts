// The answer that a file was accepted: how many rows, and how much they ask for in each currency.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { addDecimals, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { requestedCurrency } from '../payouts/payout.ts';
import { batchRows } from '../results/batch-rows.ts';
import { publishJson } from '../results/write-results.ts';
import { answersOf } from './answers.ts';
import type { Paydrop } from './compose.ts';

/** True when the batch's own folder keeps its acknowledgement. */
export async function wasAcknowledged(paydrop: Paydrop, batch: BatchRecord): Promise<boolean> {
  const { folder, nameOf } = await answersOf(paydrop, batch);
  return folder !== null && existsSync(join(folder, nameOf('ack', 'json')));
}

export async function acknowledge(paydrop: Paydrop, batch: BatchRecord): Promise<void> {
  const totals = new Map<string, { rows: number; amount: DecimalText }>();
  for await (const { payout } of batchRows(paydrop.ledger, batch.id)) {
    if (payout === null) continue;
    const currency = requestedCurrency(payout);
    const total = totals.get(currency) ?? { rows: 0, amount: '0' };
    totals.set(currency, {
      rows: total.rows + 1,
      amount: addDecimals(total.amount, payout.requested.amount),
    });
  }
  const place = await answersOf(paydrop, batch);
  await publishJson(place, place.nameOf('ack', 'json'), {
    batch: batch.id,
    file: batch.fileName,
    sha256: batch.sha256,
    rows: batch.rows,
    totals: [...totals].map(([currency, { rows, amount }]) => ({
      currency,
      rows,
      amount: formatAmount(amount, currency),
    })),
    sandbox: batch.sandbox,
    acceptedAt: batch.acceptedAt,
  });
}
