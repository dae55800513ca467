// The price of a row before anybody decides to pay it. A quotation moves no money, so it is asked for under the row's own ids: the run that may
// follow takes over what is still valid, and asks anew for what is not.
import type { Words } from '../../base/language.ts';
import type { DecimalText } from '../../base/decimal.ts';
import { priceDifferences } from '../../delivery/compare-echo.ts';
import { outsideBounds } from '../../delivery/quote.ts';
import { quotationRequestOf } from '../../delivery/requests.ts';
import { mayCreate } from '../../delivery/time-left.ts';
import { externalId } from '../../payouts/external-id.ts';
import { HOLDS } from '../../payouts/hold.ts';
import type { Payout } from '../../payouts/payout.ts';
import { Refused } from '../../service/errors.ts';
import type { Quotation } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import { sentence } from '../../messages/messages.ts';

export type Price = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

export type PreviewedRow = { readonly fileId: string; readonly row: string; readonly payout: Payout };

/** A file that has been previewed so often without being run is looked at for another reason. */
const ATTEMPTS_MOST = 50;

/** The price, or what is wrong with the row, in words. Throws a `Fault` when the service cannot tell. */
export async function quoteForPreview(
  paydrop: Paydrop,
  row: PreviewedRow,
): Promise<Price | { readonly wrong: Words }> {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS_MOST; attempt++) {
      const quotation = await quoteOrAdopt(paydrop, row, attempt);
      if (quotation !== null) return priceOf(row.payout, quotation);
    }
    return { wrong: NO_VALID_PRICE };
  } catch (error) {
    if (error instanceof Refused) return { wrong: noPrice(error.words || String(error.errorCode)) };
    throw error;
  }
}

const NO_VALID_PRICE: Words = sentence('quoteForPreview.noValidPrice');

function noPrice(said: string): Words {
  return sentence('quoteForPreview.noPrice', { said });
}

/** Null when there is one under this id that is over, or that was asked for something else. */
async function quoteOrAdopt(
  { service, serviceClock }: Paydrop,
  { fileId, row, payout }: PreviewedRow,
  attempt: number,
): Promise<Quotation | null> {
  const id = externalId(fileId, row, 'quotation', attempt);
  try {
    return (await serviceClock.ask(() => service.createQuotation(quotationRequestOf(payout, id)))).value;
  } catch (error) {
    if (!(error instanceof Refused && error.errorCode === 10002)) throw error;
    const { value } = await serviceClock.ask(() => service.quotationByExternalId(id));
    const isUsable =
      mayCreate(value, serviceClock.latestNow()) && priceDifferences(payout, value).length === 0;
    return isUsable ? value : null;
  }
}

function priceOf(payout: Payout, quotation: Quotation): Price | { readonly wrong: Words } {
  if (priceDifferences(payout, quotation).length > 0) return { wrong: HOLDS.quotation_mismatch.words };
  const wrong = outsideBounds(payout, quotation);
  if (wrong !== null) return { wrong };
  const { sourceAmount: sendAmount, feeAmount, destinationAmount: receiveAmount } = quotation;
  return { sendAmount, feeAmount, receiveAmount };
}
