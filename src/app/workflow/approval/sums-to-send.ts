// What would be sent of a batch and what has been sent, by source currency, from its rows: the sums that an approval is about.
import { addDecimals, type DecimalText } from '../../../base/decimal.ts';
import { type ApprovalSum, isWithin, type MostDebit } from '../../../ledger/approval.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowRecord } from '../../../ledger/records.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import { debitOf } from '../../../service/wire.ts';

type SumsToSend = {
  /** Positions of the rows that would be sent. */
  readonly positions: readonly number[];
  /** How many of those rows have no price. */
  readonly unpriced: number;
  readonly totals: readonly ApprovalSum[];
  /** Money that has left the account, or may have. */
  readonly sent: readonly ApprovalSum[];
};

class Sums {
  readonly #sums = new Map<string, ApprovalSum>();

  add(currency: string, debit: DecimalText, rows = 1): void {
    const before = this.#sums.get(currency) ?? { currency, rows: 0, debit: '0' };
    this.#sums.set(currency, {
      currency,
      rows: before.rows + rows,
      debit: addDecimals(before.debit, debit),
    });
  }

  all(): readonly ApprovalSum[] {
    return [...this.#sums.values()].sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }
}

export async function sumsToSend(ledger: Ledger, batch: string): Promise<SumsToSend> {
  const sums = new RowSums();
  for await (const row of batchRows(ledger, batch)) sums.take(row);
  return sums.all();
}

export class RowSums {
  readonly #totals = new Sums();
  readonly #sent = new Sums();
  readonly #positions: number[] = [];
  #unpriced = 0;

  take(row: RowRecord): void {
    const { payout } = row;
    if (payout === null) return;
    const share = shareOf(row);
    if (share === null) return;
    if (share.of === 'sent') this.#sent.add(payout.sourceCurrency, share.debit ?? '0');
    else {
      this.#positions.push(row.position);
      this.#totals.add(payout.sourceCurrency, share.debit ?? '0');
      if (share.debit === null) this.#unpriced += 1;
    }
  }

  all(): SumsToSend {
    return {
      positions: this.#positions,
      unpriced: this.#unpriced,
      totals: this.#totals.all(),
      sent: this.#sent.all(),
    };
  }
}

type Share = { readonly of: 'totals' | 'sent'; readonly debit: DecimalText | null };

/** Null for a row that is not sent, or whose money came back. */
function shareOf({ progress }: RowRecord): Share | null {
  const { price, transfer } = progress;
  const ofTransfer = transfer === null ? null : debitOf(transfer);
  switch (stageOrHeld(progress)) {
    case 'ready':
    case 'quoted':
      return { of: 'totals', debit: price === null ? null : debitOf(price) };
    case 'created':
    case 'confirming':
      return { of: 'totals', debit: ofTransfer };
    case 'confirmed':
    case 'paid':
      return { of: 'sent', debit: ofTransfer };
    case 'held':
      return transfer === null ? null : { of: 'sent', debit: ofTransfer };
    case 'rejected':
      return transfer === null || progress.confirm === 'none' ? null : { of: 'sent', debit: ofTransfer };
    case 'failed':
    case 'duplicate':
      return null;
  }
}

export function areWithin(most: MostDebit, sums: readonly ApprovalSum[]): boolean {
  return sums.every(({ currency, debit }) => isWithin(most, currency, debit));
}

/** The whole batch: the money sent and the money to send. */
export function wholeSums({ sent, totals }: Pick<SumsToSend, 'sent' | 'totals'>): readonly ApprovalSum[] {
  const all = new Sums();
  for (const { currency, debit, rows } of [...sent, ...totals]) all.add(currency, debit, rows);
  return all.all();
}
