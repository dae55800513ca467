// The price of a row before anybody decides to pay it. A quotation moves no money; it has an id of its own each time, so that the run that
// may follow finds its ids unused.
import { randomUUID } from 'node:crypto';

import type { DecimalText } from '../base/decimal.ts';
import { priceDifferences } from '../delivery/compare-echo.ts';
import { quotationRequestOf } from '../delivery/requests.ts';
import { outsideBounds } from '../delivery/quote.ts';
import { HELD_WORDS } from '../payouts/held.ts';
import type { Payout } from '../payouts/payout.ts';
import { Refused } from '../service/errors.ts';
import type { Paydrop } from './compose.ts';

export type Price = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

/** The price, or what is wrong with the row, in words. Throws a `Fault` when the service cannot tell. */
export async function quoteForPreview(
  { service, serviceClock }: Paydrop,
  payout: Payout,
): Promise<Price | { readonly wrong: string }> {
  const request = quotationRequestOf(payout, randomUUID());
  try {
    const { value } = await serviceClock.ask(() => service.createQuotation(request));
    if (priceDifferences(payout, value).length > 0) return { wrong: HELD_WORDS.quotation_mismatch };
    const wrong = outsideBounds(payout, value);
    if (wrong !== null) return { wrong };
    return {
      sendAmount: value.sourceAmount,
      feeAmount: value.feeAmount,
      receiveAmount: value.destinationAmount,
    };
  } catch (error) {
    if (error instanceof Refused)
      return { wrong: `The service gives no price: ${error.words || String(error.errorCode)}.` };
    throw error;
  }
}
