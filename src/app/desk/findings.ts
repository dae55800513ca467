// What a reconciliation has found so far, over one batch or many.
import type { Words } from '../../base/language.ts';
import { type BalanceEffect, effectOf, isNoEffect, MoneyTally } from '../../results/money-tally.ts';
import type { Difference, SeenTransfer } from '../../results/side-by-side.ts';

/** A difference and where it is; null where no batch knows the transfer. */
export type FoundDifference = Difference & { readonly batch: string | null; readonly row: string | null };

export class Findings {
  readonly differences: FoundDifference[] = [];
  readonly money = new MoneyTally();
  /** What kept the file itself from being compared. */
  readonly astray: Words[] = [];
  /** Rows that were compared. */
  rows = 0;
  /** Of these, the ones whose status has moved at the service, and which are due now. */
  dueAgain = 0;

  get agrees(): boolean {
    return this.differences.length === 0 && this.astray.length === 0;
  }

  addDifference(difference: Difference, place: Pick<FoundDifference, 'batch' | 'row'>): void {
    this.differences.push({ ...difference, ...place });
    if (!isNoEffect(difference.effect))
      this.money.add(difference.sourceCurrency, 'differences', difference.effect);
  }

  addService(transfer: SeenTransfer): void {
    this.money.add(transfer.sourceCurrency, 'service', effectOf(transfer.status, transfer));
  }

  addOwn(currency: string, { file, ledger }: Readonly<Record<'file' | 'ledger', BalanceEffect>>): void {
    this.money.add(currency, 'file', file);
    this.money.add(currency, 'ledger', ledger);
  }

  addAll(other: Findings): void {
    this.differences.push(...other.differences);
    this.money.addAll(other.money);
    this.astray.push(...other.astray);
    this.rows += other.rows;
    this.dueAgain += other.dueAgain;
  }
}
