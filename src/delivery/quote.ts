// ready → quoted: asks for a price. A quotation moves no money, so a new one is always harmless.
import type { Words } from '../base/language.ts';
import { compareDecimals, withDecimals } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import type { Payout } from '../payouts/payout.ts';
import type { QuotedPrice } from '../payouts/progress.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { Refused } from '../service/errors.ts';
import type { Answer } from '../service/payout-service.ts';
import type { Quotation } from '../service/wire.ts';
import { quotationDifferences } from './compare-echo.ts';
import { isInTime } from './in-time.ts';
import { QUOTATIONS_MOST, quotationExternalId, quotationRequest } from './requests.ts';
import { requote } from './requote.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { sentence } from '../messages/messages.ts';

export async function quote(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { progress } = due.row;
  if (progress.quotationAttempt > QUOTATIONS_MOST)
    return { kind: 'held', code: 'too_many_attempts', learned: {} };
  const { quotation, isAdopted } = await askForQuotation(due, tools);
  if (quotationDifferences(due, quotation).length > 0) {
    // One that was found may have been asked for under another config; one that was just made must be what was asked.
    return isAdopted ? requote(progress) : { kind: 'held', code: 'quotation_mismatch', learned: {} };
  }
  const outside = outsideBounds(due.row.payout, quotation);
  if (outside !== null) {
    return {
      kind: 'refused',
      stage: 'rejected',
      learned: { errorCode: 'amount_outside_bounds', reason: outside },
    };
  }
  // One that was made by an earlier run may be about to end; a fresh one is used whatever its life.
  if (isAdopted && !isInTime(due, quotation, tools)) return requote(progress);
  return { kind: 'advanced', stage: 'quoted', learned: { price: toPrice(quotation) } };
}

async function askForQuotation(
  due: DueRow,
  { service, serviceClock }: DeliveryTools,
): Promise<{ readonly quotation: Quotation; readonly isAdopted: boolean }> {
  const ask = (call: () => Promise<Answer<Quotation>>) => serviceClock.ask(call);
  try {
    const { value } = await ask(() => service.createQuotation(quotationRequest(due)));
    return { quotation: value, isAdopted: false };
  } catch (error) {
    // 10002: an earlier try of this very id had arrived.
    if (!(error instanceof Refused && error.errorCode === 10002)) throw error;
    const { value } = await ask(() => service.quotationByExternalId(quotationExternalId(due)));
    return { quotation: value, isAdopted: true };
  }
}

function toPrice(quotation: Quotation): QuotedPrice {
  return {
    quotationId: quotation.id,
    sendAmount: quotation.sourceAmount,
    feeAmount: quotation.feeAmount,
    receiveAmount: quotation.destinationAmount,
    createdAt: quotation.createdAt,
    expiredAt: quotation.expiredAt,
  };
}

/** Plain words when the recipient would get less or more than the corridor allows; the bounds themselves are allowed. */
export function outsideBounds(
  { bounds, targetCurrency }: Payout,
  { destinationAmount }: Quotation,
): Words | null {
  const isInside =
    compareDecimals(destinationAmount, bounds.least) >= 0 &&
    compareDecimals(destinationAmount, bounds.most) <= 0;
  if (isInside) return null;
  const show = (amount: string) =>
    `${withDecimals(formatAmount(amount, targetCurrency), 0)} ${targetCurrency}`;
  const [amount, least, most] = [show(destinationAmount), show(bounds.least), show(bounds.most)];
  return sentence('quote.outsideBounds', { amount, least, most });
}
