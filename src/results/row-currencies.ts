// In which currencies a row is paid. A row that can no longer be read as a payment may have been paid all the same: then its transfer alone tells,
// and its money must not be missing in any sum.
import type { RowRecord } from '../ledger/records.ts';

export type RowCurrencies = { readonly sourceCurrency: string; readonly targetCurrency: string };

/** @param seen the transfer as the service shows it now. Null where nothing was sent. */
export function rowCurrencies(
  { payout, progress: { transfer } }: Pick<RowRecord, 'payout' | 'progress'>,
  seen: { readonly sourceCurrency: string; readonly destinationCurrency: string } | null = null,
): RowCurrencies | null {
  if (payout !== null) return payout;
  const sourceCurrency = transfer?.sourceCurrency ?? seen?.sourceCurrency;
  const targetCurrency = transfer?.destinationCurrency ?? seen?.destinationCurrency;
  return sourceCurrency === undefined || targetCurrency === undefined
    ? null
    : { sourceCurrency, targetCurrency };
}
